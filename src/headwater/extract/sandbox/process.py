"""The parent's side of an extractor process: start it, send documents, end it."""

import fcntl
import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import msgspec

from headwater.extract import tesseract
from headwater.extract.sandbox.answers import (
    NOT_IMPORTED,
    PICTURE,
    MalformedAnswer,
    ResultDecoder,
    decode_answer,
)
from headwater.extract.sandbox.frames import LARGEST_READ, LENGTH, frame_parts
from headwater.extract.sandbox.lockdown.protections import Protection
from headwater.extract.sandbox.requests import (
    Item,
    ReadRequest,
    StartRequest,
    encode_request,
    picture_decoder,
)
from headwater.model.errors import Refused

MEMORY_STATUS = 77
MOST_ANSWER = 256_000_000
_GRACE = 3.0  # the child's own timer should fire first
_START_SECONDS = 60.0
_BUFFER = 1 << 18
_SET_PIPE_SIZE = getattr(fcntl, "F_SETPIPE_SZ", 0)
_PROGRAM = (
    "import sys, json; sys.path[:] = json.loads(sys.argv[1]); "
    "from headwater.extract.sandbox.child import main; main()"
)
# All that a child gets of its parent's environment: how to load libraries and to write text. No key, no password.
_INHERITED = frozenset(
    {
        "DYLD_LIBRARY_PATH",
        "LANG",
        "LC_ALL",
        "LC_CTYPE",
        "LD_LIBRARY_PATH",
        "PYTHONHOME",
        "PYTHONUTF8",
        "SYSTEMROOT",
        "TZ",
    }
)
# One thread each: a hundred children must not start a thousand.
_ENVIRONMENT = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "MALLOC_ARENA_MAX": "2",
    "PYTHONDONTWRITEBYTECODE": "1",
}


class ExtractorEnded(Exception):
    """The child has ended; `reason` is extractor_died, extractor_timeout or extractor_memory."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason
        self.detail = detail


class NotImported(Exception):
    """The child, which can open no more files, cannot import this parser: a new child must do it at its start."""


@dataclass(slots=True)
class ExtractorProcess:
    process: "subprocess.Popen[bytes]"
    seconds: float
    megabytes: int
    protections: tuple[Protection, ...] = ()
    is_worn: bool = False
    unread: bytearray = field(default_factory=bytearray)
    buffer: bytearray = field(
        default_factory=lambda: bytearray(_BUFFER)
    )  # a new one each time costs page faults
    progress: int = -1

    @classmethod
    def start(cls, parsers: Sequence[bytes], seconds: float, megabytes: int) -> "ExtractorProcess":
        """Raises Refused when a parser cannot be loaded in another process."""
        # The child reports on the third pipe which document it begins. It is looked at only when the child has ended.
        progress, progress_end = os.pipe()
        try:
            process = subprocess.Popen(  # noqa: S603 - this Python, with our own program
                [sys.executable, "-c", _PROGRAM, json.dumps(sys.path)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=progress_end,
                env=child_environment(os.environ),
                start_new_session=True,  # so that the processes it starts end with it
            )
        except BaseException:
            os.close(progress)
            raise
        finally:
            os.close(progress_end)
        os.set_blocking(progress, False)
        child = cls(process, seconds, megabytes, progress=progress)
        child._widen()
        request = StartRequest(
            parsers=tuple(parsers),
            seconds=seconds,
            megabytes=megabytes,
            recognises=tesseract.tesseract() is not None,
        )
        try:
            until = time.monotonic() + _START_SECONDS
            child._send(encode_request(request), until)
            answer = child._receive(until)
        except ExtractorEnded as error:
            child.kill()
            raise Refused(
                "extractor_not_started", f"the extractor's process did not start: {error}"
            ) from error
        if not answer.startswith(b"ready"):
            child.kill()
            raise Refused("not_importable", answer.decode("utf-8", "replace")[:500])
        child.protections = msgspec.json.decode(answer[5:], type=tuple[Protection, ...])
        return child

    def read(self, parser: bytes, items: tuple[Item, ...], decoder: ResultDecoder) -> Iterator[Any]:
        """One result for each item, in order; some arrive together. Raises ExtractorEnded when the child ends, and NotImported
        before the first."""
        self.started()
        request = ReadRequest(parser=parser, items=items)
        self._send(encode_request(request), self._deadline())
        for _ in items:
            answer = self._next_answer()
            self.is_worn |= answer[1:2] == b"w"
            try:
                result = decode_answer(answer, decoder)
            except MalformedAnswer as error:
                raise ExtractorEnded("extractor_died", f"its answer is malformed: {error}") from error
            yield result

    def started(self) -> int:
        """How many documents the child has begun since the last request."""
        try:
            return len(os.read(self.progress, _BUFFER))
        except OSError:  # nothing was written
            return 0

    def _deadline(self) -> float:
        return time.monotonic() + self.seconds + _GRACE

    def _next_answer(self) -> bytes:
        until = self._deadline()
        while True:
            answer = self._receive(until)
            if answer[:1] == NOT_IMPORTED:
                raise NotImported(answer[2:].decode("utf-8", "replace"))
            if answer[:1] != PICTURE:
                return answer
            self._send(self._recognised_text(answer[2:], until), until)

    def _recognised_text(self, body: bytes, until: float) -> bytes:
        try:
            request = picture_decoder.decode(body)
        except msgspec.DecodeError as error:
            raise ExtractorEnded("extractor_died", f"its request is malformed: {error}"[:200]) from error
        seconds = min(request.seconds, until - time.monotonic())
        text = tesseract.recognise_picture(request.picture, request.languages, max(seconds, 0.1))
        return text.encode("utf-8", "replace")

    def _widen(self) -> None:
        """A document should fit into the pipe: fewer switches between the two processes."""
        assert self.process.stdin is not None
        os.set_blocking(self.process.stdin.fileno(), False)
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None and _SET_PIPE_SIZE:
                with suppress(OSError):
                    fcntl.fcntl(pipe.fileno(), _SET_PIPE_SIZE, LARGEST_READ)

    def _send(self, frame: bytes, until: float) -> None:
        assert self.process.stdin is not None
        handle = self.process.stdin.fileno()
        try:
            for part in frame_parts(frame):
                self._write(handle, part, until)
        except (BrokenPipeError, ConnectionError) as error:
            raise self._end_reason() from error

    def _write(self, handle: int, data: bytes, until: float) -> None:
        """A child that does not read must not hold its parent for ever."""
        view = memoryview(data)
        while view:
            try:
                view = view[os.write(handle, view) :]
            except BlockingIOError:
                waiting = select.poll()
                waiting.register(handle, select.POLLOUT)
                if not waiting.poll(max(0, 1000 * (until - time.monotonic()))):
                    raise self._timeout() from None

    def _receive(self, until: float) -> bytes:
        self._read_until(LENGTH.size, until)
        length = LENGTH.unpack_from(self.unread)[0]
        if length > MOST_ANSWER:
            raise ExtractorEnded("extractor_died", "its answer is malformed: too large")
        end = LENGTH.size + length
        self._read_until(end, until)
        frame = bytes(memoryview(self.unread)[LENGTH.size : end])
        del self.unread[:end]
        return frame

    def _read_until(self, count: int, until: float) -> None:
        """Waits until so many bytes are there."""
        if len(self.unread) >= count:
            return
        assert self.process.stdout is not None
        handle = self.process.stdout.fileno()
        waiting = select.poll()
        waiting.register(handle, select.POLLIN)
        while len(self.unread) < count:
            if not waiting.poll(max(0, 1000 * (until - time.monotonic()))):
                raise self._timeout()
            size = os.readv(handle, [self.buffer])
            if not size:
                raise self._end_reason()
            self.unread += memoryview(self.buffer)[:size]

    def _timeout(self) -> ExtractorEnded:
        return ExtractorEnded("extractor_timeout", f"no answer within {self.seconds:g} s")

    def _end_reason(self) -> ExtractorEnded:
        """Why the child ended."""
        try:
            status = self.process.wait(timeout=_GRACE)
        except subprocess.TimeoutExpired:
            return ExtractorEnded("extractor_died", "it closed its end")
        if status == -signal.SIGALRM:
            return self._timeout()
        if status == MEMORY_STATUS:
            return ExtractorEnded("extractor_memory", f"it needed more than {self.megabytes} MB")
        name = signal.Signals(-status).name if status < 0 else f"status {status}"
        return ExtractorEnded("extractor_died", f"its process ended with {name}")

    def is_alive(self) -> bool:
        return self.process.poll() is None

    def close(self) -> None:
        """An idle child ends when its input does."""
        self._close_pipes()
        try:
            self.process.wait(timeout=1.0)
        except subprocess.TimeoutExpired:
            self.kill()

    def end(self) -> None:
        """Kills the child and every process that it started."""
        if self.process.returncode is None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, signal.SIGKILL)

    def kill(self) -> None:
        self.end()
        self.process.wait()
        self._close_pipes()

    def abandon(self) -> None:
        """Lets go of the child without ending it: it belongs to the process from which this one was forked."""
        self._close_pipes()
        self.process.returncode = 0

    def _close_pipes(self) -> None:
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()
        progress, self.progress = self.progress, -1
        if progress >= 0:
            os.close(progress)


def child_environment(variables: Mapping[str, str]) -> dict[str, str]:
    """What a child may know of the environment of its parent, and what it needs to be told."""
    return {name: value for name, value in variables.items() if name in _INHERITED} | _ENVIRONMENT

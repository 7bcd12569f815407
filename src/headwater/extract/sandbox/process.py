"""The parent's side of an extractor process: start it, send documents, end it.

Frames go both ways: a length of eight bytes, then that many bytes. The child answers with data (JSON), never with
pickled objects: it has read untrusted bytes and must not be trusted any more.
"""

import fcntl
import json
import os
import pickle
import select
import signal
import struct
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, replace

import msgspec

from headwater.model.errors import Permanent, Refused
from headwater.model.outcomes import ExtractHints, Reading, Unreadable
from headwater.model.recipe import Extract

LENGTH = struct.Struct("<Q")
MOST_ANSWER = 512_000_000
_GRACE = 3.0  # the child's own timer should fire first
_START_SECONDS = 60.0
_PIPE_SIZE = 1 << 20
_SET_PIPE_SIZE = getattr(fcntl, "F_SETPIPE_SZ", 0)
_PROGRAM = (
    "import sys, json; sys.path[:] = json.loads(sys.argv[1]); "
    "from headwater.extract.sandbox.child import main; main()"
)
# One thread each: a hundred children must not start a thousand.
_ENVIRONMENT = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "MALLOC_ARENA_MAX": "2",
    "PYTHONDONTWRITEBYTECODE": "1",
}
_reading_decoder = msgspec.json.Decoder(Reading)
_unreadable_decoder = msgspec.json.Decoder(Unreadable)


class ExtractorEnded(Exception):
    """The child has ended; `reason` is extractor_died, extractor_timeout or extractor_memory."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason
        self.detail = detail


@dataclass(slots=True)
class ExtractorProcess:
    process: "subprocess.Popen[bytes]"
    seconds: float
    megabytes: int
    is_worn: bool = False

    @classmethod
    def start(cls, extract: Extract, seconds: float, megabytes: int) -> "ExtractorProcess":
        """Raises Refused when the extractor cannot be loaded in another process."""
        task = pickle.dumps((extract, seconds, megabytes))
        process = subprocess.Popen(  # noqa: S603 - this Python, with our own program
            [sys.executable, "-c", _PROGRAM, json.dumps(sys.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **_ENVIRONMENT},
            start_new_session=True,  # so that the processes it starts end with it
        )
        child = cls(process, seconds, megabytes)
        child._widen()
        try:
            child._send(task)
            started = child._receive(time.monotonic() + _START_SECONDS)
        except ExtractorEnded as error:
            child.kill()
            raise Refused(
                "extractor_not_started", f"the extractor's process did not start: {error}"
            ) from error
        if started != b"ready":
            child.kill()
            raise Refused("not_importable", started.decode("utf-8", "replace")[:500])
        return child

    def read(self, data: bytes, hints: ExtractHints) -> Reading | Unreadable | Permanent:
        self._send(msgspec.json.encode((hints.url, hints.media_type)), data)
        answer = self._receive(time.monotonic() + self.seconds + _GRACE)
        self.is_worn = answer[1:2] == b"w"
        return _decode_answer(answer)

    def _widen(self) -> None:
        """A document should fit into the pipe: fewer switches between the two processes."""
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None and _SET_PIPE_SIZE:
                with suppress(OSError):
                    fcntl.fcntl(pipe.fileno(), _SET_PIPE_SIZE, _PIPE_SIZE)

    def _send(self, *frames: bytes) -> None:
        assert self.process.stdin is not None
        parts = [part for frame in frames for part in (LENGTH.pack(len(frame)), frame)]
        try:
            write_all(self.process.stdin.fileno(), b"".join(parts))
        except (BrokenPipeError, ConnectionError) as error:
            raise self._end_reason() from error

    def _receive(self, until: float) -> bytes:
        assert self.process.stdout is not None
        handle = self.process.stdout.fileno()
        head = self._exactly(handle, LENGTH.size, until)
        length = LENGTH.unpack(head)[0]
        if length > MOST_ANSWER:
            raise ExtractorEnded("extractor_died", "its answer is malformed")
        return self._exactly(handle, length, until)

    def _exactly(self, handle: int, count: int, until: float) -> bytes:
        parts: list[bytes] = []
        waiting = select.poll()
        waiting.register(handle, select.POLLIN)
        while count:
            if not waiting.poll(max(0, 1000 * (until - time.monotonic()))):
                raise ExtractorEnded("extractor_timeout", f"no answer within {self.seconds:g} s")
            part = os.read(handle, min(count, _PIPE_SIZE))
            if not part:
                raise self._end_reason()
            parts.append(part)
            count -= len(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def _end_reason(self) -> ExtractorEnded:
        """Why the child ended."""
        try:
            status = self.process.wait(timeout=_GRACE)
        except subprocess.TimeoutExpired:
            return ExtractorEnded("extractor_died", "it closed its end")
        if status == -signal.SIGALRM:
            return ExtractorEnded("extractor_timeout", f"no answer within {self.seconds:g} s")
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


MEMORY_STATUS = 77


def write_all(handle: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]


def _decode_answer(answer: bytes) -> Reading | Unreadable | Permanent:
    """R: a Reading; S: one whose plain text equals its text; U: Unreadable; E: an error that the extractor raised."""
    body = memoryview(answer)[2:]
    try:
        if answer[:1] == b"S":
            reading = _reading_decoder.decode(body)
            return replace(reading, plain=reading.text)
        if answer[:1] == b"R":
            return _reading_decoder.decode(body)
        if answer[:1] == b"U":
            return _unreadable_decoder.decode(body)
        reason, detail = msgspec.json.decode(body, type=tuple[str, str])
    except msgspec.DecodeError as error:
        raise ExtractorEnded("extractor_died", f"its answer is malformed: {error}"[:200]) from error
    return Permanent(reason, detail)

"""The program of an extractor process: reads documents from its standard input until that ends."""

import contextlib
import gc
import os
import pickle
import signal
import time

from headwater.extract import tesseract
from headwater.extract.sandbox.answers import (
    ERROR,
    NOT_IMPORTED,
    PICTURE,
    Parser,
    encode_result,
    to_json,
)
from headwater.extract.sandbox.frames import frame_parts, receive_frame, send_frame, write_all
from headwater.extract.sandbox.lockdown.folders import library_folders
from headwater.extract.sandbox.lockdown.limits import CPU_SECONDS, MemoryGauge
from headwater.extract.sandbox.lockdown.protections import lock_down
from headwater.extract.sandbox.process import MEMORY_STATUS
from headwater.extract.sandbox.requests import (
    Item,
    PictureRequest,
    StartRequest,
    encode_request,
    read_decoder,
    start_decoder,
)
from headwater.model.errors import HeadwaterError
from headwater.model.outcomes import ExtractHints

# Share of a limit above which the process is replaced: memory is not always given back. (The peak that getrusage reports
# is useless here: it includes the memory of the parent when it started this process.)
_WORN_SHARE = 0.6
_COLLECT_AFTER = 20_000  # objects; a document makes thousands and drops them all
_LARGE_ANSWER, _FLUSH_SECONDS = 100_000, 0.1


def main() -> None:
    """Ends with the standard input, by the timer, or with MEMORY_STATUS when there is not enough memory."""
    source, target, progress = os.dup(0), os.dup(1), os.dup(2)
    quiet = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):  # what a library prints must not become an answer
        os.dup2(quiet, standard)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    task = receive_frame(source)
    if task is None:
        return
    child = ExtractorChild(source, target, progress, start_decoder.decode(task))
    try:
        child.import_parsers()
    except (ImportError, AttributeError) as error:
        send_frame(target, f"the extractor cannot be imported in another process: {error}".encode())
        return
    child.lock_down()
    try:
        child.serve()
    except BrokenPipeError:
        return
    except MemoryError:
        os._exit(MEMORY_STATUS)
    except Exception as error:  # the parent must learn why the process ends
        reason = to_json((f"error:{type(error).__name__}", _one_line(str(error))))
        with contextlib.suppress(OSError):
            send_frame(target, ERROR, b"w", reason)
        raise


class ExtractorChild:
    def __init__(self, source: int, target: int, progress: int, start: StartRequest) -> None:
        self.source, self.target, self.progress, self.start = source, target, progress, start
        self.unsent: list[bytes] = []
        self.flushed_at = 0.0
        self.parsers: dict[bytes, Parser] = {}
        self.gauge = MemoryGauge()
        self.most_resident = _WORN_SHARE * start.megabytes * 1_000_000

    def import_parsers(self) -> None:
        for pickled in self.start.parsers:
            self._parser(pickled)
        tesseract.delegate_recognition(self._recognise, installed=self.start.recognises)

    def _parser(self, pickled: bytes) -> Parser:
        parser = self.parsers.get(pickled)
        if parser is None:
            # From the parent that started this process, through a pipe that only the two of them have.
            parser = self.parsers[pickled] = pickle.loads(pickled)  # noqa: S301
        return parser

    def lock_down(self) -> None:
        gc.freeze()  # what is imported stays: the collector need not look at it again
        gc.set_threshold(_COLLECT_AFTER)
        modules = [_module_of(parser) for parser in self.parsers.values()]
        protections = lock_down(self.start.megabytes, self.gauge, library_folders(modules))
        send_frame(self.target, b"ready", to_json(protections))

    def serve(self) -> None:
        while (frame := receive_frame(self.source)) is not None:
            request = read_decoder.decode(frame)
            try:
                parser = self._parser(request.parser)
            except (ImportError, AttributeError, OSError) as error:  # its files may be out of reach by now
                send_frame(self.target, NOT_IMPORTED, b"-", _one_line(str(error)).encode())
                continue
            self.flushed_at = time.monotonic()
            for item in request.items:
                self._answer(parser, item)
            self._flush()

    def _answer(self, parser: Parser, item: Item) -> None:
        url, media_type, data = item
        os.write(self.progress, b".")
        signal.setitimer(signal.ITIMER_REAL, self.start.seconds)
        try:
            kind, body = _read(parser, data, ExtractHints(url=url, media_type=media_type))
        except MemoryError:
            os._exit(MEMORY_STATUS)
        signal.setitimer(signal.ITIMER_REAL, 0)
        self.unsent += frame_parts(kind, b"w" if self._is_worn() else b"-", body)
        if len(body) > _LARGE_ANSWER or time.monotonic() - self.flushed_at > _FLUSH_SECONDS:
            self._flush()

    def _flush(self) -> None:
        """Answers leave together: each time the parent is woken costs as much as a small document."""
        write_all(self.target, b"".join(self.unsent))
        self.unsent, self.flushed_at = [], time.monotonic()

    def _is_worn(self) -> bool:
        return self.gauge.read()[1] > self.most_resident or time.process_time() > _WORN_SHARE * CPU_SECONDS

    def _recognise(self, picture: bytes, languages: str, seconds: float) -> str:
        self._flush()
        request = PictureRequest(languages=languages, seconds=seconds, picture=picture)
        send_frame(self.target, PICTURE, b"-", encode_request(request))
        return (receive_frame(self.source) or b"").decode("utf-8", "replace")


def _module_of(parser: Parser) -> str:
    return getattr(parser, "__module__", None) or type(parser).__module__


def _read(parser: Parser, data: bytes, hints: ExtractHints) -> tuple[bytes, bytes]:
    try:
        return encode_result(parser(data, hints))
    except HeadwaterError as error:
        return ERROR, to_json((error.reason, error.detail[:500]))
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001 - the edge of a process: every error must cross it as data
        return ERROR, to_json((f"error:{type(error).__name__}", _one_line(str(error))))


def _one_line(text: str) -> str:
    return " ".join(text.split())[:500].encode("utf-8", "replace").decode()

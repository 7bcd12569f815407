"""The program of an extractor process: reads documents from its standard input until that ends."""

import contextlib
import os
import pickle
import signal
import sys
from dataclasses import replace

import msgspec

from headwater.extract.sandbox.process import LENGTH, MEMORY_STATUS, write_all
from headwater.model.errors import HeadwaterError
from headwater.model.outcomes import ExtractHints, Reading, Unreadable
from headwater.model.recipe import Extract

# Share of the memory limit above which the process is replaced: memory is not always given back. (The peak that
# getrusage reports is useless here: it includes the memory of the parent when it started this process.)
_WORN_SHARE = 0.6
_HARD_LIMITS = {"RLIMIT_CORE": 0, "RLIMIT_FSIZE": 256_000_000}


def main() -> None:
    """Ends with the standard input, by the timer, or with MEMORY_STATUS when there is not enough memory."""
    source, target = os.dup(0), os.dup(1)
    quiet = os.open(os.devnull, os.O_RDWR)
    os.dup2(quiet, 0)  # what a library prints must not become an answer
    os.dup2(quiet, 1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    task = _receive(source)
    if task is None:
        return
    try:
        # From the parent that started this process, through a pipe that only the two of them have.
        extract, seconds, megabytes = pickle.loads(task)  # noqa: S301
    except (ImportError, AttributeError) as error:
        _answer(target, f"the extractor cannot be imported in another process: {error}".encode())
        return
    _limit(megabytes)
    _answer(target, b"ready")
    with contextlib.suppress(BrokenPipeError):
        _serve(source, target, extract, seconds, megabytes)


def _serve(source: int, target: int, extract: Extract, seconds: float, megabytes: int) -> None:
    while True:
        head = _receive(source)
        data = _receive(source) if head is not None else None
        if head is None or data is None:
            return
        url, media_type = msgspec.json.decode(head, type=tuple[str | None, str | None])
        signal.setitimer(signal.ITIMER_REAL, seconds)
        try:
            kind, body = _read(extract, data, ExtractHints(url=url, media_type=media_type))
        except MemoryError:
            os._exit(MEMORY_STATUS)
        signal.setitimer(signal.ITIMER_REAL, 0)
        worn = b"w" if _memory_now()[1] > _WORN_SHARE * megabytes * 1_000_000 else b"-"
        write_all(target, b"".join((LENGTH.pack(len(body) + 2), kind, worn, body)))


def _read(extract: Extract, data: bytes, hints: ExtractHints) -> tuple[bytes, bytes]:
    try:
        reading = extract(data, hints)
    except HeadwaterError as error:
        return b"E", msgspec.json.encode((error.reason, error.detail[:500]))
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001 - the edge of a process: every error must cross it as data
        return b"E", msgspec.json.encode((f"error:{type(error).__name__}", _one_line(str(error))))
    return _encode(reading)


def _encode(reading: Reading | Unreadable) -> tuple[bytes, bytes]:
    if isinstance(reading, Unreadable):
        return b"U", msgspec.json.encode(reading)
    if reading.plain == reading.text:  # no need to send it twice
        return b"S", msgspec.json.encode(replace(reading, plain=""))
    return b"R", msgspec.json.encode(reading)


def _one_line(text: str) -> str:
    return " ".join(text.split())[:500].encode("utf-8", "replace").decode()


def _limit(megabytes: int) -> None:
    """Limits the memory to what is mapped now plus what is left of the limit."""
    if sys.platform == "win32":
        return
    import resource  # noqa: PLC0415 - not on every platform

    for name, value in _HARD_LIMITS.items():
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(getattr(resource, name), (value, value))
    mapped, resident = _memory_now()
    if mapped:
        room = max(32_000_000, megabytes * 1_000_000 - resident)
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_AS, (mapped + room, mapped + room))


def _memory_now() -> tuple[int, int]:
    """Mapped and resident bytes; zero where the system does not say."""
    try:
        with open("/proc/self/statm", "rb") as file:  # noqa: PTH123 - not a path on disk
            mapped, resident = file.read().split()[:2]
    except OSError:
        return 0, 0
    page = os.sysconf("SC_PAGE_SIZE")
    return int(mapped) * page, int(resident) * page


def _receive(source: int) -> bytes | None:
    """The next frame, or None at the end of the input."""
    head = _exactly(source, LENGTH.size)
    return None if head is None else _exactly(source, LENGTH.unpack(head)[0])


def _exactly(source: int, count: int) -> bytes | None:
    parts: list[bytes] = []
    while count:
        part = os.read(source, min(count, 1 << 20))
        if not part:
            return None
        parts.append(part)
        count -= len(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)


def _answer(target: int, body: bytes) -> None:
    write_all(target, LENGTH.pack(len(body)) + body)

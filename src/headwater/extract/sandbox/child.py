"""What runs in the child process: reads documents from its standard input until that ends."""

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

# Of the memory limit: what was once used is not always given back. (What getrusage calls the peak is no measure
# here: it counts what the parent had when it started this process.)
_WORN_AT = 0.6
_HARD_LIMITS = {"RLIMIT_CORE": 0, "RLIMIT_FSIZE": 256_000_000}


def main() -> None:
    """Ends with the standard input, by the alarm, or with MEMORY_STATUS when there is not enough memory."""
    source, target = os.dup(0), os.dup(1)
    quiet = os.open(os.devnull, os.O_RDWR)
    os.dup2(quiet, 0)  # whatever prints must not answer for us
    os.dup2(quiet, 1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's affair
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    task = _receive(source)
    if task is None:
        return
    try:
        # From the parent that started this process, through a pipe that only the two of them hold.
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
        worn = b"w" if _memory_now()[1] > _WORN_AT * megabytes * 1_000_000 else b"-"
        write_all(target, b"".join((LENGTH.pack(len(body) + 2), kind, worn, body)))


def _read(extract: Extract, data: bytes, hints: ExtractHints) -> tuple[bytes, bytes]:
    try:
        found = extract(data, hints)
    except HeadwaterError as error:
        return b"E", msgspec.json.encode((error.reason, error.detail[:500]))
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001 - the edge of a process: whatever was raised must cross it as data
        return b"E", msgspec.json.encode((f"error:{type(error).__name__}", _one_line(str(error))))
    return _encoded(found)


def _encoded(found: Reading | Unreadable) -> tuple[bytes, bytes]:
    if isinstance(found, Unreadable):
        return b"U", msgspec.json.encode(found)
    if found.plain == found.text:  # no need to send it twice
        return b"S", msgspec.json.encode(replace(found, plain=""))
    return b"R", msgspec.json.encode(found)


def _one_line(text: str) -> str:
    return " ".join(text.split())[:500].encode("utf-8", "replace").decode()


def _limit(megabytes: int) -> None:
    """So much memory and no more: what is mapped now, plus what is left of the limit."""
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
    """Mapped and resident bytes; zero where the system does not tell."""
    try:
        with open("/proc/self/statm", "rb") as file:  # noqa: PTH123 - no path, a window into the kernel
            mapped, resident = file.read().split()[:2]
    except OSError:
        return 0, 0
    page = os.sysconf("SC_PAGE_SIZE")
    return int(mapped) * page, int(resident) * page


def _receive(source: int) -> bytes | None:
    """A frame, or None when there are no more."""
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

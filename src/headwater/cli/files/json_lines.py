"""JSON lines from files that others made: packed or not, endless lines and damage survived."""

import codecs
import gzip
import lzma
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import msgspec

from headwater.cli.render.messages import printable_text
from headwater.model.errors import Refused

LONGEST_LINE = 64 * 2**20
DECOMPRESSORS: dict[bytes, Callable[[BinaryIO], Any]] = {b"\x1f\x8b": gzip.open, b"\xfd7zXZ\x00": lzma.open}
READ_ERRORS = (OSError, EOFError, lzma.LZMAError, zlib.error)
T = TypeVar("T")


class InvalidLine(Exception):
    """A line that is not what it should be; its words say why."""


def decode_line(line: bytes, kind: type[T]) -> T:
    if len(line) > LONGEST_LINE:
        raise InvalidLine(f"it is longer than {LONGEST_LINE} bytes")
    try:
        return msgspec.json.decode(line, type=kind)
    except RecursionError:
        raise InvalidLine("it is nested too deeply") from None
    except (msgspec.DecodeError, ValueError) as error:
        raise InvalidLine(str(error)) from error


def parse_published_at(text: str | None) -> datetime | None:
    """A moment without a zone is taken for UTC."""
    if not text:
        return None
    try:
        moment = datetime.fromisoformat(text)
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        raise InvalidLine(f"published_at is no ISO 8601 moment: {text[:40]!r}") from None


def open_lines(source: str, stack: ExitStack) -> BinaryIO:
    """The bytes of the lines; what is packed is known by its first bytes, whatever it is called."""
    try:
        raw = sys.stdin.buffer if source == "-" else _file(source, stack)
        start = raw.peek(6)[:6] if hasattr(raw, "peek") else b""
    except OSError as error:
        raise Refused("cannot_open", f"{source}: {error.strerror}") from error
    for mark, unpack in DECOMPRESSORS.items():
        if start.startswith(mark):
            unpacked: BinaryIO = stack.enter_context(unpack(raw))
            return unpacked
    return raw


def _file(path: str, stack: ExitStack) -> BinaryIO:
    return stack.enter_context(Path(path).open("rb"))


def open_writer(stack: ExitStack, path: Path | None) -> Callable[[str], None]:
    """Where the answers go. A disk that is full is told in a sentence; a reader who left is nothing to tell."""
    name = "standard output" if path is None else str(path)
    stack.enter_context(_telling(name))
    target = sys.stdout if path is None else stack.enter_context(path.open("w", encoding="utf-8"))
    if path is None:
        stack.callback(target.flush)

    def write(line: str) -> None:
        with _telling(name):
            target.write(line)

    return write


@contextmanager
def _telling(name: str) -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise Refused("cannot_write", f"{name}: {error.strerror}") from error


def numbered_lines(lines: BinaryIO, source: str) -> Iterator[tuple[int, bytes]]:
    """Lines that hold something, counted from one. Of an endless line only the beginning is kept."""
    number = 0
    try:
        while line := lines.readline(LONGEST_LINE + 1):
            number += 1
            if len(line) > LONGEST_LINE:
                _skip_rest(lines, line)
            if number == 1:
                line = line.removeprefix(codecs.BOM_UTF8)
            if line.strip():
                yield number, line
    except READ_ERRORS as error:
        raise Refused("cannot_read", f"{source} is damaged after line {number}: {error}") from error


def _skip_rest(lines: BinaryIO, line: bytes) -> None:
    while line and not line.endswith(b"\n"):
        line = lines.readline(LONGEST_LINE)


def refuse_or_skip(number: int, error: InvalidLine, thing: str, *, skip: bool) -> None:
    told = f"line {number} is no {thing}: {error}"
    if not skip:
        raise Refused("bad_line", f"{told}; --skip-bad goes on without such lines")
    sys.stderr.write(printable_text(told) + "\n")

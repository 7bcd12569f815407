"""JSON lines from files of unknown quality: compressed or not, with overlong lines or damage."""

import codecs
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import datetime
from pathlib import Path
from typing import BinaryIO, TypeVar

from headwater.model.errors import Refused
from headwater.text.dates import parse_timestamp
from headwater.text.decompression import READ_ERRORS, open_decompressed
from headwater.text.json_payload import BadJson, decode_payload
from headwater.text.printable import printable_text

LONGEST_LINE = 64 * 2**20
T = TypeVar("T")


class InvalidLine(Exception):
    """A line that cannot be used; the message is the reason."""


def decode_line(line: bytes, kind: type[T]) -> T:
    if len(line) > LONGEST_LINE:
        raise InvalidLine(f"it is longer than {LONGEST_LINE} bytes")
    try:
        return decode_payload(line, kind)
    except BadJson as error:
        raise InvalidLine(str(error)) from error


def parse_published_at(text: str | None) -> datetime | None:
    """Without a time zone it is UTC."""
    if not text:
        return None
    published_at = parse_timestamp(text)
    if published_at is None:
        raise InvalidLine(f"published_at is not an ISO 8601 date: {text[:40]!r}")
    return published_at


def open_lines(source: str, stack: ExitStack) -> BinaryIO:
    """The decompressed bytes. Compression is recognised by the first bytes, not by the name."""
    try:
        raw = sys.stdin.buffer if source == "-" else _file(source, stack)
        return stack.enter_context(open_decompressed(raw))
    except OSError as error:
        raise Refused("cannot_open", f"{source} cannot be read: {error.strerror}; check the path") from error


def _file(path: str, stack: ExitStack) -> BinaryIO:
    return stack.enter_context(Path(path).open("rb"))


def open_writer(stack: ExitStack, path: Path | None) -> Callable[[str], None]:
    """A function that writes to the file or to standard output. A full disk is Refused; a closed pipe is not an error."""
    name = "standard output" if path is None else str(path)
    stack.enter_context(_refusing_write_errors(name))
    target = sys.stdout if path is None else stack.enter_context(path.open("w", encoding="utf-8"))
    if path is None:
        stack.callback(target.flush)

    def write(line: str) -> None:
        with _refusing_write_errors(name):
            target.write(line)

    return write


@contextmanager
def _refusing_write_errors(name: str) -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise Refused("cannot_write", f"{name}: {error.strerror}") from error


def numbered_lines(lines: BinaryIO, source: str) -> Iterator[tuple[int, bytes]]:
    """The lines that are not blank, numbered from 1. Of an overlong line only the beginning is returned."""
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


def refuse_or_skip(number: int, error: InvalidLine, noun: str, *, skip: bool) -> None:
    message = f"line {number} is not a valid {noun}: {error}"
    if not skip:
        raise Refused("bad_line", f"{message}; skip such lines with --skip-bad")
    sys.stderr.write(printable_text(message) + "\n")

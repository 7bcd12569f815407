"""The inputs of a command: files, folders, patterns, URLs, and lists of them."""

import glob
import os
import stat
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TextIO

from headwater.model.errors import Permanent


def expand_inputs(arguments: Sequence[str]) -> Iterator[str]:
    """URLs and files; folders are walked, patterns expanded."""
    for name in arguments:
        if name == "-":
            yield from read_input_list(sys.stdin)
        elif is_url(name) or not _is_folder_or_pattern(name):
            yield name
        elif Path(name).is_dir():
            yield from _inside(name)
        else:
            paths = sorted(glob.iglob(name, recursive=True))  # noqa: PTH207 - patterns may be absolute
            yield from (path for path in paths if Path(path).is_file())


def read_input_list(lines: TextIO) -> Iterator[str]:
    """One name per line, taken literally: a file name may look like a pattern."""
    yield from (name for line in lines if (name := line.rstrip("\r\n")))


def is_url(text: str) -> bool:
    return text.startswith(("http://", "https://"))


def _is_folder_or_pattern(name: str) -> bool:
    path = Path(name)
    return path.is_dir() or (not path.exists() and glob.has_magic(name))


def _inside(folder: str) -> Iterator[str]:
    for parent, folders, files in os.walk(folder):
        folders.sort()
        yield from (str(Path(parent) / name) for name in sorted(files))


def read_file(name: str, largest: int) -> bytes:
    """The bytes of a regular file. Its type is checked before it is opened, because opening a pipe would block."""
    path = Path(name)
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise Permanent("not_a_file", "neither a file nor a folder")
        if status.st_size > largest:
            raise Permanent("too_large", f"{status.st_size} bytes; at most {largest} are read")
        return path.read_bytes()
    except (OSError, ValueError) as error:
        raise Permanent("cannot_open", getattr(error, "strerror", None) or str(error)) from error


def display_name(name: str) -> str:
    """A file name as text, even if it is not valid UTF-8."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")

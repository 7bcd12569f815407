"""What a verb was told to read: files, folders, patterns, addresses, and lists of such."""

import glob
import os
import stat
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TextIO

from headwater.model.errors import Permanent


def expand_inputs(what: Sequence[str]) -> Iterator[str]:
    """Addresses and files, one after another; folders are gone through, patterns resolved."""
    for name in what:
        if name == "-":
            yield from read_input_list(sys.stdin)
        elif is_url(name) or not _is_folder_or_pattern(name):
            yield name
        elif Path(name).is_dir():
            yield from _inside(name)
        else:
            found = sorted(glob.iglob(name, recursive=True))  # noqa: PTH207 - patterns may be absolute
            yield from (path for path in found if Path(path).is_file())


def read_input_list(lines: TextIO) -> Iterator[str]:
    """One a line. Names are taken as they stand: a file may be called like a pattern."""
    yield from (name for line in lines if (name := line.rstrip("\r\n")))


def is_url(text: str) -> bool:
    return text.startswith(("http://", "https://"))


def _is_folder_or_pattern(name: str) -> bool:
    path = Path(name)
    return path.is_dir() or (not path.exists() and glob.has_magic(name))


def _inside(folder: str) -> Iterator[str]:
    for place, folders, files in os.walk(folder):
        folders.sort()
        yield from (str(Path(place) / name) for name in sorted(files))


def read_file(name: str, largest: int) -> bytes:
    """A regular file's bytes. Looked at before it is opened: a pipe would keep whoever opens it."""
    path = Path(name)
    try:
        found = path.stat()
        if not stat.S_ISREG(found.st_mode):
            raise Permanent("not_a_file", "neither a file nor a folder")
        if found.st_size > largest:
            raise Permanent("too_large", f"{found.st_size} bytes; at most {largest} are read")
        return path.read_bytes()
    except (OSError, ValueError) as error:
        raise Permanent("cannot_open", getattr(error, "strerror", None) or str(error)) from error


def display_name(name: str) -> str:
    """A file's name as text, whatever bytes it is made of."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")

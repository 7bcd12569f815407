"""Delivers each record as a JSON file in the folder of its recipe. Files are written atomically and overwritten by later
revisions."""

import os
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import msgspec

from headwater.model.alarm import Alarm
from headwater.model.document import Document
from headwater.model.errors import Permanent, Temporary
from headwater.model.outcomes import Sent
from headwater.model.recipe import Envelope
from headwater.model.saved_search import Digest
from headwater.model.story import Story

SAFE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")


# Databases return mappings in different orders. The same record always becomes the same bytes.
ENCODER = msgspec.json.Encoder(order="deterministic")


NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0)


class FileContent(msgspec.Struct, frozen=True):
    revision: int
    record: Document | Story | Alarm | Digest


@dataclass(frozen=True)
class FileSink:
    """`folder_of` returns the folder of a recipe's files; each of its routes has a folder there. A repeated delivery
    overwrites the same file, so it has no further effect."""

    folder_of: Callable[[str], Path]

    def send(self, envelopes: Sequence[Envelope]) -> Sequence[Sent]:
        try:
            places = {(envelope.record.recipe, envelope.route) for envelope in envelopes}
            folders = {place: self._ready_folder(*place) for place in places}
            return [
                Sent(_write(folders[envelope.record.recipe, envelope.route], envelope))
                for envelope in envelopes
            ]
        except OSError as error:
            raise Temporary("folder_unwritable", f"{error.strerror}: {error.filename}") from error

    def _ready_folder(self, recipe: str, route: str) -> Path:
        folder = self.folder_of(recipe) / _safe(route)
        folder.mkdir(parents=True, exist_ok=True)
        return folder


def _write(folder: Path, envelope: Envelope) -> str:
    """Returns the name of the file, with its folder."""
    name = f"{_safe(envelope.record.id)}.json"
    target = f"{folder}/{name}"
    draft = f"{target}.{os.getpid()}.tmp"
    body = ENCODER.encode(FileContent(envelope.revision, envelope.record))
    try:
        _write_bytes(draft, body)
        os.replace(draft, target)  # noqa: PTH105 - for every record; pathlib doubles the cost
    except OSError:
        with suppress(OSError):
            os.unlink(draft)  # noqa: PTH108 - as above
        raise
    return f"{folder.name}/{name}"


def _write_bytes(path: str, body: bytes) -> None:
    """Three system calls; a file object makes more of them for every record. A disk that is nearly full takes only a part."""
    file = os.open(path, NEW_FILE, 0o666)
    try:
        rest = memoryview(body)
        while rest:
            rest = rest[os.write(file, rest) :]
    finally:
        os.close(file)


def _safe(name: str) -> str:
    if not SAFE_NAME.fullmatch(name):
        raise Permanent("unsafe_name", f"{name!r} cannot be a file name")
    return name

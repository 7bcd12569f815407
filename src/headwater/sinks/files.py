"""Delivers each record as a JSON file in a folder. Files are written atomically and overwritten by later revisions."""

import os
import re
from collections.abc import Sequence
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


class FileContent(msgspec.Struct, frozen=True):
    revision: int
    record: Document | Story | Alarm | Digest


@dataclass(frozen=True)
class FileSink:
    """A repeated delivery overwrites the same file, so it has no further effect."""

    folder: Path

    def send(self, envelopes: Sequence[Envelope]) -> Sequence[Sent]:
        try:
            for route in {envelope.route for envelope in envelopes}:
                (self.folder / _safe(route)).mkdir(parents=True, exist_ok=True)
            return [Sent(self._write(envelope)) for envelope in envelopes]
        except OSError as error:
            raise Temporary("folder_unwritable", f"{error.strerror}: {self.folder}") from error

    def _write(self, envelope: Envelope) -> str:
        name = f"{_safe(envelope.route)}/{_safe(envelope.record.id)}.json"
        target = f"{self.folder}/{name}"
        draft = f"{target}.{os.getpid()}.tmp"
        body = ENCODER.encode(FileContent(envelope.revision, envelope.record))
        try:
            with open(draft, "wb", buffering=0) as file:  # noqa: PTH123 - for every record; pathlib doubles the cost
                file.write(body)
            os.replace(draft, target)  # noqa: PTH105 - as above
        except OSError:
            with suppress(OSError):
                os.unlink(draft)  # noqa: PTH108 - as above
            raise
        return name


def _safe(name: str) -> str:
    if not SAFE_NAME.fullmatch(name):
        raise Permanent("unsafe_name", f"{name!r} cannot be a file name")
    return name

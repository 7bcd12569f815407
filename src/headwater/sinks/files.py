"""One JSON file per record, in a folder: written whole or not at all, and again under the same name."""

import os
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import msgspec

from headwater.model.errors import Permanent, Temporary
from headwater.model.outcome import Sent
from headwater.model.recipe import Parcel

SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")


@dataclass(frozen=True)
class Files:
    """Sending a record again overwrites its file, so that a delivery may be repeated and still counts once."""

    folder: Path

    def send(self, parcels: Sequence[Parcel]) -> Sequence[Sent]:
        return [Sent(self._write(parcel)) for parcel in parcels]

    def _write(self, parcel: Parcel) -> str:
        name = Path(_safe(parcel.route)) / f"{_safe(parcel.record.id)}.json"
        target = self.folder / name
        draft = target.with_suffix(f".{os.getpid()}.tmp")
        body = msgspec.json.encode({"revision": parcel.revision, "record": parcel.record})
        try:
            try:
                draft.write_bytes(body)
            except FileNotFoundError:
                target.parent.mkdir(parents=True, exist_ok=True)
                draft.write_bytes(body)
            draft.replace(target)
        except OSError as error:
            with suppress(OSError):
                draft.unlink(missing_ok=True)
            raise Temporary("folder_unwritable", f"{error.strerror}: {self.folder}") from error
        return name.as_posix()


def _safe(name: str) -> str:
    if not SAFE.fullmatch(name):
        raise Permanent("unsafe_name", f"{name!r} cannot be a file name")
    return name

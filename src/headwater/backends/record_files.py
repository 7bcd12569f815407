"""Files of old documents: where every machine of the installation finds them. In a folder beside the database, or, where
the archive is a bucket, in that bucket under `records/`; by the same names."""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import obstore
from obstore.store import ObjectStore

from headwater.backends.object_trouble import MISSING, explained, no_bucket
from headwater.model.errors import Temporary

PREFIX = "records"
NAME = re.compile(r"[\w.-]+/\d{4}/[\w.-]+\.parquet")


@dataclass(frozen=True)
class FolderRecords:
    folder: Path

    def names(self) -> Sequence[str]:
        return sorted(path.relative_to(self.folder).as_posix() for path in self.folder.rglob("*.parquet"))

    def read(self, name: str) -> bytes | None:
        path = self.folder / name
        return path.read_bytes() if NAME.fullmatch(name) and path.is_file() else None

    def write(self, name: str, data: bytes) -> None:
        """Whole or not at all; on the disk when it returns."""
        path = self.folder / name
        draft = path.with_suffix(f".{os.getpid()}.tmp")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with draft.open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            draft.replace(path)
        except OSError as error:
            raise Temporary("folder_unwritable", f"{error.strerror}: {path.parent}") from error

    def where(self, name: str) -> str:
        return str(self.folder / name)


@dataclass(frozen=True)
class BucketRecords:
    """`store` begins at `place`, which is said in errors."""

    store: ObjectStore
    place: str

    def names(self) -> Sequence[str]:
        with explained(self.place, bucket=True):
            found = (entry["path"] for page in obstore.list(self.store) for entry in page)
            return sorted(name for name in found if NAME.fullmatch(name))

    def read(self, name: str) -> bytes | None:
        if not NAME.fullmatch(name):
            return None
        with explained(self.place, bucket=True):
            try:
                return bytes(obstore.get(self.store, name).bytes())
            except MISSING as error:
                if no_bucket(error):
                    raise
                return None

    def write(self, name: str, data: bytes) -> None:
        with explained(self.place, bucket=True):
            obstore.put(self.store, name, data)

    def where(self, name: str) -> str:
        return f"{self.place}/{name}"


RecordFiles = FolderRecords | BucketRecords


def copy_records(source: RecordFiles, target: RecordFiles, names: Sequence[str] | None = None) -> int:
    """Those named, or all. They never change once they are there; what differs there is damaged. Gives how many."""
    names = source.names() if names is None else names
    for name in names:
        data = source.read(name)
        if data is not None and target.read(name) != data:
            target.write(name, data)
    return len(names)

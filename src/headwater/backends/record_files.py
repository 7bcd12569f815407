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
from headwater.model.errors import Refused, Temporary

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


def listed_bytes(files: RecordFiles, name: str) -> bytes:
    """Of one that was listed: Temporary if it is not there any more."""
    data = files.read(name)
    if data is None:
        raise Temporary("records_unreadable", f"{files.where(name)} was there a moment ago; try again")
    return data


def copy_records(source: RecordFiles, target: RecordFiles, names: Sequence[str] | None = None) -> int:
    """Those named, or all; gives how many had to be copied. They never change once they are there: of two that differ
    one is damaged, and nobody can say here which. Both stay as they are, and Refused names them when all else is copied."""
    count, differing = 0, []
    for name in source.names() if names is None else names:
        data, there = listed_bytes(source, name), target.read(name)
        if there is None:
            target.write(name, data)
            count += 1
        elif there != data:
            differing.append(name)
    if differing:
        first, more = differing[0], f" ({len(differing) - 1} more do too)" if differing[1:] else ""
        raise Refused(
            "records_differ",
            f"{source.where(first)} and {target.where(first)} differ{more}: one of the two is damaged and neither was "
            "changed; put the other one in its place, then try again",
        )
    return count

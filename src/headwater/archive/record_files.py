"""Files of old documents: where every machine of the installation finds them. In a folder beside the database, or, where
the archive is a bucket, in that bucket under `records/`; by the same names."""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import obstore
from obstore.store import ObjectStore

from headwater.archive.object_errors import NOT_FOUND_ERRORS, is_missing_bucket, translate_errors
from headwater.model.errors import Refused, Temporary

RECORDS_PREFIX = "records"
# No part begins with a dot: none leads out of the folder, and none is hidden in it.
RECORD_NAME = re.compile(r"[\w-][\w.-]*/\d{4}/[\w-][\w.-]*\.parquet")


def is_record_name(name: str) -> bool:
    return RECORD_NAME.fullmatch(name) is not None


def _refuse_others(name: str) -> None:
    if not is_record_name(name):
        raise Refused(
            "bad_name", f"{name!r} is no name for a file of old documents: RECIPE/YEAR/DAY.parquet is"
        )


@dataclass(frozen=True)
class FolderRecords:
    folder: Path

    def names(self) -> Sequence[str]:
        """Whatever else lies there is somebody else's."""
        found = (path for path in self.folder.rglob("*.parquet") if path.is_file())
        return sorted(
            name for path in found if is_record_name(name := path.relative_to(self.folder).as_posix())
        )

    def written_before(self, moment: datetime) -> Sequence[str]:
        return [name for name in self.names() if (self.folder / name).stat().st_mtime < moment.timestamp()]

    def has(self, name: str) -> bool:
        return is_record_name(name) and (self.folder / name).is_file()

    def remove(self, names: Sequence[str]) -> None:
        try:
            for name in filter(is_record_name, names):
                (self.folder / name).unlink(missing_ok=True)
        except OSError as error:
            raise Temporary("folder_unwritable", f"{error.strerror}: {self.folder}") from error

    def read(self, name: str) -> bytes | None:
        try:
            return (self.folder / name).read_bytes() if is_record_name(name) else None
        except FileNotFoundError:
            return None
        except OSError as error:
            raise Temporary("folder_unreadable", f"{error.strerror}: {self.folder / name}") from error

    def write(self, name: str, data: bytes) -> None:
        """Whole or not at all; on the disk when it returns."""
        _refuse_others(name)
        path = self.folder / name
        draft = path.with_suffix(f".{os.getpid()}.tmp")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            try:
                _write_through(draft, data)
                draft.replace(path)
            finally:
                draft.unlink(missing_ok=True)
            for folder in (path.parent, path.parent.parent, self.folder):
                _names_to_disk(folder)
        except OSError as error:
            raise Temporary("folder_unwritable", f"{error.strerror}: {path.parent}") from error

    def where(self, name: str) -> str:
        return str(self.folder / name)


def _write_through(path: Path, data: bytes) -> None:
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _names_to_disk(folder: Path) -> None:
    """Only then does a file stay under its name when the power fails. Where folders cannot be opened, the system sees to
    it."""
    if os.name != "posix":
        return
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


@dataclass(frozen=True)
class BucketRecords:
    """`store` begins at `place`, which is said in errors."""

    store: ObjectStore
    place: str

    def names(self) -> Sequence[str]:
        return self._listed(None)

    def written_before(self, moment: datetime) -> Sequence[str]:
        return self._listed(moment)

    def _listed(self, before: datetime | None) -> Sequence[str]:
        with translate_errors(self.place, bucket=True):
            found = (entry for page in obstore.list(self.store) for entry in page)
            old = (one["path"] for one in found if before is None or one["last_modified"] < before)
            return sorted(name for name in old if is_record_name(name))

    def has(self, name: str) -> bool:
        with translate_errors(self.place, bucket=True):
            try:
                obstore.head(self.store, name)
            except NOT_FOUND_ERRORS:
                return False
        return True

    def remove(self, names: Sequence[str]) -> None:
        with translate_errors(self.place, bucket=True):
            obstore.delete(self.store, [name for name in names if is_record_name(name)])

    def read(self, name: str) -> bytes | None:
        if not is_record_name(name):
            return None
        with translate_errors(self.place, bucket=True):
            try:
                return bytes(obstore.get(self.store, name).bytes())
            except NOT_FOUND_ERRORS as error:
                if is_missing_bucket(error):
                    raise
                return None

    def write(self, name: str, data: bytes) -> None:
        _refuse_others(name)
        with translate_errors(self.place, bucket=True):
            obstore.put(self.store, name, data)

    def where(self, name: str) -> str:
        return f"{self.place}/{name}"


RecordFiles = FolderRecords | BucketRecords


def read_listed(files: RecordFiles, name: str) -> bytes:
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
        data, there = read_listed(source, name), target.read(name)
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


def collect_folder_records(earlier: FolderRecords, files: RecordFiles) -> int:
    """What lies in the folder and is not with the others yet; gives how many. The folder stays as it is."""
    here = earlier.names()
    there = set(files.names()) if here else set()
    return copy_records(earlier, files, [name for name in here if name not in there])

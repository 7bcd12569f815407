"""Files of archived documents, where every machine of the installation finds them: in a folder beside the database or,
if the archive is a bucket, in that bucket under `records/`. The names are the same."""

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
# No part begins with a dot, so no name leaves the folder and no file is hidden.
RECORD_NAME = re.compile(r"[\w-][\w.-]*/\d{4}/[\w-][\w.-]*\.parquet")


def is_record_name(name: str) -> bool:
    return RECORD_NAME.fullmatch(name) is not None


def _require_record_name(name: str) -> None:
    if not is_record_name(name):
        raise Refused("bad_name", f"{name!r} is not a valid record file name; use RECIPE/YEAR/DAY.parquet")


@dataclass(frozen=True)
class FolderRecords:
    folder: Path

    def names(self) -> Sequence[str]:
        """Ignores all other files."""
        paths = (path for path in self.folder.rglob("*.parquet") if path.is_file())
        return sorted(
            name for path in paths if is_record_name(name := path.relative_to(self.folder).as_posix())
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
        """Writes all of it or nothing; the file is on disk when the method returns."""
        _require_record_name(name)
        path = self.folder / name
        draft = path.with_suffix(f".{os.getpid()}.tmp")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            try:
                _write_and_sync(draft, data)
                draft.replace(path)
            finally:
                draft.unlink(missing_ok=True)
            for folder in (path.parent, path.parent.parent, self.folder):
                _sync_folder(folder)
        except OSError as error:
            raise Temporary("folder_unwritable", f"{error.strerror}: {path.parent}") from error

    def where(self, name: str) -> str:
        return str(self.folder / name)


def _write_and_sync(path: Path, data: bytes) -> None:
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _sync_folder(folder: Path) -> None:
    """Only then does the name survive a power failure. Systems that cannot open folders take care of it themselves."""
    if os.name != "posix":
        return
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


@dataclass(frozen=True)
class BucketRecords:
    """`store` begins at `place`, which error messages name."""

    store: ObjectStore
    place: str

    def names(self) -> Sequence[str]:
        return self._list(None)

    def written_before(self, moment: datetime) -> Sequence[str]:
        return self._list(moment)

    def _list(self, before: datetime | None) -> Sequence[str]:
        with translate_errors(self.place, bucket=True):
            entries = (entry for page in obstore.list(self.store) for entry in page)
            names = (entry["path"] for entry in entries if before is None or entry["last_modified"] < before)
            return sorted(name for name in names if is_record_name(name))

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
        _require_record_name(name)
        with translate_errors(self.place, bucket=True):
            obstore.put(self.store, name, data)

    def where(self, name: str) -> str:
        return f"{self.place}/{name}"


RecordFiles = FolderRecords | BucketRecords


def read_listed(files: RecordFiles, name: str) -> bytes:
    """Reads a file that was listed; raises Temporary if it is gone."""
    data = files.read(name)
    if data is None:
        raise Temporary("records_unreadable", f"{files.where(name)} was there a moment ago; try again")
    return data


def copy_records(source: RecordFiles, target: RecordFiles, names: Sequence[str] | None = None) -> int:
    """Copies the named files, or all; returns how many were copied. Files never change once written, so if two differ
    one is damaged, and it cannot be known which. Both stay, and Refused names them after the others are copied."""
    count, differing = 0, []
    for name in source.names() if names is None else names:
        data, existing = read_listed(source, name), target.read(name)
        if existing is None:
            target.write(name, data)
            count += 1
        elif existing != data:
            differing.append(name)
    if differing:
        first, suffix = differing[0], f" ({len(differing) - 1} more do too)" if differing[1:] else ""
        raise Refused(
            "records_differ",
            f"{source.where(first)} and {target.where(first)} differ{suffix}: one of the two is damaged and neither was "
            "changed; put the other one in its place, then try again",
        )
    return count


def collect_folder_records(folder: FolderRecords, files: RecordFiles) -> int:
    """Copies what lies in the folder and not yet among the others; returns how many. The folder stays as it is."""
    names = folder.names()
    existing = set(files.names()) if names else set()
    return copy_records(folder, files, [name for name in names if name not in existing])

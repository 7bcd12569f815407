"""The folder of backups: its layout, the manifest of each backup, and the lock of the one backup that writes.

    FOLDER/20261115T120000Z/headwater.db, manifest.json     one folder for each complete backup
    FOLDER/packs/..., FOLDER/records/...                    shared by all backups: files that never change are copied once

Reading needs nothing but this folder, so a copy of it on another machine can be verified and restored.
"""

import fcntl
import os
import re
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path

import msgspec

from headwater.model.errors import Refused
from headwater.store.tables import metadata

FORMAT = 1
NAME = re.compile(r"\d{8}T\d{6}Z(-\d+)?")
MANIFEST, DATABASE, PACKS, RECORDS = "manifest.json", "headwater.db", "packs", "records"
PARTIAL = ".partial"
LOCK = ".lock"


class Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a backup holds. The name of a pack is its hash; `records` are the files of archived documents with their hashes.
    `missing` are packs that were already damaged or missing in the installation, so the backup does not hold them.
    `checksum` is the hash of all other fields."""

    format: int
    made_at: str
    headwater: str
    schema: str
    database_sha256: str
    tables: dict[str, int]
    packs: list[str]
    missing: list[str]
    records: dict[str, str]
    checksum: str = ""

    @property
    def rows(self) -> int:
        """Without the table in which Alembic keeps its version: a move does not count it either."""
        return sum(count for name, count in self.tables.items() if name in metadata.tables)


def list_backups(folder: Path) -> Sequence[str]:
    """The names of the backups in a folder, oldest first. Each was complete when it got its name."""
    if not folder.is_dir():
        raise Refused(
            "no_backup", f"there is no folder {folder}; name the one that `headwater backup create` wrote"
        )
    return sorted(entry.name for entry in folder.iterdir() if NAME.fullmatch(entry.name) and entry.is_dir())


def select_backup(folder: Path, name: str | None) -> Path:
    """The named backup, or the newest."""
    names = list_backups(folder)
    if name is not None and name not in names:
        raise Refused(
            "no_backup", f"there is no backup '{name}' in {folder}; there are: {', '.join(names) or 'none'}"
        )
    if not names:
        raise Refused("no_backup", f"there is no backup in {folder}")
    return folder / (name or names[-1])


def write_manifest(backup: Path, manifest: Manifest) -> None:
    signed = msgspec.structs.replace(manifest, checksum=manifest_checksum(manifest))
    path = backup / MANIFEST
    path.write_bytes(msgspec.json.format(msgspec.json.encode(signed)))
    flush(path)


def read_manifest(backup: Path) -> Manifest:
    path = backup / MANIFEST
    try:
        manifest = msgspec.json.decode(path.read_bytes(), type=Manifest)
    except (OSError, ValueError, RecursionError) as error:  # msgspec's own errors are ValueErrors
        raise Refused("backup_damaged", f"{path} cannot be read: use another backup") from error
    if manifest.format != FORMAT:
        raise Refused("backup_newer", "this backup was made by a newer Headwater: upgrade Headwater first")
    if manifest.checksum != manifest_checksum(manifest):
        raise Refused("backup_damaged", f"{path} has changed since the backup: use another backup")
    return manifest


def manifest_checksum(manifest: Manifest) -> str:
    unsigned = msgspec.structs.replace(manifest, checksum="")
    return sha256(msgspec.json.encode(unsigned, order="deterministic")).hexdigest()


def newest_manifest(folder: Path) -> Manifest | None:
    """The manifest of the newest backup that has a readable one."""
    for name in reversed(list_backups(folder)):
        with suppress(Refused):
            return read_manifest(folder / name)
    return None


def file_hash(path: Path) -> str:
    digest = sha256()
    with path.open("rb") as file:
        while part := file.read(1 << 20):
            digest.update(part)
    return digest.hexdigest()


def flush(*paths: Path) -> None:
    for path in paths:
        with path.open("rb") as file:
            os.fsync(file.fileno())


@contextmanager
def writing_backup(folder: Path) -> Iterator[None]:
    """One backup at a time writes to a folder, so what others left unfinished can be removed."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = (folder / LOCK).open("ab")
    except OSError as error:
        raise Refused("folder_unwritable", f"{folder} cannot be written: {error.strerror}") from error
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise Refused(
                "backup_running", f"another backup is writing to {folder}; wait until it ends"
            ) from error
        remove_partial(folder)
        yield


def remove_partial(folder: Path) -> None:
    """Remove backups that were killed before they were complete."""
    for path in folder.glob(f"*{PARTIAL}"):
        if NAME.fullmatch(path.name.removesuffix(PARTIAL)):
            shutil.rmtree(path, ignore_errors=True)

"""A backup: the store at one moment, every capture it refers to, and the files of archived documents.

    FOLDER/20261115T120000Z/headwater.db, manifest.json     one folder for each complete backup
    FOLDER/packs/..., FOLDER/records/...                    shared by all backups: files that never change are copied once

The store is saved first. A pack is written before the rows that refer to it, so everything that the saved store needs is
in the archive by then.
"""

import os
import re
import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

import msgspec

from headwater.app import App
from headwater.archive.packs import open_folder_archive
from headwater.archive.record_files import BucketRecords, FolderRecords, RecordFiles, read_listed
from headwater.model.errors import Refused, Temporary
from headwater.store.maintenance.snapshot import check_snapshot, save_snapshot, snapshot_packs
from headwater.store.migrate import HEAD

FORMAT = 1
NAME = re.compile(r"\d{8}T\d{6}Z(-\d+)?")
MANIFEST = "manifest.json"
DATABASE = "headwater.db"


class Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a backup holds. The name of a pack is its hash; `records` are the files of archived documents with their hashes."""

    format: int
    made_at: str
    headwater: str
    schema: str
    database_sha256: str
    tables: dict[str, int]
    packs: list[str]
    records: dict[str, str]


def list_backups(folder: Path) -> Sequence[str]:
    """The names of the complete backups in a folder, oldest first."""
    if not folder.is_dir():
        raise Refused("no_backup", f"there is no folder {folder}")
    return sorted(entry.name for entry in folder.iterdir() if is_backup(entry))


def is_backup(folder: Path) -> bool:
    return bool(NAME.fullmatch(folder.name)) and (folder / MANIFEST).is_file()


def read_manifest(folder: Path) -> Manifest:
    try:
        manifest = msgspec.json.decode((folder / MANIFEST).read_bytes(), type=Manifest)
    except (OSError, msgspec.MsgspecError) as error:
        raise Refused("backup_damaged", f"{folder / MANIFEST} cannot be read: use another backup") from error
    if manifest.format != FORMAT:
        raise Refused("backup_newer", "this backup was made by a newer Headwater: upgrade Headwater first")
    return manifest


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


def back_up_records(
    source: RecordFiles, target: FolderRecords, earlier: Mapping[str, str]
) -> tuple[dict[str, str], list[str]]:
    """Copy files of archived documents; returns the hash of each that the backup holds, and the names of damaged sources.
    All backups of a folder share these files, so a damaged file must not replace a good copy. `earlier` are the hashes
    from an earlier backup."""
    hashes: dict[str, str] = {}
    damaged = []
    for name in source.names():
        digest, is_intact = _back_up_record(source, target, name, earlier.get(name))
        if digest is not None:
            hashes[name] = digest
        if not is_intact:
            damaged.append(name)
    return hashes, damaged


def _back_up_record(
    source: RecordFiles, target: FolderRecords, name: str, earlier: str | None
) -> tuple[str | None, bool]:
    """Returns the hash of the good copy in the backup, if there is one, and whether the source is intact."""
    path = target.folder / name
    copied = file_hash(path) if path.is_file() else None
    if copied is not None and copied == earlier and isinstance(source, BucketRecords):
        return earlier, True  # not downloaded every night: the object store protects it
    data = read_listed(source, name)
    digest = sha256(data).hexdigest()
    if digest != (earlier or copied or digest):
        return (earlier if copied == earlier else None), False
    if copied != digest:
        target.write(name, data)
    return digest, True


@dataclass(frozen=True, slots=True, kw_only=True)
class BackupReport:
    """`damaged` are packs and `records_damaged` files that are damaged in the installation; earlier copies stay."""

    name: str
    folder: str
    rows: int
    packs: int
    packs_copied: int
    damaged: tuple[str, ...]
    records_damaged: tuple[str, ...]
    bytes: int


def create_backup(app: App, folder: Path) -> BackupReport:
    """Add a backup to the folder while workers run. After a kill the incomplete folder does not count as a backup."""
    partial = _create_partial(folder, app)
    try:
        save_snapshot(app.store.engine, partial / DATABASE)
        packs = snapshot_packs(partial / DATABASE)
        copied, damaged = app.archive.copy(packs, open_folder_archive(folder / "packs"))
        earlier = newest_manifest(folder)
        records, damaged_records = back_up_records(
            app.records, FolderRecords(folder / "records"), earlier.records if earlier else {}
        )
        manifest = _manifest(app, partial, packs, records)
        (partial / MANIFEST).write_bytes(msgspec.json.format(msgspec.json.encode(manifest)))
        _flush(partial / MANIFEST, partial / DATABASE)
        final = partial.rename(folder / partial.name.removesuffix(".partial"))
    except OSError as error:
        raise Temporary("folder_unwritable", f"{error.strerror}: {folder}") from error
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return BackupReport(
        name=final.name,
        folder=str(folder),
        rows=sum(manifest.tables.values()),
        packs=len(packs),
        packs_copied=copied,
        damaged=tuple(damaged),
        records_damaged=tuple(damaged_records),
        bytes=(final / DATABASE).stat().st_size,
    )


def _create_partial(folder: Path, app: App) -> Path:
    """A new folder for this backup. Its suffix shows that it is incomplete."""
    stamp = f"{app.clock().astimezone(UTC):%Y%m%dT%H%M%SZ}"
    archive = app.archive_folder
    if archive is not None and folder.resolve().is_relative_to(archive.resolve()):
        raise Refused("bad_folder", f"{folder} is inside the archive; choose another folder")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        existing = {path.name.removesuffix(".partial") for path in folder.iterdir()}
        name = next(n for n in (stamp, *(f"{stamp}-{i}" for i in range(1, 1_000))) if n not in existing)
        partial = folder / f"{name}.partial"
        partial.mkdir()
    except OSError as error:
        raise Refused("folder_unwritable", f"{folder} cannot be written: {error.strerror}") from error
    return partial


def _manifest(app: App, partial: Path, packs: list[str], records: dict[str, str]) -> Manifest:
    return Manifest(
        format=FORMAT,
        made_at=app.clock().isoformat(),
        headwater=version("headwater"),
        schema=HEAD,
        database_sha256=file_hash(partial / DATABASE),
        tables=check_snapshot(partial / DATABASE),
        packs=packs,
        records=records,
    )


def _flush(*paths: Path) -> None:
    for path in paths:
        with path.open("rb") as file:
            os.fsync(file.fileno())

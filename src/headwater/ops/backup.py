"""What a backup holds, with the hash of everything in it."""

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
    """`packs` are named by their hash; `records` are the files of old documents with theirs."""

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
        told = msgspec.json.decode((folder / MANIFEST).read_bytes(), type=Manifest)
    except (OSError, msgspec.MsgspecError) as error:
        raise Refused("backup_damaged", f"{folder / MANIFEST} cannot be read: use another backup") from error
    if told.format != FORMAT:
        raise Refused("backup_newer", "this backup was made by a newer Headwater: upgrade Headwater first")
    return told


def newest_manifest(folder: Path) -> Manifest | None:
    """Of the newest backup whose manifest can be read, if there is one."""
    for name in reversed(list_backups(folder)):
        with suppress(Refused):
            return read_manifest(folder / name)
    return None


def file_hash(path: Path) -> str:
    found = sha256()
    with path.open("rb") as file:
        while part := file.read(1 << 20):
            found.update(part)
    return found.hexdigest()


def back_up_records(
    source: RecordFiles, target: FolderRecords, known: Mapping[str, str]
) -> tuple[dict[str, str], list[str]]:
    """`known` are the hashes that an earlier backup told. Gives the hash of each that the backup now holds, and the names
    of those that are damaged here."""
    held: dict[str, str] = {}
    damaged = []
    for name in source.names():
        digest, sound = _back_up_record(source, target, name, known.get(name))
        if digest is not None:
            held[name] = digest
        if not sound:
            damaged.append(name)
    return held, damaged


def _back_up_record(
    source: RecordFiles, target: FolderRecords, name: str, known: str | None
) -> tuple[str | None, bool]:
    """Gives the hash of what lies there in the end, if that is good, and whether what lies here is."""
    place = target.folder / name
    there = file_hash(place) if place.is_file() else None
    if there is not None and there == known and isinstance(source, BucketRecords):
        return known, True  # not fetched every night; its server sees to it that it stays what it is
    data = read_listed(source, name)
    digest = sha256(data).hexdigest()
    if digest != (known or there or digest):
        return (known if there == known else None), False
    if there != digest:
        target.write(name, data)
    return digest, True


@dataclass(frozen=True, slots=True, kw_only=True)
class BackupReport:
    """`damaged` are packs, `records_damaged` files of old documents that are so here; what backups hold of those stays."""

    name: str
    folder: str
    rows: int
    packs: int
    packs_copied: int
    damaged: tuple[str, ...]
    records_damaged: tuple[str, ...]
    bytes: int


def create_backup(app: App, folder: Path) -> BackupReport:
    """Make one more backup in the folder, while workers go on. Killed anywhere, what is there is no backup yet."""
    partial = _partial(folder, app)
    try:
        save_snapshot(app.store.engine, partial / DATABASE)
        wanted = snapshot_packs(partial / DATABASE)
        copied, damaged = app.archive.copy(wanted, open_folder_archive(folder / "packs"))
        before = newest_manifest(folder)
        records, spoilt = back_up_records(
            app.records, FolderRecords(folder / "records"), before.records if before else {}
        )
        told = _manifest(app, partial, wanted, records)
        (partial / MANIFEST).write_bytes(msgspec.json.format(msgspec.json.encode(told)))
        _to_disk(partial / MANIFEST, partial / DATABASE)
        final = partial.rename(folder / partial.name.removesuffix(".partial"))
    except OSError as error:
        raise Temporary("folder_unwritable", f"{error.strerror}: {folder}") from error
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return BackupReport(
        name=final.name,
        folder=str(folder),
        rows=sum(told.tables.values()),
        packs=len(wanted),
        packs_copied=copied,
        damaged=tuple(damaged),
        records_damaged=tuple(spoilt),
        bytes=(final / DATABASE).stat().st_size,
    )


def _partial(folder: Path, app: App) -> Path:
    """A folder of this backup's own. One that was killed may have left another; nobody takes it for a backup."""
    stamp = f"{app.clock().astimezone(UTC):%Y%m%dT%H%M%SZ}"
    archive = app.archive_folder
    if archive is not None and folder.resolve().is_relative_to(archive.resolve()):
        raise Refused("bad_folder", f"{folder} lies in the archive itself; choose another folder")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        taken = {path.name.removesuffix(".partial") for path in folder.iterdir()}
        name = next(n for n in (stamp, *(f"{stamp}-{i}" for i in range(1, 1_000))) if n not in taken)
        made = folder / f"{name}.partial"
        made.mkdir()
    except OSError as error:
        raise Refused("folder_unwritable", f"{folder} cannot be written: {error.strerror}") from error
    return made


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


def _to_disk(*paths: Path) -> None:
    for path in paths:
        with path.open("rb") as file:
            os.fsync(file.fileno())

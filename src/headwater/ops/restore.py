"""A backup put back: checked from end to end first, then the archive, then the store in one transaction."""

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from headwater.app import App
from headwater.archive.packs import ObjectArchive, open_folder_archive
from headwater.archive.record_files import FolderRecords, RecordFiles, is_record_name
from headwater.model.errors import Refused
from headwater.ops.backup import DATABASE, Manifest, file_hash, list_backups, read_manifest
from headwater.store.maintenance.snapshot import check_snapshot, free_for_restore, load_snapshot


@dataclass(frozen=True, slots=True, kw_only=True)
class BackupCheck:
    """`missing` are packs that were damaged already when the backup was made."""

    name: str
    made_at: str
    rows: int
    packs: int
    records: int
    missing: tuple[str, ...]


def select_backup(folder: Path, name: str | None) -> Path:
    """The one that was named, or the newest."""
    found = list_backups(folder)
    if name is not None and name not in found:
        raise Refused(
            "no_backup", f"there is no backup '{name}' in {folder}; there are: {', '.join(found) or 'none'}"
        )
    if not found:
        raise Refused("no_backup", f"there is no backup in {folder}")
    return folder / (name or found[-1])


def check_backup(backup: Path) -> BackupCheck:
    """Read everything and compare it with its hash. Refused if the store or a file of records is not what it was."""
    told = read_manifest(backup)
    database = backup / DATABASE
    if not database.is_file() or file_hash(database) != told.database_sha256:
        raise Refused("backup_damaged", f"{database} is not what was saved: use another backup")
    if check_snapshot(database) != told.tables:
        raise Refused(
            "backup_damaged", f"{database} does not hold the rows that were saved: use another backup"
        )
    _check_records(backup.parent / "records", told)
    missing = _missing(open_folder_archive(backup.parent / "packs"), told.packs)
    return BackupCheck(
        name=backup.name,
        made_at=told.made_at,
        rows=sum(told.tables.values()),
        packs=len(told.packs),
        records=len(told.records),
        missing=tuple(missing),
    )


def _check_records(folder: Path, told: Manifest) -> None:
    for name, digest in told.records.items():
        if not (folder / name).resolve().is_relative_to(folder.resolve()):
            raise Refused(
                "backup_damaged", f"{name!r} leads out of the folder of records: use another backup"
            )
        if not (folder / name).is_file() or file_hash(folder / name) != digest:
            raise Refused("backup_damaged", f"{folder / name} is not what was saved: use another backup")


def _missing(packs: ObjectArchive, names: Sequence[str]) -> list[str]:
    return [name for name in names if packs.whole(name) is None]


def restore(app: App, backup: Path, *, force: bool) -> BackupCheck:
    """Refused over data unless by force, and while workers are at work. Killed anywhere, the store is the old one or
    the new one; packs and records that are there already do no harm."""
    found = check_backup(backup)
    told = read_manifest(backup)
    with free_for_restore(app.store.engine, force=force):
        pass  # before anything is copied; and once more when all is ready
    with TemporaryDirectory(prefix="headwater-restore-", dir=app.settings.folder) as work:
        copy = Path(work) / DATABASE
        shutil.copyfile(backup / DATABASE, copy)
        packs = open_folder_archive(backup.parent / "packs")
        _replace_damaged(app.archive, told.packs)
        packs.copy([name for name in told.packs if name not in found.missing], app.archive)
        _restore_records(FolderRecords(backup.parent / "records"), app.records, told)
        load_snapshot(copy, app.store.engine, force=force)
    app.install_views()
    return found


def _replace_damaged(archive: ObjectArchive, names: Sequence[str]) -> None:
    """A pack of the same name with other bytes would stand in the way."""
    archive.remove([name for name in names if archive.has(name) and archive.whole(name) is None])


def _restore_records(source: FolderRecords, target: RecordFiles, told: Manifest) -> None:
    for name in filter(
        is_record_name, told.records
    ):  # earlier versions also saved files that were never Headwater's
        data = (source.folder / name).read_bytes()
        if target.read(name) != data:
            target.write(name, data)

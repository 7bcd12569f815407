"""Restores a backup: first a complete check, then the archive, then the store in one transaction."""

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
    """`missing` are packs that were already damaged when the backup was made."""

    name: str
    made_at: str
    rows: int
    packs: int
    records: int
    missing: tuple[str, ...]


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


def check_backup(backup: Path) -> BackupCheck:
    """Compare everything with its hash. Refused if the store or a record file has changed since the backup."""
    manifest = read_manifest(backup)
    database = backup / DATABASE
    if not database.is_file() or file_hash(database) != manifest.database_sha256:
        raise Refused("backup_damaged", f"{database} has changed since the backup: use another backup")
    if check_snapshot(database) != manifest.tables:
        raise Refused(
            "backup_damaged", f"{database} does not hold the rows of the manifest: use another backup"
        )
    _check_records(backup.parent / "records", manifest)
    missing = _missing(open_folder_archive(backup.parent / "packs"), manifest.packs)
    return BackupCheck(
        name=backup.name,
        made_at=manifest.made_at,
        rows=sum(manifest.tables.values()),
        packs=len(manifest.packs),
        records=len(manifest.records),
        missing=tuple(missing),
    )


def _check_records(folder: Path, manifest: Manifest) -> None:
    for name, digest in manifest.records.items():
        if not (folder / name).resolve().is_relative_to(folder.resolve()):
            raise Refused("backup_damaged", f"{name!r} is outside the folder of records: use another backup")
        if not (folder / name).is_file() or file_hash(folder / name) != digest:
            raise Refused(
                "backup_damaged", f"{folder / name} has changed since the backup: use another backup"
            )


def _missing(packs: ObjectArchive, names: Sequence[str]) -> list[str]:
    return [name for name in names if packs.whole(name) is None]


def restore(app: App, backup: Path, *, force: bool) -> BackupCheck:
    """Refused while workers run, and over existing data without `force`. After a kill the store is either the old or the new
    one; packs and records that were already copied do no harm."""
    check = check_backup(backup)
    manifest = read_manifest(backup)
    with free_for_restore(app.store.engine, force=force):
        pass  # checked before the copies, and again when the store is loaded
    with TemporaryDirectory(prefix="headwater-restore-", dir=app.settings.folder) as work:
        copy = Path(work) / DATABASE
        shutil.copyfile(backup / DATABASE, copy)
        packs = open_folder_archive(backup.parent / "packs")
        _remove_damaged(app.archive, manifest.packs)
        packs.copy([name for name in manifest.packs if name not in check.missing], app.archive)
        _restore_records(FolderRecords(backup.parent / "records"), app.records, manifest)
        load_snapshot(copy, app.store.engine, force=force)
    app.install_views()
    return check


def _remove_damaged(archive: ObjectArchive, names: Sequence[str]) -> None:
    """Remove damaged packs, so that the copies from the backup can take their place."""
    archive.remove([name for name in names if archive.has(name) and archive.whole(name) is None])


def _restore_records(source: FolderRecords, target: RecordFiles, manifest: Manifest) -> None:
    for name in filter(is_record_name, manifest.records):
        data = (source.folder / name).read_bytes()
        if target.read(name) != data:
            target.write(name, data)

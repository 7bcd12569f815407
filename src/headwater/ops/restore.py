"""Restores a backup: first a complete check, then the archive, then the store in one transaction."""

import shutil
from dataclasses import dataclass, replace
from datetime import UTC
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy import make_url

from headwater.app import App
from headwater.archive.packs import open_folder_archive
from headwater.archive.record_files import FolderRecords, RecordFiles, is_record_name
from headwater.model.errors import Refused
from headwater.ops.backup_check import BackupCheck, check_backup
from headwater.ops.backup_folder import DATABASE, PACKS, RECORDS, Manifest, read_manifest
from headwater.ops.installation_lock import exclusive_lock
from headwater.store.maintenance.snapshot import free_for_restore, is_damaged, load_snapshot, set_aside

NAMED = 5


@dataclass(frozen=True, slots=True)
class RestoreReport:
    """`check` counts the packs and record files that were restored. `set_aside` is where the damaged database is now."""

    check: BackupCheck
    set_aside: Path | None = None


def restore(app: App, backup: Path, *, force: bool, skip_damaged: bool = False) -> RestoreReport:
    """Refused while workers run, over existing data without `force`, and if a file of the backup is damaged. With
    `skip_damaged` damaged packs and record files are left out; the caller must report them. After a kill the store is
    either the old or the new one; packs and records that were already copied do no harm. With `force` a damaged SQLite
    database is set aside."""
    check = check_backup(backup)
    refuse_damaged(check, backup, skip_damaged=skip_damaged)
    with exclusive_lock(app):
        aside = _replace_store(app, backup, check, force=force)
    app.install_views()
    return RestoreReport(_restored_part(check), aside)


def _replace_store(app: App, backup: Path, check: BackupCheck, *, force: bool) -> Path | None:
    """Returns where the damaged database is now, if it was damaged."""
    manifest, url = read_manifest(backup), make_url(app.settings.database_url)
    damaged, aside = force and is_damaged(url), None
    if not damaged:
        with free_for_restore(app.store.engine, force=force):
            pass  # checked before the copies, and again when the store is loaded
    with TemporaryDirectory(prefix="headwater-restore-", dir=app.settings.folder) as work:
        copy = Path(work) / DATABASE
        shutil.copyfile(backup / DATABASE, copy)
        open_folder_archive(backup.parent / PACKS).copy(manifest.packs, app.archive)
        _restore_records(FolderRecords(backup.parent / RECORDS), app.records, manifest, check)
        if damaged:  # as late as possible: until here a failure changes nothing
            aside = set_aside(Path(str(url.database)), app.clock().astimezone(UTC))
        load_snapshot(copy, app.store.engine, force=force)
    return aside


def _restored_part(check: BackupCheck) -> BackupCheck:
    """Without the damaged files, which were left out."""
    lost = [name.partition("/")[0] for name in check.damaged]
    return replace(check, packs=check.packs - lost.count(PACKS), records=check.records - lost.count(RECORDS))


def refuse_damaged(check: BackupCheck, backup: Path, *, skip_damaged: bool) -> None:
    """Without its database a backup is worth nothing; anything else may be left out on request."""
    if f"{backup.name}/{DATABASE}" in check.damaged:
        raise Refused(
            "backup_damaged", f"{backup / DATABASE} has changed since the backup: use another backup"
        )
    if check.damaged and not skip_damaged:
        raise Refused(
            "backup_damaged",
            f"{describe_damage(check)}; use another backup, repair this one with `headwater backup create` if the "
            "installation still exists, or restore the rest with --skip-damaged",
        )


def describe_damage(check: BackupCheck) -> str:
    names, rest = ", ".join(check.damaged[:NAMED]), len(check.damaged) - NAMED
    more = f" and {rest} more" if rest > 0 else ""
    return f"missing or changed since the backup {check.name}: {names}{more}"


def _restore_records(
    source: FolderRecords, target: RecordFiles, manifest: Manifest, check: BackupCheck
) -> None:
    for name in filter(is_record_name, manifest.records):
        if f"{RECORDS}/{name}" in check.damaged:
            continue
        data = (source.folder / name).read_bytes()
        if target.read(name) != data:
            target.write(name, data)

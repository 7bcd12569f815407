"""A backup: the store at one moment, every capture it refers to, and the files of archived documents.

The store is saved first. A pack is written before the rows that refer to it, so everything that the saved store needs is
in the archive by then. Every file that the backup shares with earlier ones is compared with its checksum again, and
replaced from the installation if it is damaged.
"""

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any

from headwater.app import App
from headwater.archive.packs import PackCopies, open_folder_archive
from headwater.archive.record_files import BucketRecords, FolderRecords, RecordFiles, read_listed
from headwater.model.errors import Refused, Temporary
from headwater.ops.backup_folder import (
    DATABASE,
    FORMAT,
    PACKS,
    PARTIAL,
    RECORDS,
    Manifest,
    file_hash,
    flush,
    newest_manifest,
    write_manifest,
    writing_backup,
)
from headwater.ops.backup_retention import RemovedBackups, remove_old_backups
from headwater.store.maintenance.snapshot import check_snapshot, save_snapshot, snapshot_packs
from headwater.store.migrate import HEAD

NOTHING_REMOVED = RemovedBackups((), 0)


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
    """`packs` are whole in the folder, and `packs_copied` of them new there. `damaged` are packs and `records_damaged` files that
    are damaged in the installation; earlier copies stay. `lost` are damaged packs without such a copy. `repaired` are packs whose
    copy in the folder was damaged or missing. `removed` are the old backups beyond those to keep; if a manifest cannot be read,
    none is removed and `unreadable` names its backup."""

    name: str
    folder: str
    rows: int
    packs: int
    packs_copied: int
    repaired: tuple[str, ...]
    damaged: tuple[str, ...]
    lost: tuple[str, ...]
    records_damaged: tuple[str, ...]
    removed: tuple[str, ...]
    unreadable: tuple[str, ...]
    bytes: int


def create_backup(app: App, folder: Path, *, keep: int | None = None) -> BackupReport:
    """Add a backup to the folder while workers run; then remove all but the newest `keep`. After a kill the incomplete folder
    does not count as a backup, and the next one removes it."""
    _refuse_nested(app, folder)
    with writing_backup(folder):
        saved = _save(app, folder)
        removed = NOTHING_REMOVED if keep is None else remove_old_backups(folder, keep)
    return BackupReport(removed=removed.names, unreadable=removed.unreadable, **saved)


def _save(app: App, folder: Path) -> dict[str, Any]:
    partial = _create_partial(folder, app)
    try:
        save_snapshot(app.store.engine, partial / DATABASE)
        earlier = newest_manifest(folder)
        copies = app.archive.copy(
            snapshot_packs(partial / DATABASE),
            open_folder_archive(folder / PACKS),
            frozenset(earlier.packs if earlier else ()),
        )
        records, damaged_records = back_up_records(
            app.records, FolderRecords(folder / RECORDS), earlier.records if earlier else {}
        )
        manifest = _manifest(app, partial, copies, records)
        flush(partial / DATABASE)
        write_manifest(partial, manifest)
        final = partial.rename(folder / partial.name.removesuffix(PARTIAL))
    except OSError as error:
        raise Temporary("folder_unwritable", f"{error.strerror}: {folder}") from error
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return {
        "name": final.name,
        "folder": str(folder),
        "rows": manifest.rows,
        "packs": len(copies.sound),
        "packs_copied": copies.copied - len(copies.repaired),
        "repaired": copies.repaired,
        "damaged": copies.damaged,
        "lost": copies.lost,
        "records_damaged": tuple(damaged_records),
        "bytes": (final / DATABASE).stat().st_size,
    }


def _refuse_nested(app: App, folder: Path) -> None:
    """A backup must survive the loss of what it backs up."""
    places = {"the data folder": app.settings.folder, "the archive": app.archive_folder}
    backups = folder.resolve()
    for words, place in places.items():
        if place is None:
            continue
        is_inside = backups.is_relative_to(place.resolve())
        if is_inside or place.resolve().is_relative_to(backups):
            raise Refused(
                "bad_folder",
                f"{folder} {'is inside' if is_inside else 'contains'} {words}, which a backup must survive; choose another "
                "folder, best on another disk",
            )


def _create_partial(folder: Path, app: App) -> Path:
    """A new folder for this backup. Its suffix shows that it is incomplete."""
    stamp = f"{app.clock().astimezone(UTC):%Y%m%dT%H%M%SZ}"
    try:
        existing = {path.name.removesuffix(PARTIAL) for path in folder.iterdir()}
        name = next(n for n in (stamp, *(f"{stamp}-{i}" for i in range(1, 1_000))) if n not in existing)
        partial = folder / f"{name}{PARTIAL}"
        partial.mkdir()
    except OSError as error:
        raise Refused("folder_unwritable", f"{folder} cannot be written: {error.strerror}") from error
    return partial


def _manifest(app: App, partial: Path, copies: PackCopies, records: dict[str, str]) -> Manifest:
    return Manifest(
        format=FORMAT,
        made_at=app.clock().isoformat(),
        headwater=version("headwater"),
        schema=HEAD,
        database_sha256=file_hash(partial / DATABASE),
        tables=check_snapshot(partial / DATABASE),
        packs=list(copies.sound),
        missing=list(copies.lost),
        records=records,
    )

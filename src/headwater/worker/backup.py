"""A backup: the store at one moment, every raw capture it speaks of, and the files of old documents.

    FOLDER/20261115T120000Z/headwater.db, manifest.json     one folder for each backup, there when it is complete
    FOLDER/packs/..., FOLDER/records/...                    shared by all backups: what never changes is copied once

The store is saved first. A pack is written before the rows that speak of it, so whatever the saved store needs is in
the archive by then.
"""

import os
import shutil
from dataclasses import dataclass
from datetime import UTC
from importlib.metadata import version
from pathlib import Path

import msgspec

from headwater.app import App
from headwater.backends.archive import open_folder
from headwater.backends.record_files import FolderRecords
from headwater.backends.sql.migrate import HEAD
from headwater.backends.sql.snapshot import check, save, saved_packs
from headwater.model.errors import Refused, Temporary
from headwater.worker.backup_records import save_records
from headwater.worker.manifest import DATABASE, FORMAT, MANIFEST, Manifest, file_hash, newest_manifest


@dataclass(frozen=True, slots=True, kw_only=True)
class Saved:
    """`damaged` are packs, `records_damaged` files of old documents that are so here; what backups hold of those stays."""

    name: str
    folder: str
    rows: int
    packs: int
    packs_copied: int
    damaged: tuple[str, ...]
    records_damaged: tuple[str, ...]
    bytes: int


def back_up(app: App, folder: Path) -> Saved:
    """Make one more backup in the folder, while workers go on. Killed anywhere, what is there is no backup yet."""
    partial = _partial(folder, app)
    try:
        save(app.store.engine, partial / DATABASE)
        wanted = saved_packs(partial / DATABASE)
        copied, damaged = app.archive.copy(wanted, open_folder(folder / "packs"))
        before = newest_manifest(folder)
        records, spoilt = save_records(
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
    return Saved(
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
        tables=check(partial / DATABASE),
        packs=packs,
        records=records,
    )


def _to_disk(*paths: Path) -> None:
    for path in paths:
        with path.open("rb") as file:
            os.fsync(file.fileno())

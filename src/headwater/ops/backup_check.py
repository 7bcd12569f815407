"""Verifies backups: every file against its recorded checksum. Writes nothing, and needs no installation."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from headwater.archive.packs import pack_digest
from headwater.model.errors import Refused
from headwater.ops.backup_folder import (
    DATABASE,
    MANIFEST,
    PACKS,
    RECORDS,
    Manifest,
    file_hash,
    list_backups,
    read_manifest,
    select_backup,
)
from headwater.store.maintenance.snapshot import check_snapshot


@dataclass(frozen=True, slots=True, kw_only=True)
class BackupCheck:
    """`damaged` are files of the backup, relative to its folder, that are missing or do not match their checksum.
    `missing` are packs that were already damaged in the installation, so the backup never held them."""

    name: str
    made_at: str = ""
    rows: int = 0
    packs: int = 0
    records: int = 0
    damaged: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()

    @property
    def is_sound(self) -> bool:
        return not self.damaged

    @property
    def is_repairable(self) -> bool:
        """The next backup replaces files that all backups share. Database and manifest belong to this one alone."""
        return all(name.startswith((f"{PACKS}/", f"{RECORDS}/")) for name in self.damaged)


@dataclass
class FileHashes:
    """The backups of a folder share most files, so each is read once."""

    folder: Path
    hashes: dict[str, str | None] = field(default_factory=dict)

    def of(self, name: str) -> str | None:
        """None if the file is missing, unreadable or outside the folder."""
        if name not in self.hashes:
            self.hashes[name] = self._read(name)
        return self.hashes[name]

    def _read(self, name: str) -> str | None:
        path = self.folder / name
        if not path.resolve().is_relative_to(self.folder.resolve()):
            return None
        try:
            return file_hash(path)
        except OSError:
            return None


def recorded_hashes(name: str, manifest: Manifest) -> Iterator[tuple[str, str | None]]:
    """Every file of a backup, relative to the folder of backups, with the checksum that it must have."""
    yield f"{name}/{DATABASE}", manifest.database_sha256
    for pack in manifest.packs:
        yield f"{PACKS}/{pack}", pack_digest(pack)
    for record, digest in manifest.records.items():
        yield f"{RECORDS}/{record}", digest


def damaged_files(recorded: Iterable[tuple[str, str | None]], files: FileHashes) -> tuple[str, ...]:
    return tuple(name for name, digest in recorded if digest is None or files.of(name) != digest)


def check_backup(backup: Path, files: FileHashes | None = None) -> BackupCheck:
    """Compare every file with its checksum, and the rows with the manifest. Refused if there is no readable manifest."""
    manifest = read_manifest(backup)
    files = files or FileHashes(backup.parent)
    damaged = damaged_files(recorded_hashes(backup.name, manifest), files)
    database = f"{backup.name}/{DATABASE}"
    if database not in damaged and check_snapshot(backup / DATABASE) != manifest.tables:
        damaged = (database, *damaged)
    return BackupCheck(
        name=backup.name,
        made_at=manifest.made_at,
        rows=manifest.rows,
        packs=len(manifest.packs),
        records=len(manifest.records),
        damaged=damaged,
        missing=tuple(manifest.missing),
    )


def verify_backups(folder: Path, name: str | None = None) -> list[BackupCheck]:
    """Check the named backup or all of a folder. A manifest that cannot be read is damage like any other."""
    newest_or_named = select_backup(folder, name)
    names = [newest_or_named.name] if name else list_backups(folder)
    files, checks = FileHashes(folder), []
    for backup in names:
        try:
            checks.append(check_backup(folder / backup, files))
        except Refused as refusal:
            if refusal.reason != "backup_damaged":
                raise
            checks.append(BackupCheck(name=backup, damaged=(f"{backup}/{MANIFEST}",)))
    return checks

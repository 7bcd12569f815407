"""Removes old backups, then the shared files that no backup needs any more."""

import re
import shutil
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from headwater.archive.packs import PACK_NAME
from headwater.archive.record_files import is_record_name
from headwater.model.errors import Refused
from headwater.ops.backup_folder import PACKS, PARTIAL, RECORDS, list_backups, read_manifest

# What a killed copy leaves beside the file that it was writing.
UNFINISHED_PACK = re.compile(rf"{PACK_NAME.pattern}#\d+")
UNFINISHED_RECORD = re.compile(r".+\.\d+\.tmp")


@dataclass(frozen=True, slots=True)
class RemovedBackups:
    """`files` counts the packs and record files that no backup needed any more. `unreadable` are the backups whose manifest
    cannot be read, if nothing was removed because of them."""

    names: tuple[str, ...]
    files: int
    unreadable: tuple[str, ...] = ()


def surplus_backups(names: Sequence[str], keep: int) -> Sequence[str]:
    """The oldest names beyond the newest `keep`."""
    return sorted(names)[: max(0, len(names) - keep)]


def remove_old_backups(folder: Path, keep: int) -> RemovedBackups:
    """Keep the newest backups. Nothing is removed while a manifest cannot be read: its backup is not one to rely on, so an
    older one may be the last good one. Call it only while holding the lock of the folder: nobody else may add files meanwhile. After
    a kill the next call removes the rest."""
    names = list_backups(folder)
    unreadable = tuple(name for name in names if not _is_readable(folder / name))
    surplus = tuple(surplus_backups([name for name in names if name not in unreadable], keep))
    if surplus and unreadable:
        return RemovedBackups((), 0, unreadable)
    for name in surplus:
        # Renamed first: a half removed backup must not look like a damaged one.
        shutil.rmtree((folder / name).rename(folder / f"{name}{PARTIAL}"))
    return RemovedBackups(surplus, remove_unneeded_files(folder) if surplus else 0)


def _is_readable(backup: Path) -> bool:
    try:
        read_manifest(backup)
    except Refused:
        return False
    return True


def remove_unneeded_files(folder: Path) -> int:
    """Returns how many. Nothing is removed while a manifest cannot be read: its backup may need any file."""
    try:
        manifests = [read_manifest(folder / name) for name in list_backups(folder)]
    except Refused:
        return 0
    packs = {name for manifest in manifests for name in manifest.packs}
    records = {name for manifest in manifests for name in manifest.records}
    unneeded = [*_unneeded_packs(folder / PACKS, packs), *_unneeded_records(folder / RECORDS, records)]
    for path in unneeded:
        path.unlink(missing_ok=True)
    return len(unneeded)


def _unneeded_packs(folder: Path, needed: Collection[str]) -> Iterator[Path]:
    """Files of other programs stay."""
    for path in folder.rglob("*"):
        name = path.relative_to(folder).as_posix()
        is_unneeded = PACK_NAME.fullmatch(name) and name not in needed
        if is_unneeded or UNFINISHED_PACK.fullmatch(name):
            yield path


def _unneeded_records(folder: Path, needed: Collection[str]) -> Iterator[Path]:
    for path in folder.rglob("*"):
        name = path.relative_to(folder).as_posix()
        is_unneeded = is_record_name(name) and path.is_file() and name not in needed
        if is_unneeded or UNFINISHED_RECORD.fullmatch(path.name):
            yield path

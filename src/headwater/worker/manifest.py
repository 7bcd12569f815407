"""What a backup holds, with the hash of everything in it."""

import re
from collections.abc import Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

import msgspec

from headwater.model.errors import Refused

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


def backups(folder: Path) -> Sequence[str]:
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
    for name in reversed(backups(folder)):
        with suppress(Refused):
            return read_manifest(folder / name)
    return None


def file_hash(path: Path) -> str:
    found = sha256()
    with path.open("rb") as file:
        while part := file.read(1 << 20):
            found.update(part)
    return found.hexdigest()

"""Files of old documents into a backup. All backups of a folder share them, so a file that is damaged here must not take
the place of the good copy there."""

from collections.abc import Mapping
from hashlib import sha256

from headwater.backends.record_files import BucketRecords, FolderRecords, RecordFiles, listed_bytes
from headwater.worker.manifest import file_hash


def save_records(
    source: RecordFiles, target: FolderRecords, known: Mapping[str, str]
) -> tuple[dict[str, str], list[str]]:
    """`known` are the hashes that an earlier backup told. Gives the hash of each that the backup now holds, and the names
    of those that are damaged here."""
    held: dict[str, str] = {}
    damaged = []
    for name in source.names():
        digest, sound = _save(source, target, name, known.get(name))
        if digest is not None:
            held[name] = digest
        if not sound:
            damaged.append(name)
    return held, damaged


def _save(
    source: RecordFiles, target: FolderRecords, name: str, known: str | None
) -> tuple[str | None, bool]:
    """Gives the hash of what lies there in the end, if that is good, and whether what lies here is."""
    place = target.folder / name
    there = file_hash(place) if place.is_file() else None
    if there is not None and there == known and isinstance(source, BucketRecords):
        return known, True  # not fetched every night; its server sees to it that it stays what it is
    data = listed_bytes(source, name)
    digest = sha256(data).hexdigest()
    if digest != (known or there or digest):
        return (known if there == known else None), False
    if there != digest:
        target.write(name, data)
    return digest, True

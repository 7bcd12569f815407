"""Copies packs and record files to another environment and checks each copy."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from sqlalchemy import Connection, Engine, select

from headwater.app import App
from headwater.archive.packs import ObjectArchive
from headwater.archive.record_files import FolderRecords, copy_records
from headwater.model.errors import Refused
from headwater.store.connect import read_transaction
from headwater.store.schema.flow import captures

PARALLEL_PACKS = 8
COPIED, DAMAGED, PRESENT = "copied", "damaged", "present"
Progress = Callable[[str, int, int], None]


def same_archive(app: App, target: App) -> bool:
    source_folder, target_folder = app.archive_folder, target.archive_folder
    if source_folder is None or target_folder is None:
        first, second = app.settings.archive_settings, target.settings.archive_settings
        return (first.place.rstrip("/"), first.endpoint) == (second.place.rstrip("/"), second.endpoint)
    return source_folder.resolve() == target_folder.resolve()


def list_packs(engine: Engine) -> list[str]:
    with read_transaction(engine) as connection:
        return packs_in_database(connection)


def packs_in_database(connection: Connection) -> list[str]:
    query = select(captures.c.pack).where(captures.c.pack != "").distinct().order_by(captures.c.pack)
    return list(connection.scalars(query))


@dataclass
class PackTransfer:
    """Copies the packs of all captures. `seen` are those that were copied or checked."""

    app: App
    target: App
    progress: Progress
    seen: set[str] = field(default_factory=set)
    copied: int = 0
    damaged: list[str] = field(default_factory=list)

    def move(self, packs: Sequence[str]) -> None:
        """Copy packs that were not seen yet. Each is read back from the target, also where both environments seem to share an
        archive: that they do is only a conclusion from two addresses."""
        names = [name for name in packs if name not in self.seen]
        self.seen.update(names)
        with ThreadPoolExecutor(PARALLEL_PACKS) as executor:
            results = executor.map(self._move_one, names)
            for number, (name, result) in enumerate(zip(names, results, strict=True), 1):
                self.copied += result == COPIED
                if result == DAMAGED:
                    self.damaged.append(name)
                self.progress("packs", number, len(names))

    def _move_one(self, name: str) -> str:
        return move_pack(name, self.app.archive, self.target.archive)


def move_pack(name: str, source: ObjectArchive, target: ObjectArchive) -> str:
    """A pack in the target counts if its bytes match its name."""
    if target.whole(name) is not None:
        return PRESENT
    data = source.whole(name)
    if data is None:
        return DAMAGED
    target.add(name, data)
    if target.whole(name) != data:
        raise Refused("move_differs", f"the copy of pack {name} differs from the original")
    return COPIED


def same_records(app: App, target: App) -> bool:
    first, second = app.records, target.records
    if isinstance(first, FolderRecords) and isinstance(second, FolderRecords):
        return first.folder.resolve() == second.folder.resolve()
    return type(first) is type(second) and same_archive(app, target)


@dataclass
class RecordTransfer:
    """Copies files of archived documents. A file never changes, but retention on another machine may write new ones until
    the store is locked: so `move` is called once more then. `seen` are those that were copied."""

    app: App
    target: App
    progress: Progress
    seen: set[str] = field(default_factory=set)

    def move(self) -> None:
        if same_records(self.app, self.target):
            return
        names = [name for name in self.app.records.names() if name not in self.seen]
        copy_records(self.app.records, self.target.records, names)
        self.seen.update(names)
        self.progress("records", len(names), len(names))

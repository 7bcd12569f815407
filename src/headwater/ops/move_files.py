"""Packs on their way into another home: one by one, each checked where it arrived."""

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

PARALLEL_PACKS = 8  # packs under way
COPIED, DAMAGED, PRESENT = "copied", "damaged", "there"
Progress = Callable[[str, int, int], None]


def same_archive(app: App, target: App) -> bool:
    here, there = app.archive_folder, target.archive_folder
    if here is None or there is None:
        mine, other = app.settings.archive_settings, target.settings.archive_settings
        return (mine.place.rstrip("/"), mine.endpoint) == (other.place.rstrip("/"), other.endpoint)
    return here.resolve() == there.resolve()


def list_packs(engine: Engine) -> list[str]:
    with read_transaction(engine) as connection:
        return packs_in_database(connection)


def packs_in_database(connection: Connection) -> list[str]:
    query = select(captures.c.pack).where(captures.c.pack != "").distinct().order_by(captures.c.pack)
    return list(connection.scalars(query))


@dataclass
class PackTransfer:
    """The packs that the captures lie in, on their way; `seen` are those that were looked after."""

    app: App
    target: App
    progress: Progress
    seen: set[str] = field(default_factory=set)
    copied: int = 0
    damaged: list[str] = field(default_factory=list)

    def move(self, packs: Sequence[str]) -> None:
        """Those that were not looked after yet."""
        names = [name for name in packs if name not in self.seen]
        self.seen.update(names)
        if same_archive(self.app, self.target):
            return
        with ThreadPoolExecutor(PARALLEL_PACKS) as hands:
            done = hands.map(self._move_one, names)
            for number, (name, result) in enumerate(zip(names, done, strict=True), 1):
                self.copied += result == COPIED
                if result == DAMAGED:
                    self.damaged.append(name)
                self.progress("packs", number, len(names))

    def _move_one(self, name: str) -> str:
        return move_pack(name, self.app.archive, self.target.archive)


def move_pack(name: str, here: ObjectArchive, there: ObjectArchive) -> str:
    """One that is there counts if its bytes are those of its name."""
    if there.whole(name) is not None:
        return PRESENT
    data = here.whole(name)
    if data is None:
        return DAMAGED
    there.add(name, data)
    if there.whole(name) != data:
        raise Refused("move_differs", f"the pack {name} does not arrive as it is here")
    return COPIED


def same_records(app: App, target: App) -> bool:
    here, there = app.records, target.records
    if isinstance(here, FolderRecords) and isinstance(there, FolderRecords):
        return here.folder.resolve() == there.folder.resolve()
    return type(here) is type(there) and same_archive(app, target)


@dataclass
class RecordTransfer:
    """`seen` are the files that were looked after. They never change under their name, but a clean-up somewhere else
    writes new ones, and empties the rows: so they are to be moved once more when nobody writes any more."""

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

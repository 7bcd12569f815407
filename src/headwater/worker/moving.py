"""Moving house: store and archive into another home, compared by hash, and done again from where it was if it dies.

Packs go first, each checked where it arrived; one that is there already is only checked. The rows go in one transaction
of the target, with their hashes compared before it ends: until then the target is as empty as before. So a move that is
killed anywhere is simply run again. Nobody may work here meanwhile, nor afterwards.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from sqlalchemy import Connection, Engine, Table, inspect, select, text, update

from headwater.app import App
from headwater.backends.archive import ObjectArchive
from headwater.backends.sql.connect import connect, reading
from headwater.backends.sql.orphans import nobody_working
from headwater.backends.sql.postgresql import without_limits
from headwater.backends.sql.schema import captures, chores, metadata
from headwater.backends.sql.snapshot import clear, filled
from headwater.backends.sql.transfer import Tally, row_counts, tally, transfer
from headwater.model.errors import Refused
from headwater.settings.settings import overriding
from headwater.worker.backup import save_records
from headwater.worker.cleanup import records_folder
from headwater.worker.occupancy import alone, departed_to, identity, refuse_moved, remember
from headwater.worker.processes import free_the_dead

AT_ONCE = 8  # packs under way
COPIED, DAMAGED, THERE = "copied", "damaged", "there"
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """`packs_copied` and `rows_copied` tell what this run had to do; `damaged` are packs that were so here already."""

    to: str
    dry_run: bool
    tables: dict[str, int]
    hashes: dict[str, str]
    rows_copied: int
    packs: int
    packs_copied: int
    records: int
    damaged: tuple[str, ...]


def move(app: App, to: str, progress: Progress = lambda *_: None) -> Moved:
    target = home(app, to)
    try:
        with alone(app):
            if departed_to(app) != to:
                refuse_moved(app)
            free_the_dead(app)
            app.operations.free_expired(app.clock())
            _refuse_filled_otherwise(app, target)
            target.archive.ready()
            packs = Packs(app, target, progress)
            packs.move()
            records = _move_records(app, target)
            with _still(app.store.engine) as source:
                packs.move()  # what came in the last moment
                tables, count = _move_rows(source, target, progress)
                progress("remember", 0, 1)
                remember(app, target, to)
            progress("done", 1, 1)
    finally:
        target.store.engine.dispose()
    return Moved(
        to=to,
        dry_run=False,
        tables={name: one.rows for name, one in tables.items()},
        hashes={name: one.digest for name, one in tables.items()},
        rows_copied=count,
        packs=len(packs.seen),
        packs_copied=packs.copied,
        records=records,
        damaged=tuple(packs.damaged),
    )


def rehearse(app: App, to: str) -> Moved:
    """What a move would do; nothing is changed, there or here."""
    target = home(app, to)
    refuse_moved(app)
    _look_at_target(target)
    with reading(app.store.engine) as connection:
        without_limits(connection)
        counts = row_counts(connection)
    packs = packs_of(app.store.engine)
    return Moved(
        to=to,
        dry_run=True,
        tables=counts,
        hashes={},
        rows_copied=sum(counts.values()),
        packs=len(packs),
        packs_copied=_to_copy(app, target, packs),
        records=len(list(records_folder(app).rglob("*.parquet"))),
        damaged=(),
    )


def _to_copy(app: App, target: App, packs: Sequence[str]) -> int:
    if same_archive(app, target):
        return 0
    if target.archive_folder is not None and not target.archive_folder.exists():
        return len(packs)  # looking must not make it
    with ThreadPoolExecutor(AT_ONCE) as hands:
        return sum(not there for there in hands.map(target.archive.has, packs))


def home(app: App, to: str) -> App:
    """The same installation there; Refused if there is here."""
    _refuse_overridden(app, to)
    target = App(app.settings.at_home(to), clock=app.clock)
    if identity(target) == identity(app):
        raise Refused(
            "same_home", f"the home '{to}' has the database that is in use already; nothing to move"
        )
    return target


def _refuse_overridden(app: App, to: str) -> None:
    """A variable comes before what a home says: workers would go on elsewhere than where the rows went."""
    names = overriding(app.settings, to, os.environ)
    if names:
        told = f"{', '.join(names)} would override what the home '{to}' says; unset it first, here and for the workers"
        raise Refused("overridden_home", told)


def same_archive(app: App, target: App) -> bool:
    here, there = app.archive_folder, target.archive_folder
    if here is None or there is None:
        mine, other = app.settings.archive_place, target.settings.archive_place
        return (mine.place.rstrip("/"), mine.endpoint) == (other.place.rstrip("/"), other.endpoint)
    return here.resolve() == there.resolve()


def _look_at_target(target: App) -> None:
    engine = connect(target.settings.database_url, target.settings.connections)
    try:
        with reading(engine) as connection:
            if not inspect(connection).has_table("documents"):
                return
            if found := filled(connection):
                _refuse(found)
    finally:
        engine.dispose()


def _refuse(found: Sequence[str]) -> None:
    raise Refused(
        "not_empty",
        f"the target holds other data already ({', '.join(found[:3])}): move into an empty database",
    )


def _refuse_filled_otherwise(app: App, target: App) -> None:
    """Before anything is copied: what is there must be nothing, or of this installation, as far as counts tell."""
    with reading(target.store.engine) as there, reading(app.store.engine) as here:
        found = filled(there)
        if found and _without_chores(row_counts(there)) != _without_chores(row_counts(here)):
            refuse_moved(app)  # it has gone on there since
            _refuse(found)


def _without_chores(counts: dict[str, int]) -> dict[str, int]:
    return {name: count for name, count in counts.items() if name != chores.name}


@contextmanager
def _still(engine: Engine) -> Iterator[Connection]:
    """The store, in which nobody changes anything until it is left. Those who did chores here do them no more."""
    with nobody_working(engine) as connection:
        without_limits(connection)
        if engine.dialect.name == "postgresql":
            names = ", ".join(f'"{table.name}"' for table in metadata.sorted_tables)
            connection.execute(text(f"LOCK TABLE {names} IN SHARE MODE"))
        free = {"lease_owner": None, "lease_until": None}
        connection.execute(update(chores).where(chores.c.lease_owner.is_not(None)).values(**free))
        yield connection


def _move_rows(source: Connection, target: App, progress: Progress) -> tuple[dict[str, Tally], int]:
    """Gives the tally of each table, and how many rows had to be copied."""
    tables = metadata.sorted_tables
    with nobody_working(target.store.engine) as there:
        without_limits(there)
        if found := filled(there):
            return _compared(source, there, tables, found), 0
        clear(there)
        told = {}
        for number, table in enumerate(tables):
            progress(f"rows of {table.name}", number, len(tables))
            told[table.name] = transfer(source, there, table)
            if tally(there, table) != told[table.name]:
                raise Refused(
                    "move_differs", f"{table.name} does not arrive as it is here; nothing was moved"
                )
        progress("rows", len(tables), len(tables))
    progress("committed", len(tables), len(tables))
    return told, sum(one.rows for one in told.values())


def _compared(
    source: Connection, there: Connection, tables: Sequence[Table], found: Sequence[str]
) -> dict[str, Tally]:
    """A move that died after its end is over; anything else is somebody else's data."""
    told = {table.name: tally(source, table) for table in tables}
    others = [t.name for t in tables if t is not chores and tally(there, t) != told[t.name]]
    if others:
        _refuse(found)
    return told


def packs_of(engine: Engine) -> list[str]:
    with reading(engine) as connection:
        query = select(captures.c.pack).where(captures.c.pack != "").distinct().order_by(captures.c.pack)
        return list(connection.scalars(query))


@dataclass
class Packs:
    """The packs that the captures lie in, on their way; `seen` are those that were looked after."""

    app: App
    target: App
    progress: Progress
    seen: set[str] = field(default_factory=set)
    copied: int = 0
    damaged: list[str] = field(default_factory=list)

    def move(self) -> None:
        names = [name for name in packs_of(self.app.store.engine) if name not in self.seen]
        self.seen.update(names)
        if same_archive(self.app, self.target):
            return
        with ThreadPoolExecutor(AT_ONCE) as hands:
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
        return THERE
    data = here.whole(name)
    if data is None:
        return DAMAGED
    there.add(name, data)
    if there.whole(name) != data:
        raise Refused("move_differs", f"the pack {name} does not arrive as it is here")
    return COPIED


def _move_records(app: App, target: App) -> int:
    here, there = records_folder(app), records_folder(target)
    return 0 if _same(here, there) else len(save_records(here, there))


def _same(here: Path, there: Path) -> bool:
    return here.resolve() == there.resolve()

"""Moving house: store and archive into another home, compared by hash, and done again from where it was if it dies.

Packs go first, each checked where it arrived; one that is there already is only checked. The rows go in one transaction
of the target, with their hashes compared before it ends: until then the target is as empty as before. Nobody may work
here meanwhile, nor afterwards: that is told in this database, in the transaction that kept everybody out. Nor there, until
that is told: so whoever goes on here after a move that was killed loses nothing, and it is simply run again.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass

from sqlalchemy import Connection, Engine, text, update

from headwater.app import App
from headwater.backends.sql.arriving import Arrival, arrive, end_arrival
from headwater.backends.sql.connect import preparing, reading
from headwater.backends.sql.leaving import Departure, depart, departure, lock_home, refuse_departed
from headwater.backends.sql.orphans import nobody_working
from headwater.backends.sql.postgresql import without_limits
from headwater.backends.sql.schema import chores, metadata
from headwater.backends.sql.snapshot import clear, filled
from headwater.backends.sql.transfer import Tally, row_counts, tally, transfer
from headwater.model.errors import Refused
from headwater.worker.moving_packs import AT_ONCE, Packs, Progress, packs_in, packs_of, same_archive
from headwater.worker.moving_records import Records
from headwater.worker.moving_target import (
    admit,
    home,
    look_at,
    name_of,
    refuse_filled,
    refuse_filled_otherwise,
)
from headwater.worker.occupancy import address, alone, refuse_moved
from headwater.worker.processes import free_the_dead


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


@dataclass(frozen=True, slots=True)
class Trip:
    """`to` is the name of the home in the settings, `there` that which its database gives itself."""

    to: str
    there: str
    coming: Arrival


def move(app: App, to: str, progress: Progress = lambda *_: None) -> Moved:
    target = home(app, to)
    try:
        with alone(app):
            trip = Trip(to, name_of(target), Arrival(name_of(app), address(app)))
            _free_the_dead(app, trip)
            refuse_filled_otherwise(app, target, to)
            target.archive.ready()
            packs = Packs(app, target, progress)
            records = Records(app, target, progress)
            packs.move(packs_of(app.store.engine))
            records.move()
            with _still(app.store.engine) as source:
                packs.move(packs_in(source))  # what came in the last moment
                records.move()
                tables, count = _move_rows(source, target, trip, progress)
                progress("remember", 0, 1)
                depart(source, Departure(to=to, id=trip.there, address=address(target), at=app.clock()))
            progress("left", 0, 1)
            with preparing(target.store.engine) as connection:
                end_arrival(connection, trip.coming.id)
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
        records=len(records.seen),
        damaged=tuple(packs.damaged),
    )


def rehearse(app: App, to: str) -> Moved:
    """What a move would do; nothing is changed, there or here."""
    target = home(app, to)
    refuse_moved(app)
    look_at(app, target, to)
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
        records=len(app.records.names()),
        damaged=(),
    )


def _to_copy(app: App, target: App, packs: Sequence[str]) -> int:
    if same_archive(app, target):
        return 0
    if target.archive_folder is not None and not target.archive_folder.exists():
        return len(packs)  # looking must not make it
    with ThreadPoolExecutor(AT_ONCE) as hands:
        return sum(not there for there in hands.map(target.archive.has, packs))


def _free_the_dead(app: App, trip: Trip) -> None:
    with reading(app.store.engine) as connection:
        gone = _gone(connection, trip.there)
    if not gone:
        free_the_dead(app)
        app.operations.free_expired(app.clock())


def _gone(source: Connection, there: str) -> bool:
    """Whether it has gone to this other database already, and is only compared; MovedAway if it has gone to yet another
    one, or has not come here yet."""
    gone = departure(source)
    if gone is None or gone.id != there:
        refuse_departed(source)
    return gone is not None


@contextmanager
def _closed(engine: Engine) -> Iterator[Connection]:
    """A transaction beside which nobody writes, whether or not the installation lives here."""
    with preparing(engine) as connection:
        without_limits(connection)
        lock_home(connection)
        yield connection


@contextmanager
def _still(engine: Engine) -> Iterator[Connection]:
    """The store, in which nobody changes anything until it is left. Those who did chores here do them no more."""
    with nobody_working(engine, _closed) as connection:
        if engine.dialect.name == "postgresql":
            names = ", ".join(f'"{table.name}"' for table in metadata.sorted_tables)
            connection.execute(text(f"LOCK TABLE {names} IN SHARE MODE"))
        free = {"lease_owner": None, "lease_until": None}
        connection.execute(update(chores).where(chores.c.lease_owner.is_not(None)).values(**free))
        yield connection


def _move_rows(
    source: Connection, target: App, trip: Trip, progress: Progress
) -> tuple[dict[str, Tally], int]:
    """Gives the tally of each table, and how many rows had to be copied. Nobody writes there until the source is left."""
    gone = _gone(source, trip.there)
    with nobody_working(target.store.engine, _closed) as there:
        unfinished = admit(there, trip.to, trip.coming.id)
        found = filled(there)
        told = _compared(source, there) if found else None
        copied = told is None
        if told is None:
            if found and not unfinished:
                refuse_filled(found)
            told = _copied(source, there, progress)
        if copied or not gone:
            arrive(there, trip.coming)
        progress("rows", len(told), len(told))
    progress("committed", len(told), len(told))
    return told, sum(one.rows for one in told.values()) if copied else 0


def _copied(source: Connection, there: Connection, progress: Progress) -> dict[str, Tally]:
    clear(there)
    told, tables = {}, metadata.sorted_tables
    for number, table in enumerate(tables):
        progress(f"rows of {table.name}", number, len(tables))
        told[table.name] = transfer(source, there, table)
        if tally(there, table) != told[table.name]:
            raise Refused("move_differs", f"{table.name} does not arrive as it is here; nothing was moved")
    return told


def _compared(source: Connection, there: Connection) -> dict[str, Tally] | None:
    """None if it is not the same there: what a move left that died, or somebody else's data."""
    told = {}
    for table in metadata.sorted_tables:
        told[table.name] = tally(source, table)
        if table is not chores and tally(there, table) != told[table.name]:
            return None
    return told

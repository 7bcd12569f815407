"""Moving house: store and archive into another home, compared by hash, and done again from where it was if it dies.

Packs go first, each checked where it arrived; one that is there already is only checked. The rows go in one transaction
of the target, with their hashes compared before it ends: until then the target is as empty as before. So a move that is
killed anywhere is simply run again. Nobody may work here meanwhile, nor afterwards: that is told in this database, in
the transaction that kept everybody out.
"""

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection, Engine, Table, inspect, make_url, text, update

from headwater.app import App
from headwater.backends.sql.connect import connect, preparing, reading
from headwater.backends.sql.leaving import Departure, come_back, depart, identity, lock_home
from headwater.backends.sql.orphans import nobody_working
from headwater.backends.sql.postgresql import without_limits
from headwater.backends.sql.schema import chores, metadata
from headwater.backends.sql.snapshot import clear, filled
from headwater.backends.sql.transfer import Tally, row_counts, tally, transfer
from headwater.model.errors import Refused
from headwater.settings.settings import overriding
from headwater.worker.moving_packs import AT_ONCE, Packs, Progress, packs_in, packs_of, same_archive
from headwater.worker.moving_records import Records
from headwater.worker.occupancy import address, alone, departed, refuse_moved
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


def move(app: App, to: str, progress: Progress = lambda *_: None) -> Moved:
    target = home(app, to)
    try:
        with alone(app):
            there = _name(target)
            if _still_here(app, there):
                free_the_dead(app)
                app.operations.free_expired(app.clock())
            _refuse_filled_otherwise(app, target)
            target.archive.ready()
            packs = Packs(app, target, progress)
            records = Records(app, target, progress)
            packs.move(packs_of(app.store.engine))
            records.move()
            with _still(app.store.engine) as source:
                packs.move(packs_in(source))  # what came in the last moment
                records.move_rest()
                tables, count = _move_rows(source, target, progress)
                progress("remember", 0, 1)
                depart(source, Departure(to=to, id=there, address=address(target), at=app.clock()))
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


def home(app: App, to: str) -> App:
    """The same installation there; Refused if there is here."""
    _refuse_overridden(app, to)
    target = App(app.settings.at_home(to), clock=app.clock)
    if _same_database(app, target):
        raise Refused(
            "same_home", f"the home '{to}' has the database that is in use already; nothing to move"
        )
    return target


def _same_database(app: App, target: App) -> bool:
    """By what the databases call themselves, however they are reached. A copy of a file calls itself as the file does."""
    here, there = make_url(app.settings.database_url), make_url(target.settings.database_url)
    if here.get_backend_name() == there.get_backend_name() == "sqlite":
        return Path(here.database or "").resolve() == Path(there.database or "").resolve()
    if here.get_backend_name() != there.get_backend_name():
        return False
    with _looked_at(target) as connection, reading(app.store.engine) as mine:
        return identity(connection) == identity(mine)


@contextmanager
def _looked_at(target: App) -> Iterator[Connection]:
    """As it is: looking must not give it a schema."""
    engine = connect(target.settings.database_url, target.settings.connections)
    try:
        with reading(engine) as connection:
            yield connection
    finally:
        engine.dispose()


def _name(target: App) -> str:
    with reading(target.store.engine) as connection:
        return str(identity(connection))


def _still_here(app: App, there: str) -> bool:
    """Whether it lives here; MovedAway if it has gone to yet another database. One that went to this one is only compared."""
    gone = departed(app)
    if gone is not None and gone.id != there:
        refuse_moved(app)
    return gone is None


def _refuse_overridden(app: App, to: str) -> None:
    """A variable comes before what a home says: workers would go on elsewhere than where the rows went."""
    names = overriding(app.settings, to, os.environ)
    if names:
        told = f"{', '.join(names)} would override what the home '{to}' says; unset it first, here and for the workers"
        raise Refused("overridden_home", told)


def _look_at_target(target: App) -> None:
    file = make_url(target.settings.database_url)
    if file.get_backend_name() == "sqlite" and not Path(file.database or "").exists():
        return
    with _looked_at(target) as connection:
        if inspect(connection).has_table("documents") and (found := filled(connection)):
            _refuse(found)


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


def _move_rows(source: Connection, target: App, progress: Progress) -> tuple[dict[str, Tally], int]:
    """Gives the tally of each table, and how many rows had to be copied. From then on it lives there."""
    tables = metadata.sorted_tables
    with nobody_working(target.store.engine, _closed) as there:
        come_back(there)
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

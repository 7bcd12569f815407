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
from headwater.model.errors import Refused
from headwater.ops.installation_lock import (
    database_address,
    exclusive_lock,
    refuse_moved_installation,
    release_dead_owners,
)
from headwater.ops.move_files import (
    PARALLEL_PACKS,
    PackTransfer,
    Progress,
    RecordTransfer,
    list_packs,
    packs_in_database,
    same_archive,
)
from headwater.ops.move_target import (
    admit_arrival,
    check_target,
    database_identity,
    open_target,
    refuse_filled,
    refuse_other_data,
)
from headwater.store.connect import read_transaction, unchecked_transaction
from headwater.store.maintenance.orphans import without_workers
from headwater.store.maintenance.snapshot import delete_all_rows, tables_with_rows
from headwater.store.maintenance.table_copy import TableDigest, copy_table, row_counts, table_digest
from headwater.store.postgresql import disable_timeouts
from headwater.store.relocation import (
    Arrival,
    Departure,
    clear_arrival,
    find_departure,
    lock_database_identity,
    record_arrival,
    record_departure,
    refuse_if_moved,
)
from headwater.store.schema.operations import maintenance_tasks
from headwater.store.tables import metadata


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveReport:
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
class MoveRun:
    """`to` is the name of the home in the settings, `there` that which its database gives itself."""

    to: str
    there: str
    coming: Arrival


def move(app: App, to: str, progress: Progress = lambda *_: None) -> MoveReport:
    target = open_target(app, to)
    try:
        with exclusive_lock(app):
            trip = MoveRun(
                to, database_identity(target), Arrival(database_identity(app), database_address(app))
            )
            _release_dead_owners(app, trip)
            refuse_other_data(app, target, to)
            target.archive.ready()
            packs = PackTransfer(app, target, progress)
            records = RecordTransfer(app, target, progress)
            packs.move(list_packs(app.store.engine))
            records.move()
            with _still(app.store.engine) as source:
                packs.move(packs_in_database(source))  # what came in the last moment
                records.move()
                tables, count = _move_rows(source, target, trip, progress)
                progress("remember", 0, 1)
                record_departure(
                    source, Departure(to=to, id=trip.there, address=database_address(target), at=app.clock())
                )
            progress("left", 0, 1)
            with unchecked_transaction(target.store.engine) as connection:
                clear_arrival(connection, trip.coming.id)
            target.install_views()
            progress("done", 1, 1)
    finally:
        target.store.engine.dispose()
    return MoveReport(
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


def preview_move(app: App, to: str) -> MoveReport:
    """What a move would do; nothing is changed, there or here."""
    target = open_target(app, to)
    refuse_moved_installation(app)
    check_target(app, target, to)
    with read_transaction(app.store.engine) as connection:
        disable_timeouts(connection)
        counts = row_counts(connection)
    packs = list_packs(app.store.engine)
    return MoveReport(
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
    with ThreadPoolExecutor(PARALLEL_PACKS) as hands:
        return sum(not there for there in hands.map(target.archive.has, packs))


def _release_dead_owners(app: App, trip: MoveRun) -> None:
    with read_transaction(app.store.engine) as connection:
        gone = _gone(connection, trip.there)
    if not gone:
        release_dead_owners(app)
        app.operations.free_expired(app.clock())


def _gone(source: Connection, there: str) -> bool:
    """Whether it has gone to this other database already, and is only compared; MovedAway if it has gone to yet another
    one, or has not come here yet."""
    gone = find_departure(source)
    if gone is None or gone.id != there:
        refuse_if_moved(source)
    return gone is not None


@contextmanager
def _closed(engine: Engine) -> Iterator[Connection]:
    """A transaction beside which nobody writes, whether or not the installation lives here."""
    with unchecked_transaction(engine) as connection:
        disable_timeouts(connection)
        lock_database_identity(connection)
        yield connection


@contextmanager
def _still(engine: Engine) -> Iterator[Connection]:
    """The store, in which nobody changes anything until it is left. Those who did chores here do them no more."""
    with without_workers(engine, _closed) as connection:
        if engine.dialect.name == "postgresql":
            names = ", ".join(f'"{table.name}"' for table in metadata.sorted_tables)
            connection.execute(text(f"LOCK TABLE {names} IN SHARE MODE"))
        free = {"lease_owner": None, "lease_until": None}
        connection.execute(
            update(maintenance_tasks).where(maintenance_tasks.c.lease_owner.is_not(None)).values(**free)
        )
        yield connection


def _move_rows(
    source: Connection, target: App, trip: MoveRun, progress: Progress
) -> tuple[dict[str, TableDigest], int]:
    """Gives the tally of each table, and how many rows had to be copied. Nobody writes there until the source is left."""
    gone = _gone(source, trip.there)
    with without_workers(target.store.engine, _closed) as there:
        unfinished = admit_arrival(there, trip.to, trip.coming.id)
        found = tables_with_rows(there)
        told = _compared(source, there) if found else None
        copied = told is None
        if told is None:
            if found and not unfinished:
                refuse_filled(found)
            told = _copied(source, there, progress)
        if copied or not gone:
            record_arrival(there, trip.coming)
        progress("rows", len(told), len(told))
    progress("committed", len(told), len(told))
    return told, sum(one.rows for one in told.values()) if copied else 0


def _copied(source: Connection, there: Connection, progress: Progress) -> dict[str, TableDigest]:
    delete_all_rows(there)
    told, tables = {}, metadata.sorted_tables
    for number, table in enumerate(tables):
        progress(f"rows of {table.name}", number, len(tables))
        told[table.name] = copy_table(source, there, table)
        if table_digest(there, table) != told[table.name]:
            raise Refused("move_differs", f"{table.name} does not arrive as it is here; nothing was moved")
    return told


def _compared(source: Connection, there: Connection) -> dict[str, TableDigest] | None:
    """None if it is not the same there: what a move left that died, or somebody else's data."""
    told = {}
    for table in metadata.sorted_tables:
        told[table.name] = table_digest(source, table)
        if table is not maintenance_tasks and table_digest(there, table) != told[table.name]:
            return None
    return told

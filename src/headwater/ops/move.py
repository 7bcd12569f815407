"""Moves store and archive to another environment, compares them by hash, and can be repeated after a kill.

A mark in the target comes first: no worker may use it until the departure is stored. Packs follow, and each copy is checked.
The rows go in one transaction of the target, which compares hashes before it commits: until then the target is as empty as
before. No worker may use the source during the move or after it: the transaction that locks the source also stores the
departure. So work that continues at the source after a killed move loses nothing, and the move is simply run again.
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
    TargetEnvironment,
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
    """`packs_copied` and `rows_copied` count what this run had to copy; `packs_read` were read back from the target and match
    their hash; `damaged` are packs that were already damaged."""

    to: str
    dry_run: bool
    tables: dict[str, int]
    hashes: dict[str, str]
    rows_copied: int
    packs: int
    packs_copied: int
    packs_read: int
    records: int
    damaged: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MoveRun:
    """`to` is the name of the environment in the settings, `target_id` the identity of its database."""

    to: str
    target_id: str
    arrival: Arrival


def move(app: App, destination: TargetEnvironment, progress: Progress = lambda *_: None) -> MoveReport:
    target, to = open_target(app, destination), destination.name
    try:
        with exclusive_lock(app):
            run = MoveRun(
                to, database_identity(target), Arrival(database_identity(app), database_address(app))
            )
            _release_dead_owners(app, run)
            refuse_other_data(app, target, to)
            _close_empty_target(target, run)
            target.archive.ready()
            packs = PackTransfer(app, target, progress)
            records = RecordTransfer(app, target, progress)
            packs.move(list_packs(app.store.engine))
            records.move()
            with _locked_store(app.store.engine) as source:
                packs.move(packs_in_database(source))  # those written since the first pass
                records.move()
                digests, rows_copied = _move_rows(source, target, run, progress)
                progress("remember", 0, 1)
                departure = Departure(
                    to=to, id=run.target_id, address=database_address(target), at=app.clock()
                )
                record_departure(source, departure)
            progress("left", 0, 1)
            with unchecked_transaction(target.store.engine) as connection:
                clear_arrival(connection, run.arrival.id)
            target.install_views()
            progress("done", 1, 1)
    finally:
        target.store.engine.dispose()
    return MoveReport(
        to=to,
        dry_run=False,
        tables={name: digest.rows for name, digest in digests.items()},
        hashes={name: digest.digest for name, digest in digests.items()},
        rows_copied=rows_copied,
        packs=len(packs.seen),
        packs_copied=packs.copied,
        packs_read=len(packs.seen) - len(packs.damaged),
        records=len(records.seen),
        damaged=tuple(packs.damaged),
    )


def preview_move(app: App, destination: TargetEnvironment) -> MoveReport:
    """What a move would do. Changes nothing at either end."""
    target, to = open_target(app, destination), destination.name
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
        packs_copied=_count_missing(app, target, packs),
        packs_read=0,
        records=len(app.records.names()),
        damaged=(),
    )


def _count_missing(app: App, target: App, packs: Sequence[str]) -> int:
    if same_archive(app, target):
        return 0
    if target.archive_folder is not None and not target.archive_folder.exists():
        return len(packs)  # a preview must not create the folder
    with ThreadPoolExecutor(PARALLEL_PACKS) as executor:
        return sum(not is_present for is_present in executor.map(target.archive.has, packs))


def _close_empty_target(target: App, run: MoveRun) -> None:
    """No worker may use the target while packs are copied, nor after a kill: what it stores there would be in the way of the
    next attempt. A target with rows is compared first, so that a mark cannot give them up."""
    with _exclusive_transaction(target.store.engine) as target_rows:
        if not tables_with_rows(target_rows):
            record_arrival(target_rows, run.arrival)


def _release_dead_owners(app: App, run: MoveRun) -> None:
    with read_transaction(app.store.engine) as connection:
        has_departed = _has_departed(connection, run.target_id)
    if not has_departed:
        release_dead_owners(app)
        app.operations.release_expired_leases(app.clock())


def _has_departed(source: Connection, target_id: str) -> bool:
    """Whether the installation has already moved to this target, so that this run only compares. MovedAway if it has moved
    to another database, or a move into this one is unfinished."""
    departure = find_departure(source)
    if departure is None or departure.id != target_id:
        refuse_if_moved(source)
    return departure is not None


@contextmanager
def _exclusive_transaction(engine: Engine) -> Iterator[Connection]:
    """A transaction without other writers, whether or not the installation has moved."""
    with unchecked_transaction(engine) as connection:
        disable_timeouts(connection)
        lock_database_identity(connection)
        yield connection


@contextmanager
def _locked_store(engine: Engine) -> Iterator[Connection]:
    """The store without workers and writers. Leases of maintenance tasks end here."""
    with without_workers(engine, _exclusive_transaction) as connection:
        if engine.dialect.name == "postgresql":
            names = ", ".join(f'"{table.name}"' for table in metadata.sorted_tables)
            connection.execute(text(f"LOCK TABLE {names} IN SHARE MODE"))
        leased = update(maintenance_tasks).where(maintenance_tasks.c.lease_owner.is_not(None))
        connection.execute(leased.values(lease_owner=None, lease_until=None))
        yield connection


def _move_rows(
    source: Connection, target: App, run: MoveRun, progress: Progress
) -> tuple[dict[str, TableDigest], int]:
    """Returns the digest of each table, and how many rows were copied. The target stays closed to workers until the source
    has stored the departure."""
    has_departed = _has_departed(source, run.target_id)
    with without_workers(target.store.engine, _exclusive_transaction) as target_rows:
        is_unfinished = admit_arrival(target_rows, run.to, run.arrival.id)
        filled = tables_with_rows(target_rows)
        digests = _compare_tables(source, target_rows) if filled else None
        must_copy = digests is None
        if digests is None:
            if filled and not is_unfinished:
                refuse_filled(filled)
            digests = _copy_tables(source, target_rows, progress)
        if must_copy or not has_departed:
            record_arrival(target_rows, run.arrival)
        progress("rows", len(digests), len(digests))
    progress("committed", len(digests), len(digests))
    return digests, sum(digest.rows for digest in digests.values()) if must_copy else 0


def _copy_tables(source: Connection, target: Connection, progress: Progress) -> dict[str, TableDigest]:
    delete_all_rows(target)
    digests, tables = {}, metadata.sorted_tables
    for number, table in enumerate(tables):
        progress(f"rows of {table.name}", number, len(tables))
        digests[table.name] = copy_table(source, target, table)
        if table_digest(target, table) != digests[table.name]:
            raise Refused(
                "move_differs", f"the copy of {table.name} differs from the original; nothing was moved"
            )
    return digests


def _compare_tables(source: Connection, target: Connection) -> dict[str, TableDigest] | None:
    """None if the target differs: it holds the rest of a killed move, or other data."""
    digests = {}
    for table in metadata.sorted_tables:
        digests[table.name] = table_digest(source, table)
        if table is not maintenance_tasks and table_digest(target, table) != digests[table.name]:
            return None
    return digests

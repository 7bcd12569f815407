"""Saves the whole store to one file and loads it again. The file is an SQLite database with the schema of this version.

SQLite copies its own database page by page, from one moment, while others write. PostgreSQL is read row by row in one
transaction. The file is the same in both cases, so it also moves a store to the other database.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from datetime import datetime
from pathlib import Path

from sqlalchemy import URL, Connection, Engine, Table, delete, select, update

from headwater.model.errors import Refused, Temporary
from headwater.store.claims.leases import TASK_TABLES
from headwater.store.connect import connect, read_transaction, unchecked_transaction, write_transaction
from headwater.store.maintenance.orphans import without_workers
from headwater.store.maintenance.table_copy import read_rows, write_rows
from headwater.store.migrate import migrate
from headwater.store.postgresql import disable_timeouts
from headwater.store.relocation import assign_database_id, database_id
from headwater.store.schema.identity import workers
from headwater.store.schema.operations import maintenance_tasks
from headwater.store.tables import metadata

# A file that is cut off gives an I/O error or a logical one, depending on where.
DAMAGE_CODES = frozenset(
    {
        sqlite3.SQLITE_CORRUPT,
        sqlite3.SQLITE_NOTADB,
        sqlite3.SQLITE_ERROR,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_FORMAT,
    }
)


def save_snapshot(engine: Engine, file: Path) -> None:
    """Write the store, as of one moment, to a new file."""
    if engine.dialect.name == "sqlite":
        with (
            _translated(),
            closing(sqlite3.connect(_path(engine))) as source_file,
            closing(sqlite3.connect(file)) as copy,
        ):
            source_file.backup(copy)
    else:
        with (
            _open_snapshot(file) as saved,
            read_transaction(engine) as source,
            write_transaction(saved) as target,
        ):
            disable_timeouts(source)
            copy_rows(source, target)
    with _translated(), closing(sqlite3.connect(file)) as copy:
        copy.execute("PRAGMA journal_mode=DELETE")  # a single file, without a WAL


def load_snapshot(file: Path, engine: Engine, *, force: bool) -> None:
    """Replace the store with the content of the file: all of it, or nothing. Refused while workers are active, and if
    there is data unless `force`. Changes the file: it gets the schema of this version, and its leases are cleared."""
    with _open_snapshot(file) as saved:
        _take_identity(saved, engine)
        _clear_leases(saved)
        with free_for_restore(engine, force=force) as target:
            if engine.dialect.name != "sqlite":
                with read_transaction(saved) as source:
                    delete_all_rows(target)
                    copy_rows(source, target)
                return
        saved.dispose()
    engine.dispose()
    with (
        _translated(),
        closing(sqlite3.connect(file)) as copy,
        closing(sqlite3.connect(_path(engine), timeout=30)) as target_file,
    ):
        copy.backup(target_file)


@contextmanager
def free_for_restore(engine: Engine, *, force: bool) -> Iterator[Connection]:
    """A transaction in which the store may be replaced. Refused while workers are active, and over data unless `force`."""
    with without_workers(engine) as connection:
        disable_timeouts(connection)
        if not force and (tables := tables_with_rows(connection)):
            raise Refused(
                "not_empty",
                f"there is data already ({', '.join(tables[:3])}); restore into an empty database, or replace "
                "everything with --force",
            )
        yield connection


def copy_rows(source: Connection, target: Connection) -> None:
    for table in metadata.sorted_tables:
        write_rows(target, table, read_rows(source, table))


def delete_all_rows(target: Connection) -> None:
    for table in reversed(metadata.sorted_tables):
        target.execute(table.delete())


def tables_with_rows(connection: Connection) -> Sequence[str]:
    """The tables with rows. Maintenance tasks do not count: any worker registers them."""
    return [t.name for t in metadata.sorted_tables if t is not maintenance_tasks and _has_rows(connection, t)]


def _has_rows(connection: Connection, table: Table) -> bool:
    return connection.execute(select(1).select_from(table).limit(1)).first() is not None


def _take_identity(saved: Engine, engine: Engine) -> None:
    """The file takes the id of the database it replaces, and is not marked as moved."""
    with read_transaction(engine) as connection:
        name = database_id(connection)
    with unchecked_transaction(saved) as connection:
        assign_database_id(connection, str(name))


def _clear_leases(saved: Engine) -> None:
    """The workers of that time are gone."""
    unleased = {"lease_owner": None, "lease_until": None}
    with write_transaction(saved) as connection:
        for table in (*TASK_TABLES.values(), maintenance_tasks):
            connection.execute(update(table).where(table.c.lease_owner.is_not(None)).values(**unleased))
        connection.execute(delete(workers))


def check_snapshot(file: Path) -> dict[str, int]:
    """The number of rows of each table. Refused if SQLite finds the file damaged."""
    try:
        with closing(_open_read_only(file)) as connection:
            is_sound = connection.execute("PRAGMA integrity_check(1)").fetchone()[0] == "ok"
            table_names = [
                row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            ]
            counts = {
                name: int(connection.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0])  # noqa: S608 - its own names
                for name in sorted(table_names)
                if not name.startswith("sqlite_")
            }
    except sqlite3.DatabaseError as error:
        raise Refused("backup_damaged", f"{file} cannot be read: {error}") from error
    if not is_sound:
        raise Refused("backup_damaged", f"{file} is damaged: use another backup")
    return counts


def is_damaged(engine_url: URL) -> bool:
    """Whether SQLite cannot use the database: its header or pages are not what they must be."""
    path = Path(engine_url.database or "")
    if engine_url.get_backend_name() != "sqlite" or not path.is_file():
        return False
    try:
        with closing(sqlite3.connect(path, timeout=30)) as connection:
            return bool(connection.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok")
    except sqlite3.DatabaseError as error:
        return error.sqlite_errorcode & 0xFF in DAMAGE_CODES


def set_aside(file: Path, now: datetime) -> Path:
    """Rename the database; returns its new name. Its log goes first: a new database must not find the log of another."""
    target = file.with_name(f"{file.name}.damaged-{now:%Y%m%dT%H%M%SZ}")
    for suffix in ("-wal", "-shm", ""):
        with suppress(FileNotFoundError):
            file.with_name(f"{file.name}{suffix}").rename(target.with_name(f"{target.name}{suffix}"))
    return target


def _open_read_only(file: Path) -> sqlite3.Connection:
    """Read-only and immutable, so that nothing is written, not even beside the file."""
    return sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro&immutable=1", uri=True)


def snapshot_packs(file: Path) -> list[str]:
    """The packs of the captures in the file."""
    with closing(_open_read_only(file)) as connection:
        return [
            row[0]
            for row in connection.execute("SELECT DISTINCT pack FROM captures WHERE pack <> '' ORDER BY pack")
        ]


@contextmanager
def _translated() -> Iterator[None]:
    """As for other connections: an error of the file is temporary and needs no traceback."""
    try:
        yield
    except sqlite3.Error as error:
        full = "disk is full" in str(error)
        raise Temporary("disk_full" if full else "database_unavailable", str(error)) from error


def _path(engine: Engine) -> str:
    return str(engine.url.database)


@contextmanager
def _open_snapshot(file: Path) -> Iterator[Engine]:
    """A snapshot, migrated to the schema of this version."""
    engine = connect(URL.create("sqlite", database=str(file)))
    try:
        migrate(engine)
        yield engine
    finally:
        engine.dispose()

"""Connections that behave the same on both databases: short write transactions that never deadlock by upgrading."""

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DatabaseError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from headwater.model.connection_settings import ConnectionSettings
from headwater.model.errors import Refused, Temporary
from headwater.store.postgresql import create_postgresql_engine
from headwater.store.relocation import refuse_if_moved
from headwater.store.schema.columns import from_json, to_json

SQLITE_PRAGMAS = (
    "PRAGMA synchronous=NORMAL",
    "PRAGMA busy_timeout=30000",
    "PRAGMA foreign_keys=ON",
    "PRAGMA temp_store=MEMORY",
    "PRAGMA cache_size=-32000",
    # A page that many transactions change is copied home once for all of them; the log stays below 40 MB.
    "PRAGMA wal_autocheckpoint=8000",
)
WAL_TRIES, WAL_REST = 100, 0.1
DEFAULT_CONNECTIONS = ConnectionSettings()
IDLE_TOO_LONG = "25P03"
PROGRAM_LIMIT_EXCEEDED = "54"  # PostgreSQL's class for what it will never take, however often it is asked
DISK_FULL = ("disk is full", "disk full", "no space left", "could not extend file")


def connect(url: str | URL, connections: ConnectionSettings = DEFAULT_CONNECTIONS) -> Engine:
    parsed = _parsed(url)
    options: dict[str, Any] = {
        "json_serializer": to_json,
        "json_deserializer": from_json,
        "hide_parameters": True,  # an error that nobody foresaw shall not spill documents into a log
    }
    if parsed.get_backend_name() == "sqlite":
        return _sqlite(parsed, options)
    if parsed.get_backend_name() == "postgresql":
        return create_postgresql_engine(parsed.set(drivername="postgresql+psycopg"), connections, options)
    raise Refused("bad_database", f"'{parsed.get_backend_name()}' is not supported: use sqlite or postgresql")


def _parsed(url: str | URL) -> URL:
    try:
        return make_url(url)
    except (ArgumentError, ValueError) as error:
        # The address itself is not repeated: it may hold a password.
        raise Refused(
            "bad_database",
            "database: that is not an address of a database; write for example postgresql://user@host/name",
        ) from error


def _sqlite(url: URL, options: dict[str, Any]) -> Engine:
    engine = create_engine(url, connect_args={"timeout": 30, "check_same_thread": False}, **options)

    @event.listens_for(engine, "connect")
    def _prepare(connection: Any, record: Any) -> None:
        # The driver's own transaction handling begins too late for BEGIN IMMEDIATE; switch it off.
        connection.isolation_level = None
        _patiently(lambda: connection.execute("PRAGMA journal_mode=WAL"))
        for pragma in SQLITE_PRAGMAS:
            connection.execute(pragma)
        record.info["file"] = _file(url.database)

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        if connection.connection.info["file"] != _file(url.database):
            # SQLite would go on writing into the file that nobody finds any more.
            raise Refused(
                "database_missing",
                f"the database {url.database} was removed or replaced while in use: restore it",
            )
        # A deferred transaction that reads and then writes fails with SQLITE_BUSY whatever the timeout.
        reading = connection.get_execution_options().get("reading", False)
        connection.exec_driver_sql("BEGIN" if reading else "BEGIN IMMEDIATE")

    return engine


def _patiently(change: Callable[[], Any]) -> None:
    """Switching a new file to WAL fails at once, whatever the timeout, while another process is doing the same."""
    for _ in range(WAL_TRIES):
        try:
            change()
        except sqlite3.OperationalError as error:
            if "locked" not in str(error):
                raise
            time.sleep(WAL_REST)
        else:
            return
    change()


def _file(path: str | None) -> tuple[int, int] | None:
    """Which file lies at the path, by its number; the name may be given to another one."""
    try:
        found = Path(path or "").stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


@contextmanager
def write_transaction(engine: Engine) -> Iterator[Connection]:
    """One write transaction: all of it, or nothing. Refused in a database from which the installation moved away."""
    with unchecked_transaction(engine) as connection:
        refuse_if_moved(connection)
        yield connection


@contextmanager
def unchecked_transaction(engine: Engine) -> Iterator[Connection]:
    """A write transaction for what is nobody's record: the schema, an index, the move itself. It may be begun wherever
    the installation lives."""
    with _translated(), engine.begin() as connection:
        yield connection


@contextmanager
def read_transaction(engine: Engine) -> Iterator[Connection]:
    """One consistent view; takes no write lock."""
    options: dict[str, Any] = {"reading": True}
    if engine.dialect.name == "postgresql":
        options["isolation_level"] = "REPEATABLE READ"
    with _translated(), engine.connect().execution_options(**options) as connection, connection.begin():
        yield connection


@contextmanager
def _translated() -> Iterator[None]:
    """Say what a database error means in our own three words, without its SQL or its data. That it is away is no fault of
    the record for which it was asked."""
    try:
        yield
    except (OperationalError, InterfaceError) as error:
        if str(getattr(error.orig, "sqlstate", None)).startswith(PROGRAM_LIMIT_EXCEEDED):
            raise
        detail = str(error.orig).splitlines()[0] if str(error.orig) else type(error.orig).__name__
        if any(sign in detail.lower() for sign in DISK_FULL):
            raise Temporary("disk_full", detail, counts=False) from error
        raise Temporary("database_unavailable", detail, counts=False) from error
    except PoolTimeout as error:
        told = "all connections of this process are busy"
        raise Temporary("database_unavailable", told, counts=False) from error
    except DatabaseError as error:
        if getattr(error.orig, "sqlstate", None) == IDLE_TOO_LONG:
            told = "the transaction stood still for too long"
            raise Temporary("database_unavailable", told, counts=False) from error
        if "malformed" in str(error.orig) or "not a database" in str(error.orig):
            raise Refused("database_damaged", f"{error.orig}: restore it from a backup") from error
        raise

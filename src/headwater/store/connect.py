"""Connections that behave the same on both databases: short write transactions that never deadlock by lock upgrade."""

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

from headwater.model.errors import Refused, Temporary
from headwater.store.connection_settings import ConnectionSettings
from headwater.store.postgresql import create_postgresql_engine
from headwater.store.relocation import refuse_if_moved
from headwater.store.schema.columns import from_json, to_json

SQLITE_PRAGMAS = (
    "PRAGMA synchronous=NORMAL",
    "PRAGMA busy_timeout=30000",
    "PRAGMA foreign_keys=ON",
    "PRAGMA temp_store=MEMORY",
    "PRAGMA cache_size=-12000",
    # A page changed by many transactions is checkpointed once; the WAL stays below 80 MB.
    "PRAGMA wal_autocheckpoint=16000",
)
WAL_TRIES, WAL_REST = 100, 0.1
DEFAULT_CONNECTIONS = ConnectionSettings()
IDLE_TOO_LONG = "25P03"
PROGRAM_LIMIT_EXCEEDED = "54"  # PostgreSQL's class of errors that a retry cannot cure
DISK_FULL = ("disk is full", "disk full", "no space left", "could not extend file")


def connect(url: str | URL, connections: ConnectionSettings = DEFAULT_CONNECTIONS) -> Engine:
    parsed = _parse_url(url)
    options: dict[str, Any] = {
        "json_serializer": to_json,
        "json_deserializer": from_json,
        "hide_parameters": True,  # an unexpected error must not write documents to a log
    }
    if parsed.get_backend_name() == "sqlite":
        return _sqlite_engine(parsed, options)
    if parsed.get_backend_name() == "postgresql":
        return create_postgresql_engine(parsed.set(drivername="postgresql+psycopg"), connections, options)
    raise Refused("bad_database", f"'{parsed.get_backend_name()}' is not supported: use sqlite or postgresql")


def _parse_url(url: str | URL) -> URL:
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError) as error:
        # The URL is not repeated, because it may contain a password.
        raise Refused(
            "bad_database",
            "database: this is not a database URL; use for example postgresql://user@host/name",
        ) from error
    if "@" in (parsed.host or ""):  # the driver would quote the end of the password as a part of the host
        raise Refused("bad_database", "database: write an @ in the user name or the password as %40")
    return parsed


def _sqlite_engine(url: URL, options: dict[str, Any]) -> Engine:
    engine = create_engine(url, connect_args={"timeout": 30, "check_same_thread": False}, **options)

    @event.listens_for(engine, "connect")
    def _prepare(connection: Any, record: Any) -> None:
        # The driver's own transaction handling begins too late for BEGIN IMMEDIATE.
        connection.isolation_level = None
        _retry_while_locked(lambda: connection.execute("PRAGMA journal_mode=WAL"))
        for pragma in SQLITE_PRAGMAS:
            connection.execute(pragma)
        record.info["file"] = _file_id(url.database)

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        if connection.connection.info["file"] != _file_id(url.database):
            # SQLite would go on writing to the deleted file.
            raise Refused(
                "database_missing",
                f"the database {url.database} was removed or replaced while in use: restore it",
            )
        # A deferred transaction that reads and then writes fails with SQLITE_BUSY whatever the timeout.
        reading = connection.get_execution_options().get("reading", False)
        connection.exec_driver_sql("BEGIN" if reading else "BEGIN IMMEDIATE")

    return engine


def _retry_while_locked(change: Callable[[], Any]) -> None:
    """Switching a new file to WAL fails at once, whatever the timeout, while another process does the same."""
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


def _file_id(path: str | None) -> tuple[int, int] | None:
    """Device and inode of the file: another file may have its name."""
    try:
        status = Path(path or "").stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


@contextmanager
def write_transaction(engine: Engine) -> Iterator[Connection]:
    """A write transaction. Refused if the installation moved to another database."""
    with unchecked_transaction(engine) as connection:
        refuse_if_moved(connection)
        yield connection


@contextmanager
def unchecked_transaction(engine: Engine) -> Iterator[Connection]:
    """A write transaction without that check: for the schema, an index and the move itself."""
    with _translated(), engine.begin() as connection:
        yield connection


@contextmanager
def read_transaction(engine: Engine) -> Iterator[Connection]:
    """One consistent snapshot, without a write lock."""
    options: dict[str, Any] = {"reading": True}
    if engine.dialect.name == "postgresql":
        options["isolation_level"] = "REPEATABLE READ"
    with _translated(), engine.connect().execution_options(**options) as connection, connection.begin():
        yield connection


@contextmanager
def _translated() -> Iterator[None]:
    """Translate database errors into our own, without SQL or data. An unavailable database is not the record's fault."""
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
        detail_text = "all connections of this process are busy"
        raise Temporary("database_unavailable", detail_text, counts=False) from error
    except DatabaseError as error:
        if getattr(error.orig, "sqlstate", None) == IDLE_TOO_LONG:
            detail_text = "the transaction was idle for too long"
            raise Temporary("database_unavailable", detail_text, counts=False) from error
        if "malformed" in str(error.orig) or "not a database" in str(error.orig):
            raise Refused(
                "database_damaged",
                f"{error.orig}: restore it from a backup with `headwater restore FOLDER --force`",
            ) from error
        raise

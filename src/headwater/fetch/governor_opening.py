"""Opening a governor's file, whatever state it is in.

What it holds matters for minutes, a day at most. A file that is damaged is therefore put aside and a new one begun, in
which nothing may leave for as long as the old one could have held something against it.
"""

import fcntl
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import structlog

from headwater.fetch.ledger import MEMORY
from headwater.model.errors import Refused

EVERYTHING = "*"
"""A bar under this key holds for every request."""

_BUSY_MILLISECONDS = 30_000
_SCHEMA = """
CREATE TABLE IF NOT EXISTS moment (
  key TEXT NOT NULL, state INTEGER NOT NULL, at REAL NOT NULL, name TEXT NOT NULL, expires REAL NOT NULL,
  owner TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS moment_by_key ON moment (key, state, at);
CREATE INDEX IF NOT EXISTS moment_by_name ON moment (name, state);
CREATE INDEX IF NOT EXISTS moment_by_expiry ON moment (expires);
CREATE INDEX IF NOT EXISTS moment_by_owner ON moment (owner, state);
CREATE TABLE IF NOT EXISTS bar (key TEXT PRIMARY KEY, until REAL NOT NULL) WITHOUT ROWID;
"""
_LOOK = (
    "SELECT key, state, at, name, expires, owner FROM moment WHERE owner = '' LIMIT 1",
    "SELECT key, until FROM bar LIMIT 1",
)
_log = structlog.get_logger()


class Damaged(sqlite3.DatabaseError):
    """Found by looking, before it was stumbled over."""


def open_file(path: Path) -> sqlite3.Connection:
    """A connection to a file that can be used; Refused when there is no way to have one."""
    try:
        return _open(path)
    except sqlite3.Error as error:
        if not is_damage(error):
            raise _unusable(path, error) from error
    with _alone(path):
        try:
            return _open(path)  # somebody else may have put it right meanwhile
        except sqlite3.Error as error:
            if not is_damage(error):
                raise _unusable(path, error) from error
            return _begin_anew(path, error)


def is_damage(error: sqlite3.Error) -> bool:
    """Whether the file itself is at fault: waiting and asking again would not help."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return (
        isinstance(error, Damaged)
        or code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
        or "no such column" in str(error)
    )


def _open(path: Path) -> sqlite3.Connection:
    database = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    try:
        database.execute(f"PRAGMA busy_timeout = {_BUSY_MILLISECONDS}")
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = NORMAL")
        database.executescript(_SCHEMA)
        for query in _LOOK:
            database.execute(query).fetchall()
        (found,) = database.execute("PRAGMA quick_check(1)").fetchone()
        if found != "ok":
            raise Damaged(found)
    except sqlite3.Error:
        database.close()
        raise
    return database


def _begin_anew(path: Path, error: sqlite3.Error) -> sqlite3.Connection:
    _log.warning("governor damaged", file=path.name, error=str(error), rest_seconds=MEMORY)
    for part in ("", "-wal", "-shm"):
        old = path.with_name(path.name + part)
        if old.exists():
            old.replace(path.with_name(f"{path.name}{part}.damaged"))
    try:
        database = _open(path)
        database.execute("INSERT INTO bar (key, until) VALUES (?, ?)", (EVERYTHING, time.time() + MEMORY))
    except sqlite3.Error as still:
        raise _unusable(path, still) from still
    return database


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """One process at a time: a second one must not put the new file aside as well."""
    with path.with_name(f"{path.name}.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _unusable(path: Path, error: sqlite3.Error) -> Refused:
    return Refused(
        "governor_unusable",
        f"{path}, which keeps the pace of all requests, cannot be used: {error}; make room or rights for it, or end the "
        "program that holds it",
    )

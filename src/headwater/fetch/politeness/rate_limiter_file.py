"""Opening a governor's file, whatever state it is in.

What it holds matters for minutes, a day at most. A file that is damaged is therefore put aside and a new one begun, in
which nothing may leave for as long as the old one could have held something against it.
"""

import fcntl
import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import structlog

from headwater.fetch.politeness.quotas import Decision, Demand, Go, KeyState, decide_admission
from headwater.fetch.politeness.rate_limiter import CLOCK_SLACK, GRACE, HORIZON, MEMORY, EpochClock
from headwater.liveness import dead_owners, owner_name
from headwater.model.errors import Refused, Temporary

ALL_KEYS = "*"
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
_PROBES = (
    "SELECT key, state, at, name, expires, owner FROM moment WHERE owner = '' LIMIT 1",
    "SELECT key, until FROM bar LIMIT 1",
)
_opening_log = structlog.get_logger()


class DamagedFile(sqlite3.DatabaseError):
    """Found by looking, before it was stumbled over."""


def open_rate_limits(path: Path) -> sqlite3.Connection:
    """A connection to a file that can be used; Refused when there is no way to have one."""
    try:
        return _open_database(path)
    except sqlite3.Error as error:
        if not is_damaged(error):
            raise _unusable(path, error) from error
    with _alone(path):
        try:
            return _open_database(path)  # somebody else may have put it right meanwhile
        except sqlite3.Error as error:
            if not is_damaged(error):
                raise _unusable(path, error) from error
            return _begin_anew(path, error)


def is_damaged(error: sqlite3.Error) -> bool:
    """Whether the file itself is at fault: waiting and asking again would not help."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return (
        isinstance(error, DamagedFile)
        or code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
        or "no such column" in str(error)
    )


def _open_database(path: Path) -> sqlite3.Connection:
    database = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    try:
        database.execute(f"PRAGMA busy_timeout = {_BUSY_MILLISECONDS}")
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = NORMAL")
        database.executescript(_SCHEMA)
        for query in _PROBES:
            database.execute(query).fetchall()
        (found,) = database.execute("PRAGMA quick_check(1)").fetchone()
        if found != "ok":
            raise DamagedFile(found)
    except sqlite3.Error:
        database.close()
        raise
    return database


def _begin_anew(path: Path, error: sqlite3.Error) -> sqlite3.Connection:
    _opening_log.warning("rate limits damaged", file=path.name, error=str(error), rest_seconds=MEMORY)
    for part in ("", "-wal", "-shm"):
        old = path.with_name(path.name + part)
        if old.exists():
            old.replace(path.with_name(f"{path.name}{part}.damaged"))
    try:
        database = _open_database(path)
        database.execute("INSERT INTO bar (key, until) VALUES (?, ?)", (ALL_KEYS, time.time() + MEMORY))
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
        "rate_limits_unusable",
        f"{path}, which keeps the pace of all requests, cannot be used: {error}; make room or rights for it, or end the "
        "program that holds it",
    )


_PLANNED, _PENDING, _SENT, _RUNNING = range(4)
_SWEEP_EVERY = 200
# The row that remembers the latest moment anybody has seen.
_CLOCK = ""
_log = structlog.get_logger()


class FileRateLimiter:
    """Each call is one transaction that begins as a writer, so what is read cannot change before it is written."""

    blocking = True

    def __init__(self, path: Path, *, horizon: float = HORIZON) -> None:
        self._horizon = horizon
        self._lock = threading.Lock()
        self._until_sweep = 0
        self._path = path
        self._database = open_rate_limits(path)
        self._owner = owner_name("rate_limiter")
        self._release_dead_owners()

    def _release_dead_owners(self) -> None:
        """A process that is gone holds no connection any more. What it was about to send is taken for sent."""
        with self._writing():
            owners = [row[0] for row in self._database.execute("SELECT DISTINCT owner FROM moment")]
            now = time.time()
            for owner in dead_owners(owners):
                self._database.execute(
                    "DELETE FROM moment WHERE owner = ? AND state IN (?, ?)", (owner, _RUNNING, _PLANNED)
                )
                self._database.execute(
                    "UPDATE moment SET state = ?, expires = expires - at + ?, at = ? WHERE owner = ? AND state = ?",
                    (_SENT, now, now, owner, _PENDING),
                )

    def reserve(self, demands: Sequence[Demand], clock: EpochClock) -> Sequence[Decision]:
        with self._lock, self._writing():
            now = clock()
            self._follow(now)
            self._sweep(len(demands), now)
            return [self._reserve(demand, now) for demand in demands]

    def _reserve(self, demand: Demand, now: float) -> Decision:
        planned = self._planned(demand.ticket, now)
        views = {key: self._view(key, demand, now) for key in demand.names()}
        decision = decide_admission(demand, views, now, planned=planned, horizon=self._horizon)
        if isinstance(decision, Go):
            self._let_go(demand, now)
        elif decision.planned and planned is None:
            until = decision.until
            self._add([(quota.key, _PLANNED, until, demand.ticket, until + GRACE) for quota in demand.quotas])
        return decision

    def _planned(self, ticket: str, now: float) -> float | None:
        found = self._database.execute(
            "SELECT at FROM moment WHERE name = ? AND state = ? AND expires >= ?", (ticket, _PLANNED, now)
        ).fetchone()
        return None if found is None else float(found[0])

    def _view(self, key: str, demand: Demand, now: float) -> KeyState:
        window = max((quota.window for quota in demand.quotas if quota.key == key), default=0.0)
        rows = self._database.execute(
            "SELECT state, at FROM moment WHERE key = ? AND expires >= ? AND name <> ?"
            " AND (state <> ? OR at > ?) ORDER BY at",
            (key, now, demand.ticket, _SENT, now - window),
        ).fetchall()
        (blocked_until,) = self._database.execute(
            "SELECT max(until) FROM bar WHERE key IN (?, ?)", (key, ALL_KEYS)
        ).fetchone()
        return KeyState(
            # One that never reported is taken for sent when its time is up.
            sent=[at for state, at in rows if state == _SENT or (state == _PENDING and at <= now)],
            pending=sum(state == _PENDING and at > now for state, at in rows),
            planned=[at for state, at in rows if state == _PLANNED],
            running=sum(state == _RUNNING for state, _ in rows),
            blocked_until=blocked_until or 0.0,
        )

    def _let_go(self, demand: Demand, now: float) -> None:
        self._database.execute("DELETE FROM moment WHERE name = ? AND state = ?", (demand.ticket, _PLANNED))
        latest = now + demand.start
        pending = [
            (quota.key, _PENDING, latest, demand.lease, latest + max(quota.window, MEMORY))
            for quota in demand.quotas
        ]
        running = [(s.key, _RUNNING, now, demand.lease, now + demand.hold) for s in demand.slots]
        self._add(pending + running)

    def _add(self, rows: Sequence[tuple[str, int, float, str, float]]) -> None:
        self._database.executemany(
            "INSERT INTO moment (key, state, at, name, expires, owner) VALUES (?, ?, ?, ?, ?, ?)",
            [(*row, self._owner) for row in rows],
        )

    def sent(self, leases: Sequence[str], now: float) -> None:
        with self._lock, self._writing():
            self._sent(leases, now)

    def _sent(self, leases: Sequence[str], now: float) -> None:
        self._database.executemany(
            "UPDATE moment SET state = ?, expires = expires - at + ?, at = ? WHERE name = ? AND state = ?",
            [(_SENT, now, now, lease, _PENDING) for lease in leases],
        )

    def done(self, leases: Sequence[str], now: float) -> None:
        with self._lock, self._writing():
            self._sent(leases, now)
            self._database.executemany(
                "DELETE FROM moment WHERE name = ? AND state = ?", [(lease, _RUNNING) for lease in leases]
            )

    def block_until(self, keys: Sequence[str], until: float) -> None:
        with self._lock, self._writing():
            self._database.executemany(
                "INSERT INTO bar (key, until) VALUES (?, ?)"
                " ON CONFLICT (key) DO UPDATE SET until = max(until, excluded.until)",
                [(key, until) for key in keys],
            )

    def close(self) -> None:
        with self._lock:
            self._database.close()

    def _sweep(self, asked: int, now: float) -> None:
        self._until_sweep -= asked
        if self._until_sweep <= 0:
            self._until_sweep = _SWEEP_EVERY
            self._database.execute("DELETE FROM moment WHERE expires < ?", (now,))
            self._database.execute("DELETE FROM bar WHERE until < ? AND key <> ?", (now, _CLOCK))

    def _follow(self, now: float) -> None:
        """A clock that was set back takes everything along: else a bar would last that much longer, and what was sent a
        moment ago would lie in the future and count for nothing."""
        row = self._database.execute("SELECT until FROM bar WHERE key = ?", (_CLOCK,)).fetchone()
        back = row[0] - now if row else 0.0
        if back > CLOCK_SLACK:
            _log.warning("clock set back", seconds=round(back, 1))
            self._database.execute("UPDATE moment SET at = at - ?, expires = expires - ?", (back, back))
            self._database.execute("UPDATE bar SET until = until - ?", (back,))
        elif row is None or -back > CLOCK_SLACK / 2:
            self._database.execute("INSERT OR REPLACE INTO bar (key, until) VALUES (?, ?)", (_CLOCK, now))

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """A transaction that takes the write lock at its start: reading first and writing later would fail as busy. A
        file that turns out damaged is opened anew, so that the next call finds a sound one."""
        try:
            with _transaction(self._database):
                yield
        except sqlite3.Error as error:
            if is_damaged(error):
                self._reopen()
            raise Temporary("rate_limiter_unavailable", str(error)) from error

    def _reopen(self) -> None:
        self._database.close()
        try:
            self._database = open_rate_limits(self._path)
        except Refused as refused:
            raise Temporary("rate_limiter_unavailable", refused.detail) from refused


@contextmanager
def _transaction(database: sqlite3.Connection) -> Iterator[None]:
    database.execute("BEGIN IMMEDIATE")
    try:
        yield
        database.execute("COMMIT")
    except BaseException:
        if database.in_transaction:  # a full disk may have ended it already
            database.execute("ROLLBACK")
        raise

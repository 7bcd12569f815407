"""A rate limiter in a small SQLite file: shared by the processes of one machine, and kept over restarts.

The file matters for minutes, a day at most. A damaged file is therefore moved aside and replaced by a new one, in which
every request is blocked for as long as the old file could have held something against it.
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
"""A block under this key holds for every request."""

_PLANNED, _PENDING, _SENT, _RUNNING = range(4)
_SWEEP_EVERY = 200
# The row of `blocks` that holds the latest time that any process has read.
_CLOCK = ""
_BUSY_MILLISECONDS = 30_000
_SCHEMA = """
CREATE TABLE IF NOT EXISTS requests (
  key TEXT NOT NULL, state INTEGER NOT NULL, at REAL NOT NULL, name TEXT NOT NULL, expires REAL NOT NULL,
  owner TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS requests_by_key ON requests (key, state, at);
CREATE INDEX IF NOT EXISTS requests_by_name ON requests (name, state);
CREATE INDEX IF NOT EXISTS requests_by_expiry ON requests (expires);
CREATE INDEX IF NOT EXISTS requests_by_owner ON requests (owner, state);
CREATE TABLE IF NOT EXISTS blocks (key TEXT PRIMARY KEY, until REAL NOT NULL) WITHOUT ROWID;
"""
_PROBES = (
    "SELECT key, state, at, name, expires, owner FROM requests WHERE owner = '' LIMIT 1",
    "SELECT key, until FROM blocks LIMIT 1",
)
_log = structlog.get_logger()


class FileRateLimiter:
    """Each call is one transaction that begins as a writer, so what it reads cannot change before it writes."""

    blocking = True

    def __init__(self, path: Path, *, horizon: float = HORIZON) -> None:
        self._horizon = horizon
        self._lock = threading.Lock()
        self._until_sweep = 0
        self._path = path
        self._database = open_rate_limits(path)
        self._owner = owner_name("rate_limiter")
        self._free_dead_owners()

    def _free_dead_owners(self) -> None:
        """A dead process holds no connections. What it was about to send counts as sent."""
        with self._writing():
            owners = [row[0] for row in self._database.execute("SELECT DISTINCT owner FROM requests")]
            now = time.time()
            for owner in dead_owners(owners):
                self._database.execute(
                    "DELETE FROM requests WHERE owner = ? AND state IN (?, ?)", (owner, _RUNNING, _PLANNED)
                )
                self._database.execute(
                    "UPDATE requests SET state = ?, expires = expires - at + ?, at = ? WHERE owner = ? AND state = ?",
                    (_SENT, now, now, owner, _PENDING),
                )

    def reserve(self, demands: Sequence[Demand], clock: EpochClock) -> Sequence[Decision]:
        with self._lock, self._writing():
            now = clock()
            self._follow_clock(now)
            self._sweep(len(demands), now)
            return [self._reserve(demand, now) for demand in demands]

    def _reserve(self, demand: Demand, now: float) -> Decision:
        planned = self._planned(demand.ticket, now)
        states = {key: self._state(key, demand, now) for key in demand.limit_keys()}
        decision = decide_admission(demand, states, now, planned=planned, horizon=self._horizon)
        if isinstance(decision, Go):
            self._record_admission(demand, now)
        elif decision.is_planned and planned is None:
            until = decision.until
            self._add([(quota.key, _PLANNED, until, demand.ticket, until + GRACE) for quota in demand.quotas])
        return decision

    def _planned(self, ticket: str, now: float) -> float | None:
        row = self._database.execute(
            "SELECT at FROM requests WHERE name = ? AND state = ? AND expires >= ?", (ticket, _PLANNED, now)
        ).fetchone()
        return None if row is None else float(row[0])

    def _state(self, key: str, demand: Demand, now: float) -> KeyState:
        window = max((quota.window for quota in demand.quotas if quota.key == key), default=0.0)
        rows = self._database.execute(
            "SELECT state, at FROM requests WHERE key = ? AND expires >= ? AND name <> ?"
            " AND (state <> ? OR at > ?) ORDER BY at",
            (key, now, demand.ticket, _SENT, now - window),
        ).fetchall()
        (blocked_until,) = self._database.execute(
            "SELECT max(until) FROM blocks WHERE key IN (?, ?)", (key, ALL_KEYS)
        ).fetchone()
        return KeyState(
            # A request that was never reported counts as sent when its time is up.
            sent_times=[at for state, at in rows if state == _SENT or (state == _PENDING and at <= now)],
            pending_count=sum(state == _PENDING and at > now for state, at in rows),
            planned_times=[at for state, at in rows if state == _PLANNED],
            running_count=sum(state == _RUNNING for state, _ in rows),
            blocked_until=blocked_until or 0.0,
        )

    def _record_admission(self, demand: Demand, now: float) -> None:
        self._database.execute("DELETE FROM requests WHERE name = ? AND state = ?", (demand.ticket, _PLANNED))
        latest = now + demand.start
        pending = [
            (quota.key, _PENDING, latest, demand.lease, latest + max(quota.window, MEMORY))
            for quota in demand.quotas
        ]
        running = [(slots.key, _RUNNING, now, demand.lease, now + demand.hold) for slots in demand.slots]
        self._add(pending + running)

    def _add(self, rows: Sequence[tuple[str, int, float, str, float]]) -> None:
        self._database.executemany(
            "INSERT INTO requests (key, state, at, name, expires, owner) VALUES (?, ?, ?, ?, ?, ?)",
            [(*row, self._owner) for row in rows],
        )

    def report_sent(self, leases: Sequence[str], now: float) -> None:
        with self._lock, self._writing():
            self._mark_sent(leases, now)

    def _mark_sent(self, leases: Sequence[str], now: float) -> None:
        self._database.executemany(
            "UPDATE requests SET state = ?, expires = expires - at + ?, at = ? WHERE name = ? AND state = ?",
            [(_SENT, now, now, lease, _PENDING) for lease in leases],
        )

    def report_done(self, leases: Sequence[str], now: float) -> None:
        with self._lock, self._writing():
            self._mark_sent(leases, now)
            self._database.executemany(
                "DELETE FROM requests WHERE name = ? AND state = ?", [(lease, _RUNNING) for lease in leases]
            )

    def block_until(self, keys: Sequence[str], until: float) -> None:
        with self._lock, self._writing():
            self._database.executemany(
                "INSERT INTO blocks (key, until) VALUES (?, ?)"
                " ON CONFLICT (key) DO UPDATE SET until = max(until, excluded.until)",
                [(key, until) for key in keys],
            )

    def close(self) -> None:
        with self._lock:
            self._database.close()

    def _sweep(self, demand_count: int, now: float) -> None:
        self._until_sweep -= demand_count
        if self._until_sweep <= 0:
            self._until_sweep = _SWEEP_EVERY
            self._database.execute("DELETE FROM requests WHERE expires < ?", (now,))
            self._database.execute("DELETE FROM blocks WHERE until < ? AND key <> ?", (now, _CLOCK))

    def _follow_clock(self, now: float) -> None:
        """Move all times along when the clock was set back. Otherwise blocks would last that much longer, and requests
        sent a moment ago would lie in the future and not count."""
        row = self._database.execute("SELECT until FROM blocks WHERE key = ?", (_CLOCK,)).fetchone()
        step_back = row[0] - now if row else 0.0
        if step_back > CLOCK_SLACK:
            _log.warning("clock set back", seconds=round(step_back, 1))
            self._database.execute(
                "UPDATE requests SET at = at - ?, expires = expires - ?", (step_back, step_back)
            )
            self._database.execute("UPDATE blocks SET until = until - ?", (step_back,))
        elif row is None or -step_back > CLOCK_SLACK / 2:
            self._database.execute("INSERT OR REPLACE INTO blocks (key, until) VALUES (?, ?)", (_CLOCK, now))

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """A transaction that takes the write lock first: to read first and write later would fail as busy. A damaged
        file is replaced, so that the next call succeeds."""
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


FURTHER_ATTEMPTS = 3


class DamagedFile(sqlite3.DatabaseError):
    """The integrity check failed."""


def open_rate_limits(path: Path) -> sqlite3.Connection:
    """A connection to a sound file. Raises Refused when that is impossible."""
    try:
        return _open_database(path)
    except sqlite3.Error as error:
        if not (is_damaged(error) or _cannot_be_read(error)):
            raise _unusable(path, error) from error
    with _exclusive(path):
        try:
            return _open_repaired(path)
        except sqlite3.Error as error:
            if not is_damaged(error):
                raise _unusable(path, error) from error
            return _replace_file(path, error)


def _open_repaired(path: Path) -> sqlite3.Connection:
    """Another process may have repaired the file meanwhile. One that still reads the old file then makes it unreadable for a moment."""
    for _ in range(FURTHER_ATTEMPTS):
        try:
            return _open_database(path)
        except sqlite3.Error as error:
            if not _cannot_be_read(error):
                raise
    return _open_database(path)


def _cannot_be_read(error: sqlite3.Error) -> bool:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_IOERR


def is_damaged(error: sqlite3.Error) -> bool:
    """Whether the file itself is at fault, so that a retry would not help."""
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
        (result,) = database.execute("PRAGMA quick_check(1)").fetchone()
        if result != "ok":
            raise DamagedFile(result)
    except sqlite3.Error:
        database.close()
        raise
    return database


def _replace_file(path: Path, error: sqlite3.Error) -> sqlite3.Connection:
    _log.warning("rate limits damaged", file=path.name, error=str(error), rest_seconds=MEMORY)
    for suffix in ("", "-wal", "-shm"):
        damaged = path.with_name(path.name + suffix)
        if damaged.exists():
            damaged.replace(path.with_name(f"{path.name}{suffix}.damaged"))
    try:
        database = _open_database(path)
        database.execute("INSERT INTO blocks (key, until) VALUES (?, ?)", (ALL_KEYS, time.time() + MEMORY))
    except sqlite3.Error as second_error:
        raise _unusable(path, second_error) from second_error
    return database


@contextmanager
def _exclusive(path: Path) -> Iterator[None]:
    """One process at a time: a second one must not move the new file aside as well."""
    with path.with_name(f"{path.name}.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _unusable(path: Path, error: sqlite3.Error) -> Refused:
    return Refused(
        "rate_limits_unusable",
        f"cannot use {path}, which holds the rate limits: {error}; free disk space, grant write access, or end the "
        "program that locks the file",
    )

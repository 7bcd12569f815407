"""A governor in a small SQLite file: shared by the processes of one machine, and still true after a restart."""

import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from headwater.fetch.governor import GRACE, HORIZON, MEMORY, Clock
from headwater.liveness import dead_owners, owner_name
from headwater.model.errors import Temporary
from headwater.pure.pace import Decision, Demand, Go, View, decide

_PLANNED, _PENDING, _SENT, _RUNNING = range(4)
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
_SWEEP_EVERY = 200


class FileGovernor:
    """Each call is one transaction that begins as a writer, so what is read cannot change before it is written."""

    blocking = True

    def __init__(self, path: Path, *, horizon: float = HORIZON) -> None:
        self._horizon = horizon
        self._lock = threading.Lock()
        self._until_sweep = 0
        self._database = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        self._database.execute(f"PRAGMA busy_timeout = {_BUSY_MILLISECONDS}")
        self._database.execute("PRAGMA journal_mode = WAL")
        self._database.execute("PRAGMA synchronous = NORMAL")
        self._database.executescript(_SCHEMA)
        self._owner = owner_name("governor")
        self._free_the_dead()

    def _free_the_dead(self) -> None:
        """A process that is gone holds no connection any more. What it was about to send is taken for sent."""
        with _writing(self._database):
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

    def reserve(self, demands: Sequence[Demand], clock: Clock) -> Sequence[Decision]:
        with self._lock, _writing(self._database):
            now = clock()
            self._sweep(len(demands), now)
            return [self._reserve(demand, now) for demand in demands]

    def _reserve(self, demand: Demand, now: float) -> Decision:
        planned = self._planned(demand.ticket, now)
        views = {key: self._view(key, demand, now) for key in demand.names()}
        decision = decide(demand, views, now, planned=planned, horizon=self._horizon)
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

    def _view(self, key: str, demand: Demand, now: float) -> View:
        window = max((quota.window for quota in demand.quotas if quota.key == key), default=0.0)
        rows = self._database.execute(
            "SELECT state, at FROM moment WHERE key = ? AND expires >= ? AND name <> ?"
            " AND (state <> ? OR at > ?) ORDER BY at",
            (key, now, demand.ticket, _SENT, now - window),
        ).fetchall()
        bar = self._database.execute("SELECT until FROM bar WHERE key = ?", (key,)).fetchone()
        return View(
            # One that never reported is taken for sent when its time is up.
            sent=[at for state, at in rows if state == _SENT or (state == _PENDING and at <= now)],
            pending=sum(state == _PENDING and at > now for state, at in rows),
            planned=[at for state, at in rows if state == _PLANNED],
            running=sum(state == _RUNNING for state, _ in rows),
            barred=bar[0] if bar else 0.0,
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
        with self._lock, _writing(self._database):
            self._sent(leases, now)

    def _sent(self, leases: Sequence[str], now: float) -> None:
        self._database.executemany(
            "UPDATE moment SET state = ?, expires = expires - at + ?, at = ? WHERE name = ? AND state = ?",
            [(_SENT, now, now, lease, _PENDING) for lease in leases],
        )

    def done(self, leases: Sequence[str], now: float) -> None:
        with self._lock, _writing(self._database):
            self._sent(leases, now)
            self._database.executemany(
                "DELETE FROM moment WHERE name = ? AND state = ?", [(lease, _RUNNING) for lease in leases]
            )

    def bar(self, keys: Sequence[str], until: float) -> None:
        with self._lock, _writing(self._database):
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
            self._database.execute("DELETE FROM bar WHERE until < ?", (now,))


@contextmanager
def _writing(database: sqlite3.Connection) -> Iterator[None]:
    """A transaction that takes the write lock at its start: reading first and writing later would fail as busy."""
    try:
        database.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            database.execute("ROLLBACK")
            raise
        database.execute("COMMIT")
    except sqlite3.Error as error:
        raise Temporary("governor_unavailable", str(error)) from error

"""A governor in a small SQLite file: shared by the processes of one machine, and still true after a restart."""

import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import structlog

from headwater.fetch.governor import CLOCK_SLACK, HORIZON, Clock
from headwater.fetch.governor_opening import EVERYTHING, is_damage, open_file
from headwater.fetch.ledger import GRACE, MEMORY
from headwater.liveness import dead_owners, owner_name
from headwater.model.errors import Refused, Temporary
from headwater.pure.pace import Decision, Demand, Go, View, decide

_PLANNED, _PENDING, _SENT, _RUNNING = range(4)
_SWEEP_EVERY = 200
# The row that remembers the latest moment anybody has seen.
_CLOCK = ""
_log = structlog.get_logger()


class FileGovernor:
    """Each call is one transaction that begins as a writer, so what is read cannot change before it is written."""

    blocking = True

    def __init__(self, path: Path, *, horizon: float = HORIZON) -> None:
        self._horizon = horizon
        self._lock = threading.Lock()
        self._until_sweep = 0
        self._path = path
        self._database = open_file(path)
        self._owner = owner_name("governor")
        self._free_the_dead()

    def _free_the_dead(self) -> None:
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

    def reserve(self, demands: Sequence[Demand], clock: Clock) -> Sequence[Decision]:
        with self._lock, self._writing():
            now = clock()
            self._follow(now)
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
        (barred,) = self._database.execute(
            "SELECT max(until) FROM bar WHERE key IN (?, ?)", (key, EVERYTHING)
        ).fetchone()
        return View(
            # One that never reported is taken for sent when its time is up.
            sent=[at for state, at in rows if state == _SENT or (state == _PENDING and at <= now)],
            pending=sum(state == _PENDING and at > now for state, at in rows),
            planned=[at for state, at in rows if state == _PLANNED],
            running=sum(state == _RUNNING for state, _ in rows),
            barred=barred or 0.0,
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

    def bar(self, keys: Sequence[str], until: float) -> None:
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
            if is_damage(error):
                self._reopen()
            raise Temporary("governor_unavailable", str(error)) from error

    def _reopen(self) -> None:
        self._database.close()
        try:
            self._database = open_file(self._path)
        except Refused as refused:
            raise Temporary("governor_unavailable", refused.detail) from refused


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

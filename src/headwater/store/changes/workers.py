"""The processes that may hold leases, each with a heartbeat. What a process without a heartbeat holds is free.

Heartbeats are compared by one clock, the database's: those of the machines may differ. A process without a row is none of
ours to judge (a worker of an earlier version, or another program): its leases run out by themselves.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Connection, Engine, delete, func, select, update

from headwater.liveness import dead_processes, process_of
from headwater.store.bulk import insert_into
from headwater.store.changes.uptime import record_uptime
from headwater.store.claims.leases import lease_owners, release
from headwater.store.connect import read_transaction, write_transaction
from headwater.store.schema.identity import workers
from headwater.store.schema.operations import maintenance_tasks

HEARTBEAT_EVERY = timedelta(seconds=10)
SILENT_AFTER = timedelta(seconds=30)


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerProcess:
    """`id` is the name that it has in its leases, without the role."""

    id: str
    role: str
    host: str
    pid: int
    version: str


@dataclass(frozen=True, slots=True)
class WorkerHeartbeat:
    """A process and how long ago it was last heard. `has_ended` if it ran on this machine, where its process is gone."""

    process: WorkerProcess
    age: timedelta
    has_ended: bool = False

    @property
    def is_live(self) -> bool:
        return self.age < SILENT_AFTER and not self.has_ended


@dataclass(frozen=True)
class WorkerRows:
    engine: Engine

    def record(self, process: WorkerProcess, now: datetime) -> bool:
        """Store a heartbeat; returns whether the one before it was on time. If it was not, this process slept or the database
        was away, perhaps for the others too: then it cannot tell whether they are silent."""
        with write_transaction(self.engine) as connection:
            at = database_time(connection, now)
            last = connection.scalar(select(workers.c.heartbeat_at).where(workers.c.id == process.id))
            values = {field: getattr(process, field) for field in ("id", "role", "host", "pid", "version")}
            statement = insert_into(connection.dialect, workers).values(
                **values, started_at=at, heartbeat_at=at
            )
            connection.execute(
                statement.on_conflict_do_update(index_elements=["id"], set_={"heartbeat_at": at})
            )
            record_uptime(connection, at)
            return last is not None and abs(at - last) < 2 * HEARTBEAT_EVERY

    def heartbeats(self, now: datetime) -> Sequence[WorkerHeartbeat]:
        """All processes, ordered by id."""
        with read_transaction(self.engine) as connection:
            at = database_time(connection, now)
            rows = connection.execute(select(workers).order_by(workers.c.id)).all()
        gone = set(dead_processes(row.id for row in rows))
        return [
            WorkerHeartbeat(
                WorkerProcess(id=row.id, role=row.role, host=row.host, pid=row.pid, version=row.version),
                at - row.heartbeat_at,
                has_ended=row.id in gone,
            )
            for row in rows
        ]

    def release_silent(self, now: datetime, after: timedelta = SILENT_AFTER, *, forget: bool = True) -> int:
        """Release what processes without a heartbeat hold, and forget them; returns how many rows are free again. A process
        that does no work itself does not `forget`: their rows say that they were killed, until a worker replaces them."""
        if not any(heartbeat.age >= after for heartbeat in self.heartbeats(now)):
            return 0
        with write_transaction(self.engine) as connection:
            is_silent = workers.c.heartbeat_at <= database_time(connection, now) - after
            silent = delete(workers).returning(workers.c.id) if forget else select(workers.c.id)
            return _release_processes(connection, set(connection.scalars(silent.where(is_silent))))

    def remove(self, processes: Collection[str], *, forget: bool = True) -> int:
        """Release what these processes hold, and forget them; returns how many rows are free again."""
        with write_transaction(self.engine) as connection:
            if forget:
                connection.execute(delete(workers).where(workers.c.id.in_(list(processes))))
            return _release_processes(connection, processes)

    def forget(self, process: str, now: datetime) -> None:
        """The process ends in order and holds nothing any more. It was up until now."""
        with write_transaction(self.engine) as connection:
            record_uptime(connection, database_time(connection, now), is_last=True)
            connection.execute(delete(workers).where(workers.c.id == process))


def _release_processes(connection: Connection, processes: Collection[str]) -> int:
    owners = [owner for owner in lease_owners(connection) if process_of(owner) in processes]
    count = release(connection, owners, counts=True) if owners else 0
    leased = select(maintenance_tasks.c.lease_owner).where(maintenance_tasks.c.lease_owner.is_not(None))
    dead = [owner for owner in connection.scalars(leased) if process_of(owner) in processes]
    held_tasks = update(maintenance_tasks).where(maintenance_tasks.c.lease_owner.in_(dead))
    return count + connection.execute(held_tasks.values(lease_owner=None, lease_until=None)).rowcount


def database_time(connection: Connection, now: datetime) -> datetime:
    """The time of the server; SQLite serves one machine, whose time is `now`."""
    if connection.dialect.name == "postgresql":
        time: datetime = connection.scalar(select(func.clock_timestamp()))  # type: ignore[assignment]
        return time
    return now

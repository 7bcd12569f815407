"""One claim statement for all tables that hold work: due and unleased rows, oldest first, leased in one round trip."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Dialect, Table, and_, case, or_, select, update
from sqlalchemy.dialects import postgresql, sqlite

from headwater.model.jobs import Claim, Task
from headwater.model.replay import ReplayState
from headwater.store.in_list import in_list
from headwater.store.schema.flow import deliveries, documents, groups, leads, sources
from headwater.store.schema.replays import replay_items, replays

TASK_TABLES: dict[Task, Table] = {
    Task.POLL: sources,
    Task.FETCH: leads,
    Task.REFINE: documents,
    Task.GATHER: groups,
    Task.DELIVER: deliveries,
    Task.REPLAY: replay_items,
}
# What else must hold for a due row to be worked on.
TASK_CONDITIONS: dict[Task, tuple[Any, ...]] = {
    Task.POLL: (sources.c.active, sources.c.stopped.is_(None)),
    Task.REPLAY: (
        replay_items.c.replay_id.in_(select(replays.c.id).where(replays.c.state == ReplayState.RUNNING)),
    ),
}


def _claimable(table: Table, recipe: str, now: datetime) -> list[Any]:
    free = or_(table.c.lease_until.is_(None), table.c.lease_until <= now)
    return [table.c.recipe == recipe, table.c.due_at <= now, free]


def waiting(connection: Connection, recipe: str, now: datetime) -> list[Task]:
    """The tasks of which something is due and nobody is at it."""
    found = []
    for task, table in TASK_TABLES.items():
        wanted = (*_claimable(table, recipe, now), *TASK_CONDITIONS.get(task, ()))
        if connection.execute(select(table.c.id).where(*wanted).limit(1)).first() is not None:
            found.append(task)
    if Task.REPLAY not in found and _replay_goes_on(connection, recipe):
        found.append(Task.REPLAY)
    return found


def _replay_goes_on(connection: Connection, recipe: str) -> bool:
    """Whether a replay is at work though none of its rows is due: further documents are to be listed or replaced."""
    unlisted = and_(replays.c.state == ReplayState.RUNNING, replays.c.listed_at.is_(None))
    going = or_(unlisted, replays.c.state == ReplayState.APPLYING)
    query = select(replays.c.id).where(replays.c.recipe == recipe, going).limit(1)
    return connection.execute(query).first() is not None


def claim_rows(connection: Connection, claim: Claim, *extra: Any) -> list[str]:
    """Lease the due rows of the job's table and count the attempt; gives their ids, oldest due first."""
    job, now = claim.job, claim.now
    table = TASK_TABLES[job.task]
    wanted = [*_claimable(table, job.recipe, now), *extra]
    if job.keys:
        wanted.append(in_list(table.c.id, job.keys))
    due = select(table.c.id).where(and_(*wanted)).order_by(table.c.due_at, table.c.id).limit(claim.limit)
    if connection.dialect.name == "postgresql":
        due = due.with_for_update(skip_locked=True)
    ids = list(connection.scalars(due).all())
    if ids:
        taken = update(table).where(in_list(table.c.id, ids))
        connection.execute(
            taken.values(
                lease_owner=claim.owner, lease_until=now + claim.lease, attempts=table.c.attempts + 1
            )
        )
    return ids


def rows_held(connection: Connection, task: Task, ids: Collection[str], owner: str) -> set[str]:
    """Which of these rows the owner still holds. On PostgreSQL they stay locked until the transaction ends."""
    table = TASK_TABLES[task]
    wanted = (
        select(table.c.id).where(in_list(table.c.id, ids), table.c.lease_owner == owner).order_by(table.c.id)
    )
    return set(connection.scalars(wanted.with_for_update()))


def postponed_values(table: Table, at: datetime, reason: str, *, counts: bool) -> dict[str, Any]:
    """Column values that give a row back for later. A wait that is nobody's fault is not counted as an attempt."""
    values: dict[str, Any] = {"due_at": at, "reason": reason, "lease_owner": None, "lease_until": None}
    if not counts:
        values["attempts"] = _uncounted(table)
    return values


def _uncounted(table: Table) -> Any:
    """One attempt less. Waking a row that is leased sets it to zero, so there may be none to take off."""
    return case((table.c.attempts > 0, table.c.attempts - 1), else_=0)


FINISHED_VALUES: dict[str, Any] = {"due_at": None, "lease_owner": None, "lease_until": None, "attempts": 0}


def renew(connection: Connection, task: Task, owner: str, until: datetime) -> None:
    table = TASK_TABLES[task]
    mine = update(table).where(table.c.due_at.is_not(None), table.c.lease_owner == owner)
    connection.execute(mine.values(lease_until=until))


def release(connection: Connection, owners: Sequence[str], *, counts: bool) -> int:
    """Give back all that these owners hold; `counts` says whether it was an attempt (they died) or not."""
    count = 0
    for table in TASK_TABLES.values():
        values: dict[str, Any] = {"lease_owner": None, "lease_until": None}
        if not counts:
            values["attempts"] = _uncounted(table)
        freed = update(table).where(table.c.due_at.is_not(None), in_list(table.c.lease_owner, owners))
        count += connection.execute(freed.values(**values)).rowcount
    return count


def holders(connection: Connection) -> set[str]:
    """Everybody who holds a lease."""
    return {
        owner
        for table in TASK_TABLES.values()
        for owner in connection.scalars(
            select(table.c.lease_owner)
            .where(table.c.due_at.is_not(None), table.c.lease_owner.is_not(None))
            .distinct()
        )
    }


def insert_into(dialect: Dialect, table: Table) -> Any:
    """The dialect's insert: both databases speak ON CONFLICT alike, SQLAlchemy names them apart."""
    return postgresql.insert(table) if dialect.name == "postgresql" else sqlite.insert(table)

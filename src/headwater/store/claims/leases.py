"""Leases: one claim statement for all tables with work. It leases due rows, oldest first, in one round trip."""

from collections.abc import Collection, Sequence
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import Connection, Integer, Select, Table, Update, and_, bindparam, case, or_, select, update

from headwater.model.http import RATE_LIMITED
from headwater.model.jobs import Claim, Task
from headwater.model.replay import ReplayState
from headwater.store.in_list import in_list, in_named_list
from headwater.store.schema.columns import UtcDateTime
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
# Further conditions for a due row to be claimed.
TASK_CONDITIONS: dict[Task, tuple[Any, ...]] = {
    Task.POLL: (sources.c.active,),
    Task.REPLAY: (
        replay_items.c.replay_id.in_(select(replays.c.id).where(replays.c.state == ReplayState.RUNNING)),
    ),
}
CONTINUES = "continues"
"""Why a source that was just polled is not done yet: the poll was cut short, or a rate limit stopped it."""


def unpolled_in_pass(began: datetime) -> Any:
    """The condition for a source that one pass over all sources has yet to poll."""
    return or_(
        sources.c.last_polled_at.is_(None),
        sources.c.last_polled_at < began,
        sources.c.reason.in_((CONTINUES, RATE_LIMITED)),
    )


def _claimable(table: Table) -> list[Any]:
    """The statements of claims are built once: to build them costs more than to execute them."""
    now = bindparam("now", type_=UtcDateTime)
    unleased = or_(table.c.lease_until.is_(None), table.c.lease_until <= now)
    return [table.c.recipe == bindparam("recipe"), table.c.due_at <= now, unleased]


@cache
def _any_due_row(task: Task) -> Select[Any]:
    table = TASK_TABLES[task]
    return select(table.c.id).where(*_claimable(table), *TASK_CONDITIONS.get(task, ())).limit(1)


@cache
def _due_rows(task: Task) -> Select[Any]:
    """On SQLite, which has one writer at a time, nothing is locked."""
    table = TASK_TABLES[task]
    query = select(table.c.id).where(*_claimable(table)).order_by(table.c.due_at, table.c.id)
    return query.limit(bindparam("most", type_=Integer)).with_for_update(skip_locked=True)


@cache
def _lease(task: Task) -> Update:
    table = TASK_TABLES[task]
    return (
        update(table)
        .where(in_named_list(table.c.id, "ids"))
        .values(
            lease_owner=bindparam("owner"),
            lease_until=bindparam("until", type_=UtcDateTime),
            attempts=table.c.attempts + 1,
        )
    )


@cache
def _held_rows(task: Task) -> Select[Any]:
    table = TASK_TABLES[task]
    query = select(table.c.id).where(
        in_named_list(table.c.id, "ids"), table.c.lease_owner == bindparam("owner")
    )
    return query.order_by(table.c.id).with_for_update()


def due_tasks(connection: Connection, recipe: str, now: datetime) -> list[Task]:
    """The tasks with due rows that are not leased."""
    parameters = {"recipe": recipe, "now": now}
    tasks = [
        task for task in TASK_TABLES if connection.execute(_any_due_row(task), parameters).first() is not None
    ]
    if Task.REPLAY not in tasks and _has_unfinished_replay(connection, recipe):
        tasks.append(Task.REPLAY)
    return tasks


def _has_unfinished_replay(connection: Connection, recipe: str) -> bool:
    """Whether a replay has documents to list or replace, though none of its rows is due."""
    is_listing = and_(replays.c.state == ReplayState.RUNNING, replays.c.listed_at.is_(None))
    is_unfinished = or_(is_listing, replays.c.state == ReplayState.APPLYING)
    query = select(replays.c.id).where(replays.c.recipe == recipe, is_unfinished).limit(1)
    return connection.execute(query).first() is not None


def claim_rows(connection: Connection, claim: Claim, *extra: Any) -> list[str]:
    """Lease the due rows of the job's table and count the attempt; returns their ids, longest due first."""
    task, keys = claim.job.task, claim.job.keys
    conditions = [*extra, in_list(TASK_TABLES[task].c.id, keys)] if keys else extra
    query = _due_rows(task).where(*conditions) if conditions else _due_rows(task)
    due = {"recipe": claim.job.recipe, "now": claim.now, "most": claim.limit}
    ids = list(connection.scalars(query, due))
    if ids:
        lease = {"ids": ids, "owner": claim.owner, "until": claim.now + claim.lease}
        connection.execute(_lease(task), lease)
    return ids


def rows_held(connection: Connection, task: Task, ids: Collection[str], owner: str) -> set[str]:
    """Which of these rows the owner still holds. On PostgreSQL they stay locked until the transaction ends."""
    return set(connection.scalars(_held_rows(task), {"ids": ids, "owner": owner}))


def postponed_values(table: Table, at: datetime, reason: str, *, counts: bool) -> dict[str, Any]:
    """Column values that postpone a row. With `counts=False` the attempt is not counted."""
    values: dict[str, Any] = {"due_at": at, "reason": reason, "lease_owner": None, "lease_until": None}
    if not counts:
        values["attempts"] = _one_attempt_less(table)
    return values


def _one_attempt_less(table: Table) -> Any:
    """One attempt less. Waking a leased row sets the attempts to zero, so there may be none to subtract."""
    return case((table.c.attempts > 0, table.c.attempts - 1), else_=0)


ENDED_VALUES: dict[str, Any] = {"due_at": None, "lease_owner": None, "lease_until": None}
"""The row is done, and keeps the number of attempts that it took. Whatever makes it due again sets them to zero."""
FINISHED_VALUES: dict[str, Any] = ENDED_VALUES | {"attempts": 0}


def renew(connection: Connection, task: Task, owner: str, until: datetime) -> None:
    table = TASK_TABLES[task]
    held_rows = update(table).where(table.c.due_at.is_not(None), table.c.lease_owner == owner)
    connection.execute(held_rows.values(lease_until=until))


def release(connection: Connection, owners: Sequence[str], *, counts: bool) -> int:
    """Release everything these owners hold. `counts`: the attempt counts, because they died."""
    count = 0
    for table in TASK_TABLES.values():
        values: dict[str, Any] = {"lease_owner": None, "lease_until": None}
        if not counts:
            values["attempts"] = _one_attempt_less(table)
        held_rows = update(table).where(table.c.due_at.is_not(None), in_list(table.c.lease_owner, owners))
        count += connection.execute(held_rows.values(**values)).rowcount
    return count


def lease_owners(connection: Connection) -> set[str]:
    """All owners of a lease."""
    return {
        owner
        for table in TASK_TABLES.values()
        for owner in connection.scalars(
            select(table.c.lease_owner)
            .where(table.c.due_at.is_not(None), table.c.lease_owner.is_not(None))
            .distinct()
        )
    }

"""What waits: the oldest due row of each task, rows on the leases of dead workers, sources without a network, and the last poll."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, Engine, Table, func, or_, select

from headwater.model.http import OFFLINE
from headwater.model.jobs import IDLE_TASKS, Task
from headwater.store.claims.leases import TASK_CONDITIONS, TASK_TABLES
from headwater.store.connect import read_transaction
from headwater.store.in_list import in_list
from headwater.store.schema.flow import polls, sources

OFFLINE_FOR = timedelta(minutes=5)
"""How long a poll that found no network says something about now. A worker tries again after a minute."""


@dataclass(frozen=True, slots=True)
class WaitingRow:
    """The row of a task and recipe that has been due for longest, and that no worker holds."""

    task: Task
    recipe: str
    key: str
    due_at: datetime


def oldest_waiting(engine: Engine, recipes: Sequence[str], now: datetime) -> list[WaitingRow]:
    """One for each task and recipe with due work, the oldest first. Idle tasks may wait as long as they like."""
    rows = []
    with read_transaction(engine) as connection:
        for task, table in _awaited_tables():
            query = select(table.c.id, table.c.due_at).where(*_is_due(task, table, now))
            for recipe in recipes:
                of_recipe = query.where(table.c.recipe == recipe).order_by(table.c.due_at).limit(1)
                if (row := connection.execute(of_recipe).first()) is not None:
                    rows.append(WaitingRow(task, recipe, row.id, row.due_at))
    return sorted(rows, key=lambda row: (row.due_at, row.task))


def count_waiting(engine: Engine, recipes: Sequence[str], now: datetime) -> int:
    """How many rows are due and held by no worker, without those of idle tasks."""
    with read_transaction(engine) as connection:
        return sum(
            connection.scalar(
                select(func.count()).where(*_is_due(task, table, now), in_list(table.c.recipe, recipes))
            )
            or 0
            for task, table in _awaited_tables()
        )


def _awaited_tables() -> list[tuple[Task, Table]]:
    return [(task, table) for task, table in TASK_TABLES.items() if task not in IDLE_TASKS]


def _is_due(task: Task, table: Table, now: datetime) -> list[ColumnElement[bool]]:
    unleased = or_(table.c.lease_until.is_(None), table.c.lease_until <= now)
    return [table.c.due_at <= now, unleased, *TASK_CONDITIONS.get(task, ())]


def leased_rows(engine: Engine) -> Mapping[str, int]:
    """How many rows each owner holds."""
    counts: Counter[str] = Counter()
    with read_transaction(engine) as connection:
        for table in TASK_TABLES.values():
            is_held = (table.c.due_at.is_not(None), table.c.lease_owner.is_not(None))
            query = select(table.c.lease_owner, func.count()).where(*is_held).group_by(table.c.lease_owner)
            for owner, count in connection.execute(query):
                counts[owner] += count
    return counts


def last_poll(engine: Engine, recipes: Sequence[str]) -> datetime | None:
    """When a poll last began."""
    query = select(func.max(polls.c.started_at))
    with read_transaction(engine) as connection:
        times = [connection.scalar(query.where(polls.c.recipe == recipe)) for recipe in recipes]
    return max((time for time in times if time is not None), default=None)


def sources_without_network(engine: Engine, now: datetime) -> int:
    """How many active sources were not polled when it was their turn, because no host could be reached: lately, and since any
    source was last read. The row of one that nobody polls again says nothing about the network."""
    with read_transaction(engine) as connection:
        last_success = connection.scalar(select(func.max(sources.c.last_success_at)))
        since = max(now - OFFLINE_FOR, last_success) if last_success else now - OFFLINE_FOR
        is_offline = (sources.c.active, sources.c.reason == OFFLINE, sources.c.updated_at > since)
        return connection.scalar(select(func.count()).where(*is_offline)) or 0

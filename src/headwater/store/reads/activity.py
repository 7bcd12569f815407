"""What the pipeline did in the last hour, stage by stage, from the times in its rows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

from sqlalchemy import Column, ColumnElement, Connection, Engine, and_, case, func, select

from headwater.model.jobs import State, Task
from headwater.store.connect import read_transaction
from headwater.store.reads.figures import publication_lags, work_figures
from headwater.store.schema.flow import captures, deliveries, documents, polls, quarantine, stories
from headwater.store.schema.operations import alarms

WINDOW = timedelta(hours=1)
INTERVAL = timedelta(minutes=5)
INTERVALS = WINDOW // INTERVAL
LAG_SAMPLES = 2_000
# When a row of a stage was finished; each column is the second one of an index that begins with the recipe.
FINISHED: Mapping[Task, tuple[Column[Any], tuple[ColumnElement[bool], ...]]] = {
    Task.POLL: (polls.c.started_at, ()),
    Task.FETCH: (captures.c.fetched_at, ()),
    Task.REFINE: (documents.c.updated_at, (documents.c.state != State.WAITING,)),
    Task.GATHER: (stories.c.updated_at, ()),
    Task.DELIVER: (deliveries.c.sent_at, ()),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class StageActivity:
    """`per_interval` counts what the stage finished in each five minutes of the last hour, the oldest first."""

    task: str
    per_interval: tuple[int, ...]
    due: int
    leased: int
    oldest_seconds: float

    @property
    def finished(self) -> int:
        return sum(self.per_interval)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecipeActivity:
    """Errors and quarantined records are those of the last hour; `lag_seconds` is the median and the 95th percentile from
    publication to searchable, of documents of the last day."""

    recipe: str
    stages: tuple[StageActivity, ...]
    poll_errors: int
    quarantined: int
    open_alarms: int
    lag_seconds: tuple[float, float] | None


def recipe_activity(engine: Engine, recipe: str, now: datetime) -> RecipeActivity:
    with read_transaction(engine) as connection:
        due, leased, oldest = work_figures(connection, recipe, now)
        stages = tuple(
            StageActivity(
                task=task.value,
                per_interval=_per_interval(connection, task, recipe, now),
                due=due[task],
                leased=leased[task],
                oldest_seconds=oldest[task],
            )
            for task in FINISHED
        )
        since = now - WINDOW
        return RecipeActivity(
            recipe=recipe,
            stages=stages,
            poll_errors=_count(
                connection, polls.c.recipe == recipe, polls.c.started_at >= since, polls.c.error.is_not(None)
            ),
            quarantined=_count(connection, quarantine.c.recipe == recipe, quarantine.c.created_at >= since),
            open_alarms=_count(connection, alarms.c.recipe == recipe, alarms.c.cleared_at.is_(None)),
            lag_seconds=percentiles(publication_lags(connection, recipe, now, LAG_SAMPLES)),
        )


def _per_interval(connection: Connection, task: Task, recipe: str, now: datetime) -> tuple[int, ...]:
    """One statement reads the hour once."""
    moment, conditions = FINISHED[task]
    start = now - WINDOW
    bounds = [start + number * INTERVAL for number in range(INTERVALS + 1)]
    columns = [
        func.sum(case((and_(moment >= lower, moment < upper), 1), else_=0))
        for lower, upper in pairwise(bounds)
    ]
    query = select(*columns).where(moment.table.c.recipe == recipe, moment >= start, *conditions)
    return tuple(int(count or 0) for count in connection.execute(query).one())


def _count(connection: Connection, *conditions: ColumnElement[bool]) -> int:
    return connection.scalar(select(func.count()).where(*conditions)) or 0


def percentiles(samples: Sequence[float]) -> tuple[float, float] | None:
    """The median and the 95th percentile."""
    if not samples:
        return None
    ranked = sorted(samples)
    return ranked[len(ranked) // 2], ranked[min(len(ranked) - 1, len(ranked) * 95 // 100)]

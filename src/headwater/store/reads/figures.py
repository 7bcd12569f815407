"""Figures for monitoring, counted from rows. What may grow without limit (reasons, queues) is cut to the most frequent."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, Engine, case, func, literal_column, or_, select

from headwater.model.jobs import State
from headwater.store.claims.leases import TASK_CONDITIONS, TASK_TABLES
from headwater.store.connect import read_transaction
from headwater.store.reads.end_reasons import count_end_reasons
from headwater.store.schema.flow import captures, documents, polls, quarantine, sources
from headwater.store.schema.operations import alarms, queue_items

MOST_REASONS = 20
MOST_QUEUES = 50
MOST_SAMPLES = 20_000
OTHER = "other"
GROUPED = "grouped_by"
FETCH_WINDOW = timedelta(hours=1)
LAG_WINDOW = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class RecipeFigures:
    """Counts of one recipe. Samples are those of the last hour (fetches) and of the last day (lags), in seconds."""

    documents: Mapping[str, int]
    end_reasons: Mapping[str, int]
    sources: Mapping[str, int]
    quarantined: Mapping[str, int]
    open_alarms: Mapping[str, int]
    polls: Mapping[str, int]
    fetch_classes: Mapping[str, int]
    fetch_seconds: Sequence[float]
    lag_seconds: Sequence[float]
    due: Mapping[str, int]
    leased: Mapping[str, int]
    oldest_seconds: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class QueueFigures:
    queue: str
    waiting: int
    leased: int
    failed: int
    oldest_seconds: float


def recipe_figures(engine: Engine, recipe: str, now: datetime) -> RecipeFigures:
    with read_transaction(engine) as connection:
        fetches = _fetches(connection, recipe, now)
        due, leased, oldest = work_figures(connection, recipe, now)
        return RecipeFigures(
            documents=_grouped(connection, documents.c.state, documents.c.recipe == recipe),
            end_reasons=most_frequent(count_end_reasons(connection, recipe)),
            sources=_source_states(connection, recipe),
            quarantined=most_frequent(
                _grouped(connection, quarantine.c.reason, quarantine.c.recipe == recipe)
            ),
            open_alarms=_grouped(
                connection, alarms.c.kind, alarms.c.recipe == recipe, alarms.c.cleared_at.is_(None)
            ),
            polls=most_frequent(
                _grouped(
                    connection,
                    func.coalesce(polls.c.error, polls.c.status),
                    polls.c.recipe == recipe,
                    polls.c.started_at >= now - FETCH_WINDOW,
                )
            ),
            fetch_classes=Counter(f"{status // 100}xx" for status, _ in fetches),
            fetch_seconds=[elapsed / 1000 for _, elapsed in fetches],
            lag_seconds=publication_lags(connection, recipe, now),
            due=due,
            leased=leased,
            oldest_seconds=oldest,
        )


def most_frequent(counts: Mapping[str, int], limit: int = MOST_REASONS) -> dict[str, int]:
    """The rest together as "other"."""
    ranked = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    rest = sum(count for _, count in ranked[limit:])
    return dict(ranked[:limit]) | ({OTHER: rest} if rest else {})


def _grouped(
    connection: Connection, column: ColumnElement[Any], *where: ColumnElement[bool]
) -> dict[str, int]:
    # By the name of the column: to PostgreSQL an expression with parameters differs from itself.
    query = select(column.label(GROUPED), func.count()).where(*where).group_by(literal_column(GROUPED))
    return {str(row[0]): int(row[1]) for row in connection.execute(query)}


def _source_states(connection: Connection, recipe: str) -> dict[str, int]:
    state = case(
        (sources.c.stop_reason.is_not(None), "stopped"),
        (sources.c.active.is_(False), "paused"),
        (sources.c.failures > 0, "failing"),
        else_="active",
    )
    return _grouped(connection, state, sources.c.recipe == recipe)


def _fetches(connection: Connection, recipe: str, now: datetime) -> list[tuple[int, int]]:
    query = (
        select(captures.c.status, captures.c.elapsed_ms)
        .where(captures.c.recipe == recipe, captures.c.fetched_at >= now - FETCH_WINDOW)
        .order_by(captures.c.fetched_at.desc())
        .limit(MOST_SAMPLES)
    )
    return [(row[0], row[1]) for row in connection.execute(query)]


def publication_lags(
    connection: Connection, recipe: str, now: datetime, limit: int = MOST_SAMPLES
) -> list[float]:
    """From publication to searchable, of documents that arrived in the last day: a kept document is found by the next search. What
    was published before its source was added says nothing about us, and does not count."""
    query = (
        select(documents.c.published_at, documents.c.updated_at)
        .outerjoin(sources, sources.c.id == documents.c.source_id)
        .where(
            or_(sources.c.id.is_(None), sources.c.created_at <= documents.c.published_at),
            documents.c.recipe == recipe,
            documents.c.state == State.KEPT,
            documents.c.created_at >= now - LAG_WINDOW,
            documents.c.revision == 1,
            documents.c.published_at.is_not(None),
        )
        .order_by(documents.c.created_at.desc())
        .limit(limit)
    )
    return [max(0.0, (row[1] - row[0]).total_seconds()) for row in connection.execute(query)]


def work_figures(
    connection: Connection, recipe: str, now: datetime
) -> tuple[dict[str, int], dict[str, int], dict[str, float]]:
    """By task: how many rows are due, how many are leased, and for how many seconds the oldest has been due."""
    due, leased, oldest = {}, {}, {}
    for task, table in TASK_TABLES.items():
        is_due = (table.c.recipe == recipe, table.c.due_at <= now, *TASK_CONDITIONS.get(task, ()))
        count, first = connection.execute(
            select(func.count(), func.min(table.c.due_at, type_=table.c.due_at.type)).where(*is_due)
        ).one()
        due[task.value] = count
        oldest[task.value] = (now - first).total_seconds() if first is not None else 0.0
        is_leased = (table.c.recipe == recipe, table.c.due_at.is_not(None), table.c.lease_until > now)
        leased[task.value] = connection.scalar(select(func.count()).where(*is_leased)) or 0
    return due, leased, oldest


def queue_figures(engine: Engine, now: datetime) -> list[QueueFigures]:
    table = queue_items
    query = (
        select(
            table.c.queue,
            func.sum(case((table.c.state == "waiting", 1), else_=0)),
            func.sum(case((table.c.state == "leased", 1), else_=0)),
            func.sum(case((table.c.state == "failed", 1), else_=0)),
            func.min(table.c.due_at, type_=table.c.due_at.type),
        )
        .where(table.c.due_at.is_not(None))
        .group_by(table.c.queue)
        .order_by(table.c.queue)
        .limit(MOST_QUEUES)
    )
    with read_transaction(engine) as connection:
        return [
            QueueFigures(
                queue, int(waiting), int(leased), int(failed), max(0.0, (now - oldest).total_seconds())
            )
            for queue, waiting, leased, failed, oldest in connection.execute(query)
        ]


def histogram(samples: Iterable[float], bounds: Sequence[float]) -> list[tuple[str, float]]:
    """Cumulative counts by upper bound, as Prometheus writes them."""
    values = sorted(samples)
    counts, place = [], 0
    for bound in bounds:
        while place < len(values) and values[place] <= bound:
            place += 1
        counts.append((f"{bound:g}", float(place)))
    return [*counts, ("+Inf", float(len(values)))]

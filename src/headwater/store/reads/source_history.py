"""The history of each source: polls, arrivals and quality."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Engine, RowMapping, bindparam, case, func, select

from headwater.model.jobs import State
from headwater.model.source import Source
from headwater.store.connect import read_transaction
from headwater.store.in_list import in_list
from headwater.store.rows import source_from
from headwater.store.schema.columns import utc_day
from headwater.store.schema.flow import documents, leads, polls, quarantine, sources
from headwater.text.urls import host_of

ARRIVALS = 100
EARLIER = 60
SCORED = 90
JUDGED = (State.KEPT, State.DROPPED, State.ASIDE, State.QUARANTINED)


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceHistory:
    """A source with its past. `arrivals` are the times of its newest entries, `scores` the quality of its newest
    documents, oldest first; 0 where nothing could be read."""

    source: Source
    last_success_at: datetime | None
    last_seen_at: datetime | None
    arrivals: tuple[datetime, ...]
    scores: tuple[float, ...]
    error: str | None
    muted_until: datetime | None = None


def source_histories(
    engine: Engine, recipe: str | None = None, ids: Sequence[str] | None = None
) -> list[SourceHistory]:
    """Of all sources, or of a recipe, or of those named."""
    query = select(sources).order_by(sources.c.recipe, sources.c.name)
    if recipe:
        query = query.where(sources.c.recipe == recipe)
    if ids is not None:
        query = query.where(in_list(sources.c.id, ids))
    with read_transaction(engine) as connection:
        rows = connection.execute(query).mappings().all()
        return [_source_history(connection, row) for row in rows]


def answering_hosts(engine: Engine) -> frozenset[str]:
    """The hosts of sources whose last poll brought an answer."""
    last_answered = (sources.c.active, sources.c.failures == 0, sources.c.last_success_at.is_not(None))
    with read_transaction(engine) as connection:
        urls = connection.scalars(select(sources.c.url).where(*last_answered, sources.c.url.is_not(None)))
        return frozenset(host for url in urls if (host := host_of(url)))


# Built once: they run for every source.
OF_SOURCE = bindparam("source", type_=sources.c.id.type)
NEWEST = (
    select(leads.c.published_at, leads.c.first_seen_at)
    .where(leads.c.source_id == OF_SOURCE)
    .order_by(leads.c.first_seen_at.desc())
    .limit(ARRIVALS)
)
# Earlier times at which something arrived: a source with a hundred entries a day has a rhythm too.
SEEN_EARLIER = (
    select(leads.c.first_seen_at)
    .where(
        leads.c.source_id == OF_SOURCE,
        leads.c.first_seen_at < bindparam("before", type_=leads.c.first_seen_at.type),
    )
    .order_by(leads.c.first_seen_at.desc())
    .distinct()
    .limit(EARLIER)
)
UNREAD = documents.c.state.in_((State.ASIDE, State.QUARANTINED))
SCORES = (
    select(case((UNREAD, 0.0), else_=documents.c.quality))
    .where(documents.c.source_id == OF_SOURCE, documents.c.state.in_(JUDGED))
    .order_by(documents.c.created_at.desc(), documents.c.id)
    .limit(SCORED)
)


def _source_history(connection: Connection, row: RowMapping) -> SourceHistory:
    parameters = {"source": row["id"]}
    arrivals = connection.execute(NEWEST, parameters).all()
    moments = [min(published or first_seen, first_seen) for published, first_seen in arrivals]
    if len(arrivals) == ARRIVALS:
        moments += connection.scalars(SEEN_EARLIER, parameters | {"before": arrivals[-1].first_seen_at})
    scores = [value for value in connection.scalars(SCORES, parameters) if value is not None]
    return SourceHistory(
        source=source_from(row),
        last_success_at=row["last_success_at"],
        last_seen_at=arrivals[0].first_seen_at if arrivals else None,
        arrivals=tuple(moments),
        scores=tuple(reversed(scores)),
        error=row["reason"],
        muted_until=row["muted_until"],
    )


TEXT_FIELDS = ("source_id", "first_at")


def poll_statistics(
    engine: Engine, since: datetime, recipe: str | None = None, ids: Sequence[str] | None = None
) -> dict[str, dict[str, Any]]:
    """By source: the number of polls since then, how many succeeded, how long they took and what they returned."""
    has_ended = polls.c.status != "running"
    query = (
        select(
            polls.c.source_id,
            func.count().label("polls"),
            func.sum(case((polls.c.status == "completed", 1), else_=0)).label("succeeded"),
            func.avg(polls.c.elapsed_ms).label("mean_ms"),
            func.max(polls.c.elapsed_ms).label("slowest_ms"),
            func.sum(polls.c.item_count).label("found"),
            func.sum(polls.c.new_count).label("new"),
            func.min(polls.c.started_at).label("first_at"),
        )
        .where(polls.c.started_at >= since, has_ended)
        .group_by(polls.c.source_id)
    )
    if recipe:
        query = query.where(polls.c.recipe == recipe)
    if ids is not None:
        query = query.where(in_list(polls.c.source_id, ids))
    with read_transaction(engine) as connection:
        rows = connection.execute(query).mappings()
        return {
            row["source_id"]: {name: _number(row[name]) for name in row if name not in TEXT_FIELDS}
            | {"first_at": row["first_at"]}
            for row in rows
        }


def count_quarantined(engine: Engine, recipe: str, since: datetime) -> int:
    """How many records were quarantined since then."""
    query = select(func.count()).select_from(quarantine)
    with read_transaction(engine) as connection:
        recent = query.where(quarantine.c.recipe == recipe, quarantine.c.created_at >= since)
        return connection.scalar(recent) or 0


def _number(value: Any) -> Any:
    """Sums and means of PostgreSQL are decimals."""
    return None if value is None else round(float(value), 1) if value != int(value) else int(value)


def daily_polls(engine: Engine, source: str, since: datetime) -> Sequence[dict[str, Any]]:
    """One row per day: polls, successes, mean time, entries found and new."""
    day = utc_day(polls.c.started_at, engine.dialect)
    query = (
        select(
            day.label("day"),
            func.count().label("polls"),
            func.sum(case((polls.c.status == "completed", 1), else_=0)).label("succeeded"),
            func.avg(polls.c.elapsed_ms).label("mean_ms"),
            func.sum(polls.c.item_count).label("found"),
            func.sum(polls.c.new_count).label("new"),
        )
        .where(polls.c.source_id == source, polls.c.started_at >= since, polls.c.status != "running")
        .group_by(day)
        .order_by(day)
    )
    with read_transaction(engine) as connection:
        rows = connection.execute(query).mappings()
        return [{name: row[name] if name == "day" else _number(row[name]) for name in row} for row in rows]

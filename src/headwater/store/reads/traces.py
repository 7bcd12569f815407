"""What became of documents in a time span, from the rows that their jobs left: poll, fetch, refinement, delivery."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Column, Engine, Row, Select, and_, literal, select, tuple_

from headwater.model.jobs import State
from headwater.store.connect import read_transaction
from headwater.store.schema.flow import captures, deliveries, documents, leads, polls

PAGE_SIZE = 500
DOCUMENT = "document"


@dataclass(frozen=True, slots=True, kw_only=True)
class PollTimes:
    id: str
    started_at: datetime
    ended_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchTimes:
    id: str
    url: str
    status: int
    elapsed_ms: int
    fetched_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class RefinedDocument:
    """One revision of a document that was decided. A text that came with the feed has no fetch; only the first revision has the
    poll that listed it."""

    id: str
    revision: int
    recipe: str
    recipe_version: str
    source_id: str
    url: str
    state: str
    reason: str
    steps: tuple[str, ...]
    step_ms: Mapping[str, int]
    """The share of each step in the time of its batch."""
    created_at: datetime
    refined_at: datetime
    poll: PollTimes | None
    fetch: FetchTimes | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SentDelivery:
    id: str
    document_id: str
    revision: int
    recipe: str
    route: str
    created_at: datetime
    sent_at: datetime


def refined_documents(
    engine: Engine, recipe: str, since: datetime, until: datetime
) -> Iterator[list[RefinedDocument]]:
    """Those decided from `since` on and before `until`, in pages."""
    query = _refined_query(recipe, since, until)
    for rows in _pages(engine, query, documents.c.updated_at, documents.c.id):
        yield [_refined(row) for row in rows]


def sent_deliveries(
    engine: Engine, recipe: str, since: datetime, until: datetime
) -> Iterator[list[SentDelivery]]:
    """Deliveries of documents that were sent from `since` on and before `until`, in pages."""
    query = select(deliveries).where(
        deliveries.c.recipe == recipe,
        deliveries.c.record_kind == DOCUMENT,
        deliveries.c.sent_at >= since,
        deliveries.c.sent_at < until,
    )
    for rows in _pages(engine, query, deliveries.c.sent_at, deliveries.c.id):
        yield [
            SentDelivery(
                id=row.id,
                document_id=row.record_id,
                revision=row.sent_revision,
                recipe=row.recipe,
                route=row.route,
                created_at=row.created_at,
                sent_at=row.sent_at,
            )
            for row in rows
        ]


def _refined_query(recipe: str, since: datetime, until: datetime) -> Select[Any]:
    earlier = polls.alias("earlier")
    listing_poll = (
        select(earlier.c.id)
        .where(earlier.c.source_id == leads.c.source_id, earlier.c.started_at <= leads.c.first_seen_at)
        .order_by(earlier.c.started_at.desc())
        .limit(1)
        .correlate(leads)
        .scalar_subquery()
    )
    is_listing_poll = and_(documents.c.revision == 1, polls.c.id == listing_poll)
    is_its_capture = and_(captures.c.id == documents.c.capture_id, captures.c.lead_id.is_not(None))
    return (
        select(
            *(
                documents.c[name]
                for name in ("id", "revision", "recipe", "recipe_version", "source_id", "url")
            ),
            *(
                documents.c[name]
                for name in ("state", "reason", "trail", "step_ms", "created_at", "updated_at")
            ),
            polls.c.id.label("poll_id"),
            polls.c.started_at,
            polls.c.ended_at,
            captures.c.id.label("fetch_id"),
            captures.c.final_url,
            captures.c.status,
            captures.c.elapsed_ms,
            captures.c.fetched_at,
        )
        .join(leads, leads.c.id == documents.c.lead_id)
        .outerjoin(polls, is_listing_poll)
        .outerjoin(captures, is_its_capture)
        .where(
            documents.c.recipe == recipe,
            documents.c.state != State.WAITING,
            documents.c.updated_at >= since,
            documents.c.updated_at < until,
        )
    )


def _pages(
    engine: Engine, query: Select[Any], time: Column[Any], identity: Column[Any]
) -> Iterator[list[Row[Any]]]:
    page = query
    while True:
        with read_transaction(engine) as connection:
            rows = list(connection.execute(page.order_by(time, identity).limit(PAGE_SIZE)))
        if rows:
            yield rows
        if len(rows) < PAGE_SIZE:
            return
        last_time = literal(getattr(rows[-1], time.name), time.type)
        page = query.where(tuple_(time, identity) > tuple_(last_time, rows[-1].id))


def _refined(row: Row[Any]) -> RefinedDocument:
    poll = row.poll_id and PollTimes(
        id=row.poll_id, started_at=row.started_at, ended_at=row.ended_at or row.started_at
    )
    fetch = row.fetch_id and FetchTimes(
        id=row.fetch_id,
        url=row.final_url,
        status=row.status,
        elapsed_ms=row.elapsed_ms,
        fetched_at=row.fetched_at,
    )
    return RefinedDocument(
        id=row.id,
        revision=row.revision,
        recipe=row.recipe,
        recipe_version=row.recipe_version,
        source_id=row.source_id,
        url=row.url,
        state=row.state,
        reason=row.reason or "",
        steps=tuple(str(entry["step"]) for entry in row.trail or ()),
        step_ms=row.step_ms or {},
        created_at=row.created_at,
        refined_at=row.updated_at,
        poll=poll or None,
        fetch=fetch or None,
    )

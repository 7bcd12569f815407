"""Requests to a language model about stories, as rows: planned once for each version of a story, answered once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Engine, RowMapping, case, func, literal_column, select, update

from headwater.model.document import Document
from headwater.model.story import Story
from headwater.model.summaries import (
    QUEUE_FULL,
    SUPERSEDED,
    PlannedRequest,
    RequestOutcome,
    RequestState,
    SummaryCandidate,
    SummaryRequest,
)
from headwater.store.bulk import insert_rows
from headwater.store.connect import read_transaction, write_transaction
from headwater.store.in_list import in_list
from headwater.store.records import documents_by_id, stories_by_id
from headwater.store.schema.columns import utc_day
from headwater.store.schema.flow import stories
from headwater.store.schema.summaries import summary_requests

requests = summary_requests
MAX_REASON_CHARS = 300


@dataclass(frozen=True)
class RequestRows:
    engine: Engine

    def candidates(self, recipe: str, since: datetime) -> list[SummaryCandidate]:
        newest = func.coalesce(stories.c.last_at, stories.c.updated_at)
        columns = (stories.c.id, stories.c.score, stories.c.size, stories.c.attributes)
        query = select(*columns).where(stories.c.recipe == recipe, stories.c.state == "live", newest >= since)
        with read_transaction(self.engine) as connection:
            rows = connection.execute(query.order_by(stories.c.id)).all()
        return [
            SummaryCandidate(
                story=row.id,
                content=str(row.attributes["content"]),
                score=row.score or 0.0,
                size=row.size,
                shown_request=(row.attributes.get("summary_origin") or {}).get("request"),
            )
            for row in rows
            if row.attributes.get("content")
        ]

    def request_states(self, ids: Sequence[str]) -> Mapping[str, str]:
        query = select(requests.c.id, requests.c.state).where(in_list(requests.c.id, ids))
        with read_transaction(self.engine) as connection:
            return {row.id: row.state for row in connection.execute(query)}

    def answers(self, ids: Sequence[str]) -> Mapping[str, Mapping[str, Any]]:
        query = select(requests.c.id, requests.c.answer).where(
            in_list(requests.c.id, ids), requests.c.state == RequestState.DONE
        )
        with read_transaction(self.engine) as connection:
            return {row.id: row.answer for row in connection.execute(query)}

    def plan_requests(self, recipe: str, planned: Sequence[PlannedRequest], now: datetime) -> int:
        ids = {request.id for request in planned}
        with write_transaction(self.engine) as connection:
            _drop_and_restore(connection, recipe, ids, now)
            stored = select(func.count()).select_from(requests).where(in_list(requests.c.id, sorted(ids)))
            count_before = connection.scalar(stored) or 0
            insert_rows(connection, requests, [_row(request, recipe, now) for request in planned])
            for level, model in {(request.level, request.model) for request in planned}:
                _replace_model(connection, recipe, level, model)
            return (connection.scalar(stored) or 0) - count_before

    def recipes_with_answers(self) -> set[str]:
        """Those with requests that are sent or answered."""
        sent = requests.c.state.in_((RequestState.ASKED, RequestState.DONE))
        with read_transaction(self.engine) as connection:
            return set(connection.scalars(select(requests.c.recipe).where(sent).distinct()))

    def due_requests(self, recipe: str, now: datetime, limit: int) -> list[SummaryRequest]:
        due = (requests.c.state == RequestState.WAITING, requests.c.due_at <= now)
        query = select(requests).where(requests.c.recipe == recipe, *due)
        order = (requests.c.level, requests.c.score.desc(), requests.c.id)
        with read_transaction(self.engine) as connection:
            rows = connection.execute(query.order_by(*order).limit(limit)).mappings()
            return [request_record(row) for row in rows]

    def is_queue_full(self, now: datetime) -> bool:
        full = (requests.c.due_at > now, requests.c.reason == QUEUE_FULL)
        query = select(requests.c.id).where(requests.c.state == RequestState.WAITING, *full).limit(1)
        with read_transaction(self.engine) as connection:
            return connection.scalar(query) is not None

    def spent_since(self, since: datetime) -> float:
        query = select(func.coalesce(func.sum(requests.c.cost), 0.0)).where(requests.c.asked_at >= since)
        with read_transaction(self.engine) as connection:
            return float(connection.scalar(query) or 0.0)

    def cost_by_day(self, since: datetime) -> list[dict[str, Any]]:
        """One row per day and model: requests, answers and cost, the newest day first."""
        day = utc_day(requests.c.asked_at, self.engine.dialect)
        is_done = case((requests.c.state == RequestState.DONE, 1), else_=0)
        query = (
            select(
                day.label("day"),
                requests.c.model,
                func.count().label("requests"),
                func.sum(is_done).label("answers"),
                func.coalesce(func.sum(requests.c.cost), 0.0).label("cost"),
            )
            .where(requests.c.asked_at >= since)
            .group_by(literal_column("day"), requests.c.model)
            .order_by(literal_column("day").desc(), requests.c.model)
        )
        with read_transaction(self.engine) as connection:
            return [dict(row) for row in connection.execute(query).mappings()]

    def stories_with_documents(self, ids: Sequence[str]) -> Mapping[str, tuple[Story, list[Document]]]:
        with read_transaction(self.engine) as connection:
            by_id = stories_by_id(connection, list(ids))
            members = {name: _most_similar_first(story) for name, story in by_id.items()}
            documents = documents_by_id(connection, sorted({d for some in members.values() for d in some}))
        return {
            name: (by_id[name], [documents[member] for member in ordered if member in documents])
            for name, ordered in members.items()
        }

    def documents(self, ids: Sequence[str]) -> Mapping[str, Document]:
        with read_transaction(self.engine) as connection:
            return documents_by_id(connection, ids)

    def mark_asked(self, request: str, cost: float | None, sources: Sequence[str], now: datetime) -> bool:
        waiting = update(requests).where(requests.c.id == request, requests.c.state == RequestState.WAITING)
        with write_transaction(self.engine) as connection:
            return bool(connection.execute(waiting.values(**attempt_columns(cost, sources, now))).rowcount)

    def add_cost(self, request: str, cost: float | None) -> None:
        with write_transaction(self.engine) as connection:
            connection.execute(
                update(requests).where(requests.c.id == request).values(cost=requests.c.cost + cost)
            )

    def settle(self, outcomes: Sequence[RequestOutcome], now: datetime, batch: str | None = None) -> None:
        with write_transaction(self.engine) as connection:
            settle_requests(connection, outcomes, now, batch)

    def request_counts(self) -> Mapping[str, Mapping[str, int]]:
        """By recipe and state."""
        columns = (requests.c.recipe, requests.c.state)
        counts: dict[str, dict[str, int]] = {}
        with read_transaction(self.engine) as connection:
            for recipe, state, count in connection.execute(select(*columns, func.count()).group_by(*columns)):
                counts.setdefault(recipe, {})[state] = count
        return counts

    def cancel_waiting(self, now: datetime) -> int:
        """Returns the number of cancelled requests."""
        waiting = update(requests).where(requests.c.state == RequestState.WAITING)
        values = {"state": RequestState.CANCELLED, "reason": "cancelled", "due_at": None, "ended_at": now}
        with write_transaction(self.engine) as connection:
            return connection.execute(waiting.values(**values)).rowcount

    def retry_requests(self, now: datetime) -> int:
        """Failed and cancelled requests wait again; returns their number."""
        ended = update(requests).where(requests.c.state.in_((RequestState.FAILED, RequestState.CANCELLED)))
        values = {"state": RequestState.WAITING, "reason": None, "due_at": now, "ended_at": None}
        with write_transaction(self.engine) as connection:
            return connection.execute(ended.values(**values, attempts=0, batch_id=None, place=None)).rowcount


def request_record(row: RowMapping) -> SummaryRequest:
    return SummaryRequest(
        id=row["id"],
        story=row["story_id"],
        content=row["content"],
        level=row["level"],
        model=row["model"],
        attempts=row["attempts"],
        cost=row["cost"],
        batch=row["batch_id"],
        sources=tuple(row["sources"] or ()),
    )


def settle_requests(
    connection: Connection, outcomes: Sequence[RequestOutcome], now: datetime, batch: str | None = None
) -> None:
    """Only requests that are still in this batch or, without one, still wait: another outcome was first otherwise."""
    unsettled = (
        (requests.c.state == RequestState.WAITING,)
        if batch is None
        else (requests.c.state == RequestState.ASKED, requests.c.batch_id == batch)
    )
    for outcome in outcomes:
        statement = update(requests).where(requests.c.id == outcome.id, *unsettled)
        connection.execute(statement.values(**_outcome_columns(outcome, now)))


def attempt_columns(cost: float | None, sources: Sequence[str], now: datetime) -> dict[str, Any]:
    """A second attempt is charged too. The answer names documents by their position in `sources`."""
    total = None if cost is None else func.coalesce(requests.c.cost, 0.0) + cost
    return {"attempts": requests.c.attempts + 1, "asked_at": now, "cost": total, "sources": list(sources)}


def _outcome_columns(outcome: RequestOutcome, now: datetime) -> dict[str, Any]:
    values: dict[str, Any] = {
        "state": outcome.state,
        "reason": outcome.reason and outcome.reason[:MAX_REASON_CHARS],
        "answer": outcome.answer,
        "due_at": None,
    }
    if outcome.later is None:
        values["ended_at"] = now
    else:
        values |= {"due_at": outcome.later.at, "batch_id": None, "place": None}
        if not outcome.later.counts:
            values["attempts"] = case((requests.c.attempts > 0, requests.c.attempts - 1), else_=0)
    if outcome.refund:
        values["cost"] = requests.c.cost - outcome.refund
    return values


def _drop_and_restore(connection: Connection, recipe: str, planned: set[str], now: datetime) -> None:
    """Drop waiting requests that are no longer planned; dropped ones that are planned again wait again."""
    changeable = requests.c.state.in_((RequestState.WAITING, RequestState.DROPPED))
    rows = connection.execute(
        select(requests.c.id, requests.c.state).where(requests.c.recipe == recipe, changeable)
    ).all()
    to_drop = [row.id for row in rows if row.state == RequestState.WAITING and row.id not in planned]
    to_restore = [row.id for row in rows if row.state == RequestState.DROPPED and row.id in planned]
    dropped = {"state": RequestState.DROPPED, "reason": SUPERSEDED, "due_at": None, "ended_at": now}
    restored = {"state": RequestState.WAITING, "reason": None, "due_at": now, "ended_at": None}
    for ids, values in ((to_drop, dropped), (to_restore, restored)):
        if ids:
            connection.execute(update(requests).where(in_list(requests.c.id, ids)).values(**values))


def _replace_model(connection: Connection, recipe: str, level: str, model: str) -> None:
    """Waiting requests go to the model that the settings name now."""
    outdated = (requests.c.level == level, requests.c.model != model)
    waiting = (requests.c.recipe == recipe, requests.c.state == RequestState.WAITING)
    connection.execute(update(requests).where(*waiting, *outdated).values(model=model))


def _row(request: PlannedRequest, recipe: str, now: datetime) -> dict[str, Any]:
    return {
        "id": request.id,
        "recipe": recipe,
        "story_id": request.story,
        "content": request.content,
        "level": request.level,
        "model": request.model,
        "state": RequestState.WAITING,
        "attempts": 0,
        "due_at": now,
        "score": request.score,
        "created_at": now,
    }


def _most_similar_first(story: Story) -> list[str]:
    ranked = sorted(story.members, key=lambda member: (-member.similarity, member.document))
    return [member.document for member in ranked]

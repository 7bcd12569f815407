"""Questions to a language model about stories, as rows: planned once per version of a story, answered once."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Engine, case, func, select, update

from headwater.model.document import Document
from headwater.model.jobs import Postponement
from headwater.model.story import Story
from headwater.store.bulk import insert_rows
from headwater.store.connect import read_transaction, write_transaction
from headwater.store.in_list import in_list
from headwater.store.records import documents_by_id, stories_by_id
from headwater.store.schema.flow import stories
from headwater.store.schema.summaries import summary_requests

requests = summary_requests
WAITING, ASKED, DONE, FAILED = "waiting", "asked", "done", "failed"
CANCELLED, DROPPED = "cancelled", "dropped"
SUPERSEDED = "superseded"
QUEUE_FULL = "queue_full"
MAX_REASON_CHARS = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryCandidate:
    """A live story as far as its summary goes; `shown` is the request whose answer it shows, if any."""

    story: str
    content: str
    score: float
    size: int
    shown: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedRequest:
    id: str
    story: str
    content: str
    level: str
    model: str
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestOutcome:
    """What became of a request: an answer, another try later, or an end with its reason. `unspent` is what was reckoned
    for a question that nobody took."""

    id: str
    state: str
    reason: str | None = None
    answer: Mapping[str, Any] | None = None
    later: Postponement | None = None
    refund: float = 0.0


@dataclass(frozen=True)
class SummaryRequests:
    engine: Engine

    def candidates(self, recipe: str, since: datetime) -> list[SummaryCandidate]:
        """The live stories with something as new as that."""
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
                shown=(row.attributes.get("summary_origin") or {}).get("request"),
            )
            for row in rows
            if row.attributes.get("content")
        ]

    def states(self, ids: Sequence[str]) -> Mapping[str, str]:
        query = select(requests.c.id, requests.c.state).where(in_list(requests.c.id, ids))
        with read_transaction(self.engine) as connection:
            return {row.id: row.state for row in connection.execute(query)}

    def plan(self, recipe: str, wanted: Sequence[PlannedRequest], now: datetime) -> int:
        """What is not asked yet waits to be; what waits and is no longer wanted is dropped. Gives how many are new."""
        ids = {one.id for one in wanted}
        with write_transaction(self.engine) as connection:
            own = select(requests.c.id, requests.c.state, requests.c.reason).where(
                requests.c.recipe == recipe, requests.c.state.in_((WAITING, DROPPED))
            )
            there = connection.execute(own).all()
            gone = [row.id for row in there if row.state == WAITING and row.id not in ids]
            back = [row.id for row in there if row.state == DROPPED and row.id in ids]
            _set(connection, gone, state=DROPPED, reason=SUPERSEDED, due_at=None, ended_at=now)
            _set(connection, back, state=WAITING, reason=None, due_at=now, ended_at=None)
            known = select(func.count()).select_from(requests).where(in_list(requests.c.id, sorted(ids)))
            before = connection.scalar(known) or 0
            insert_rows(connection, requests, [_row(one, recipe, now) for one in wanted])
            for level, model in {(one.level, one.model) for one in wanted}:
                stale = (requests.c.level == level, requests.c.model != model, requests.c.state == WAITING)
                connection.execute(
                    update(requests).where(requests.c.recipe == recipe, *stale).values(model=model)
                )
            return (connection.scalar(known) or 0) - before

    def asked_recipes(self) -> set[str]:
        """Those with questions that are out, or answered."""
        query = select(requests.c.recipe).where(requests.c.state.in_((ASKED, DONE))).distinct()
        with read_transaction(self.engine) as connection:
            return set(connection.scalars(query))

    def due(self, recipes: Iterable[str], now: datetime, limit: int) -> list[Mapping[str, Any]]:
        """What waits: the premium level first, then the hottest."""
        waits = (requests.c.state == WAITING, requests.c.due_at <= now)
        query = select(requests).where(requests.c.recipe.in_(sorted(recipes)), *waits)
        order = (requests.c.level, requests.c.score.desc(), requests.c.id)
        with read_transaction(self.engine) as connection:
            return [dict(row) for row in connection.execute(query.order_by(*order).limit(limit)).mappings()]

    def is_crowded(self, now: datetime) -> bool:
        """Whether something waits because the endpoint holds as much as it will."""
        waits = (requests.c.state == WAITING, requests.c.due_at > now, requests.c.reason == QUEUE_FULL)
        with read_transaction(self.engine) as connection:
            return connection.scalar(select(requests.c.id).where(*waits).limit(1)) is not None

    def stories_with_documents(self, ids: Sequence[str]) -> Mapping[str, tuple[Story, list[Document]]]:
        """Stories with all their documents, those most like the story first."""
        with read_transaction(self.engine) as connection:
            found = stories_by_id(connection, list(ids))
            inside = {name: _nearest(story) for name, story in found.items()}
            texts = documents_by_id(connection, sorted({d for some in inside.values() for d in some}))
        return {
            name: (found[name], [texts[one] for one in some if one in texts]) for name, some in inside.items()
        }

    def mark_asked(self, request: str, cost: float | None, sources: Sequence[str], now: datetime) -> bool:
        """Noted before it is asked: whoever dies over a question does not ask it for ever. False if it waits no more."""
        mine = update(requests).where(requests.c.id == request, requests.c.state == WAITING)
        with write_transaction(self.engine) as connection:
            return bool(connection.execute(mine.values(**asking_columns(cost, sources, now))).rowcount)

    def add_cost(self, request: str, cost: float | None) -> None:
        """Another call within the same try."""
        mine = update(requests).where(requests.c.id == request)
        with write_transaction(self.engine) as connection:
            connection.execute(mine.values(cost=requests.c.cost + cost))

    def documents(self, ids: Sequence[str]) -> Mapping[str, Document]:
        with read_transaction(self.engine) as connection:
            return documents_by_id(connection, ids)

    def settle(self, settled: Sequence[RequestOutcome], now: datetime) -> None:
        with write_transaction(self.engine) as connection:
            settle_requests(connection, settled, now)

    def spent(self, since: datetime) -> float:
        """By estimate."""
        query = select(func.coalesce(func.sum(requests.c.cost), 0.0)).where(requests.c.asked_at >= since)
        with read_transaction(self.engine) as connection:
            return float(connection.scalar(query) or 0.0)

    def counts(self) -> Mapping[str, Mapping[str, int]]:
        """By recipe and state."""
        query = select(requests.c.recipe, requests.c.state, func.count()).group_by(
            requests.c.recipe, requests.c.state
        )
        found: dict[str, dict[str, int]] = {}
        with read_transaction(self.engine) as connection:
            for recipe, state, count in connection.execute(query):
                found.setdefault(recipe, {})[state] = count
        return found

    def done(self, ids: Sequence[str]) -> Mapping[str, Mapping[str, Any]]:
        """The answers to those of these requests that have one."""
        query = select(requests.c.id, requests.c.answer).where(
            in_list(requests.c.id, ids), requests.c.state == DONE
        )
        with read_transaction(self.engine) as connection:
            return {row.id: row.answer for row in connection.execute(query)}

    def cancel_waiting(self, now: datetime) -> int:
        waiting = update(requests).where(requests.c.state == WAITING)
        ended = {"state": CANCELLED, "reason": "cancelled", "due_at": None, "ended_at": now}
        with write_transaction(self.engine) as connection:
            return connection.execute(waiting.values(**ended)).rowcount

    def retry(self, now: datetime) -> int:
        """What failed or was cancelled waits again."""
        ended = update(requests).where(requests.c.state.in_((FAILED, CANCELLED)))
        again = {"state": WAITING, "reason": None, "due_at": now, "ended_at": None, "attempts": 0}
        with write_transaction(self.engine) as connection:
            return connection.execute(ended.values(**again, batch_id=None, place=None)).rowcount


def settle_requests(
    connection: Connection, settled: Sequence[RequestOutcome], now: datetime, batch: str | None = None
) -> None:
    """Of questions that are still in this batch, or, without one, that still wait; what became of others is known."""
    mine = (
        (requests.c.state == WAITING,)
        if batch is None
        else (requests.c.state == ASKED, requests.c.batch_id == batch)
    )
    for one in settled:
        reason = one.reason and one.reason[:MAX_REASON_CHARS]
        values: dict[str, Any] = {"state": one.state, "reason": reason, "answer": one.answer, "due_at": None}
        if one.later is not None:
            values |= {"due_at": one.later.at, "batch_id": None, "place": None}
            if not one.later.counts:
                values["attempts"] = case((requests.c.attempts > 0, requests.c.attempts - 1), else_=0)
        else:
            values["ended_at"] = now
        if one.refund:
            values["cost"] = requests.c.cost - one.refund
        connection.execute(update(requests).where(requests.c.id == one.id, *mine).values(**values))


def asking_columns(cost: float | None, sources: Sequence[str], now: datetime) -> dict[str, Any]:
    """A second try is paid for, too. The answer names documents by their place in `sources`."""
    paid = None if cost is None else func.coalesce(requests.c.cost, 0.0) + cost
    return {"attempts": requests.c.attempts + 1, "asked_at": now, "cost": paid, "sources": list(sources)}


def _set(connection: Connection, ids: Sequence[str], **values: Any) -> None:
    if ids:
        connection.execute(update(requests).where(in_list(requests.c.id, ids)).values(**values))


def _row(wanted: PlannedRequest, recipe: str, now: datetime) -> dict[str, Any]:
    return {
        "id": wanted.id,
        "recipe": recipe,
        "story_id": wanted.story,
        "content": wanted.content,
        "level": wanted.level,
        "model": wanted.model,
        "state": WAITING,
        "attempts": 0,
        "due_at": now,
        "score": wanted.score,
        "created_at": now,
    }


def _nearest(story: Story) -> list[str]:
    ranked = sorted(story.members, key=lambda member: (-member.similarity, member.document))
    return [member.document for member in ranked]

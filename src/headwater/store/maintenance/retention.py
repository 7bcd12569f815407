"""What is old enough to go: found, counted, removed a little at a time, so that nobody waits long for the database."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Engine, Table, delete, exists, func, or_, select, update

from headwater.model.errors import Temporary
from headwater.model.jobs import State
from headwater.store.connect import read_transaction, write_transaction
from headwater.store.schema.flow import captures, deliveries, documents, polls, revisions
from headwater.store.schema.knowledge import facts, mentions
from headwater.store.schema.operations import alarms, queue_items
from headwater.store.schema.summaries import summary_batches, summary_requests

AT_ONCE = 2_000
ARCHIVED = "archived"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cutoffs:
    """What is older than that goes; None keeps for ever."""

    polls: datetime | None = None
    alarms: datetime | None = None
    captures: datetime | None = None
    documents: datetime | None = None
    queue: datetime | None = None
    summaries: datetime | None = None


def old_polls(before: datetime) -> ColumnElement[bool]:
    """Looks at sources that are over; what the next look needs stands in the source."""
    return (polls.c.ended_at.is_not(None)) & (polls.c.started_at < before)


def old_alarms(before: datetime) -> ColumnElement[bool]:
    return (alarms.c.cleared_at.is_not(None)) & (alarms.c.cleared_at < before)


def old_queue_items(before: datetime) -> ColumnElement[bool]:
    """Those that another program dealt with, or gave up."""
    return queue_items.c.due_at.is_(None) & (queue_items.c.ended_at < before)


def old_summaries(before: datetime) -> ColumnElement[bool]:
    """Questions to a language model that are over; what was answered stands in the story."""
    open_still = summary_requests.c.state.in_(("waiting", "asked"))
    return ~open_still & (summary_requests.c.ended_at < before)


def old_summary_batches(before: datetime) -> ColumnElement[bool]:
    return summary_batches.c.ended_at < before


def old_captures(before: datetime) -> ColumnElement[bool]:
    """Bytes that nobody will read again: not of a document that waits, or was set apart and may be sent again."""
    needed = exists().where(
        documents.c.lead_id == captures.c.lead_id,
        or_(documents.c.due_at.is_not(None), documents.c.state.in_((State.ASIDE, State.QUARANTINED))),
    )
    return (captures.c.fetched_at < before) & ~needed


def old_documents(before: datetime) -> ColumnElement[bool]:
    """Finished ones that were neither made nor changed since."""
    return (
        (documents.c.state == State.KEPT)
        & (documents.c.due_at.is_(None))
        & (documents.c.created_at < before)
        & (documents.c.updated_at < before)
    )


def count_old(engine: Engine, cutoffs: Cutoffs) -> dict[str, int]:
    """How much would go."""
    found: dict[str, int] = {}
    with read_transaction(engine) as connection:
        for name, table, rule in (
            ("polls", polls, old_polls),
            ("alarms", alarms, old_alarms),
            ("captures", captures, old_captures),
            ("documents", documents, old_documents),
            ("queue", queue_items, old_queue_items),
            ("summaries", summary_requests, old_summaries),
        ):
            before = getattr(cutoffs, name)
            query = select(func.count()).select_from(table)
            found[name] = 0 if before is None else connection.scalar(query.where(rule(before))) or 0
    return found


def remove_polls(engine: Engine, before: datetime) -> int:
    return _remove(engine, polls, old_polls(before))


def remove_captures(engine: Engine, before: datetime) -> int:
    """Their rows; the bytes lie in packs that a sweep removes when nothing in them is wanted."""
    return _remove(engine, captures, old_captures(before))


def remove_queue_items(engine: Engine, before: datetime) -> int:
    return _remove(engine, queue_items, old_queue_items(before))


def remove_summaries(engine: Engine, before: datetime) -> int:
    """With the batches they went out in."""
    _remove(engine, summary_batches, old_summary_batches(before))
    return _remove(engine, summary_requests, old_summaries(before))


def remove_alarms(engine: Engine, before: datetime) -> int:
    """With their deliveries."""
    return _remove(engine, alarms, old_alarms(before), with_deliveries=True)


def _remove(engine: Engine, table: Table, rule: ColumnElement[bool], *, with_deliveries: bool = False) -> int:
    count = 0
    while True:
        with write_transaction(engine) as connection:
            ids = list(connection.scalars(select(table.c.id).where(rule).limit(AT_ONCE)))
            if ids and with_deliveries:
                connection.execute(delete(deliveries).where(deliveries.c.record_id.in_(ids)))
            if ids:
                connection.execute(delete(table).where(table.c.id.in_(ids)))
        count += len(ids)
        if len(ids) < AT_ONCE:
            return count


def oldest_documents(engine: Engine, before: datetime, limit: int = AT_ONCE) -> list[dict[str, Any]]:
    """The oldest of those to be moved, of one recipe and one day, so that a file holds what belongs together."""
    old = old_documents(before)
    with read_transaction(engine) as connection:
        first = connection.execute(
            select(documents.c.recipe, documents.c.created_at)
            .where(old)
            .order_by(documents.c.created_at, documents.c.recipe)
            .limit(1)
        ).first()
        if first is None:
            return []
        day_ends = first.created_at.replace(hour=23, minute=59, second=59, microsecond=999_999)
        query = (
            select(documents)
            .where(old, documents.c.recipe == first.recipe, documents.c.created_at <= day_ends)
            .order_by(documents.c.created_at, documents.c.id)
            .limit(limit)
        )
        return [dict(row) for row in connection.execute(query).mappings()]


def mark_archived(
    engine: Engine,
    moved: Sequence[tuple[str, int]],
    file: str,
    now: datetime,
    there: Callable[[str], bool],
) -> int:
    """The rows of these (document, revision) keep their names and numbers and say where the rest is. One that changed
    in the meantime stays as it is. Once rows are taken no sweep can remove a file: that is the moment to look whether it
    is still there; Temporary if it is not, and no row changes."""
    count = 0
    with write_transaction(engine) as connection:
        for document, revision in moved:
            count += _empty(connection, document, revision, file, now)
        if count and not there(file):
            raise Temporary("records_gone", f"{file} was removed while documents were moved to it")
    return count


def _empty(connection: Connection, document: str, revision: int, file: str, now: datetime) -> int:
    unchanged = (
        (documents.c.id == document)
        & (documents.c.revision == revision)
        & (documents.c.state == State.KEPT)
        & (documents.c.due_at.is_(None))
    )
    emptied = {"text": "", "description": "", "trail": None, "attributes": None, "origins": None}
    gone = {"state": State.DROPPED, "reason": ARCHIVED, "detail": file, "updated_at": now}
    if not connection.execute(update(documents).where(unchanged).values(**emptied, **gone)).rowcount:
        return 0
    connection.execute(delete(revisions).where(revisions.c.document_id == document))
    connection.execute(delete(mentions).where(mentions.c.document_id == document))
    connection.execute(delete(facts).where(facts.c.record_id == document))
    return 1

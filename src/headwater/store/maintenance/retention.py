"""Retention: finds, counts and removes old rows, in batches, so that no other transaction waits long."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Engine,
    Table,
    delete,
    exists,
    func,
    or_,
    select,
    tuple_,
    update,
)

from headwater.model.errors import Temporary
from headwater.model.jobs import ARCHIVED, State
from headwater.store.connect import read_transaction, write_transaction
from headwater.store.schema.flow import captures, deliveries, documents, polls, revisions
from headwater.store.schema.knowledge import facts, mentions
from headwater.store.schema.operations import alarms, pipeline_runs, queue_items
from headwater.store.schema.searches import digests, matches
from headwater.store.schema.summaries import summary_batches, summary_requests

AT_ONCE = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Cutoffs:
    """Older rows are removed; None keeps them for ever."""

    polls: datetime | None = None
    runs: datetime | None = None
    alarms: datetime | None = None
    captures: datetime | None = None
    documents: datetime | None = None
    queue: datetime | None = None
    summaries: datetime | None = None
    matches: datetime | None = None


def old_polls(before: datetime) -> ColumnElement[bool]:
    """Finished polls; the next poll needs only the source."""
    return (polls.c.ended_at.is_not(None)) & (polls.c.started_at < before)


def old_runs(before: datetime) -> ColumnElement[bool]:
    return pipeline_runs.c.ended_at < before


def old_alarms(before: datetime) -> ColumnElement[bool]:
    return (alarms.c.cleared_at.is_not(None)) & (alarms.c.cleared_at < before)


def old_queue_items(before: datetime) -> ColumnElement[bool]:
    """Items that are done or failed for good."""
    return queue_items.c.due_at.is_(None) & (queue_items.c.ended_at < before)


def old_summaries(before: datetime) -> ColumnElement[bool]:
    """Finished LLM requests; the answers are in the stories."""
    open_still = summary_requests.c.state.in_(("waiting", "asked"))
    return ~open_still & (summary_requests.c.ended_at < before)


def old_summary_batches(before: datetime) -> ColumnElement[bool]:
    return summary_batches.c.ended_at < before


def old_captures(before: datetime) -> ColumnElement[bool]:
    """Captures that are not needed again: not those of documents that wait, are set aside or quarantined."""
    needed = exists().where(
        documents.c.lead_id == captures.c.lead_id,
        or_(documents.c.due_at.is_not(None), documents.c.state.in_((State.ASIDE, State.QUARANTINED))),
    )
    return (captures.c.fetched_at < before) & ~needed


def old_documents(before: datetime) -> ColumnElement[bool]:
    """Finished documents that were neither created nor changed since."""
    return (
        (documents.c.state == State.KEPT)
        & (documents.c.due_at.is_(None))
        & (documents.c.created_at < before)
        & (documents.c.updated_at < before)
    )


def old_matches(before: datetime) -> ColumnElement[bool]:
    """Matches that are in no digest which waits to be sent."""
    return (matches.c.matched_at < before) & ~exists().where(
        deliveries.c.record_kind == "digest",
        deliveries.c.record_id == matches.c.digest_id,
        deliveries.c.state == State.WAITING,
    )


def old_digests(before: datetime) -> ColumnElement[bool]:
    """Digests of which no match is left."""
    has_matches = exists().where(matches.c.digest_id == digests.c.id)
    return (digests.c.until_at < before) & (digests.c.closed_at.is_not(None)) & ~has_matches


def count_old(engine: Engine, cutoffs: Cutoffs) -> dict[str, int]:
    """How many rows would be removed."""
    counts: dict[str, int] = {}
    with read_transaction(engine) as connection:
        for name, table, rule in (
            ("polls", polls, old_polls),
            ("runs", pipeline_runs, old_runs),
            ("alarms", alarms, old_alarms),
            ("captures", captures, old_captures),
            ("documents", documents, old_documents),
            ("queue", queue_items, old_queue_items),
            ("summaries", summary_requests, old_summaries),
            ("matches", matches, old_matches),
        ):
            before = getattr(cutoffs, name)
            query = select(func.count()).select_from(table)
            counts[name] = 0 if before is None else connection.scalar(query.where(rule(before))) or 0
    return counts


def remove_polls(engine: Engine, before: datetime) -> int:
    return _remove_in_batches(engine, polls, old_polls(before))


def remove_runs(engine: Engine, before: datetime) -> int:
    return _remove_in_batches(engine, pipeline_runs, old_runs(before))


def remove_captures(engine: Engine, before: datetime) -> int:
    """Removes rows. The sweep removes packs in which no capture is left."""
    return _remove_in_batches(engine, captures, old_captures(before))


def remove_queue_items(engine: Engine, before: datetime) -> int:
    return _remove_in_batches(engine, queue_items, old_queue_items(before))


def remove_summaries(engine: Engine, before: datetime) -> int:
    """With their batches."""
    _remove_in_batches(engine, summary_batches, old_summary_batches(before))
    return _remove_in_batches(engine, summary_requests, old_summaries(before))


def remove_matches(engine: Engine, before: datetime) -> int:
    """With the digests in which they were sent. A record that changes afterwards may meet the search again."""
    count = 0
    pair = tuple_(matches.c.search_id, matches.c.record_id)
    while True:
        with write_transaction(engine) as connection:
            query = select(matches.c.search_id, matches.c.record_id).where(old_matches(before)).limit(AT_ONCE)
            pairs = [tuple(row) for row in connection.execute(query)]
            if pairs:
                connection.execute(delete(matches).where(pair.in_(pairs)))
        count += len(pairs)
        if len(pairs) < AT_ONCE:
            break
    _remove_in_batches(engine, digests, old_digests(before), with_deliveries=True)
    return count


def remove_alarms(engine: Engine, before: datetime) -> int:
    """With their deliveries."""
    return _remove_in_batches(engine, alarms, old_alarms(before), with_deliveries=True)


def _remove_in_batches(
    engine: Engine, table: Table, rule: ColumnElement[bool], *, with_deliveries: bool = False
) -> int:
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
    """The oldest documents to archive, of one recipe and one day, so that a file holds what belongs together."""
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
    archived: Sequence[tuple[str, int]],
    file: str,
    now: datetime,
    file_exists: Callable[[str], bool],
) -> int:
    """Clear the content of these (document, revision) rows and record the file that has it; returns how many. A
    document that changed meanwhile stays as it is. No sweep can remove a file while the rows are locked, so its
    existence is checked then: raises Temporary, and changes nothing, if it is gone."""
    count = 0
    with write_transaction(engine) as connection:
        for document, revision in archived:
            count += _clear_document(connection, document, revision, file, now)
        if count and not file_exists(file):
            raise Temporary("records_gone", f"{file} was removed while documents were moved to it")
    return count


def _clear_document(connection: Connection, document: str, revision: int, file: str, now: datetime) -> int:
    unchanged = (
        (documents.c.id == document)
        & (documents.c.revision == revision)
        & (documents.c.state == State.KEPT)
        & (documents.c.due_at.is_(None))
    )
    no_content = {"text": "", "description": "", "trail": None, "attributes": None, "origins": None}
    archived = {"state": State.DROPPED, "reason": ARCHIVED, "detail": file, "updated_at": now}
    if not connection.execute(update(documents).where(unchanged).values(**no_content, **archived)).rowcount:
        return 0
    connection.execute(delete(revisions).where(revisions.c.document_id == document))
    connection.execute(delete(mentions).where(mentions.c.document_id == document))
    connection.execute(delete(facts).where(facts.c.record_id == document))
    return 1

"""Replay: lists documents in batches, claims them and stores the report."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import msgspec
from sqlalchemy import Connection, RowMapping, func, literal, select, tuple_, update

from headwater.model.document import Document, FactValue, Mention
from headwater.model.jobs import ARCHIVED, Claim, Draft, State, Task
from headwater.model.keys import key
from headwater.model.replay import DocumentOutcome, ReplayItem, ReplayResult, ReplayState
from headwater.store.bulk import insert_rows, update_rows
from headwater.store.claims.drafts import drafts_by_id
from headwater.store.claims.leases import FINISHED_VALUES, TASK_CONDITIONS, claim_rows, postponed_values
from headwater.store.dedupe.copies import SEEN_FOR
from headwater.store.in_list import in_list
from headwater.store.records import facts_by_record
from headwater.store.rows import DOCUMENT_COLUMNS, document_from
from headwater.store.schema.flow import documents
from headwater.store.schema.knowledge import mentions
from headwater.store.schema.replays import replay_items, replays

LISTED_AT_ONCE = 500
# An operator's decision is not undone, and an archived document has no text to compare with.
BY_HAND = "operator:"
MOST_FIELDS = 200
OTHER_FIELDS = "others"


def running(connection: Connection, recipe: str) -> bool:
    query = select(replays.c.id).where(replays.c.recipe == recipe, replays.c.state == ReplayState.RUNNING)
    return connection.execute(query).first() is not None


def claim_replays(connection: Connection, claim: Claim) -> list[str]:
    return claim_rows(connection, claim, *TASK_CONDITIONS[Task.REPLAY])


def claimed_items(connection: Connection, ids: Sequence[str]) -> list[ReplayItem]:
    """The claimed items with everything stored about them. A separate read, so that no writer waits for it."""
    columns = (replay_items.c.id, replay_items.c.document_id, replay_items.c.attempts)
    query = select(*columns).where(in_list(replay_items.c.id, ids))
    rows = connection.execute(query.order_by(replay_items.c.due_at, replay_items.c.id)).all()
    decisions = _decisions(connection, [row.document_id for row in rows])
    original_ids = {decision.of for _, decision in decisions.values() if decision and decision.of}
    document_ids = sorted({row.document_id for row in rows} | original_ids)
    drafts = {draft.id: draft for draft in drafts_by_id(connection, document_ids, documents.c.capture_id)}
    return [
        _replay_item(row.id, replace(drafts[row.document_id], attempts=row.attempts), decisions, drafts)
        for row in rows
        if row.document_id in drafts
    ]


def _replay_item(
    item: str,
    draft: Draft,
    decisions: Mapping[str, tuple[int, DocumentOutcome | None]],
    drafts: Mapping[str, Draft],
) -> ReplayItem:
    revision, stored_outcome = decisions[draft.id]
    original = drafts.get(stored_outcome.of) if stored_outcome and stored_outcome.of else None
    return ReplayItem(
        item, revision, draft, stored_outcome, replace(original, attempts=0) if original else None
    )


def _decisions(connection: Connection, ids: Sequence[str]) -> dict[str, tuple[int, DocumentOutcome | None]]:
    """The revision of each document, and its stored decision if that can be compared."""
    decision_columns = (documents.c.state, documents.c.reason, documents.c.duplicate_of, documents.c.due_at)
    rows = connection.execute(
        select(*DOCUMENT_COLUMNS, *decision_columns).where(in_list(documents.c.id, ids))
    ).mappings()
    rows_by_id = {row["id"]: row for row in rows}
    facts_by_id = facts_by_record(connection, ids)
    mentions_by_id = _mentions(connection, ids)
    return {
        name: (
            row["revision"],
            _stored_decision(row, facts_by_id[name], mentions_by_id[name]) if _comparable(row) else None,
        )
        for name, row in rows_by_id.items()
    }


def _comparable(row: RowMapping) -> bool:
    """Whether the document was decided, has its content, and is neither about to be decided again nor decided by an
    operator."""
    return (
        row["due_at"] is None
        and row["state"] != State.WAITING
        and row["reason"] != ARCHIVED
        and not str(row["reason"] or "").startswith(BY_HAND)
    )


def _stored_decision(
    row: RowMapping, document_facts: Mapping[str, FactValue], document_mentions: Sequence[Mention]
) -> DocumentOutcome:
    document: Document = document_from(row).with_changes(
        facts=document_facts, mentions=tuple(document_mentions)
    )
    return DocumentOutcome(
        state=State(row["state"]), reason=row["reason"] or "", of=row["duplicate_of"], document=document
    )


def _mentions(connection: Connection, ids: Sequence[str]) -> dict[str, list[Mention]]:
    mentions_by_id: defaultdict[str, list[Mention]] = defaultdict(list)
    columns = (mentions.c.document_id, mentions.c.subject_id, mentions.c.kind, mentions.c.confidence)
    query = select(*columns).where(in_list(mentions.c.document_id, ids), mentions.c.kind != SEEN_FOR)
    for row in connection.execute(query):
        mentions_by_id[row.document_id].append(Mention(row.subject_id, row.kind, row.confidence))
    return mentions_by_id


def finish_replay(
    connection: Connection, replayed: Sequence[ReplayResult], owner: str, now: datetime
) -> None:
    columns = (replay_items.c.id, replay_items.c.replay_id)
    query = select(*columns).where(
        in_list(replay_items.c.id, [result.id for result in replayed]), replay_items.c.lease_owner == owner
    )
    replay_by_item = {
        row.id: row.replay_id
        for row in connection.execute(query.order_by(replay_items.c.id).with_for_update())
    }
    results = [result for result in replayed if result.id in replay_by_item]
    update_rows(connection, replay_items, [(result.id, _item_values(result)) for result in results])
    for replay in sorted(set(replay_by_item.values())):
        finished = [
            result for result in results if replay_by_item[result.id] == replay and result.later is None
        ]
        _count(connection, replay, finished, now)


def _item_values(result: ReplayResult) -> dict[str, Any]:
    if result.later is not None:
        return postponed_values(
            replay_items, result.later.at, result.later.reason, counts=result.later.counts
        )
    return FINISHED_VALUES | {
        "verdict": result.verdict,
        "revision": result.revision,
        "capture_id": result.capture,
        "before": result.before,
        "after": result.after,
        "differences": msgspec.to_builtins(result.differences),
        "reason": result.reason or None,
        "detail": result.detail or None,
    }


def _count(connection: Connection, replay: str, finished: Sequence[ReplayResult], now: datetime) -> None:
    row = locked_replay(connection, replay)
    counts = Counter(row["counts"]) + Counter(result.verdict.value for result in finished)
    fields = {name: list(direction_counts) for name, direction_counts in row["fields"].items()}
    for result in finished:
        for difference in result.differences:
            is_counted = difference.field in fields or len(fields) < MOST_FIELDS
            direction_counts = fields.setdefault(difference.field if is_counted else OTHER_FIELDS, [0, 0, 0])
            direction_counts[difference.direction + 1] += 1
    update_replay(connection, replay, counts=dict(counts), fields=fields, updated_at=now)
    report_if_done(connection, replay, now)


def locked_replay(connection: Connection, replay: str) -> RowMapping:
    """Locks the row: counting, listing and changing a replay happen one at a time."""
    return (
        connection.execute(select(replays).where(replays.c.id == replay).with_for_update()).mappings().one()
    )


def update_replay(connection: Connection, replay: str, **values: Any) -> None:
    connection.execute(update(replays).where(replays.c.id == replay).values(**values))


def report_if_done(connection: Connection, replay: str, now: datetime) -> None:
    """All documents are listed and none is left: the report is complete."""
    row = locked_replay(connection, replay)
    if row["listed_at"] is None or row["state"] not in {ReplayState.RUNNING, ReplayState.PAUSED}:
        return
    unfinished = select(replay_items.c.id).where(
        replay_items.c.recipe == row["recipe"],
        replay_items.c.due_at.is_not(None),
        replay_items.c.replay_id == replay,
    )
    if connection.execute(unfinished.limit(1)).first() is None:
        update_replay(connection, replay, state=ReplayState.REPORTED, updated_at=now)


def open_replay(connection: Connection, recipe: str) -> RowMapping | None:
    """The replay with more documents to list or replace, if any."""
    query = select(replays).where(
        replays.c.recipe == recipe, replays.c.state.in_((ReplayState.RUNNING, ReplayState.APPLYING))
    )
    row = connection.execute(query).mappings().first()
    is_finished = row is None or (row["state"] == ReplayState.RUNNING and row["listed_at"] is not None)
    return None if is_finished else row


def next_documents(connection: Connection, row: RowMapping) -> Sequence[Any]:
    """The next documents created in the replay's period, whatever their state."""
    names = ("id", "capture_id", "revision", "created_at", "state", "reason", "due_at")
    cursor = tuple_(literal(row["cursor_at"], documents.c.created_at.type), row["cursor_id"])
    query = select(*(documents.c[name] for name in names)).where(
        documents.c.recipe == row["recipe"],
        documents.c.created_at >= row["cursor_at"],
        documents.c.created_at < row["until"],
        tuple_(documents.c.created_at, documents.c.id) > cursor,
    )
    ordered = query.order_by(documents.c.created_at, documents.c.id).limit(LISTED_AT_ONCE)
    return connection.execute(ordered).mappings().all()


def list_documents(
    connection: Connection, replay_row: RowMapping, rows_found: Sequence[Any], now: datetime
) -> int | None:
    """Add the documents, unless another worker did so in the meantime. Returns how many are to be replayed, None when
    there are no more."""
    row = locked_replay(connection, replay_row["id"])
    if (row["state"], row["cursor_at"], row["cursor_id"]) != (
        ReplayState.RUNNING,
        replay_row["cursor_at"],
        replay_row["cursor_id"],
    ):
        return 0
    # Increasing due times keep documents together that arrived together; they share packs.
    rows = [
        _item(row, document, now - timedelta(microseconds=len(rows_found) - position))
        for position, document in enumerate(rows_found)
        if _comparable(document)
    ]
    insert_rows(connection, replay_items, rows)
    values: dict[str, Any] = {"listed_count": row["listed_count"] + len(rows), "updated_at": now}
    if rows_found:
        values |= {"cursor_at": rows_found[-1]["created_at"], "cursor_id": rows_found[-1]["id"]}
    is_last = len(rows_found) < LISTED_AT_ONCE
    update_replay(connection, row["id"], **values, listed_at=now if is_last else None)
    report_if_done(connection, row["id"], now)
    return len(rows) or (None if is_last else 0)


def _item(row: RowMapping, document: Any, due_at: datetime) -> dict[str, Any]:
    return {
        "id": key("replay", row["id"], document["id"]),
        "replay_id": row["id"],
        "recipe": row["recipe"],
        "document_id": document["id"],
        "capture_id": document["capture_id"],
        "revision": document["revision"],
        "due_at": due_at,
        "attempts": 0,
    }


def count_documents(connection: Connection, recipe: str, since: datetime, until: datetime) -> int:
    query = select(func.count()).where(
        documents.c.recipe == recipe, documents.c.created_at >= since, documents.c.created_at < until
    )
    return connection.scalar(query) or 0

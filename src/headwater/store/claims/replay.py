"""A replay at work: documents listed a little at a time, claimed, reported; then, if wanted, sent to be refined."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import msgspec
from sqlalchemy import Connection, RowMapping, func, literal, select, tuple_, update

from headwater.model.document import Document, FactValue, Mention
from headwater.model.jobs import Claim, Draft, State, Task
from headwater.model.keys import key
from headwater.model.replay import DocumentOutcome, ReplayItem, ReplayResult, ReplayState
from headwater.store.bulk import insert_rows, update_rows
from headwater.store.claims.drafts import drafts_by_id
from headwater.store.claims.leases import FINISHED_VALUES, TASK_CONDITIONS, claim_rows, postponed_values
from headwater.store.dedupe.copies import SEEN_FOR
from headwater.store.in_list import in_list
from headwater.store.maintenance.retention import ARCHIVED
from headwater.store.rows import DOCUMENT_COLUMNS, document_from
from headwater.store.schema.flow import documents
from headwater.store.schema.knowledge import facts, mentions
from headwater.store.schema.replays import replay_items, replays

LISTED_AT_ONCE = 500
# An operator's own decision is not taken back, and what lies in a file has no text to compare with.
BY_HAND = "operator:"
MOST_FIELDS = 200
OTHER_FIELDS = "others"


def running(connection: Connection, recipe: str) -> bool:
    query = select(replays.c.id).where(replays.c.recipe == recipe, replays.c.state == ReplayState.RUNNING)
    return connection.execute(query).first() is not None


def claim_replays(connection: Connection, claim: Claim) -> list[str]:
    return claim_rows(connection, claim, *TASK_CONDITIONS[Task.REPLAY])


def claimed_items(connection: Connection, ids: Sequence[str]) -> list[ReplayItem]:
    """What was claimed, with all that is stored about it. Read by itself: nobody who writes need wait for it."""
    columns = (replay_items.c.id, replay_items.c.document_id, replay_items.c.attempts)
    query = select(*columns).where(in_list(replay_items.c.id, ids))
    rows = connection.execute(query.order_by(replay_items.c.due_at, replay_items.c.id)).all()
    standing = _standing(connection, [row.document_id for row in rows])
    copied = {found.of for _, found in standing.values() if found and found.of}
    wanted = sorted({row.document_id for row in rows} | copied)
    drafts = {draft.id: draft for draft in drafts_by_id(connection, wanted, documents.c.capture_id)}
    return [
        _replaying(row.id, replace(drafts[row.document_id], attempts=row.attempts), standing, drafts)
        for row in rows
        if row.document_id in drafts
    ]


def _replaying(
    item: str,
    draft: Draft,
    standing: Mapping[str, tuple[int, DocumentOutcome | None]],
    drafts: Mapping[str, Draft],
) -> ReplayItem:
    revision, stored_outcome = standing[draft.id]
    original = drafts.get(stored_outcome.of) if stored_outcome and stored_outcome.of else None
    return ReplayItem(
        item, revision, draft, stored_outcome, replace(original, attempts=0) if original else None
    )


def _standing(connection: Connection, ids: Sequence[str]) -> dict[str, tuple[int, DocumentOutcome | None]]:
    """The revision of each, and how it stands, if it can be compared."""
    more = (documents.c.state, documents.c.reason, documents.c.duplicate_of, documents.c.due_at)
    rows = connection.execute(select(*DOCUMENT_COLUMNS, *more).where(in_list(documents.c.id, ids))).mappings()
    found = {row["id"]: row for row in rows}
    said = _facts(connection, ids)
    named = _mentions(connection, ids)
    return {
        name: (row["revision"], _stands(row, said[name], named[name]) if _comparable(row) else None)
        for name, row in found.items()
    }


def _comparable(row: RowMapping) -> bool:
    """Whether it was decided, has its content, and nobody is about to decide it again or decided it by hand."""
    return (
        row["due_at"] is None
        and row["state"] != State.WAITING
        and row["reason"] != ARCHIVED
        and not str(row["reason"] or "").startswith(BY_HAND)
    )


def _stands(row: RowMapping, said: Mapping[str, FactValue], named: Sequence[Mention]) -> DocumentOutcome:
    document: Document = document_from(row).with_changes(facts=said, mentions=tuple(named))
    return DocumentOutcome(
        state=State(row["state"]), reason=row["reason"] or "", of=row["duplicate_of"], document=document
    )


def _facts(connection: Connection, ids: Sequence[str]) -> dict[str, dict[str, FactValue]]:
    said: defaultdict[str, dict[str, FactValue]] = defaultdict(dict)
    for row in connection.execute(select(facts).where(in_list(facts.c.record_id, ids))):
        said[row.record_id][row.name] = FactValue(row.value, row.step, row.version)
    return said


def _mentions(connection: Connection, ids: Sequence[str]) -> dict[str, list[Mention]]:
    named: defaultdict[str, list[Mention]] = defaultdict(list)
    columns = (mentions.c.document_id, mentions.c.subject_id, mentions.c.kind, mentions.c.confidence)
    query = select(*columns).where(in_list(mentions.c.document_id, ids), mentions.c.kind != SEEN_FOR)
    for row in connection.execute(query):
        named[row.document_id].append(Mention(row.subject_id, row.kind, row.confidence))
    return named


def finish_replay(
    connection: Connection, replayed: Sequence[ReplayResult], owner: str, now: datetime
) -> None:
    columns = (replay_items.c.id, replay_items.c.replay_id)
    query = select(*columns).where(
        in_list(replay_items.c.id, [one.id for one in replayed]), replay_items.c.lease_owner == owner
    )
    mine = {
        row.id: row.replay_id
        for row in connection.execute(query.order_by(replay_items.c.id).with_for_update())
    }
    results = [one for one in replayed if one.id in mine]
    update_rows(connection, replay_items, [(one.id, _values(one)) for one in results])
    for replay in sorted(set(mine.values())):
        done = [one for one in results if mine[one.id] == replay and one.later is None]
        _count(connection, replay, done, now)


def _values(one: ReplayResult) -> dict[str, Any]:
    if one.later is not None:
        return postponed_values(replay_items, one.later.at, one.later.reason, counts=one.later.counts)
    return FINISHED_VALUES | {
        "verdict": one.verdict,
        "revision": one.revision,
        "capture_id": one.capture,
        "before": one.before,
        "after": one.after,
        "differences": msgspec.to_builtins(one.differences),
        "reason": one.reason or None,
        "detail": one.detail or None,
    }


def _count(connection: Connection, replay: str, done: Sequence[ReplayResult], now: datetime) -> None:
    row = locked_replay(connection, replay)
    counts = Counter(row["counts"]) + Counter(one.verdict.value for one in done)
    fields = {name: list(told) for name, told in row["fields"].items()}
    for one in done:
        for difference in one.differences:
            known = difference.field in fields or len(fields) < MOST_FIELDS
            told = fields.setdefault(difference.field if known else OTHER_FIELDS, [0, 0, 0])
            told[difference.direction + 1] += 1
    update_replay(connection, replay, counts=dict(counts), fields=fields, updated_at=now)
    report_if_done(connection, replay, now)


def locked_replay(connection: Connection, replay: str) -> RowMapping:
    """Whoever counts, lists or changes a replay does so one at a time."""
    return (
        connection.execute(select(replays).where(replays.c.id == replay).with_for_update()).mappings().one()
    )


def update_replay(connection: Connection, replay: str, **values: Any) -> None:
    connection.execute(update(replays).where(replays.c.id == replay).values(**values))


def report_if_done(connection: Connection, replay: str, now: datetime) -> None:
    """Everything was listed and nothing is left: the report is whole."""
    row = locked_replay(connection, replay)
    if row["listed_at"] is None or row["state"] not in {ReplayState.RUNNING, ReplayState.PAUSED}:
        return
    left = select(replay_items.c.id).where(
        replay_items.c.recipe == row["recipe"],
        replay_items.c.due_at.is_not(None),
        replay_items.c.replay_id == replay,
    )
    if connection.execute(left.limit(1)).first() is None:
        update_replay(connection, replay, state=ReplayState.REPORTED, updated_at=now)


def open_replay(connection: Connection, recipe: str) -> RowMapping | None:
    """The replay of which more documents are to be listed or replaced, if any."""
    query = select(replays).where(
        replays.c.recipe == recipe, replays.c.state.in_((ReplayState.RUNNING, ReplayState.APPLYING))
    )
    row = connection.execute(query).mappings().first()
    done = row is None or (row["state"] == ReplayState.RUNNING and row["listed_at"] is not None)
    return None if done else row


def next_documents(connection: Connection, row: RowMapping) -> Sequence[Any]:
    """The next of those that came within its time, wherever they stand."""
    names = ("id", "capture_id", "revision", "created_at", "state", "reason", "due_at")
    place = tuple_(literal(row["cursor_at"], documents.c.created_at.type), row["cursor_id"])
    query = select(*(documents.c[name] for name in names)).where(
        documents.c.recipe == row["recipe"],
        documents.c.created_at >= row["cursor_at"],
        documents.c.created_at < row["until"],
        tuple_(documents.c.created_at, documents.c.id) > place,
    )
    ordered = query.order_by(documents.c.created_at, documents.c.id).limit(LISTED_AT_ONCE)
    return connection.execute(ordered).mappings().all()


def list_documents(
    connection: Connection, seen: RowMapping, found: Sequence[Any], now: datetime
) -> int | None:
    """Write them down, unless somebody else has in the meantime; gives how many are to be read again, None when there
    are no more."""
    row = locked_replay(connection, seen["id"])
    if (row["state"], row["cursor_at"], row["cursor_id"]) != (
        ReplayState.RUNNING,
        seen["cursor_at"],
        seen["cursor_id"],
    ):
        return 0
    # Each a little later than the one before: those that came together are read together, and lie together.
    rows = [
        _item(row, document, now - timedelta(microseconds=len(found) - place))
        for place, document in enumerate(found)
        if _comparable(document)
    ]
    insert_rows(connection, replay_items, rows)
    values: dict[str, Any] = {"listed": row["listed"] + len(rows), "updated_at": now}
    if found:
        values |= {"cursor_at": found[-1]["created_at"], "cursor_id": found[-1]["id"]}
    last = len(found) < LISTED_AT_ONCE
    update_replay(connection, row["id"], **values, listed_at=now if last else None)
    report_if_done(connection, row["id"], now)
    return len(rows) or (None if last else 0)


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

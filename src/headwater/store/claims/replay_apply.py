"""Replay, second part: documents that a replay improves are refined again from their stored capture."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, func, select, update

from headwater.model.jobs import State
from headwater.model.replay import ReplayState
from headwater.store.claims.replay import locked_replay, update_replay
from headwater.store.in_list import in_list
from headwater.store.schema.flow import documents
from headwater.store.schema.replays import replay_items

REPLACED_AT_ONCE = 100
# At most this many documents wait, so that new ones are not delayed for long.
MOST_WAITING = 2 * REPLACED_AT_ONCE

REPLACED, MOVED_ON, STAYS = "replaced", "moved_on", "stays"


def apply_some(connection: Connection, replay: str, now: datetime) -> int:
    """Reopen some of the chosen documents; returns how many items were handled, and 0 while too many documents wait."""
    row = locked_replay(connection, replay)
    if row["state"] != ReplayState.APPLYING or _too_many_waiting(connection, row["recipe"], now):
        return 0
    items = _next_items(connection, replay, row["chosen_verdicts"])
    documents_by_id = _locked_documents(connection, [item.document_id for item in items])
    outcomes = {item.id: _outcome(item, documents_by_id.get(item.document_id)) for item in items}
    replaced_ids = [item.document_id for item in items if outcomes[item.id] == REPLACED]
    if replaced_ids:
        due = {"due_at": now, "attempts": 0}
        connection.execute(update(documents).where(in_list(documents.c.id, replaced_ids)).values(**due))
    for outcome in (REPLACED, MOVED_ON, STAYS):
        item_ids = [name for name, item_outcome in outcomes.items() if item_outcome == outcome]
        if item_ids:
            finished = update(replay_items).where(in_list(replay_items.c.id, item_ids))
            connection.execute(finished.values(outcome=outcome))
    end_values = {} if items else {"state": ReplayState.APPLIED}
    counts = Counter(row["counts"]) + Counter(outcomes.values())
    update_replay(connection, replay, counts=dict(counts), updated_at=now, **end_values)
    return len(items)


def _too_many_waiting(connection: Connection, recipe: str, now: datetime) -> bool:
    query = select(documents.c.id).where(documents.c.recipe == recipe, documents.c.due_at <= now)
    limited = query.limit(MOST_WAITING).subquery()
    return (connection.scalar(select(func.count()).select_from(limited)) or 0) >= MOST_WAITING


def _next_items(connection: Connection, replay: str, verdicts: Sequence[str]) -> Sequence[Any]:
    names = ("id", "document_id", "revision", "capture_id", "before", "after")
    query = (
        select(*(replay_items.c[name] for name in names))
        .where(
            replay_items.c.replay_id == replay,
            replay_items.c.verdict.in_(list(verdicts)),
            replay_items.c.outcome == "",
        )
        .order_by(replay_items.c.verdict, replay_items.c.id)
    )
    return connection.execute(query.limit(REPLACED_AT_ONCE)).all()


def _locked_documents(connection: Connection, ids: Sequence[str]) -> dict[str, Any]:
    """The documents as they are now, locked in the order of their keys like everywhere."""
    if not ids:
        return {}
    names = ("id", "revision", "capture_id", "state", "due_at")
    query = select(*(documents.c[name] for name in names)).where(in_list(documents.c.id, ids))
    rows = connection.execute(query.order_by(documents.c.id).with_for_update())
    return {row.id: row for row in rows}


def _outcome(item: Any, document: Any) -> str:
    """A kept document is never replaced by one that would not be kept. Nothing becomes set aside, because that would
    only cause another fetch."""
    if document is None or document.due_at is not None:
        return MOVED_ON
    if (item.revision, item.capture_id, item.before) != (
        document.revision,
        document.capture_id,
        document.state,
    ):
        return MOVED_ON
    gives_up = item.before == State.KEPT and item.after != State.KEPT
    return STAYS if gives_up or item.after == State.ASIDE else REPLACED

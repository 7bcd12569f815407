"""What a replay found better, sent through the ordinary flow: refined once more from its stored capture."""

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
# Live documents wait behind no more than so many.
MOST_WAITING = 2 * REPLACED_AT_ONCE

REPLACED, MOVED_ON, STAYS = "replaced", "moved_on", "stays"


def apply_some(connection: Connection, replay: str, now: datetime) -> int:
    """Send some of the chosen documents to be refined; gives how many were dealt with, 0 also while too many wait."""
    row = locked_replay(connection, replay)
    if row["state"] != ReplayState.APPLYING or _crowded(connection, row["recipe"], now):
        return 0
    items = _next_items(connection, replay, row["chosen"])
    present = _present(connection, [item.document_id for item in items])
    ends = {item.id: _end(item, present.get(item.document_id)) for item in items}
    going = [item.document_id for item in items if ends[item.id] == REPLACED]
    if going:
        due = {"due_at": now, "attempts": 0}
        connection.execute(update(documents).where(in_list(documents.c.id, going)).values(**due))
    for outcome in (REPLACED, MOVED_ON, STAYS):
        some = [name for name, end in ends.items() if end == outcome]
        if some:
            ended = update(replay_items).where(in_list(replay_items.c.id, some))
            connection.execute(ended.values(outcome=outcome))
    done = {} if items else {"state": ReplayState.APPLIED}
    counts = Counter(row["counts"]) + Counter(ends.values())
    update_replay(connection, replay, counts=dict(counts), updated_at=now, **done)
    return len(items)


def _crowded(connection: Connection, recipe: str, now: datetime) -> bool:
    waiting = select(documents.c.id).where(documents.c.recipe == recipe, documents.c.due_at <= now)
    some = waiting.limit(MOST_WAITING).subquery()
    return (connection.scalar(select(func.count()).select_from(some)) or 0) >= MOST_WAITING


def _next_items(connection: Connection, replay: str, chosen: Sequence[str]) -> Sequence[Any]:
    names = ("id", "document_id", "revision", "capture_id", "before", "after")
    query = (
        select(*(replay_items.c[name] for name in names))
        .where(
            replay_items.c.replay_id == replay,
            replay_items.c.verdict.in_(list(chosen)),
            replay_items.c.outcome == "",
        )
        .order_by(replay_items.c.verdict, replay_items.c.id)
    )
    return connection.execute(query.limit(REPLACED_AT_ONCE)).all()


def _present(connection: Connection, ids: Sequence[str]) -> dict[str, Any]:
    """As they stand now; locked in the order in which everybody locks documents."""
    if not ids:
        return {}
    names = ("id", "revision", "capture_id", "state", "due_at")
    query = select(*(documents.c[name] for name in names)).where(in_list(documents.c.id, ids))
    rows = connection.execute(query.order_by(documents.c.id).with_for_update())
    return {row.id: row for row in rows}


def _end(item: Any, document: Any) -> str:
    """A kept document is never given up for one that would not be kept, and nothing is set aside that was not: that
    could only lead to another fetch."""
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

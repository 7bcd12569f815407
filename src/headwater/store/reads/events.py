"""New documents, stories and alarms since a time, in the order in which they changed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Column, ColumnElement, Engine, Table, select

from headwater.model.jobs import State
from headwater.store.connect import read_transaction
from headwater.store.schema.flow import documents, stories
from headwater.store.schema.operations import alarms


@dataclass(frozen=True, slots=True)
class ChangeEvent:
    """A record that is new or has changed. The same change has the same `at`, kind and id whoever reads it."""

    at: datetime
    kind: str
    id: str
    record: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _EventKind:
    table: Table
    time: Column[Any]
    names: tuple[str, ...]
    conditions: tuple[ColumnElement[bool], ...] = ()


EVENT_KINDS = {
    "document": _EventKind(
        documents,
        documents.c.updated_at,
        ("id", "recipe", "source_id", "title", "url", "language", "published_at", "revision"),
        (documents.c.state == State.KEPT,),
    ),
    "story": _EventKind(
        stories,
        stories.c.updated_at,
        ("id", "recipe", "title", "size", "score", "last_at", "revision"),
        (stories.c.state == "live",),
    ),
    "alarm": _EventKind(
        alarms, alarms.c.raised_at, ("id", "recipe", "kind", "subject", "title", "detail", "raised_at")
    ),
}


def read_events(
    engine: Engine, kinds: Sequence[str], recipes: Sequence[str], since: datetime, limit: int
) -> list[ChangeEvent]:
    """Oldest first, from `since` on, at most `limit`."""
    with read_transaction(engine) as connection:
        events = []
        for name in kinds:
            kind = EVENT_KINDS[name]
            columns = [*(kind.table.c[column] for column in kind.names), kind.time.label("at")]
            query = select(*columns).where(kind.time >= since, *kind.conditions)
            for recipe in recipes:
                rows = connection.execute(
                    query.where(kind.table.c.recipe == recipe)
                    .order_by(kind.time, kind.table.c.id)
                    .limit(limit)
                ).mappings()
                events += [
                    ChangeEvent(row["at"], name, row["id"], {column: row[column] for column in kind.names})
                    for row in rows
                ]
    events.sort(key=lambda event: (event.at, event.kind, event.id))
    return events[:limit]

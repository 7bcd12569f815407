"""Reads for people and programs: plain dictionaries, ready for a table or for JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import ColumnElement, Connection, Engine, Table, and_, case, false, func, or_, select, true

from headwater.model.errors import Refused
from headwater.model.jobs import ARCHIVED, State, Task
from headwater.model.suggestion import suggest
from headwater.store.changes.source_list import REMOVED
from headwater.store.claims.leases import TASK_CONDITIONS, TASK_TABLES
from headwater.store.connect import read_transaction
from headwater.store.reads.end_reasons import count_end_reasons, not_archived
from headwater.store.schema.flow import (
    captures,
    deliveries,
    documents,
    leads,
    polls,
    quarantine,
    sources,
    stories,
)

if TYPE_CHECKING:
    from headwater.store.rows import Record

# Enough of a key to name one record; keys are hexadecimal.
SHORTEST_PREFIX, HEXADECIMAL = 8, frozenset("0123456789abcdef")
SOURCE_FIELDS = (
    "id", "recipe", "kind", "name", "url", "active", "stop_reason", "failures", "reason", "due_at", "last_polled_at",
    "last_success_at", "muted_until", "credibility", "trigger_seconds", "trigger_cron", "origin", "pages", "options", "watermark",
)  # fmt: skip
DOCUMENT_FIELDS = (
    "id", "recipe", "state", "reason", "page", "title", "url", "publisher", "published_at", "language", "revision",
    "duplicate_of", "updated_at",
)  # fmt: skip


@dataclass(frozen=True)
class Catalogue:
    engine: Engine

    def status(self, recipe: str, now: datetime) -> Record:
        """All counts, and the unfinished work."""
        with read_transaction(self.engine) as connection:
            return {
                "recipe": recipe,
                "sources": _source_counts(connection, recipe, now),
                "leads": _counts(connection, leads, recipe),
                "refetched": _refetched_counts(connection, recipe),
                "documents": _document_counts(connection, recipe),
                "ended": count_end_reasons(connection, recipe),
                "stories": _total(connection, stories, stories.c.recipe == recipe, stories.c.state == "live"),
                "deliveries": _counts(connection, deliveries, recipe),
                "captures": _total(connection, captures, captures.c.recipe == recipe),
                "quarantine": _total(connection, quarantine, quarantine.c.recipe == recipe),
                "unfinished": {
                    task.value: _unfinished(connection, task, recipe, now) for task in TASK_TABLES
                },
            }

    def recipes(self) -> list[str]:
        """Every recipe that has a source."""
        with read_transaction(self.engine) as connection:
            return list(connection.scalars(select(sources.c.recipe).distinct().order_by(sources.c.recipe)))

    def first_poll(self, recipe: str, after: datetime) -> datetime | None:
        """When the first poll of the recipe after that time started."""
        query = select(func.min(polls.c.started_at)).where(
            polls.c.recipe == recipe, polls.c.started_at > after
        )
        with read_transaction(self.engine) as connection:
            started_at: datetime | None = connection.scalar(query)
        return started_at

    def sources(self, recipe: str | None = None, *, removed: bool = False) -> list[Record]:
        """With `removed`, also those that an operator removed and whose documents stay."""
        query = select(*(sources.c[name] for name in SOURCE_FIELDS)).order_by(
            sources.c.recipe, sources.c.name
        )
        if not removed:
            query = query.where(sources.c.origin != REMOVED)
        if recipe:
            query = query.where(sources.c.recipe == recipe)
        return self._all(query)

    def require_source(self, name_or_id: str, recipe: str | None = None) -> None:
        """Refuses a name that no source has, with the one that may have been meant."""
        rows = self.sources(recipe, removed=True)
        if any(name_or_id in (row["id"], row["name"]) for row in rows):
            return
        suggestion = suggest(name_or_id, [row["name"] for row in rows]) or "; see `headwater sources list`"
        raise Refused("unknown_source", f"there is no source '{name_or_id}'{suggestion}")

    def source(self, id_or_url: str) -> Record | None:
        matches_source = or_(
            sources.c.id == id_or_url, sources.c.url == id_or_url, sources.c.name == id_or_url
        )
        with read_transaction(self.engine) as connection:
            row = connection.execute(select(sources).where(matches_source)).mappings().first()
            if row is None:
                return None
            last = (
                select(polls)
                .where(polls.c.source_id == row["id"])
                .order_by(polls.c.started_at.desc())
                .limit(10)
            )
            return dict(row) | {"polls": [dict(poll) for poll in connection.execute(last).mappings()]}

    def documents(self, recipe: str | None, states: Sequence[State], limit: int) -> list[Record]:
        query = select(*(documents.c[name] for name in DOCUMENT_FIELDS)).order_by(
            documents.c.published_at.desc().nulls_last(), documents.c.id
        )
        if recipe:
            query = query.where(documents.c.recipe == recipe)
        if states:
            query = query.where(documents.c.state.in_(states), not_archived(documents))
        rows = self._all(query.limit(limit))
        return [row | {"state": ARCHIVED} if row["reason"] == ARCHIVED else row for row in rows]

    def document(self, id_or_url: str) -> Record | None:
        """By key, by the first characters of a key (8 or more), or by URL."""
        rows = self._all(select(documents).where(match_key_or_url(documents, id_or_url)).limit(1))
        return rows[0] if rows else None

    def quarantine(
        self,
        recipe: str | None = None,
        *,
        since: datetime | None = None,
        until: datetime | None = None,
        limit: int | None = None,
    ) -> list[Record]:
        """Oldest first."""
        query = select(quarantine).order_by(quarantine.c.created_at, quarantine.c.record_id).limit(limit)
        if recipe:
            query = query.where(quarantine.c.recipe == recipe)
        if since is not None:
            query = query.where(quarantine.c.created_at >= since)
        if until is not None:
            query = query.where(quarantine.c.created_at < until)
        return self._all(query)

    def quarantined_record(self, record: str) -> Record | None:
        rows = self._all(select(quarantine).where(begins_with(quarantine.c.record_id, record)).limit(1))
        return rows[0] if rows else None

    def _all(self, query: Any) -> list[Record]:
        with read_transaction(self.engine) as connection:
            return [dict(row) for row in connection.execute(query).mappings()]


def match_key_or_url(table: Table, id_or_url: str) -> Any:
    if id_or_url.startswith(("http://", "https://")):
        return table.c.url == id_or_url
    return begins_with(table.c.id, id_or_url)


def begins_with(key: ColumnElement[str], text: str) -> ColumnElement[bool]:
    """Keys with these first characters. Other text matches nothing, so that a stray word is not taken for a key. A range,
    because LIKE reads a whole table of SQLite."""
    if len(text) < SHORTEST_PREFIX or not all(letter in HEXADECIMAL for letter in text):
        return false()
    return and_(key >= text, key < f"{text}g")


def _counts(connection: Connection, table: Table, recipe: str) -> Mapping[str, int]:
    query = select(table.c.state, func.count()).where(table.c.recipe == recipe).group_by(table.c.state)
    return {row[0]: row[1] for row in connection.execute(query.order_by(table.c.state))}


def _refetched_counts(connection: Connection, recipe: str) -> Mapping[str, int]:
    """Leads by state whose page failed although they have a document from an earlier fetch."""
    has_document = (documents.c.id == leads.c.document_id, documents.c.state != State.WAITING)
    query = (
        select(leads.c.state, func.count())
        .join(documents, and_(*has_document))
        .where(leads.c.recipe == recipe, leads.c.state.in_((State.DROPPED, State.QUARANTINED)))
        .group_by(leads.c.state)
    )
    return {row[0]: row[1] for row in connection.execute(query.order_by(leads.c.state))}


def _document_counts(connection: Connection, recipe: str) -> Mapping[str, int]:
    """By state; documents that retention moved to files count as archived."""
    counts = dict(_counts(connection, documents, recipe))
    is_archived = (documents.c.state == State.DROPPED, documents.c.reason == ARCHIVED)
    if archived_count := _total(connection, documents, documents.c.recipe == recipe, *is_archived):
        counts[State.DROPPED] -= archived_count
        counts[ARCHIVED] = archived_count
    return {state: count for state, count in sorted(counts.items()) if count}


def _source_counts(connection: Connection, recipe: str, now: datetime) -> Mapping[str, int]:
    conditions = {
        "active": and_(sources.c.active, sources.c.stop_reason.is_(None)),
        "paused": and_(sources.c.active.is_(False), sources.c.origin != REMOVED),
        "stopped": sources.c.stop_reason.is_not(None),
        "failing": and_(sources.c.failures > 0, sources.c.stop_reason.is_(None)),
        "polled": sources.c.last_polled_at.is_not(None),
        "running": sources.c.lease_until > now,
    }
    return _count_each(connection, conditions, sources.c.recipe == recipe)


def _count_each(
    connection: Connection, conditions: Mapping[str, ColumnElement[bool]], *where: ColumnElement[bool]
) -> dict[str, int]:
    """How many rows meet each condition, in one statement."""
    columns = [func.sum(case((condition, 1), else_=0)) for condition in conditions.values()]
    row = connection.execute(select(*columns).where(*where)).one()
    return {name: count or 0 for name, count in zip(conditions, row, strict=True)}


def _total(connection: Connection, table: Table, *where: Any) -> int:
    return connection.scalar(select(func.count()).select_from(table).where(*where)) or 0


def _unfinished(connection: Connection, task: Task, recipe: str, now: datetime) -> Record:
    table = TASK_TABLES[task]
    claimable = and_(true(), *TASK_CONDITIONS.get(task, ()))
    is_unfinished = (table.c.recipe == recipe, table.c.due_at.is_not(None))
    counts = _count_each(
        connection,
        {
            "due": and_(claimable, table.c.due_at <= now),
            "later": and_(claimable, table.c.due_at > now),
            "leased": table.c.lease_until > now,
        },
        *is_unfinished,
    )
    return {
        **counts,
        "next": connection.scalar(select(func.min(table.c.due_at)).where(*is_unfinished, claimable)),
    }

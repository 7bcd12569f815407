"""Drafts: document rows that wait to be refined, and what refining reads for them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache, lru_cache
from operator import attrgetter
from typing import Any

from sqlalchemy import ColumnElement, Connection, Dialect, Select, Table, func, select

from headwater.model.jobs import Claim, Draft, State
from headwater.model.keys import key_number, positive_number
from headwater.store.bulk import PreparedStatement, insert_into, prepare_statement
from headwater.store.claims.leases import claim_rows
from headwater.store.dedupe.copy_dates import copy_dates
from headwater.store.in_list import in_named_list
from headwater.store.rows import LEAD_COLUMNS, capture_from, lead_from, source_from
from headwater.store.schema.flow import captures, documents, leads, revisions, sources
from headwater.text.urls import without_tracking


@dataclass(frozen=True, slots=True)
class NewDraft:
    """A lead whose bytes have arrived, and what its document starts with."""

    document: str
    recipe: str
    source: str
    lead: str
    url: str
    capture: str | None


def open_drafts(connection: Connection, new_drafts: Sequence[NewDraft], now: datetime) -> None:
    """A new document waits to be refined. An existing one keeps its content until its next revision is decided."""
    if not new_drafts:
        return
    rows = [
        {
            "id": draft.document,
            "number": key_number(draft.document),
            "source_number": positive_number(draft.source),
            "recipe": draft.recipe,
            "source_id": draft.source,
            "lead_id": draft.lead,
            "capture_id": draft.capture,
            "revision": 1,
            "state": State.WAITING,
            "url": draft.url,
            "clean_url": without_tracking(draft.url),
            "created_at": now,
            "updated_at": now,
            "due_at": now,
            "attempts": 0,
        }
        for draft in sorted(new_drafts, key=attrgetter("document"))
    ]
    _upsert_statement(connection.dialect, tuple(rows[0])).run(connection, rows)


@lru_cache(maxsize=16)
def _upsert_statement(dialect: Dialect, columns: tuple[str, ...]) -> PreparedStatement:
    statement = insert_into(dialect, documents)
    new = statement.excluded
    changes = {"next_capture_id": new.capture_id, "due_at": new.due_at, "attempts": new.attempts}
    return prepare_statement(
        dialect, statement.on_conflict_do_update(index_elements=["id"], set_=changes), columns
    )


def claim_documents(connection: Connection, claim: Claim) -> list[Draft]:
    ids = claim_rows(connection, claim)
    return _drafts(connection, _claimed_drafts(), ids) if ids else []


def drafts_by_id(connection: Connection, ids: Sequence[str], capture: ColumnElement[Any]) -> list[Draft]:
    """The drafts of these documents, based on that capture."""
    return _drafts(connection, _drafts_query(capture), ids)


@cache
def _claimed_drafts() -> Select[Any]:
    """Based on the newest capture."""
    return _drafts_query(func.coalesce(documents.c.next_capture_id, documents.c.capture_id))


def _drafts_query(capture: ColumnElement[Any]) -> Select[Any]:
    # A rejected revision has its number too, though it never became the document's revision.
    latest = select(func.max(revisions.c.revision)).where(revisions.c.document_id == documents.c.id)
    return (
        select(
            documents.c.id.label("draft"),
            documents.c.revision,
            documents.c.state.label("standing"),
            latest.scalar_subquery().label("latest"),
            capture.label("current"),
            *LEAD_COLUMNS,
        )
        .add_columns(documents.c.attempts.label("tries"))
        .join(leads, leads.c.id == documents.c.lead_id)
        .where(in_named_list(documents.c.id, "ids"))
        .order_by(documents.c.due_at, documents.c.id)
    )


def _drafts(connection: Connection, query: Select[Any], ids: Sequence[str]) -> list[Draft]:
    rows = connection.execute(query, {"ids": ids}).mappings().all()
    captures_by_id = _rows_by_id(connection, captures, {row["current"] for row in rows if row["current"]})
    sources_by_id = {
        key: source_from(row)
        for key, row in _rows_by_id(connection, sources, {row["source_id"] for row in rows}).items()
    }
    dates = copy_dates(connection, [row["draft"] for row in rows if row["published_at"] is None])
    return [
        Draft(
            id=row["draft"],
            revision=max(row["revision"], row["latest"] or 0) + (row["standing"] != State.WAITING),
            attempts=row["tries"],
            lead=lead_from(row),
            capture=capture_from(captures_by_id[row["current"]])
            if row["current"] in captures_by_id
            else None,
            source=sources_by_id[row["source_id"]],
            copy_date=dates.get(row["draft"]),
        )
        for row in rows
    ]


def _rows_by_id(connection: Connection, table: Table, ids: set[str]) -> dict[str, Any]:
    if not ids:
        return {}
    rows = connection.execute(_rows_of_ids(table), {"ids": ids}).mappings().all()
    return {row["id"]: row for row in rows}


@cache
def _rows_of_ids(table: Table) -> Select[Any]:
    return select(table).where(in_named_list(table.c.id, "ids"))

"""Documents to be: rows that wait for refining, and what refining is given."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from operator import attrgetter
from typing import Any

from sqlalchemy import ColumnElement, Connection, Dialect, func, select

from headwater.model.jobs import Claim, Draft, State
from headwater.model.keys import key_number, positive_number
from headwater.store.bulk import PreparedStatement, prepare_statement
from headwater.store.claims.leases import claim_rows, insert_into
from headwater.store.in_list import in_list
from headwater.store.rows import LEAD_COLUMNS, capture_from, lead_from, source_from
from headwater.store.schema.flow import captures, documents, leads, revisions, sources
from headwater.text.urls import without_tracking


@dataclass(frozen=True, slots=True)
class NewDraft:
    """A lead whose bytes have come: what its document starts with."""

    document: str
    recipe: str
    source: str
    lead: str
    url: str
    capture: str | None


def open_drafts(connection: Connection, ready: Sequence[NewDraft], now: datetime) -> None:
    """A new document waits to be refined; a known one keeps its content until its next revision is decided."""
    if not ready:
        return
    rows = [
        {
            "id": opening.document,
            "number": key_number(opening.document),
            "source_number": positive_number(opening.source),
            "recipe": opening.recipe,
            "source_id": opening.source,
            "lead_id": opening.lead,
            "capture_id": opening.capture,
            "revision": 1,
            "state": State.WAITING,
            "url": opening.url,
            "clean_url": without_tracking(opening.url),
            "created_at": now,
            "updated_at": now,
            "due_at": now,
            "attempts": 0,
        }
        for opening in sorted(ready, key=attrgetter("document"))
    ]
    _opening(connection.dialect, tuple(rows[0])).run(connection, rows)


@lru_cache(maxsize=16)
def _opening(dialect: Dialect, columns: tuple[str, ...]) -> PreparedStatement:
    statement = insert_into(dialect, documents)
    new = statement.excluded
    again = {"next_capture_id": new.capture_id, "due_at": new.due_at, "attempts": new.attempts}
    return prepare_statement(
        dialect, statement.on_conflict_do_update(index_elements=["id"], set_=again), columns
    )


def claim_documents(connection: Connection, claim: Claim) -> list[Draft]:
    ids = claim_rows(connection, claim)
    newest = func.coalesce(documents.c.next_capture_id, documents.c.capture_id)
    return drafts_by_id(connection, ids, newest) if ids else []


def drafts_by_id(connection: Connection, ids: Sequence[str], capture: ColumnElement[Any]) -> list[Draft]:
    """What refining would be given for these documents if they were made from that capture."""
    current = capture.label("current")
    # A revision that was not good enough has its number too, though the document does not bear it.
    latest = select(func.max(revisions.c.revision)).where(revisions.c.document_id == documents.c.id)
    query = (
        select(
            documents.c.id.label("draft"),
            documents.c.revision,
            documents.c.state.label("standing"),
            latest.scalar_subquery().label("latest"),
            current,
            *LEAD_COLUMNS,
        )
        .add_columns(documents.c.attempts.label("tries"))
        .join(leads, leads.c.id == documents.c.lead_id)
        .where(in_list(documents.c.id, ids))
        .order_by(documents.c.due_at, documents.c.id)
    )
    rows = connection.execute(query).mappings().all()
    known_captures = _by_id(connection, captures, {row["current"] for row in rows if row["current"]})
    known_sources = {
        key: source_from(row)
        for key, row in _by_id(connection, sources, {row["source_id"] for row in rows}).items()
    }
    return [
        Draft(
            id=row["draft"],
            revision=max(row["revision"], row["latest"] or 0) + (row["standing"] != State.WAITING),
            attempts=row["tries"],
            lead=lead_from(row),
            capture=capture_from(known_captures[row["current"]])
            if row["current"] in known_captures
            else None,
            source=known_sources[row["source_id"]],
        )
        for row in rows
    ]


def _by_id(connection: Connection, table: Any, ids: set[str]) -> dict[str, Any]:
    if not ids:
        return {}
    rows = connection.execute(select(table).where(in_list(table.c.id, ids))).mappings().all()
    return {row["id"]: row for row in rows}

"""Documents to be: rows that wait for refining, and what refining is given."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, func, select

from headwater.backends.sql.claims import insert_into, take
from headwater.backends.sql.rows import capture_from, lead_from, source_from
from headwater.backends.sql.schema import captures, documents, leads, revisions, sources
from headwater.model.lead import StoredLead
from headwater.model.work import Claim, Draft, State
from headwater.pure.keys import key_number, positive_number


def open_drafts(
    connection: Connection, ready: Sequence[tuple[StoredLead, str | None]], now: datetime
) -> None:
    """A new document waits to be refined; a known one keeps its content until its next revision is decided."""
    if not ready:
        return
    rows = [
        {
            "id": stored.document,
            "number": key_number(stored.document),
            "source_number": positive_number(stored.source),
            "recipe": stored.recipe,
            "source_id": stored.source,
            "lead_id": stored.id,
            "capture_id": capture,
            "revision": 1,
            "state": State.WAITING,
            "url": stored.lead.url,
            "created_at": now,
            "updated_at": now,
            "due_at": now,
            "attempts": 0,
        }
        for stored, capture in sorted(ready, key=lambda pair: pair[0].document)
    ]
    statement = insert_into(connection, documents)
    again = {"next_capture_id": statement.excluded.capture_id, "due_at": now, "attempts": 0}
    connection.execute(statement.on_conflict_do_update(index_elements=["id"], set_=again), rows)


def claim_documents(connection: Connection, claim: Claim) -> list[Draft]:
    ids = take(connection, claim)
    if not ids:
        return []
    current = func.coalesce(documents.c.next_capture_id, documents.c.capture_id).label("current")
    # A revision that was not good enough has its number too, though the document does not bear it.
    latest = select(func.max(revisions.c.revision)).where(revisions.c.document_id == documents.c.id)
    query = (
        select(
            documents.c.id.label("draft"),
            documents.c.revision,
            documents.c.state.label("standing"),
            latest.scalar_subquery().label("latest"),
            current,
            leads,
        )
        .add_columns(documents.c.attempts.label("tries"))
        .join(leads, leads.c.id == documents.c.lead_id)
        .where(documents.c.id.in_(ids))
        .order_by(documents.c.due_at, documents.c.id)
    )
    rows = list(connection.execute(query).mappings())
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
    return {row["id"]: row for row in connection.execute(select(table).where(table.c.id.in_(ids))).mappings()}

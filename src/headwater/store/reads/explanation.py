"""Everything about one document: where it came from, how it was processed and what happened to it."""

from typing import Any

from sqlalchemy import Connection, Engine, Table, or_, select

from headwater.store.connect import read_transaction
from headwater.store.reads.catalogue import match_key_or_url
from headwater.store.rows import Record
from headwater.store.schema.flow import (
    captures,
    deliveries,
    documents,
    leads,
    polls,
    quarantine,
    revisions,
    sources,
    stories,
    story_members,
)
from headwater.store.schema.knowledge import edges, facts, fingerprints, mentions
from headwater.text.redaction import redact_record


def explain(engine: Engine, id_or_url: str) -> Record | None:
    """Everything stored about a document, or about a lead without one, by key, first characters of a key, or URL.
    Without the secrets of URLs: it is for people, and they pass it on."""
    with read_transaction(engine) as connection:
        document, lead = _document_and_lead(connection, id_or_url)
        if lead is None:
            return None
        record = document["id"] if document else lead["id"]
        history = {
            "document": document,
            "lead": lead,
            "source": _first(connection, select(sources).where(sources.c.id == lead["source_id"])),
            "poll": _first(connection, _discovering_poll(lead)),
            "captures": _captures(connection, document, lead),
            "revisions": _rows(connection, revisions, revisions.c.document_id == record),
            "edges": _rows(connection, edges, or_(edges.c.from_id == record, edges.c.to_id == record)),
            "also_seen": _rows(
                connection, leads, leads.c.document_id == lead["document_id"], leads.c.id != lead["id"]
            ),
            "mentions": _rows(connection, mentions, mentions.c.document_id == record),
            "fingerprints": _rows(connection, fingerprints, fingerprints.c.document_id == record),
            "facts": _rows(connection, facts, facts.c.record_id == record),
            "stories": _stories(connection, record),
            "deliveries": _rows(connection, deliveries, deliveries.c.record_id == record),
            "quarantine": _rows(connection, quarantine, quarantine.c.record_id.in_([record, lead["id"]])),
        }
    return redact_record(history)  # type: ignore[no-any-return]


def entry_body(engine: Engine, lead: str) -> str | None:
    """What the entry of a source brought itself, for documents that are made of it."""
    with read_transaction(engine) as connection:
        body: str | None = connection.scalar(select(leads.c.body).where(leads.c.id == lead))
        return body


def _document_and_lead(connection: Connection, id_or_url: str) -> tuple[Record | None, Record | None]:
    """The document and its lead. After a redirect or a duplicate only the lead has the requested URL."""
    document = _first(connection, select(documents).where(match_key_or_url(documents, id_or_url)))
    if document is None:
        lead = _first(connection, select(leads).where(match_key_or_url(leads, id_or_url)))
        if lead is None:
            return None, None
        document = _first(connection, select(documents).where(documents.c.id == lead["document_id"]))
        if document is None:
            return None, lead
    return document, _first(connection, select(leads).where(leads.c.id == document["lead_id"]))


def _discovering_poll(lead: Record) -> Any:
    """The poll that first found it."""
    return (
        select(polls)
        .where(polls.c.source_id == lead["source_id"], polls.c.started_at <= lead["first_seen_at"])
        .order_by(polls.c.started_at.desc())
    )


def _captures(connection: Connection, document: Record | None, lead: Record) -> list[Record]:
    capture_ids = {lead["capture_id"], document["capture_id"] if document else None} - {None}
    return _rows(connection, captures, or_(captures.c.id.in_(capture_ids), captures.c.lead_id == lead["id"]))


def _stories(connection: Connection, document: str) -> list[Record]:
    query = (
        select(stories.c.id, stories.c.title, stories.c.size, story_members.c.similarity)
        .join(story_members, story_members.c.story_id == stories.c.id)
        .where(story_members.c.document_id == document, stories.c.state == "live")
    )
    return [dict(row) for row in connection.execute(query).mappings()]


def _first(connection: Connection, query: Any) -> Record | None:
    row = connection.execute(query.limit(1)).mappings().first()
    return None if row is None else dict(row)


def _rows(connection: Connection, table: Table, *where: Any) -> list[Record]:
    return [dict(row) for row in connection.execute(select(table).where(*where)).mappings()]

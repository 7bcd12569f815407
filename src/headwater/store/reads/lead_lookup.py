"""Leads by the words of their titles or by their host: what sources listed, whatever became of it."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Engine, func, select

from headwater.store.connect import read_transaction
from headwater.store.rows import Record
from headwater.store.schema.flow import documents, leads, sources

MOST_ROWS = 20
COLUMNS = (
    leads.c.id,
    leads.c.recipe,
    leads.c.url,
    leads.c.first_seen_at,
    leads.c.state.label("lead_state"),
    leads.c.document_id,
    documents.c.state,
    func.coalesce(documents.c.reason, leads.c.reason).label("reason"),
    func.coalesce(func.nullif(documents.c.title, ""), leads.c.title, "").label("title"),
    sources.c.name.label("source"),
)


def leads_with_words(engine: Engine, words: Sequence[str]) -> list[Record]:
    """The newest whose title has all these words, or whose address has them."""
    text = func.lower(func.coalesce(leads.c.title, "") + " " + leads.c.url)
    conditions: list[Any] = [text.contains(word.lower(), autoescape=True) for word in words]
    query = (
        select(*COLUMNS)
        .join(sources, sources.c.id == leads.c.source_id)
        .outerjoin(documents, documents.c.id == leads.c.document_id)
        .where(*conditions)
        .order_by(leads.c.first_seen_at.desc())
        .limit(MOST_ROWS)
    )
    with read_transaction(engine) as connection:
        return [dict(row) for row in connection.execute(query).mappings()]


def sources_of_host(engine: Engine, host: str) -> list[Record]:
    """Sources whose address is on this host."""
    query = (
        select(sources.c.id, sources.c.name, sources.c.recipe, sources.c.last_polled_at)
        .where(sources.c.url.contains(f"//{host}", autoescape=True))
        .order_by(sources.c.name)
        .limit(MOST_ROWS)
    )
    with read_transaction(engine) as connection:
        return [dict(row) for row in connection.execute(query).mappings()]

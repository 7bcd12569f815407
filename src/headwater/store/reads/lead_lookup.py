"""Leads by the words of their titles or by their host: what sources listed, whatever became of it. And what polls noted of
entries that became no lead."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Engine, Text, cast, func, select

from headwater.store.connect import read_transaction
from headwater.store.rows import Record
from headwater.store.schema.flow import documents, leads, polls, sources

MOST_ROWS = 20
READ_POLLS = 5_000
COLUMNS = (
    leads.c.id,
    leads.c.source_id,
    leads.c.recipe,
    leads.c.url,
    leads.c.first_seen_at,
    leads.c.state.label("lead_state"),
    leads.c.reason.label("lead_reason"),
    leads.c.title.label("lead_title"),
    leads.c.document_id,
    documents.c.state,
    func.coalesce(documents.c.reason, leads.c.reason).label("reason"),
    func.coalesce(func.nullif(documents.c.title, ""), leads.c.title, "").label("title"),
    sources.c.name.label("source"),
)


def leads_with_words(engine: Engine, words: Sequence[str]) -> list[Record]:
    """The newest whose title has all these words, or whose address has them; one more than a page shows, if there are more."""
    text = func.lower(func.coalesce(leads.c.title, "") + " " + leads.c.url)
    conditions: list[Any] = [text.contains(word.lower(), autoescape=True) for word in words]
    query = (
        select(*COLUMNS)
        .join(sources, sources.c.id == leads.c.source_id)
        .outerjoin(documents, documents.c.id == leads.c.document_id)
        .where(*conditions)
        .order_by(leads.c.first_seen_at.desc())
        .limit(MOST_ROWS + 1)
    )
    with read_transaction(engine) as connection:
        return [dict(row) for row in connection.execute(query).mappings()]


def listed_lead(engine: Engine, lead: str) -> Record | None:
    """What a source listed, by its id, also if another lead led to its document."""
    query = (
        select(*COLUMNS)
        .join(sources, sources.c.id == leads.c.source_id)
        .outerjoin(documents, documents.c.id == leads.c.document_id)
        .where(leads.c.id == lead)
    )
    with read_transaction(engine) as connection:
        row = connection.execute(query).mappings().first()
        return None if row is None else dict(row)


def poll_notes_with_words(engine: Engine, words: Sequence[str]) -> list[Record]:
    """The newest polls with a warning that names all these words, one per source and warning: an entry that a poll refuses
    becomes no lead. Read are the last polls that warned; the warnings are compared here, because the database cannot fold
    every letter."""
    query = (
        select(
            polls.c.id,
            polls.c.source_id,
            sources.c.name.label("source"),
            polls.c.started_at,
            polls.c.warnings,
        )
        .join(sources, sources.c.id == polls.c.source_id)
        .where(func.length(cast(polls.c.warnings, Text)) > len("null"))
        .order_by(polls.c.started_at.desc())
        .limit(READ_POLLS)
    )
    notes: dict[tuple[str, str], Record] = {}
    with read_transaction(engine) as connection:
        for row in connection.execute(query).mappings():
            for line in lines_with_words(row["warnings"] or (), words):
                others = [warning for warning in row["warnings"] if warning != line]
                note = {name: row[name] for name in ("source_id", "source", "started_at")}
                notes.setdefault((row["source_id"], line), note | {"note": line, "others": others})
            if len(notes) >= MOST_ROWS:
                break
    return list(notes.values())


def lines_with_words(lines: Sequence[str], words: Sequence[str]) -> list[str]:
    """Those whose detail, after the code, has all the words."""
    details = ((line, line.partition(": ")[2].casefold()) for line in lines)
    return [line for line, detail in details if all(word.casefold() in detail for word in words)]


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

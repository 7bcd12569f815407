"""Quarantined records by reason, and what they are called."""

from collections import Counter
from collections.abc import Sequence

from sqlalchemy import Engine, func, select

from headwater.store.connect import read_transaction
from headwater.store.in_list import in_list
from headwater.store.rows import Record
from headwater.store.schema.flow import documents, leads, quarantine

MOST_REASONS = 30


def quarantine_reasons(engine: Engine, recipe: str | None = None) -> list[Record]:
    """How many there are for each reason, the most frequent first. The recipe is among the groups because an index begins
    with it: the database then counts along the index, without sorting."""
    columns = (quarantine.c.recipe, quarantine.c.reason)
    query = select(*columns, func.count().label("number")).group_by(*columns)
    if recipe:
        query = query.where(quarantine.c.recipe == recipe)
    counts: Counter[str] = Counter()
    with read_transaction(engine) as connection:
        for row in connection.execute(query):
            counts[row.reason] += row.number
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return [{"reason": reason, "count": count} for reason, count in ordered[:MOST_REASONS]]


def record_titles(engine: Engine, ids: Sequence[str]) -> dict[str, Record]:
    """The title and the URL of documents and leads, by id. A document without a title has that of its lead."""
    titles: dict[str, Record] = {}
    of_lead = select(leads.c.title).where(leads.c.id == documents.c.lead_id).scalar_subquery()
    title = func.coalesce(func.nullif(documents.c.title, ""), of_lead, "")
    of_documents = select(documents.c.id, title.label("title"), documents.c.url)
    of_leads = select(leads.c.id, func.coalesce(leads.c.title, "").label("title"), leads.c.url)
    with read_transaction(engine) as connection:
        for query, column in ((of_leads, leads.c.id), (of_documents, documents.c.id)):
            for row in connection.execute(query.where(in_list(column, ids))).mappings():
                titles[row["id"]] = {"title": row["title"], "url": row["url"]}
    return titles

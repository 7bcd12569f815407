"""Quarantined records by reason, and what they are called."""

from collections.abc import Sequence

from sqlalchemy import Engine, func, select

from headwater.store.connect import read_transaction
from headwater.store.in_list import in_list
from headwater.store.rows import Record
from headwater.store.schema.flow import documents, leads, quarantine

MOST_REASONS = 30


def quarantine_reasons(engine: Engine, recipe: str | None = None) -> list[Record]:
    """By reason and task, the most frequent first."""
    query = (
        select(quarantine.c.reason, quarantine.c.task, func.count().label("count"))
        .group_by(quarantine.c.reason, quarantine.c.task)
        .order_by(func.count().desc(), quarantine.c.reason)
        .limit(MOST_REASONS)
    )
    if recipe:
        query = query.where(quarantine.c.recipe == recipe)
    with read_transaction(engine) as connection:
        return [dict(row) for row in connection.execute(query).mappings()]


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

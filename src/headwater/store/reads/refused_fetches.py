"""Pages that were not requested, or not stored, because a rule forbids it: robots.txt, a reservation of rights, the address guard."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Engine, select

from headwater.model.jobs import State
from headwater.model.page import PageState
from headwater.store.connect import read_transaction
from headwater.store.rows import Record
from headwater.store.schema.flow import documents, leads

REFUSALS = ("robots", "reserved", "forbidden_address")
MOST_ROWS = 100


def refused_fetches(engine: Engine, recipes: Sequence[str], since: datetime) -> list[Record]:
    """Those of the time since then, newest first: leads without a document, and documents made without their page."""
    columns = (leads.c.id, leads.c.recipe, leads.c.source_id, leads.c.url, leads.c.updated_at)
    ended = select(*columns, leads.c.reason).where(
        leads.c.state == State.DROPPED, leads.c.reason.in_(REFUSALS), leads.c.updated_at >= since
    )
    without_page = (
        select(*columns, leads.c.page_reason.label("reason"))
        .join(documents, documents.c.lead_id == leads.c.id)
        .where(documents.c.page == PageState.DISALLOWED, documents.c.created_at >= since)
    )
    rows: list[Record] = []
    with read_transaction(engine) as connection:
        for recipe in recipes:
            for query, table in ((ended, leads), (without_page, documents)):
                of_recipe = query.where(table.c.recipe == recipe).order_by(leads.c.updated_at.desc())
                rows += [dict(row) for row in connection.execute(of_recipe.limit(MOST_ROWS)).mappings()]
    rows.sort(key=lambda row: (row["updated_at"], row["id"]), reverse=True)
    return rows[:MOST_ROWS]

"""How many records are quarantined for each reason."""

from sqlalchemy import Engine, func, select

from headwater.store.connect import read_transaction
from headwater.store.rows import Record
from headwater.store.schema.flow import quarantine

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

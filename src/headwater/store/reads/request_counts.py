"""How many requests were answered, by kind of source."""

from collections import Counter, defaultdict
from datetime import datetime

from sqlalchemy import Engine, select

from headwater.store.connect import read_transaction
from headwater.store.rows import Record
from headwater.store.schema.flow import captures, sources

MOST_SAMPLES = 50_000


def requests_by_kind(engine: Engine, since: datetime) -> list[Record]:
    """By kind: the answers that were stored since then, and how many in the busiest minute."""
    recipes = select(sources.c.recipe).distinct()
    query = select(captures.c.fetched_at, sources.c.kind).join(sources, sources.c.id == captures.c.source_id)
    minutes: dict[str, Counter[datetime]] = defaultdict(Counter)
    with read_transaction(engine) as connection:
        for recipe in list(connection.scalars(recipes)):
            of_recipe = query.where(captures.c.recipe == recipe, captures.c.fetched_at >= since)
            for fetched_at, kind in connection.execute(of_recipe.limit(MOST_SAMPLES)):
                minutes[kind][fetched_at.replace(second=0, microsecond=0)] += 1
    return [
        {"kind": kind, "count": counts.total(), "busiest_minute": max(counts.values())}
        for kind, counts in sorted(minutes.items())
    ]

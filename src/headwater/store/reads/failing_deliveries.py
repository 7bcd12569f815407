"""Deliveries that failed. Apart from saved searches, because `status` must not wait for their parts."""

from typing import Any

from sqlalchemy import Engine, func, select, text

from headwater.store.connect import read_transaction
from headwater.store.schema.flow import FAILING_DELIVERY, deliveries


def failing_deliveries(engine: Engine, recipe: str | None = None) -> list[dict[str, Any]]:
    """Deliveries that failed and wait for another attempt, or were given up: by recipe, route, state and reason, with
    their number, the oldest, and the next attempt."""
    due = func.min(deliveries.c.due_at, type_=deliveries.c.due_at.type)
    oldest = func.min(deliveries.c.created_at, type_=deliveries.c.created_at.type)
    columns = (deliveries.c.recipe, deliveries.c.route, deliveries.c.state, deliveries.c.reason)
    query = (
        select(*columns, func.count().label("count"), oldest.label("since"), due.label("next"))
        .where(text(FAILING_DELIVERY))
        .group_by(*columns)
        .order_by(*columns)
    )
    if recipe:
        query = query.where(deliveries.c.recipe == recipe)
    with read_transaction(engine) as connection:
        return [dict(row) for row in connection.execute(query).mappings()]

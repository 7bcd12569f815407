"""Sources and the list that named them: who leaves it rests, who comes back goes on.

The mark is the row's origin, not its reason: a look that was under way writes its own reason over any other.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, case, select, update

from headwater.store.bulk import update_rows
from headwater.store.in_list import in_list
from headwater.store.schema.flow import sources

RECIPE, OPERATOR, UNLISTED = "recipe", "operator", "unlisted"


def follow_list(connection: Connection, recipe: str, listed: Sequence[str], now: datetime) -> list[str]:
    """Pause the active sources that the list once named and names no more; wake those that it names again. Gives the
    names of the paused ones. Sources that an operator added or paused stay as they are."""
    named = set(listed)
    query = select(sources.c.id, sources.c.name, sources.c.origin).where(
        sources.c.recipe == recipe,
        (sources.c.origin == UNLISTED) | ((sources.c.origin == RECIPE) & sources.c.active),
    )
    rows = connection.execute(query.order_by(sources.c.name).with_for_update()).all()
    left = [row for row in rows if row.origin == RECIPE and row.id not in named]
    back = [row for row in rows if row.origin == UNLISTED and row.id in named]
    rests = {"origin": UNLISTED, "active": False, "reason": UNLISTED, "due_at": None, "updated_at": now}
    update_rows(connection, sources, [(row.id, rests) for row in left])
    update_rows(connection, sources, [(row.id, reactivated_values(RECIPE, now)) for row in back])
    return [row.name for row in left]


def reactivated_values(origin: str, now: datetime) -> dict[str, Any]:
    return {"origin": origin, "active": True, "reason": None, "due_at": now, "updated_at": now}


def adopt_sources(connection: Connection, ids: Sequence[str], now: datetime) -> None:
    """An operator added sources that were there already: they do not depend on the list any more."""
    theirs = update(sources).where(in_list(sources.c.id, ids))
    connection.execute(theirs.where(sources.c.origin == UNLISTED).values(**reactivated_values(OPERATOR, now)))
    connection.execute(theirs.values(origin=OPERATOR))


def origin_after_operator(*, active: bool) -> ColumnElement[str]:
    """The origin after an operator switched a source on or off: from then on the list does neither."""
    return case((sources.c.origin == UNLISTED, OPERATOR if active else RECIPE), else_=sources.c.origin)

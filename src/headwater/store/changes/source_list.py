"""Sources and the list that names them: a source that leaves the list is paused, one that returns is resumed.

The row's origin records this, not its reason: a poll under way overwrites the reason.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, case, select, update

from headwater.store.bulk import update_rows
from headwater.store.in_list import in_list
from headwater.store.schema.flow import sources

RECIPE, OPERATOR, UNLISTED, REMOVED = "recipe", "operator", "unlisted", "removed"


def sync_source_list(
    connection: Connection, recipe: str, source_ids: Sequence[str], now: datetime
) -> list[str]:
    """Pause active sources that the list no longer names, and resume those that it names again. Returns the names of
    the paused ones. Sources that an operator added or paused stay as they are."""
    listed_ids = set(source_ids)
    query = select(sources.c.id, sources.c.name, sources.c.origin).where(
        sources.c.recipe == recipe,
        (sources.c.origin == UNLISTED) | ((sources.c.origin == RECIPE) & sources.c.active),
    )
    rows = connection.execute(query.order_by(sources.c.name).with_for_update()).all()
    removed = [row for row in rows if row.origin == RECIPE and row.id not in listed_ids]
    returned = [row for row in rows if row.origin == UNLISTED and row.id in listed_ids]
    paused = {"origin": UNLISTED, "active": False, "reason": UNLISTED, "due_at": None, "updated_at": now}
    update_rows(connection, sources, [(row.id, paused) for row in removed])
    update_rows(connection, sources, [(row.id, reactivated_values(RECIPE, now)) for row in returned])
    return [row.name for row in removed]


def reactivated_values(origin: str, now: datetime) -> dict[str, Any]:
    return {"origin": origin, "active": True, "reason": None, "due_at": now, "updated_at": now}


def adopt_sources(connection: Connection, ids: Sequence[str], now: datetime) -> None:
    """An operator added sources that exist already: they no longer depend on the list."""
    these_sources = update(sources).where(in_list(sources.c.id, ids))
    connection.execute(
        these_sources.where(sources.c.origin.in_((UNLISTED, REMOVED))).values(
            **reactivated_values(OPERATOR, now)
        )
    )
    connection.execute(these_sources.values(origin=OPERATOR))


def origin_after_operator(*, active: bool) -> ColumnElement[str]:
    """The origin after an operator switched a source on or off: the list no longer changes it."""
    return case(
        (sources.c.origin == UNLISTED, OPERATOR if active else RECIPE),
        (sources.c.origin == REMOVED, OPERATOR if active else REMOVED),
        else_=sources.c.origin,
    )

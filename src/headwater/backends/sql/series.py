"""Numbers that a source told, into tables of their own. Telling them again changes nothing; telling better ones does."""

from typing import Any

from sqlalchemy import Connection, select

from headwater.backends.sql.bulk import insert_rows
from headwater.backends.sql.schema import bars, observations, sources
from headwater.model.series import Bar
from headwater.model.work import Polled

MEASURES = ("open", "high", "low", "close", "volume", "average", "trades")
REPLACED = (*MEASURES, "capture_id")


def store_series(connection: Connection, result: Polled, capture: str | None) -> int:
    """Gives how many rows are new. A bar that is told again takes the new figures: the day goes on, or was corrected."""
    if not result.bars and not result.observations:
        return 0
    recipe = str(connection.scalar(select(sources.c.recipe).where(sources.c.id == result.source)))
    rows = [_bar_row(bar, recipe, capture) for bar in result.bars]
    new = insert_rows(connection, bars, rows)
    if new < len(rows):
        insert_rows(connection, bars, rows, replacing=REPLACED)
    seen = [
        {
            "recipe": recipe,
            "kind": one.kind,
            "name": one.name,
            "at": one.at,
            "value": dict(one.value),
            "source_id": result.source,
            "capture_id": capture,
        }
        for one in result.observations
    ]
    return new + insert_rows(connection, observations, seen)


def _bar_row(bar: Bar, recipe: str, capture: str | None) -> dict[str, Any]:
    told = {name: getattr(bar, name) for name in MEASURES}
    return {
        "recipe": recipe,
        "symbol": bar.symbol,
        "span": bar.span,
        "at": bar.at,
        **told,
        "capture_id": capture,
    }

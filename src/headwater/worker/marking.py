"""Marks that a Redis server has lost, made again from the rows."""

from typing import Any

from headwater.app import App
from headwater.model.errors import Temporary
from headwater.pure.urls import canonical


def fill_markers(app: App) -> dict[str, Any]:
    """How many marks were made, by recipe; nothing if none was missing. A server that is away is no failure: its marks
    are made when it is back, and whoever writes them in the meantime has said so already."""
    markers = app.markers
    if markers is None:
        return {}
    try:
        return {
            name: markers.refill(name, app.recipe(name).canonical or canonical) for name in markers.missing()
        }
    except Temporary as trouble:
        return {"postponed": trouble.reason}

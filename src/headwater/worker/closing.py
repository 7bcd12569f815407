"""The end of a run, for workers whose runs never end."""

from typing import Any

from headwater.app import App


def close_runs(app: App) -> dict[str, Any]:
    """Bring the summaries of recipes that have sources here up to date; gives their names."""
    closed = [name for name in app.catalogue.recipes() if name in app.recipes and app.recipes[name].closing]
    for name in closed:
        app.close_run(name)
    return {"closed": closed}

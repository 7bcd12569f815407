"""The end of a run, for workers whose runs never end."""

from typing import Any

from headwater.app import App
from headwater.model.errors import Permanent, Refused, Temporary


def close_runs(app: App) -> dict[str, Any]:
    """Bring the summaries of recipes that have sources here up to date; gives their names. One that cannot be (it writes
    to a database of others that is away) holds up none of the others, and is raised at the end."""
    due = [name for name in app.catalogue.recipes() if name in app.recipes and app.recipes[name].closing]
    closed, trouble = [], None
    for name in due:
        try:
            app.close_run(name)
            closed.append(name)
        except (Temporary, Permanent, Refused) as error:
            trouble = error
    if trouble is not None:
        raise trouble
    return {"closed": closed}

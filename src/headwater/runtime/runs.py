"""Runs of a pipeline: their names and dates, their rows, and the reports that a recipe writes after a run."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, datetime
from hashlib import blake2b
from typing import Any

from headwater.app import App
from headwater.engine.isolation import error_reason
from headwater.model.errors import Permanent, Refused, Temporary

DAY_FORMATS = ("%Y-%m-%d", "%Y%m%d")


def new_run_name(now: datetime, randomness: bytes) -> str:
    """`run_YYYYmmdd_HHMMSS_` and eight hexadecimal digits."""
    return f"run_{now:%Y%m%d_%H%M%S}_{blake2b(randomness, digest_size=4).hexdigest()}"


def parse_target_day(text: str | None, now: datetime) -> date | None:
    """The day in the text, today if the text is empty, None if it is not a day."""
    if not text:
        return now.date()
    for day_format in DAY_FORMATS:
        try:
            return datetime.strptime(text, day_format).replace(tzinfo=now.tzinfo).date()
        except ValueError:
            continue
    return None


@contextmanager
def record_run(app: App, recipe: str, run: str | None = None) -> Iterator[str | None]:
    """Store the work inside as a run; yields its name. `run` names one that was begun elsewhere. While another run goes on,
    the work is part of that one and has no row of its own. An error inside is stored and raised."""
    rows, now = app.pipeline_runs, app.clock()
    settings = app.settings.recipes.get(recipe)
    options = settings.options if settings else {}
    day = parse_target_day(str(options.get("date") or ""), now) or now.date()
    name = run or new_run_name(now, secrets.token_bytes(8))
    if run is None and not rows.begin(name, recipe, str(options.get("tier", "A")), day.isoformat(), now):
        yield None
        return
    try:
        yield name
    except BaseException as error:
        reason, detail = error_reason(error) if isinstance(error, Exception) else ("stopped", "")
        rows.finish(name, app.clock(), error=f"{reason}: {detail}".rstrip(": "))
        raise
    rows.finish(name, app.clock())


def close_runs(app: App) -> dict[str, Any]:
    """Let the recipes that have sources here write their reports; returns their names. An error in one recipe (it may write
    to another database that is unavailable) does not stop the others, and is raised at the end."""
    recipes = [
        name for name in app.catalogue.recipes() if name in app.recipes and app.recipes[name].after_run
    ]
    closed, last_error = [], None
    for name in recipes:
        try:
            app.close_run(name)
            closed.append(name)
        except (Temporary, Permanent, Refused) as error:
            last_error = error
    if last_error is not None:
        raise last_error
    return {"closed": closed}

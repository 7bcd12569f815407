"""Runs of a pipeline: their names, their options, their rows, and the reports that a recipe writes after a run."""

import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta
from hashlib import blake2b
from typing import Any

from headwater.app import App
from headwater.engine.isolation import error_reason
from headwater.model.errors import Permanent, Refused, Temporary

LONGEST_CONTINUOUS_RUN = timedelta(hours=1)


def new_run_name(now: datetime, randomness: bytes) -> str:
    """`run_YYYYmmdd_HHMMSS_` and eight hexadecimal digits."""
    return f"run_{now:%Y%m%d_%H%M%S}_{blake2b(randomness, digest_size=4).hexdigest()}"


def describe_run(
    app: App, recipe: str, now: datetime, overrides: Mapping[str, str] | None = None
) -> dict[str, str]:
    """What the row of a run that begins now records: the options of the settings with those that were given for this run."""
    run_options = app.recipes[recipe].run_options if recipe in app.recipes else None
    if run_options is None:
        return {}
    settings = app.settings.recipes.get(recipe)
    options = {**(settings.options if settings else {}), **(overrides or {})}
    return dict(run_options.describe(options, now))


@contextmanager
def record_run(app: App, recipe: str, run: str | None = None) -> Iterator[str | None]:
    """Store the work inside as a run; yields its name. `run` names one that was begun elsewhere. While another run goes on,
    the work is part of that one and has no row of its own. An error inside is stored and raised."""
    rows, now = app.pipeline_runs, app.clock()
    name = run or new_run_name(now, secrets.token_bytes(8))
    if run is None and not _begin(app, name, recipe, now):
        yield None
        return
    try:
        yield name
    except BaseException as error:
        reason, detail = error_reason(error) if isinstance(error, Exception) else ("stopped", "")
        rows.finish(name, app.clock(), error=f"{reason}: {detail}".rstrip(": "))
        raise
    rows.finish(name, app.clock())


def _begin(app: App, name: str, recipe: str, now: datetime) -> bool:
    return app.pipeline_runs.begin(name, recipe, describe_run(app, recipe, now), now)


def record_continuous_runs(app: App) -> dict[str, Any]:
    """Store what workers did since the last run of each recipe, an hour at most, as a run that has ended; returns the names of
    the runs. A recipe without a poll in that time has none, nor does one whose run goes on."""
    now, names = app.clock(), {}
    for recipe in app.catalogue.recipes():
        since = max(
            now - LONGEST_CONTINUOUS_RUN, app.pipeline_runs.last_end(recipe) or now - LONGEST_CONTINUOUS_RUN
        )
        name = new_run_name(since, secrets.token_bytes(8))
        if app.catalogue.has_polled(recipe, since) and _begin(app, name, recipe, since):
            app.pipeline_runs.finish(name, now)
            names[recipe] = name
    return names


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

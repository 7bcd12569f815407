"""Runs of a pipeline: their names, their options, their rows, and the reports that a recipe writes after a run."""

import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from hashlib import blake2b
from typing import Any

from headwater.app import App
from headwater.engine.isolation import error_reason
from headwater.model.errors import Permanent, Refused, Temporary
from headwater.model.schedule import polling_interval
from headwater.runtime.worker_loop import is_nothing_due
from headwater.store.changes.pipeline_runs import CONTINUOUS

HOUR = timedelta(hours=1)


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
    """Keep a run for the work of workers that never end; returns the names of the runs that begin and end, by recipe. A run
    begins with a poll, and ends when nothing is due within an hour, or when the sources are due again."""
    new_runs, ended_runs = {}, {}
    for recipe in app.catalogue.recipes():
        run = app.pipeline_runs.open_run(recipe)
        if run is None:
            if (name := _begin_continuous(app, recipe)) is not None:
                new_runs[recipe] = name
        elif run["metrics"].get(CONTINUOUS) and _has_ended(app, recipe, run["started_at"]):
            app.pipeline_runs.finish(run["id"], app.clock())
            ended_runs[recipe] = run["id"]
    return {"begun": new_runs, "ended": ended_runs}


def _begin_continuous(app: App, recipe: str) -> str | None:
    """The run begins with the first poll after the last run, of the last hour."""
    since = app.clock() - HOUR
    last_end = app.pipeline_runs.last_end(recipe)
    started_at = app.catalogue.first_poll(recipe, max(since, last_end or since))
    if started_at is None:
        return None
    name = new_run_name(started_at, secrets.token_bytes(8))
    options = describe_run(app, recipe, started_at)
    return name if app.pipeline_runs.begin(name, recipe, options, started_at, is_continuous=True) else None


def _has_ended(app: App, recipe: str, started_at: datetime) -> bool:
    now = app.clock()
    trigger = app.recipes[recipe].trigger if recipe in app.recipes else None
    longest = max(HOUR, polling_interval(trigger, started_at)) if trigger else HOUR
    return now - started_at >= longest or is_nothing_due(app.store, [recipe], now + HOUR)


@contextmanager
def continuous_work(app: App, recipes: Sequence[str]) -> Iterator[None]:
    """Work without an end: a maintenance task keeps its runs, and they are closed when it stops, however it stops. Other
    workers that go on begin a run with their next poll."""
    try:
        yield
    finally:
        for recipe in recipes:
            app.pipeline_runs.end_continuous(recipe, app.clock())


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

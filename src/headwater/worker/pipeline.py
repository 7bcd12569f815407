"""A run of a pipeline with its row: begun before the work, closed after it, whatever happened."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager

from headwater.app import App
from headwater.backends.sql.pipeline_runs import PipelineRuns
from headwater.engine.alone import explain
from headwater.pure.pipeline import run_name


@contextmanager
def recorded(app: App, recipe: str, run: str | None = None) -> Iterator[str | None]:
    """The work inside is a run; one that somebody has begun already is named. Beside another run it is part of that
    one, and has no row of its own. What is raised inside is noted and goes on."""
    rows, now = PipelineRuns(app.store.engine), app.clock()
    own = app.settings.recipes.get(recipe)
    tier = str(own.options.get("tier", "A")) if own else "A"
    name = run or run_name(now, secrets.token_bytes(8))
    if run is None and not rows.begin(name, recipe, tier, now.date().isoformat(), now):
        yield None
        return
    try:
        yield name
    except BaseException as error:
        reason, detail = explain(error) if isinstance(error, Exception) else ("stopped", "")
        rows.finish(name, app.clock(), error=f"{reason}: {detail}".rstrip(": "))
        raise
    rows.finish(name, app.clock())

"""Raises and clears the alarms of a recipe: for the health check, and at the end of a run."""

from collections.abc import Sequence
from datetime import timedelta
from functools import partial

from headwater.app import App
from headwater.model.alarm import Alarm, Problem
from headwater.model.source import Trigger
from headwater.ops.alarms.decision import decide_alarms
from headwater.ops.alarms.pipeline_rules import pipeline_problems, silent_subject_problem, silent_subjects
from headwater.ops.alarms.source_rules import is_muted, recipe_problems, source_problems
from headwater.store.reads.pipeline_figures import last_seen, pipeline_figures
from headwater.store.reads.source_history import count_quarantined, poll_statistics, source_histories

DEFAULT_TRIGGER = Trigger(every=timedelta(hours=4))
HOUR, DAY = timedelta(hours=1), timedelta(days=1)


def default_trigger(app: App, recipe: str) -> Trigger:
    return app.recipes[recipe].trigger if recipe in app.recipes else DEFAULT_TRIGGER


def settle_recipe_alarms(app: App, recipe: str) -> tuple[Sequence[Alarm], Sequence[Alarm]]:
    """Raise and clear the alarms of a recipe; returns those that began and those that ended. Safe to repeat."""
    now, engine = app.clock(), app.store.engine
    histories = source_histories(engine, recipe)
    muted = {history.source.id for history in histories if is_muted(history, now)}
    problems = source_problems(histories, default_trigger(app, recipe), now)
    problems += recipe_problems(
        poll_statistics(engine, now - DAY, recipe), count_quarantined(engine, recipe, now - HOUR), now
    )
    scattered = recipe in app.recipes and app.recipes[recipe].warns_if_scattered
    figures = pipeline_figures(engine, recipe, now)
    problems += [
        *pipeline_problems(figures, warns_if_scattered=scattered),
        *_silent_subjects(app, recipe),
    ]
    decide = partial(decide_alarms, problems, now=now, muted=muted)
    return app.alarms.settle(recipe, decide, list(app.channels), now)


def _silent_subjects(app: App, recipe: str) -> list[Problem]:
    """Subjects without a new document for longer than the limit of their recipe."""
    limit = app.recipes[recipe].silence_limit if recipe in app.recipes else None
    if limit is None:
        return []
    names = {subject.id: subject.name for subject in app.recipes[recipe].subjects if subject.active}
    last_seen_at = {key: at for key, at in last_seen(app.store.engine, recipe).items() if key in names}
    return [
        silent_subject_problem(key, names[key], last_seen_at[key])
        for key in silent_subjects(last_seen_at, limit, app.clock())
    ]

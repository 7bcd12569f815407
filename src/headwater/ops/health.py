"""The health check: database, archive, sources and pipelines. Raises and clears alarms."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from functools import partial
from typing import Any

from headwater.app import App
from headwater.model.alarm import Problem
from headwater.model.errors import Temporary
from headwater.model.jobs import IDLE_TASKS
from headwater.model.source import Trigger
from headwater.ops.alarms.decision import decide_alarms
from headwater.ops.alarms.pipeline_rules import pipeline_problems, silent_subject_problem, silent_subjects
from headwater.ops.alarms.source_rules import recipe_problems, source_problems
from headwater.ops.sandbox_report import sandbox_report
from headwater.store.reads.pipeline_figures import last_seen, pipeline_figures
from headwater.store.reads.source_history import count_quarantined, poll_statistics, source_histories

DEFAULT_TRIGGER = Trigger(every=timedelta(hours=4))
OVERDUE_AFTER = timedelta(minutes=30)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)


def check_health(app: App) -> dict[str, Any]:
    """Check every recipe that has sources, raise and clear alarms, and return the result. Safe to repeat."""
    recipes = {name: _check_recipe(app, name) for name in app.catalogue.recipes()}
    parts = {"database": "ok", "archive": _archive_state(app)}
    sandbox = sandbox_report()
    unhealthy = [name for name, check in recipes.items() if check["alarms"] or check["waiting_too_long"]]
    return {
        "healthy": not unhealthy and set(parts.values()) == {"ok"} and sandbox["ok"],
        "checked_at": app.clock().isoformat(),
        **parts,
        "sandbox": sandbox,
        "recipes": recipes,
    }


def default_trigger(app: App, recipe: str) -> Trigger:
    return app.recipes[recipe].trigger if recipe in app.recipes else DEFAULT_TRIGGER


def _check_recipe(app: App, recipe: str) -> dict[str, Any]:
    now, engine = app.clock(), app.store.engine
    problems = source_problems(source_histories(engine, recipe), default_trigger(app, recipe), now)
    problems += recipe_problems(
        poll_statistics(engine, now - DAY, recipe), count_quarantined(engine, recipe, now - HOUR)
    )
    scattered = recipe in app.recipes and app.recipes[recipe].warns_if_scattered
    figures = pipeline_figures(engine, recipe, now)
    problems += [
        *pipeline_problems(figures, warns_if_scattered=scattered),
        *_silent_subjects(app, recipe),
    ]
    decide = partial(decide_alarms, problems, now=now)
    raised, cleared = app.alarms.settle(recipe, decide, list(app.channels), now)
    return {
        "alarms": len(app.alarms.list_alarms(recipe, past=False, limit=1_000)),
        "raised": [alarm.title for alarm in raised],
        "cleared": [alarm.title for alarm in cleared],
        "waiting_too_long": _waiting_too_long(app.catalogue.status(recipe, now)["unfinished"], app),
    }


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


def _waiting_too_long(unfinished: Mapping[str, Any], app: App) -> Sequence[str]:
    """Tasks whose oldest work has been due for half an hour: no worker runs, or the workers cannot keep up."""
    overdue = app.clock() - OVERDUE_AFTER
    return [
        task
        for task, state in unfinished.items()
        if task not in IDLE_TASKS and state["next"] is not None and state["next"] < overdue
    ]


def _archive_state(app: App) -> str:
    try:
        next(app.archive.packs(before=app.clock()), None)
    except Temporary as error:
        return error.reason
    return "ok"

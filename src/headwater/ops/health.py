"""The health check: is the ground firm, do the sources flow, and who must be told."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from headwater.app import App
from headwater.model.errors import Temporary
from headwater.model.jobs import IDLE_TASKS
from headwater.model.source import Trigger
from headwater.ops.alarms.alarm_store import AlarmStore
from headwater.ops.alarms.decision import Problem
from headwater.ops.alarms.pipeline_figures import last_seen, pipeline_figures
from headwater.ops.alarms.pipeline_rules import pipeline_problems, silent_subject_problem, silent_subjects
from headwater.ops.alarms.source_rules import recipe_problems, source_problems
from headwater.store.reads.source_history import count_quarantined, poll_statistics, source_histories

DEFAULT_TRIGGER = Trigger(every=timedelta(hours=4))
OVERDUE_AFTER = timedelta(minutes=30)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)


def check_health(app: App) -> dict[str, Any]:
    """Looks at every recipe that has sources, lets alarms begin and end, and gives the whole picture. Safe to repeat."""
    recipes = {name: _check_recipe(app, name) for name in app.catalogue.recipes()}
    parts = {"database": "ok", "archive": _archive(app)}
    troubled = [name for name, told in recipes.items() if told["alarms"] or told["waiting_too_long"]]
    return {
        "healthy": not troubled and set(parts.values()) == {"ok"},
        "checked_at": app.clock().isoformat(),
        **parts,
        "recipes": recipes,
    }


def default_trigger(app: App, recipe: str) -> Trigger:
    return app.recipes[recipe].trigger if recipe in app.recipes else DEFAULT_TRIGGER


def _check_recipe(app: App, recipe: str) -> dict[str, Any]:
    now, engine = app.clock(), app.store.engine
    found = source_problems(source_histories(engine, recipe), default_trigger(app, recipe), now)
    found += recipe_problems(
        poll_statistics(engine, now - DAY, recipe), count_quarantined(engine, recipe, now - HOUR)
    )
    found += [*pipeline_problems(pipeline_figures(engine, recipe, now)), *_quiet(app, recipe)]
    alarms = AlarmStore(engine)
    begun, over = alarms.settle(recipe, found, list(app.channels), now)
    return {
        "alarms": len(alarms.list_alarms(recipe, past=False, limit=1_000)),
        "begun": [alarm.title for alarm in begun],
        "over": [alarm.title for alarm in over],
        "waiting_too_long": _waiting_too_long(app.catalogue.status(recipe, now)["unfinished"], app),
    }


def _quiet(app: App, recipe: str) -> list[Problem]:
    """Subjects of which nothing came for longer than their recipe finds normal."""
    limit = app.recipes[recipe].silence_limit if recipe in app.recipes else None
    if limit is None:
        return []
    names = {subject.id: subject.name for subject in app.recipes[recipe].subjects if subject.active}
    seen = {key: at for key, at in last_seen(app.store.engine, recipe).items() if key in names}
    return [
        silent_subject_problem(key, names[key], seen[key])
        for key in silent_subjects(seen, limit, app.clock())
    ]


def _waiting_too_long(unfinished: Mapping[str, Any], app: App) -> Sequence[str]:
    """Tasks whose oldest work has been due for half an hour: no worker runs, or none comes so far."""
    late = app.clock() - OVERDUE_AFTER
    waited_for = {task: told for task, told in unfinished.items() if task not in IDLE_TASKS}
    return [task for task, told in waited_for.items() if told["next"] is not None and told["next"] < late]


def _archive(app: App) -> str:
    try:
        next(app.archive.packs(before=app.clock()), None)
    except Temporary as trouble:
        return trouble.reason
    return "ok"

"""The live overview: what each stage did in the last hour, what waits and for how long, errors, lag and workers."""

from typing import Any

import msgspec
from starlette.requests import Request

from headwater.app import App
from headwater.store.reads.activity import RecipeActivity, recipe_activity
from headwater.web.context import WebContext
from headwater.web.pages.forms import Action
from headwater.web.pages.page import Page


def load_overview(request: Request, context: WebContext) -> dict[str, Any]:
    app, now = context.app, context.app.clock()
    recipe = request.query_params.get("recipe", "")
    names = app.catalogue.recipes()
    shown = [recipe] if recipe in names else names
    activities = [recipe_activity(app.engine, name, now) for name in shown]
    return {
        "recipe": recipe if recipe in names else "",
        "recipes": names,
        "totals": _totals(activities),
        "activity": [_activity_record(activity) for activity in activities],
        "workers": _workers(app),
        "has_crash_trial": context.crash_trial is not None,
    }


def _totals(activities: list[RecipeActivity]) -> dict[str, Any]:
    stages = [stage for activity in activities for stage in activity.stages]
    lags = [activity.lag_seconds for activity in activities if activity.lag_seconds is not None]
    return {
        "finished": sum(stage.finished for stage in stages if stage.task == "refine"),
        "due": sum(stage.due for stage in stages),
        "oldest_seconds": max((stage.oldest_seconds for stage in stages), default=0.0),
        "poll_errors": sum(activity.poll_errors for activity in activities),
        "quarantined": sum(activity.quarantined for activity in activities),
        "open_alarms": sum(activity.open_alarms for activity in activities),
        "lag_seconds": max((lag[1] for lag in lags), default=None),
    }


def _activity_record(activity: RecipeActivity) -> dict[str, Any]:
    record: dict[str, Any] = msgspec.to_builtins(activity)
    for stage, figures in zip(record["stages"], activity.stages, strict=True):
        stage["finished"] = figures.finished
    return record


def _workers(app: App) -> list[dict[str, Any]]:
    return [
        {
            "id": heartbeat.process.id,
            "role": heartbeat.process.role,
            "host": heartbeat.process.host,
            "pid": heartbeat.process.pid,
            "silent_seconds": max(0.0, heartbeat.age.total_seconds()),
            "is_live": heartbeat.is_live,
        }
        for heartbeat in app.workers.heartbeats(app.clock())
    ]


PAGES = (
    Page(
        path="/operate",
        template="operator/overview.html",
        fragment="operator/overview_live.html",
        load=load_overview,
        parameters=frozenset({"recipe"}),
        label="Operations",
        section="operate",
    ),
)
ACTIONS: tuple[Action, ...] = ()

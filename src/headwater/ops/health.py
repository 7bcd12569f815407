"""The health check: the parts of the system, sources and pipelines. Raises and clears alarms."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from headwater.app import App
from headwater.model.errors import Refused
from headwater.model.jobs import IDLE_TASKS
from headwater.ops.alarms.settlement import settle_recipe_alarms
from headwater.ops.same_sources import same_source_warnings
from headwater.ops.sandbox_report import sandbox_report
from headwater.ops.saved_searches import channel_problems, deleted_channels
from headwater.ops.system_checks import check_parts
from headwater.ops.system_rules import PartCheck, parts_record, recipes_check, sinks_check
from headwater.ops.uptime import uptime_report
from headwater.settings.channel_sinks import unusable_sinks

OVERDUE_AFTER = timedelta(minutes=30)


def check_health(app: App, *, settle_alarms: bool = True) -> dict[str, Any]:
    """Check the system and every recipe that has sources, raise and clear alarms, and return the result. Safe to repeat. This
    process computes all of it, so it also notices that no worker is alive. `settle_alarms` is False for a caller that may
    not write, or while another process does it. `searches` are the saved searches whose matches cannot be sent, and why;
    `warnings` are what an operator may mend, though nothing is wrong."""
    parts, sandbox = check_parts(app), sandbox_report()
    left_out = {name: refusal.detail for name, refusal in app.loaded_recipes.refusals.items()}
    parts |= {"recipes": recipes_check(left_out), "channels": _check_sinks(app, parts)}
    if parts["database"].ok and parts["channels"].ok:
        parts["channels"] = sinks_check(deleted_channels(app))
    names = app.catalogue.recipes() if parts["database"].ok else ()
    recipes = {name: _check_recipe(app, name, settle_alarms=settle_alarms) for name in names}
    unhealthy = [name for name, check in recipes.items() if check["alarms"] or check["waiting_too_long"]]
    searches = channel_problems(app) if parts["database"].ok else {}
    healthy_parts = all(part.ok for part in parts.values()) and sandbox["ok"]
    return {
        "healthy": not unhealthy and not searches and healthy_parts,
        "checked_at": app.clock().isoformat(),
        "parts": parts_record(parts),
        "uptime": uptime_report(app, is_available=parts["database"].ok),
        "sandbox": sandbox,
        "recipes": recipes,
        "searches": searches,
        "warnings": same_source_warnings(app.catalogue.sources()) if parts["database"].ok else [],
    }


def _check_sinks(app: App, parts: Mapping[str, PartCheck]) -> PartCheck:
    """Channels, and the tables of recipes, which can only be opened with the database and the archive."""
    if not (parts["database"].ok and parts["archive"].ok):
        return sinks_check(unusable_sinks(app.channels))
    try:
        return sinks_check(unusable_sinks(app.sinks))
    except Refused as refusal:
        return PartCheck(ok=False, detail=refusal.detail)


def _check_recipe(app: App, recipe: str, *, settle_alarms: bool) -> dict[str, Any]:
    raised, cleared = settle_recipe_alarms(app, recipe) if settle_alarms else ((), ())
    return {
        "alarms": len(app.alarms.list_alarms(recipe, past=False, limit=1_000)),
        "raised": [alarm.title for alarm in raised],
        "cleared": [alarm.title for alarm in cleared],
        "waiting_too_long": _waiting_too_long(app.catalogue.status(recipe, app.clock())["unfinished"], app),
    }


def _waiting_too_long(unfinished: Mapping[str, Any], app: App) -> Sequence[str]:
    """Tasks whose oldest work has been due for half an hour: no worker runs, or the workers cannot keep up."""
    overdue = app.clock() - OVERDUE_AFTER
    return [
        task
        for task, state in unfinished.items()
        if task not in IDLE_TASKS and state["next"] is not None and state["next"] < overdue
    ]

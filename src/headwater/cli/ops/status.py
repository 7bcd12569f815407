"""`headwater status`."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import typer
from rich.console import Console
from rich.table import Table

from headwater.app import App
from headwater.cli.environment import open_app, select_recipes
from headwater.cli.options import Json, RecipeFilter, single_command
from headwater.cli.render.console import card, cell, console, format_count, format_due, print_json, table
from headwater.cli.render.parts import parts_table
from headwater.cli.render.run_summary import (
    data_locations,
    failing_sources,
    failing_sources_table,
    held_back_table,
    not_kept_table,
    recipe_counts,
)
from headwater.model.jobs import State
from headwater.ops.system_checks import check_parts
from headwater.ops.system_rules import parts_record, recipes_check
from headwater.ops.uptime import uptime_report
from headwater.settings.recipes import settings_mistakes
from headwater.store.reads.end_reasons import end_reasons
from headwater.store.reads.failing_deliveries import failing_deliveries
from headwater.store.reads.run_counts import waiting_reasons


def status(context: typer.Context, recipe: RecipeFilter = None, as_json: Json = False) -> None:
    """Show what came in, what was kept, what was not kept and why, what is waiting, and who works on it."""
    app = open_app(context)
    names = select_recipes(app, recipe)
    engine = app.engine
    records = [
        app.catalogue.status(name, app.clock()) | {"failing_deliveries": failing_deliveries(engine, name)}
        for name in names
    ]
    parts = check_parts(app, write=False)
    if mistakes := settings_mistakes(
        app.settings.recipes
    ):  # `health` also loads the recipes, which takes a second
        parts["recipes"] = recipes_check(mistakes)
    uptime = uptime_report(app, is_available=parts["database"].ok)
    if as_json:
        from headwater.ops.sandbox_report import sandbox_report  # noqa: PLC0415 - it loads the extractors

        print_json(
            {
                "places": data_locations(app),
                "system": parts_record(parts),
                "uptime": uptime,
                "recipes": records,
                "sandbox": sandbox_report(),
            }
        )
        return
    out = console()
    if not records:
        out.print("No recipe has sources here yet. Add one with `headwater sources add news ADDRESS`.")
    for record in records:
        _show(app, record, out)
    out.print()
    out.print("system", style="bold cyan")
    out.print(parts_table(parts_record(parts)))
    out.print(cell(f"  {uptime['line']}"))
    out.print()
    for label, location in data_locations(app).items():
        out.print(f"{label:9}", location, style="dim", soft_wrap=True)


def _show(app: App, record: Mapping[str, Any], out: Console) -> None:
    recipe, now = record["recipe"], app.clock()
    out.print(recipe, style="bold cyan")
    out.print(_lines(record, now))
    if reasons := end_reasons(app.engine, recipe):
        out.print()
        out.print(not_kept_table(reasons))
    if held_back := waiting_reasons(app.engine, recipe):
        out.print()
        out.print(held_back_table(held_back, now))
    if record["failing_deliveries"]:
        out.print()
        out.print(_failing_deliveries_table(record["failing_deliveries"], now))
    if failures := failing_sources(app, recipe):
        out.print()
        out.print(failing_sources_table(failures, now))


def _failing_deliveries_table(rows: Sequence[Mapping[str, Any]], now: datetime) -> Table:
    listing = table("not delivered to", "why", "number", "next try", numbers=("number",))
    for row in rows:
        retry = (
            "`headwater quarantine retry`"
            if row["state"] == State.QUARANTINED
            else format_due(row["next"], now)
        )
        listing.add_row(cell(row["route"]), cell(row["reason"], "yellow"), str(row["count"]), retry)
    return listing


def _lines(record: Mapping[str, Any], now: datetime) -> Table:
    counts = recipe_counts(record)
    rows = {
        "sources": _parts(record["sources"], ("active", "failing", "stopped", "paused", "running")),
        "came in": str(counts.came_in),
        "kept": f"{format_count(counts.kept, 'document')} in {counts.stories} {'story' if counts.stories == 1 else 'stories'}"
        + (f", {counts.archived} moved to files" if counts.archived else ""),
        "not kept": f"{counts.duplicate} duplicate, {counts.dropped} dropped, {counts.quarantined} quarantined",
        "delivered": str(counts.delivered),
        "waiting": _waiting(record["unfinished"]),
        "next poll": format_due(record["unfinished"]["poll"]["next"], now) or "never: no active source",
    }
    return card(rows, indent="  ")


def _parts(counts: Mapping[str, int], names: Sequence[str]) -> str:
    return ", ".join(f"{counts[name]} {name}" for name in names if counts[name] or name == "active")


def _waiting(unfinished: Mapping[str, Mapping[str, Any]]) -> str:
    parts = [
        f"{part['due'] + part['later']} to {task}"
        for task, part in unfinished.items()
        if task != "poll" and part["due"] + part["later"]
    ]
    return ", ".join(parts) or "nothing"


app = single_command(status)

"""`headwater sources`: what is there, and what an operator does with it."""

from datetime import datetime
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from headwater.cli.environment import open_app, select_recipes
from headwater.cli.options import Json, OptionalRecipe, command_group
from headwater.cli.pipeline import sources_add as sources_check
from headwater.cli.pipeline import sources_health
from headwater.cli.pipeline import sources_opml as sources_lists
from headwater.cli.render.console import (
    cell,
    console,
    format_count,
    format_due,
    format_duration,
    format_relative,
    format_time,
    print_json,
    print_json_lines,
    table,
)
from headwater.model.errors import Refused
from headwater.sources.update_frequency import UpdateFrequency
from headwater.store.admin.source_list import UNLISTED

app = command_group(
    "List, check, add, import, export, pause, resume and reset sources; see how reliable they are."
)
ORIGINS = {
    "recipe": "told by the recipe",
    "operator": "told by the operator",
    UNLISTED: "once told by the recipe, but no more in its list",
}
SourceName = Annotated[str, typer.Argument(metavar="SOURCE", help="Its name, address or id.")]


@app.command("list")
def list_sources(context: typer.Context, recipe: OptionalRecipe = None, as_json: Json = False) -> None:
    """List sources with how they stand and when they are looked at next."""
    app = open_app(context)
    if recipe:
        select_recipes(app, recipe)
    found = app.catalogue.sources(recipe)
    if as_json:
        print_json_lines(found)
        return
    made = table("name", "standing", "last look", "next look", "news", "address", flexible="address")
    made.expand = True
    now = app.clock()
    for row in found:
        made.add_row(
            cell(row["name"][:24]),
            cell(source_status(row), "" if source_status(row) == "well" else "yellow"),
            format_relative(row["last_polled_at"], now) or "never",
            _next(row, now),
            _news(row),
            cell(row["url"], "dim"),
        )
    console().print(made if found else "No sources yet. Add one with `headwater sources add RECIPE URL`.")


def source_status(source: dict[str, Any]) -> str:
    """ "well", "new", "failing x3", "stopped", "paused", "unlisted" or "gone"."""
    if source["origin"] == UNLISTED:
        return UNLISTED
    if source["stopped"]:
        return "stopped"
    if not source["active"]:
        return "gone" if source["reason"] == "gone" else "paused"
    if source["failures"]:
        return f"failing x{source['failures']}"
    return "well" if source["last_polled_at"] else "new"


def _next(source: dict[str, Any], now: datetime) -> str:
    live = source["active"] and not source["stopped"]
    return format_due(source["due_at"], now) if live else "never"


def _news(source: dict[str, Any]) -> str:
    """How often it has something new, as far as was learned."""
    rhythm = UpdateFrequency.from_record((source["watermark"] or {}).get("update_frequency"))
    return f"every {format_duration(rhythm.every.total_seconds())}" if rhythm else ""


def _rhythm_text(source: dict[str, Any]) -> str:
    rhythm = UpdateFrequency.from_record((source["watermark"] or {}).get("update_frequency"))
    if rhythm is None:
        return ""
    every, quiet = (format_duration(length.total_seconds()) for length in (rhythm.every, rhythm.quiet))
    return f"something new every {every}; silent for up to {quiet}"


@app.command("show")
def show_source(context: typer.Context, source: SourceName, as_json: Json = False) -> None:
    """Show one source: its settings, how far it was read, its last looks."""
    app = open_app(context)
    found = app.catalogue.source(source)
    if found is None:
        raise Refused("unknown_source", f"no source called '{source}'; see `headwater sources list`")
    if as_json:
        print_json(found)
    else:
        _show(found, console(), app.clock())


def _show(found: dict[str, Any], out: Console, now: datetime) -> None:
    out.print(cell(found["name"], "bold"))
    grid = Table.grid(padding=(0, 2))
    trigger = found["trigger_cron"] or (
        f"every {found['trigger_seconds']:g} s" if found["trigger_seconds"] else None
    )
    rows = {
        "id": found["id"],
        "recipe": f"{found['recipe']}, kind {found['kind']}, {ORIGINS.get(found['origin'], found['origin'])}",
        "address": found["url"],
        "standing": f"{source_status(found)} {found['stopped'] or found['reason'] or ''}",
        "looked at": trigger or "as the recipe says",
        "next look": _next(found, now),
        "rhythm": _rhythm_text(found),
        "last good look": format_relative(found["last_success_at"], now) or "never",
        "options": found["options"] or "",
        "read up to": found["watermark"] or "",
    }
    for label, value in rows.items():
        if value:
            grid.add_row(Text(label, style="dim"), cell(value))
    out.print(grid)
    looks = table(
        "look", "result", "found", "new", "ms", "detail", numbers=("found", "new", "ms"), flexible="detail"
    )
    looks.expand = True
    for run in found["polls"]:
        looks.add_row(
            format_time(run["started_at"]),
            cell(run["error"] or run["status"]),
            str(run["found_count"]),
            str(run["new_count"]),
            str(run["elapsed_ms"] or ""),
            cell(run["detail"] or "; ".join(run["warnings"] or ()), "dim"),
        )
    if found["polls"]:
        out.print()
        out.print(looks)


@app.command("pause")
def pause_source(context: typer.Context, source: SourceName) -> None:
    """Look at a source no more until it is resumed. What it gave stays."""
    app = open_app(context)
    name = app.operations.pause(source, active=False, now=app.clock())
    console().print(cell(f"Paused {name}."))


@app.command("resume")
def resume_source(context: typer.Context, source: SourceName) -> None:
    """Look at a paused source again, at once."""
    app = open_app(context)
    name = app.operations.pause(source, active=True, now=app.clock())
    console().print(cell(f"Resumed {name}."))


@app.command("reset")
def reset_source(
    context: typer.Context,
    source: Annotated[str | None, typer.Argument(metavar="SOURCE", help="Its name, address or id.")] = None,
    every: Annotated[
        str | None, typer.Option("--all", metavar="RECIPE", help="Every failing source of this recipe.")
    ] = None,
) -> None:
    """Forget a source's failures and look at it again at once; also one that was stopped.

    With --all every source of a recipe that fails, was stopped or waits for a key, as after a key was renewed.
    """
    if bool(source) == bool(every):
        raise typer.BadParameter("give either a source or --all RECIPE")
    app = open_app(context)
    if every:
        app.recipe(every)
        count = app.operations.reset_all(every, app.clock())
        console().print(f"{format_count(count, 'source')} reset: due now.")
        return
    assert source is not None
    name = app.operations.reset(source, app.clock())
    console().print(cell(f"Reset {name}: it is due now."))


app.command("health")(sources_health.health)
app.command("validate")(sources_check.validate)
app.command("add")(sources_check.add)
app.command("import")(sources_lists.import_list)
app.command("export")(sources_lists.export_list)

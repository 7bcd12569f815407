"""`headwater sources`."""

from datetime import datetime
from typing import Annotated, Any

import typer
from rich.console import Console

from headwater.cli.environment import open_app, report_mistakes, select_recipes
from headwater.cli.options import Json, OptionalLimit, RecipeFilter, SourceFilter, command_group
from headwater.cli.pipeline import sources_add, sources_health, sources_validate
from headwater.cli.pipeline import sources_opml as sources_lists
from headwater.cli.render.console import (
    card,
    cell,
    console,
    error_console,
    format_count,
    format_due,
    format_duration,
    format_relative,
    format_time,
    print_json,
    print_json_lines,
    print_result,
    short_id,
    table,
    time_column,
)
from headwater.model.errors import Refused
from headwater.ops.same_sources import same_source_warnings
from headwater.ops.source_status import source_status
from headwater.settings.sources import parse_duration
from headwater.sources.update_frequency import UpdateFrequency
from headwater.store.changes.source_list import REMOVED, UNLISTED
from headwater.store.claims.leases import CONTINUES
from headwater.text.redaction import redact_record

app = command_group(
    "List, check, add, import, export, pause, resume, mute, reset and remove sources; show how reliable they are."
)
ORIGINS = {
    "recipe": "from the recipe",
    "operator": "added by the operator",
    UNLISTED: "no longer in the list of the recipe",
    REMOVED: "removed by the operator",
}
NAME_WIDTH = 24
SourceName = Annotated[str, typer.Argument(metavar="SOURCE", help="The name, URL or id of a source.")]


@app.command("list")
def list_sources(
    context: typer.Context,
    *,
    recipe: RecipeFilter = None,
    source: SourceFilter = None,
    limit: OptionalLimit = None,
    as_json: Json = False,
) -> None:
    """List sources with their status and next poll."""
    app = open_app(context)
    if recipe:
        select_recipes(app, recipe)
    if source:
        app.catalogue.require_source(source, recipe)
    report_mistakes(app)
    stored = app.catalogue.sources(recipe)
    rows = redact_record([row for row in stored if source in (None, row["id"], row["name"])][:limit])
    for warning in same_source_warnings(stored):
        error_console().print(cell(f"headwater: {warning}."), soft_wrap=True)
    if as_json:
        print_json_lines(rows)
        return
    is_ambiguous = len({row["name"] for row in rows}) < len(rows)
    listing = table(
        *(("id",) if is_ambiguous else ()),
        *("name", "kind", "status", "last poll", "next poll", "news", "url"),
        flexible="url",
        widths={"name": NAME_WIDTH},
    )
    now = app.clock()
    for row in rows:
        listing.add_row(
            *((cell(short_id(row["id"]), "cyan"),) if is_ambiguous else ()),
            cell(row["name"]),
            cell(row["kind"]),
            cell(source_status(row), "" if source_status(row) == "ok" else "yellow"),
            format_relative(row["last_polled_at"], now) or "never",
            _next(row, now),
            _news(row),
            cell(row["url"], "dim"),
        )
    console().print(listing if rows else "No sources yet. Add one with `headwater sources add RECIPE URL`.")


def _next(source: dict[str, Any], now: datetime) -> str:
    return format_due(source["due_at"], now) if source["active"] and source["due_at"] else "never"


def _news(source: dict[str, Any]) -> str:
    """How often it publishes, as observed."""
    frequency = UpdateFrequency.from_record((source["watermark"] or {}).get("update_frequency"))
    return f"every {format_duration(frequency.every.total_seconds())}" if frequency else ""


def _rhythm_text(source: dict[str, Any]) -> str:
    frequency = UpdateFrequency.from_record((source["watermark"] or {}).get("update_frequency"))
    if frequency is None:
        return ""
    recipe, quiet = (format_duration(length.total_seconds()) for length in (frequency.every, frequency.quiet))
    return f"something new every {recipe}; silent for up to {quiet}"


@app.command("show")
def show_source(context: typer.Context, source: SourceName, as_json: Json = False) -> None:
    """Show one source: its settings, its watermark and its last polls."""
    app = open_app(context)
    record = app.catalogue.source(source)
    if record is None:
        raise Refused(
            "unknown_source", f"there is no source '{source}'; list them with `headwater sources list`"
        )
    record = redact_record(record)
    if as_json:
        print_json(record)
    else:
        _show(record, console(), app.clock())


def _show(record: dict[str, Any], out: Console, now: datetime) -> None:
    out.print(cell(record["name"], "bold"))
    trigger = record["trigger_cron"] or (
        f"every {record['trigger_seconds']:g} s" if record["trigger_seconds"] else None
    )
    rows = {
        "id": record["id"],
        "recipe": f"{record['recipe']}, kind {record['kind']}, {ORIGINS.get(record['origin'], record['origin'])}",
        "url": record["url"],
        "status": f"{source_status(record)} {_status_reason(record)}".rstrip(),
        "polled": trigger or "as set by the recipe",
        "next poll": _next(record, now),
        "rhythm": _rhythm_text(record),
        "last good poll": format_relative(record["last_success_at"], now) or "never",
        "pages": record["pages"] or "",
        "options": record["options"] or "",
        "watermark": record["watermark"] or "",
    }
    out.print(card({label: value for label, value in rows.items() if value}))
    head, times = time_column("poll", [poll["started_at"] for poll in record["polls"]])
    polls_table = table(
        head, "result", "found", "new", "ms", "detail", numbers=("found", "new", "ms"), flexible="detail"
    )
    for poll, started in zip(record["polls"], times, strict=True):
        polls_table.add_row(
            started,
            cell(poll["error"] or poll["status"]),
            str(poll["item_count"]),
            str(poll["new_count"]),
            str(poll["elapsed_ms"] or ""),
            cell(poll["detail"] or "; ".join(poll["warnings"] or ()), "dim"),
        )
    if record["polls"]:
        out.print()
        out.print(polls_table)


def _status_reason(source: dict[str, Any]) -> str:
    """A poll that was cut short has not failed."""
    reason = str(source["stop_reason"] or source["reason"] or "")
    return "(the next poll continues the last one)" if reason == CONTINUES else reason


@app.command("pause")
def pause_source(context: typer.Context, source: SourceName) -> None:
    """Stop polling a source until it is resumed. Its documents stay."""
    app = open_app(context)
    name = app.operations.pause(source, active=False, now=app.clock())
    console().print(cell(f"Paused {name}."))


@app.command("resume")
def resume_source(context: typer.Context, source: SourceName) -> None:
    """Poll a paused source again, starting now."""
    app = open_app(context)
    name = app.operations.pause(source, active=True, now=app.clock())
    console().print(cell(f"Resumed {name}."))


@app.command("remove")
def remove_source(context: typer.Context, source: SourceName, as_json: Json = False) -> None:
    """Remove a source: it is no longer polled or listed. What it found stays.

    A source that the list of its recipe names is refused: remove it from the list, or pause it.
    """
    app = open_app(context)
    removed = app.operations.remove_source(source, app.clock())
    stays = (
        f" The {format_count(removed.item_count, 'item')} that it found stay." if removed.item_count else ""
    )
    record = {"id": removed.id, "name": removed.name, "items": removed.item_count}
    print_result(record, f"Removed {removed.name}.{stays}", as_json=as_json)


@app.command("mute")
def mute_source(
    context: typer.Context,
    source: SourceName,
    span: Annotated[str, typer.Option("--for", metavar="DURATION", help="How long: 12h, 7d.")] = "7d",
) -> None:
    """Raise no alarm about a source for a while. It is still polled."""
    app = open_app(context)
    until = app.clock() + parse_duration(span, "--for")
    console().print(cell(f"Muted {app.operations.mute(source, until)} until {format_time(until)}."))


@app.command("unmute")
def unmute_source(context: typer.Context, source: SourceName) -> None:
    """Raise alarms about a source again."""
    console().print(cell(f"Unmuted {open_app(context).operations.mute(source, None)}."))


@app.command("reset")
def reset_source(
    context: typer.Context,
    source: Annotated[
        str | None, typer.Argument(metavar="SOURCE", help="The name, URL or id of a source.")
    ] = None,
    recipe: RecipeFilter = None,
) -> None:
    """Clear the failures of a source, also of a stopped one, and poll it now.

    With --recipe every source of a recipe that fails, was stopped or waits for a key, for example after a key was renewed.
    """
    if bool(source) == bool(recipe):
        raise typer.BadParameter("give either a source or --recipe RECIPE")
    app = open_app(context)
    if recipe:
        app.recipe(recipe)
        count = app.operations.reset_all(recipe, app.clock())
        console().print(f"{format_count(count, 'source')} reset: due now.")
        return
    assert source is not None
    name = app.operations.reset(source, app.clock())
    console().print(cell(f"Reset {name}: it is due now."))


app.command("health")(sources_health.health)
app.command("validate")(sources_validate.validate)
app.command("add")(sources_add.add)
app.command("import")(sources_lists.import_list)
app.command("export")(sources_lists.export_list)

"""`headwater sources health`."""

from datetime import datetime
from typing import Annotated

import typer

from headwater.app import App
from headwater.cli.environment import open_app, select_recipes
from headwater.cli.options import Json, OptionalLimit, RecipeFilter, Since
from headwater.cli.period import read_period
from headwater.cli.render.console import (
    cell,
    console,
    format_duration,
    format_relative,
    print_json_lines,
    table,
)
from headwater.model.errors import Refused
from headwater.ops.source_reports import source_reports
from headwater.store.reads.source_history import daily_polls
from headwater.text.redaction import redact_record

DEFAULT_PERIOD = "14d"


def health(
    context: typer.Context,
    source: Annotated[
        str | None, typer.Argument(metavar="SOURCE", help="Name, URL or id of a source: show it day by day.")
    ] = None,
    *,
    recipe: RecipeFilter = None,
    since: Since = DEFAULT_PERIOD,
    limit: OptionalLimit = None,
    as_json: Json = False,
) -> None:
    """Show how reliable sources are, in the last 14 days or since --since: successful polls, response time, frequency, quality;
    with SOURCE day by day."""
    app = open_app(context)
    if recipe:
        select_recipes(app, recipe)
    start = read_period(app, since or DEFAULT_PERIOD).since
    assert start is not None
    if source is not None:
        _show_days(app, source, start, as_json=as_json)
        return
    records = source_reports(app, start, recipe)[:limit]
    if as_json:
        print_json_lines(redact_record(records))
        return
    numbers = ("polls", "ok", "mean ms", "new", "quality")
    listing = table(
        "name", *numbers[:4], "last news", "gap", "quality", "remark", numbers=numbers, flexible="name"
    )
    now = app.clock()
    for row in records:
        listing.add_row(
            cell(row["name"]),
            str(row["polls"]),
            "" if row["reliability"] is None else f"{row['reliability']:.0%}",
            str(row["mean_ms"] or ""),
            str(row["new"]),
            format_relative(row["last_seen_at"], now) or "never",
            "" if row["explained_seconds"] is None else format_duration(row["explained_seconds"]),
            "" if row["quality"] is None else f"{row['quality']:.2f}",
            cell(row["remark"], "yellow"),
        )
    console().print(listing if records else "No sources yet.")


def _show_days(app: App, source: str, since: datetime, *, as_json: bool) -> None:
    record = app.catalogue.source(source)
    if record is None:
        raise Refused(
            "unknown_source", f"there is no source '{source}'; list them with `headwater sources list`"
        )
    rows = daily_polls(app.engine, record["id"], since)
    if as_json:
        print_json_lines(rows)
        return
    numbers = ("polls", "succeeded", "mean ms", "found", "new")
    listing = table("day", *numbers, numbers=numbers)
    for row in rows:
        listing.add_row(*(str("" if row[name] is None else row[name]) for name in row))
    console().print(listing if rows else "No polls in this period.")

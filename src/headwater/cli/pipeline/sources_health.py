"""`headwater sources health`."""

from datetime import datetime, timedelta
from typing import Annotated

import typer

from headwater.app import App
from headwater.cli.environment import open_app
from headwater.cli.options import Json
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


def health(
    context: typer.Context,
    source: Annotated[
        str | None, typer.Argument(metavar="SOURCE", help="Name, URL or id of a source: show it day by day.")
    ] = None,
    *,
    days: Annotated[int, typer.Option(min=1, help="How many days to look back.")] = 14,
    as_json: Json = False,
) -> None:
    """Show how reliable sources are: successful polls, response time, frequency, quality; with SOURCE day by day."""
    app = open_app(context)
    since = app.clock() - timedelta(days=days)
    if source is not None:
        _show_days(app, source, since, as_json=as_json)
        return
    records = source_reports(app, since)
    if as_json:
        print_json_lines(redact_record(records))
        return
    listing = table("name", "polls", "ok", "mean ms", "new", "last news", "longest gap", "quality", "remark")
    now = app.clock()
    for row in records:
        listing.add_row(
            cell(row["name"][:24]),
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
    rows = daily_polls(app.store.engine, record["id"], since)
    if as_json:
        print_json_lines(rows)
        return
    listing = table("day", "polls", "succeeded", "mean ms", "found", "new")
    for row in rows:
        listing.add_row(*(str("" if row[name] is None else row[name]) for name in row))
    console().print(listing if rows else "No polls in this period.")

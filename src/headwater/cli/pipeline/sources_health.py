"""`headwater sources health`: how reliable each source is, and how it went day by day."""

from datetime import datetime, timedelta
from typing import Annotated, Any

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
from headwater.ops.alarms.quality_drop import detect_quality_drop
from headwater.ops.alarms.silence import expected_quiet
from headwater.ops.alarms.source_rules import poll_interval, source_silence
from headwater.ops.health import default_trigger
from headwater.store.reads.source_history import SourceHistory, daily_polls, poll_statistics, source_histories


def health(
    context: typer.Context,
    source: Annotated[
        str | None, typer.Argument(metavar="SOURCE", help="Name, address or id: show this one day by day.")
    ] = None,
    *,
    days: Annotated[int, typer.Option(min=1, help="Look back so many days.")] = 14,
    as_json: Json = False,
) -> None:
    """Show how reliable sources are: successful looks, time, rhythm, quality; with SOURCE day by day."""
    app = open_app(context)
    since = app.clock() - timedelta(days=days)
    if source is not None:
        _show_days(app, source, since, as_json=as_json)
        return
    told = poll_statistics(app.store.engine, since)
    records = [_record(app, one, told.get(one.source.id, {})) for one in source_histories(app.store.engine)]
    if as_json:
        print_json_lines(records)
        return
    made = table("name", "looks", "well", "mean ms", "new", "last news", "quiet at most", "quality", "remark")
    now = app.clock()
    for row in records:
        made.add_row(
            cell(row["name"][:24]),
            str(row["looks"]),
            "" if row["reliability"] is None else f"{row['reliability']:.0%}",
            str(row["mean_ms"] or ""),
            str(row["new"]),
            format_relative(row["last_seen_at"], now) or "never",
            "" if row["explained_seconds"] is None else format_duration(row["explained_seconds"]),
            "" if row["quality"] is None else f"{row['quality']:.2f}",
            cell(row["remark"], "yellow"),
        )
    console().print(made if records else "No sources yet.")


def _record(app: App, one: SourceHistory, told: dict[str, Any]) -> dict[str, Any]:
    usual, now = default_trigger(app, one.source.recipe), app.clock()
    explained = expected_quiet(one.arrivals, poll_interval(one, usual, now))
    count = told.get("looks", 0)
    return {
        "id": one.source.id,
        "recipe": one.source.recipe,
        "name": one.source.name,
        "url": one.source.url,
        "looks": count,
        "succeeded": told.get("succeeded", 0),
        "reliability": round(told["succeeded"] / count, 4) if count else None,
        "mean_ms": told.get("mean_ms"),
        "slowest_ms": told.get("slowest_ms"),
        "found": told.get("found", 0),
        "new": told.get("new", 0),
        "last_success_at": one.last_success_at,
        "last_seen_at": one.last_seen_at,
        "explained_seconds": None if explained is None else explained.total_seconds(),
        "quality": round(sum(one.scores) / len(one.scores), 3) if one.scores else None,
        "failures": one.source.failures,
        "remark": _remark(one, app, now),
    }


def _remark(one: SourceHistory, app: App, now: datetime) -> str:
    if one.source.stopped:
        return "stopped"
    if not one.source.active:
        return "paused"
    if one.source.failures:
        return f"failing x{one.source.failures}"
    if source_silence(one, default_trigger(app, one.source.recipe), now) is not None:
        return "silent"
    return "read worse than before" if detect_quality_drop(one.scores) is not None else ""


def _show_days(app: App, source: str, since: datetime, *, as_json: bool) -> None:
    found = app.catalogue.source(source)
    if found is None:
        raise Refused("unknown_source", f"no source called '{source}'; see `headwater sources list`")
    rows = daily_polls(app.store.engine, found["id"], since)
    if as_json:
        print_json_lines(rows)
        return
    made = table("day", "looks", "succeeded", "mean ms", "found", "new")
    for row in rows:
        made.add_row(*(str("" if row[name] is None else row[name]) for name in row))
    console().print(made if rows else "No looks in that time.")

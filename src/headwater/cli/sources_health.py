"""`headwater sources health`: how reliable each source is, and how it went day by day."""

from datetime import datetime, timedelta
from typing import Annotated, Any

import typer

from headwater.app import App
from headwater.backends.sql.observing import Observed, history, looks, observe
from headwater.cli.opening import open_app
from headwater.cli.options import Json
from headwater.cli.output import cell, console, distance, print_json_lines, span, table
from headwater.model.errors import Refused
from headwater.pure.alarms import longest_quiet, rot
from headwater.worker.concerns import interval, quiet_of
from headwater.worker.health import usual_trigger


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
    opened = open_app(context)
    since = opened.clock() - timedelta(days=days)
    if source is not None:
        _show_days(opened, source, since, as_json=as_json)
        return
    told = looks(opened.store.engine, since)
    records = [_record(opened, one, told.get(one.source.id, {})) for one in observe(opened.store.engine)]
    if as_json:
        print_json_lines(records)
        return
    made = table("name", "looks", "well", "mean ms", "new", "last news", "quiet at most", "quality", "remark")
    now = opened.clock()
    for row in records:
        made.add_row(
            cell(row["name"][:24]),
            str(row["looks"]),
            "" if row["reliability"] is None else f"{row['reliability']:.0%}",
            str(row["mean_ms"] or ""),
            str(row["new"]),
            distance(row["last_seen_at"], now) or "never",
            "" if row["explained_seconds"] is None else span(row["explained_seconds"]),
            "" if row["quality"] is None else f"{row['quality']:.2f}",
            cell(row["remark"], "yellow"),
        )
    console().print(made if records else "No sources yet.")


def _record(opened: App, one: Observed, told: dict[str, Any]) -> dict[str, Any]:
    usual, now = usual_trigger(opened, one.source.recipe), opened.clock()
    explained = longest_quiet(one.arrivals, interval(one, usual, now))
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
        "remark": _remark(one, opened, now),
    }


def _remark(one: Observed, opened: App, now: datetime) -> str:
    if one.source.stopped:
        return "stopped"
    if not one.source.active:
        return "paused"
    if one.source.failures:
        return f"failing x{one.source.failures}"
    if quiet_of(one, usual_trigger(opened, one.source.recipe), now) is not None:
        return "silent"
    return "read worse than before" if rot(one.scores) is not None else ""


def _show_days(opened: App, source: str, since: datetime, *, as_json: bool) -> None:
    found = opened.catalogue.source(source)
    if found is None:
        raise Refused("unknown_source", f"no source called '{source}'; see `headwater sources list`")
    rows = history(opened.store.engine, found["id"], since)
    if as_json:
        print_json_lines(rows)
        return
    made = table("day", "looks", "succeeded", "mean ms", "found", "new")
    for row in rows:
        made.add_row(*(str("" if row[name] is None else row[name]) for name in row))
    console().print(made if rows else "No looks in that time.")

"""`headwater sources import` and `export`: lists of feeds from and for other programs."""

import sys
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any

import typer

from headwater.app import App
from headwater.cli.environment import make_app, open_app
from headwater.cli.files.inputs import read_file
from headwater.cli.options import Json, RecipeName
from headwater.cli.render.console import cell, console, format_count, print_json_lines
from headwater.model.errors import Permanent, Refused
from headwater.model.source import Source
from headwater.ops.feed_check import FeedCheck, check_feeds
from headwater.settings.sources import SourceLine, make_source
from headwater.sources.feeds.feed import NotAFeed
from headwater.sources.feeds.opml import LARGEST_OPML, OpmlOutline, parse_opml, write_opml

ListFile = Annotated[Path, typer.Argument(metavar="FILE", help="An OPML file.")]


def import_list(
    context: typer.Context,
    recipe: RecipeName,
    path: ListFile,
    *,
    no_check: Annotated[bool, typer.Option("--no-check", help="Add them without asking them first.")] = False,
    seconds: Annotated[float, typer.Option(min=0.1, help="How long each may take to answer.")] = 10.0,
    as_json: Json = False,
) -> None:
    """Add the feeds of an OPML file to a recipe, each after asking it once.

    Those that cannot be used are told and left out. What was there already stays as it is. Exit code 1 if none could
    be added.
    """
    app = make_app(context)
    app.recipe(recipe)
    outlines = _read(path)
    checks = None if no_check else check_feeds(app, [one.url for one in outlines], timedelta(seconds=seconds))
    told = _added(app, recipe, outlines, checks)
    if as_json:
        print_json_lines(told)
    else:
        _tell(told)
    if not any(one["result"] != "left out" for one in told):
        raise typer.Exit(1)


def _read(path: Path) -> tuple[OpmlOutline, ...]:
    try:
        outlines, _ = parse_opml(read_file(str(path), LARGEST_OPML))
    except NotAFeed as error:
        raise Refused("bad_list", f"{path} is not a list of feeds: {error}") from error
    except Permanent as error:
        raise Refused("bad_list", f"{path} cannot be read: {error.detail}") from error
    if not outlines:
        raise Refused("bad_list", f"{path} names no feed")
    return outlines


def _added(
    app: App, recipe: str, outlines: Sequence[OpmlOutline], checks: Sequence[FeedCheck] | None
) -> list[dict[str, Any]]:
    known = {row["url"] for row in app.catalogue.sources(recipe)}
    results = [_result(one, known, checks[number] if checks else None) for number, one in enumerate(outlines)]
    fresh = [one for one, (result, _) in zip(outlines, results, strict=True) if result == "added"]
    app.store.register([_source(recipe, one) for one in fresh], app.clock(), origin="operator")
    return [
        {"name": one.name, "url": one.url, "categories": one.categories, "result": result, "reason": reason}
        for one, (result, reason) in zip(outlines, results, strict=True)
    ]


def _result(one: OpmlOutline, known: set[str], found: FeedCheck | None) -> tuple[str, str]:
    if one.url in known:
        return "there already", ""
    if found is not None and not found.ok:
        return "left out", f"{found.reason} {found.detail}".strip()
    return "added", ""


def _source(recipe: str, one: OpmlOutline) -> Source:
    kept = {"categories": list(one.categories), "site": one.site}
    line = SourceLine(
        name=one.name, url=one.url, options={key: value for key, value in kept.items() if value}
    )
    return make_source(line, recipe, where=one.url)


def _tell(told: Sequence[dict[str, Any]]) -> None:
    out = console()
    for line in told:
        if line["reason"]:
            out.print(
                cell(f"left out {line['name']}, {line['url']}: {line['reason']}", "yellow"), soft_wrap=True
            )
    counts = {
        result: sum(1 for line in told if line["result"] == result) for result in ("added", "there already")
    }
    left = len(told) - sum(counts.values())
    out.print(
        f"{format_count(counts['added'], 'source')} added, {counts['there already']} there already, {left} left out."
    )


def export_list(
    context: typer.Context,
    recipe: RecipeName,
    *,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write here instead of to standard output.")
    ] = None,
) -> None:
    """Write the feeds of a recipe as OPML, for other programs and for import elsewhere."""
    app = open_app(context)
    app.recipe(recipe)
    rows = [row for row in app.catalogue.sources(recipe) if row["kind"] == "feed" and row["url"]]
    text = write_opml(f"Feeds of {recipe}", [_outline(row) for row in rows])
    if out is None:
        sys.stdout.write(text)
        return
    try:
        out.write_text(text, encoding="utf-8")
    except OSError as error:
        raise Refused("unwritable", f"{out} cannot be written: {error.strerror}") from error


def _outline(row: dict[str, Any]) -> OpmlOutline:
    options = row["options"] or {}
    return OpmlOutline(
        name=row["name"],
        url=row["url"],
        site=options.get("site"),
        categories=tuple(options.get("categories") or ()),
    )

"""`headwater sources validate`."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from headwater.app import App
from headwater.cli.environment import answering_app
from headwater.cli.options import Json, Quiet
from headwater.cli.render.console import (
    cell,
    console,
    format_count,
    format_relative,
    print_json_lines,
)
from headwater.cli.render.progress import ticking
from headwater.cli.standalone.inputs import is_url
from headwater.model.source_kind import HEADERS_OPTION
from headwater.ops.feed_check import FeedCheck, Headers, check_feeds
from headwater.text.redaction import redact_record

Seconds = Annotated[float, typer.Option(min=0.1, help="Time limit for an answer.")]


def validate(
    context: typer.Context,
    target: Annotated[
        str, typer.Argument(metavar="URL|RECIPE", help="A URL, or a recipe to check all its sources.")
    ],
    seconds: Seconds = 2.0,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Fetch a feed once and show what it is: format, entries, age, problems.

    Stores nothing. The exit code is 1 if a feed cannot be used.
    """
    app = answering_app(context)
    headers = {target: {}} if is_url(target) else _source_headers(app, target)
    urls = list(headers)
    with ticking(f"checking {format_count(len(urls), 'feed')}", quiet=quiet):
        checks = check_feeds(app, urls, timedelta(seconds=seconds), headers)
    if as_json:
        print_json_lines(redact_record(asdict(result)) for result in checks)
    else:
        for result in checks:
            _show(result, console(), app.clock())
    if not all(result.ok for result in checks):
        raise typer.Exit(1)


def _source_headers(app: App, recipe: str) -> Mapping[str, Headers]:
    """The current URLs of the stored sources, which may have moved; without any, those of the recipe. Each with the headers
    that its source sends."""
    listed = app.recipe(recipe).sources
    rows = app.catalogue.sources(recipe) if app.settings.database_exists else []
    stored = {row["url"]: row["options"] or {} for row in rows if row["kind"] == "feed" and row["active"]}
    options = stored or {source.url: source.options for source in listed if source.kind == "feed"}
    return {url: each.get(HEADERS_OPTION, {}) for url, each in options.items()}


def _show(result: FeedCheck, out: Console, now: datetime) -> None:
    out.print(cell(result.url), soft_wrap=True)
    for line, style in _lines(result, now):
        out.print(Text("  ") + cell(line, style), soft_wrap=True)


def _lines(result: FeedCheck, now: datetime) -> Iterator[tuple[str, str]]:
    """The lines to print, each with its style."""
    if result.ok:
        newest = f"newest {format_relative(result.newest, now)}" if result.newest else "without dates"
        yield f"{result.format} '{result.title}': {result.entries} entries, {newest}", "green"
        if result.freshness == "stale":
            yield "note: nothing new for a long time", "yellow"
    else:
        yield f"not usable: {result.reason} {result.detail}", "red"
    if result.final_url not in {"", result.url}:
        yield f"answered from {result.final_url}", ""
    yield from ((f"note: {warning}", "yellow") for warning in result.warnings)
    yield from ((f"try {feed}", "") for feed in result.feeds)

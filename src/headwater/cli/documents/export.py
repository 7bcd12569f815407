"""`headwater export`."""

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Literal

import typer

from headwater.archive.row_files import WRITERS, Row, atomic_file
from headwater.cli.environment import open_app, require_one_recipe
from headwater.cli.options import Json, OptionalRecipe, command_group
from headwater.cli.render.console import error_console, format_count, print_json
from headwater.model.errors import Refused
from headwater.settings.times import parse_time
from headwater.store.reads.export import ArticleFilter, BarFilter, export_articles, export_bars

app = command_group("Export stored data to a file.")
Since = Annotated[
    str | None,
    typer.Option(metavar="WHEN", help="From this time on: 2026-11-14, 2026-11-14T06:00 or 24h (ago)."),
]
Until = Annotated[str | None, typer.Option(metavar="WHEN", help="Before this time.")]
Form = Annotated[Literal["jsonl", "csv", "parquet"], typer.Option("--format", help="jsonl, csv or parquet.")]
Out = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="The file to write, complete or not at all; default: standard output."),
]


@app.callback()
def export() -> None:
    """Export stored data to a file."""


@app.command("articles")
def articles(
    context: typer.Context,
    recipe: OptionalRecipe = None,
    *,
    since: Since = None,
    until: Until = None,
    by: Annotated[
        Literal["stored", "published"],
        typer.Option(
            help="The time to filter and sort by: when the article was last stored or changed, or published."
        ),
    ] = "stored",
    form: Form = "jsonl",
    out: Out = None,
    as_json: Json = False,
) -> None:
    """Export kept articles, each with its source, in order of time.

    With --out a summary is printed: to standard error, or with --json to standard output.
    """
    app = open_app(context)
    selection = ArticleFilter(
        recipe=require_one_recipe(app, recipe),
        since=parse_time(since, app.clock(), "--since") if since else None,
        until=parse_time(until, app.clock(), "--until") if until else None,
        by=by,
    )
    _write("article", export_articles(app.store.engine, selection), form, out, as_json=as_json)


@app.command("bars")
def bars(
    context: typer.Context,
    recipe: OptionalRecipe = None,
    *,
    symbol: Annotated[str | None, typer.Option(help="Only this symbol.")] = None,
    span: Annotated[str | None, typer.Option(help="Only bars of this length: 1day, 1hour.")] = None,
    since: Since = None,
    until: Until = None,
    form: Form = "jsonl",
    out: Out = None,
    as_json: Json = False,
) -> None:
    """Export the bars of time series, by symbol, span and time.

    With --out a summary is printed: to standard error, or with --json to standard output.
    """
    app = open_app(context)
    selection = BarFilter(
        recipe=require_one_recipe(app, recipe),
        symbol=symbol,
        span=span,
        since=parse_time(since, app.clock(), "--since") if since else None,
        until=parse_time(until, app.clock(), "--until") if until else None,
    )
    _write("bar", export_bars(app.store.engine, selection), form, out, as_json=as_json)


def _write(noun: str, rows: Iterable[Row], form: str, out: Path | None, *, as_json: bool) -> None:
    if out is None and form == "parquet":
        raise Refused("no_file", "Parquet cannot be written to standard output; give a file with --out")
    if out is None:
        WRITERS[form](rows, sys.stdout.buffer)
        return
    with atomic_file(out) as file:
        count = WRITERS[form](rows, file)
    if as_json:
        print_json({f"{noun}s": count, "file": str(out), "bytes": out.stat().st_size})
    else:
        error_console().print(f"{format_count(count, noun)} in {out}.", soft_wrap=True)

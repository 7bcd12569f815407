"""`headwater export`."""

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Literal

import typer

from headwater.archive.row_files import WRITERS, Row, atomic_file
from headwater.cli.environment import open_app, require_one_recipe
from headwater.cli.options import (
    Json,
    LanguageFilter,
    OptionalLimit,
    Quiet,
    RecipeFilter,
    Since,
    SourceFilter,
    Until,
    command_group,
)
from headwater.cli.period import read_period
from headwater.cli.render.console import error_console, format_count, print_json
from headwater.cli.render.progress import ticking
from headwater.model.errors import Refused
from headwater.store.reads.export import ArticleFilter, BarFilter, export_articles, export_bars

app = command_group("Export stored data to a file.")
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
    *,
    recipe: RecipeFilter = None,
    since: Since = None,
    until: Until = None,
    source: SourceFilter = None,
    language: LanguageFilter = None,
    limit: OptionalLimit = None,
    by: Annotated[
        Literal["stored", "published"],
        typer.Option(
            help="The time to filter and sort by: when the article was last stored or changed, or published."
        ),
    ] = "stored",
    form: Form = "jsonl",
    out: Out = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Export kept articles, each with its source, in order of time.

    With --out a summary is printed: to standard error, or with --json to standard output.
    """
    app = open_app(context)
    period = read_period(app, since, until)
    name = require_one_recipe(app, recipe)
    if source:
        app.catalogue.require_source(source, name)
    selection = ArticleFilter(
        recipe=name,
        since=period.since,
        until=period.until,
        source=source,
        language=language,
        limit=limit,
        by=by,
    )
    _write("article", export_articles(app.engine, selection), form, out, quiet=quiet, as_json=as_json)


@app.command("bars")
def bars(
    context: typer.Context,
    *,
    recipe: RecipeFilter = None,
    symbol: Annotated[str | None, typer.Option(help="Only this symbol.")] = None,
    span: Annotated[str | None, typer.Option(help="Only bars of this length: 1day, 1hour.")] = None,
    since: Since = None,
    until: Until = None,
    limit: OptionalLimit = None,
    form: Form = "jsonl",
    out: Out = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Export the bars of time series, by symbol, span and time.

    With --out a summary is printed: to standard error, or with --json to standard output.
    """
    app = open_app(context)
    period = read_period(app, since, until)
    selection = BarFilter(
        recipe=require_one_recipe(app, recipe),
        symbol=symbol,
        span=span,
        since=period.since,
        until=period.until,
        limit=limit,
    )
    _write("bar", export_bars(app.engine, selection), form, out, quiet=quiet, as_json=as_json)


def _write(
    noun: str, rows: Iterable[Row], form: str, out: Path | None, *, quiet: bool, as_json: bool
) -> None:
    if out is None and form == "parquet":
        raise Refused("no_file", "Parquet cannot be written to standard output; give a file with --out")
    if out is None:
        WRITERS[form](rows, sys.stdout.buffer)
        return
    with ticking(f"exporting to {out}", quiet=quiet), atomic_file(out) as file:
        count = WRITERS[form](rows, file)
    if as_json:
        print_json({f"{noun}s": count, "file": str(out), "bytes": out.stat().st_size})
    else:
        error_console().print(f"{format_count(count, noun)} in {out}.", soft_wrap=True)

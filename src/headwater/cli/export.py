"""`headwater export`."""

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Literal

import typer

from headwater.app import App
from headwater.backends.sql.exporting import Wanted, WantedBars, export_articles, export_bars
from headwater.cli.moments import parse_moment
from headwater.cli.opening import open_app
from headwater.cli.options import Json, SomeRecipe, group
from headwater.cli.output import count_of, print_json, side_console
from headwater.cli.status import chosen
from headwater.model.errors import Refused
from headwater.sinks.row_files import WRITERS, Row, whole_file

app = group("Write what is stored to a file, for the next system.")
Since = Annotated[
    str | None,
    typer.Option(metavar="WHEN", help="From then on: 2026-11-14, 2026-11-14T06:00 or 24h (ago)."),
]
Until = Annotated[str | None, typer.Option(metavar="WHEN", help="Before then.")]
Form = Annotated[Literal["jsonl", "csv", "parquet"], typer.Option("--format", help="jsonl, csv or parquet.")]
Out = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", help="The file to write, whole or not at all; standard output if not given."
    ),
]


@app.callback()
def export() -> None:
    """Write what is stored to a file, for the next system."""


@app.command("articles")
def articles(
    context: typer.Context,
    recipe: SomeRecipe = None,
    *,
    since: Since = None,
    until: Until = None,
    by: Annotated[
        Literal["stored", "published"],
        typer.Option(
            help="Which moment counts: when it was stored or changed last, or when it was published."
        ),
    ] = "stored",
    form: Form = "jsonl",
    out: Out = None,
    as_json: Json = False,
) -> None:
    """Write kept articles, each with its source, in the order of the moment that counts.

    With --out a summary is printed: to standard error, or with --json to standard output.
    """
    opened = open_app(context)
    wanted = Wanted(
        recipe=the_recipe(opened, recipe),
        since=parse_moment(since, opened.clock(), "--since") if since else None,
        until=parse_moment(until, opened.clock(), "--until") if until else None,
        by=by,
    )
    _write("article", export_articles(opened.store.engine, wanted), form, out, as_json=as_json)


@app.command("bars")
def bars(
    context: typer.Context,
    recipe: SomeRecipe = None,
    *,
    symbol: Annotated[str | None, typer.Option(help="Only this one.")] = None,
    span: Annotated[str | None, typer.Option(help="Only these: 1day, 1hour.")] = None,
    since: Since = None,
    until: Until = None,
    form: Form = "jsonl",
    out: Out = None,
    as_json: Json = False,
) -> None:
    """Write prices, by symbol, span and time.

    With --out a summary is printed: to standard error, or with --json to standard output.
    """
    opened = open_app(context)
    wanted = WantedBars(
        recipe=the_recipe(opened, recipe),
        symbol=symbol,
        span=span,
        since=parse_moment(since, opened.clock(), "--since") if since else None,
        until=parse_moment(until, opened.clock(), "--until") if until else None,
    )
    _write("bar", export_bars(opened.store.engine, wanted), form, out, as_json=as_json)


def _write(what: str, rows: Iterable[Row], form: str, out: Path | None, *, as_json: bool) -> None:
    if out is None and form == "parquet":
        raise Refused("no_file", "Parquet cannot be written to standard output; name a file with --out")
    if out is None:
        WRITERS[form](rows, sys.stdout.buffer)
        return
    with whole_file(out) as file:
        count = WRITERS[form](rows, file)
    if as_json:
        print_json({f"{what}s": count, "file": str(out), "bytes": out.stat().st_size})
    else:
        side_console().print(f"{count_of(count, what)} in {out}.", soft_wrap=True)


def the_recipe(opened: App, recipe: str | None) -> str:
    """The one that was named, or the only one there is."""
    found = chosen(opened, recipe)
    if len(found) != 1:
        raise Refused(
            "which_recipe", f"name the recipe; there are: {', '.join(found) or 'none with sources yet'}"
        )
    return found[0]

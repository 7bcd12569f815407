"""`headwater search`."""

from typing import Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from headwater.cli.environment import open_app, select_recipes
from headwater.cli.options import Json, single_command
from headwater.cli.render.console import cell, console, format_time, print_json_lines, short_id
from headwater.search.word_query import WordQuery
from headwater.settings.times import parse_time


def search(
    context: typer.Context,
    query: Annotated[str, typer.Argument(help='Words; "quoted words" must stand together.')],
    *,
    recipe: Annotated[str | None, typer.Option(help="Only this recipe.")] = None,
    language: Annotated[str, typer.Option(help="Only documents in this language, for example es.")] = "",
    since: Annotated[
        str | None, typer.Option(help="Only documents published since: 2026-11-14, or 24h (ago).")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=1_000, help="Maximum number of results, best first.")] = 10,
    meaning: Annotated[
        bool, typer.Option("--meaning", help="Search by meaning instead of words; needs headwater[nlp].")
    ] = False,
    as_json: Json = False,
) -> None:
    """Search the kept documents. Case and accents are ignored; documents with every word come first.

    New documents are indexed before the search. A search by meaning first computes missing vectors.
    """
    app = open_app(context)
    start = parse_time(since, app.clock(), "--since") if since else None
    queries = [
        WordQuery(query=query, recipe=name, language=language, since=start, limit=limit)
        for name in select_recipes(app, recipe)
    ]
    documents = app.search
    rows = (documents.by_meaning if meaning else documents.by_words)(queries)[:limit]
    if as_json:
        print_json_lines(rows)
        return
    out = console()
    for row in rows:
        _show(row, out)
    if not rows:
        out.print("No document matches.")


def _show(row: dict[str, Any], out: Console) -> None:
    out.print(
        Text.assemble(cell(short_id(row["id"]), "cyan"), "  ", cell(row["title"] or row["url"], "bold"))
    )
    details = (row["publisher"], format_time(row["published_at"])[:10], row["url"])
    out.print(cell("  ".join(part for part in details if part), "dim"), soft_wrap=True)
    out.print(cell(row["snippet"]))
    out.print()


app = single_command(search)

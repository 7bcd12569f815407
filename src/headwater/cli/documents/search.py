"""`headwater search`."""

from typing import Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from headwater.cli.environment import open_app
from headwater.cli.ops.status import select_recipes
from headwater.cli.options import Json, single_command
from headwater.cli.render.console import cell, console, format_time, print_json_lines, short_id
from headwater.cli.times import parse_time
from headwater.search.retrieval import search_by_meaning, search_by_words
from headwater.store.search.full_text import SearchQuery


def search(
    context: typer.Context,
    query: Annotated[str, typer.Argument(help='Words; "some words" in quotation marks stay together.')],
    *,
    recipe: Annotated[str | None, typer.Option(help="Only this recipe.")] = None,
    language: Annotated[str, typer.Option(help="Only documents in this language, for example es.")] = "",
    since: Annotated[
        str | None, typer.Option(help="Only what was published since: 2026-11-14, or 24h (ago).")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=1_000, help="At most so many, best first.")] = 10,
    meaning: Annotated[
        bool, typer.Option("--meaning", help="By meaning instead of words: headwater[nlp].")
    ] = False,
    as_json: Json = False,
) -> None:
    """Search the kept documents. Accents and cases do not count; those with every word come first.

    What came in since the last search is indexed first. A search by meaning first reads what has no vector yet.
    """
    opened = open_app(context)
    moved = parse_time(since, opened.clock(), "--since") if since else None
    wishes = [
        SearchQuery(query=query, recipe=name, language=language, since=moved, limit=limit)
        for name in select_recipes(opened, recipe)
    ]
    found = (search_by_meaning if meaning else search_by_words)(opened, wishes)[:limit]
    if as_json:
        print_json_lines(found)
        return
    out = console()
    for row in found:
        _show(row, out)
    if not found:
        out.print("Nothing fits.")


def _show(row: dict[str, Any], out: Console) -> None:
    out.print(
        Text.assemble(cell(short_id(row["id"]), "cyan"), "  ", cell(row["title"] or row["url"], "bold"))
    )
    told = "  ".join(
        part for part in (row["publisher"], format_time(row["published_at"])[:10], row["url"]) if part
    )
    out.print(cell(told, "dim"), soft_wrap=True)
    out.print(cell(row["snippet"]))
    out.print()


app = single_command(search)

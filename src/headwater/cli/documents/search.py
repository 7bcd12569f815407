"""`headwater search`."""

from typing import Annotated, Any, cast

import typer
from rich.console import Console
from rich.text import Text

from headwater.cli.environment import open_app
from headwater.cli.options import (
    Json,
    LanguageFilter,
    Limit,
    RecipeFilter,
    Since,
    SourceFilter,
    Until,
    single_command,
)
from headwater.cli.period import read_period
from headwater.cli.render.console import (
    cell,
    console,
    format_time,
    print_json,
    print_json_lines,
    print_notices,
    short_id,
)
from headwater.search.query import make_filters, parse_query
from headwater.store.search.document_search import Method, SearchResults

QUERY_HELP = 'Words, "phrases", prefix*, -word, this OR that, title:word, source:name, date:2026-11.'
MAX_RESULTS = 1_000


def search(
    context: typer.Context,
    query: Annotated[str, typer.Argument(help=QUERY_HELP)] = "",
    *,
    recipe: RecipeFilter = None,
    source: SourceFilter = None,
    publisher: Annotated[str | None, typer.Option(help="Only of this publisher.")] = None,
    language: LanguageFilter = None,
    topic: Annotated[str | None, typer.Option(help="Only on this topic: its name or code.")] = None,
    country: Annotated[str | None, typer.Option(help="Only about this country, for example UA.")] = None,
    subject: Annotated[str | None, typer.Option(help="Only about this subject: its id.")] = None,
    story: Annotated[
        str | None, typer.Option(help="Only of this story: its id, or the beginning of it.")
    ] = None,
    since: Since = None,
    until: Until = None,
    quality: Annotated[
        float | None, typer.Option(min=0, max=1, help="Only documents of at least this quality.")
    ] = None,
    facet: Annotated[
        list[str] | None,
        typer.Option(
            help="Count the best matches by recipe, source, publisher, language, topic, country or subject."
        ),
    ] = None,
    limit: Limit = 10,
    method: Annotated[
        str, typer.Option(help="hybrid (words and vectors together), words, or meaning (vectors alone).")
    ] = "hybrid",
    meaning: Annotated[bool, typer.Option("--meaning", help="The same as --method meaning.")] = False,
    as_json: Json = False,
) -> None:
    """Search the kept documents. Case, accents and endings of words are ignored; documents with more of the words come first.

    With headwater[nlp], words and meaning decide together. New documents are found by their words at once, and by their
    meaning within a minute while workers run. --method meaning first computes the vectors that are missing.

    Put -- before a query that begins with a minus: headwater search -- '-football port'.
    """
    app = open_app(context)
    if recipe is not None:
        app.recipe(recipe)
    values = {
        "recipe": recipe,
        "source": source,
        "publisher": publisher,
        "language": language,
        "topic": topic,
        "country": country,
        "subject": subject,
        "story": story,
    }
    period = read_period(app, since, until)
    filters = make_filters(values, since=period.since, until=period.until, quality=quality)
    parsed = parse_query(query, app.clock(), filters=filters, limit=min(limit, MAX_RESULTS), zone=None)
    chosen = cast("Method", "meaning" if meaning else method)
    results = app.search.search(parsed, method=chosen, facets=facet or ())
    print_notices(results.notices)
    if as_json:
        print_json_lines(results.rows)
        if facet:
            print_json({"facets": results.facets, "total": results.total})
        return
    _show_results(results, console())


def _show_results(results: SearchResults, out: Console) -> None:
    for word, term in results.corrections.items():
        out.print(cell(f"No document has '{word}'; searched for '{term}'.", "yellow"))
    for row in results.rows:
        _show(row, out)
    if not results.rows:
        out.print("No document matches.")
    for name, counts in results.facets.items():
        out.print(cell(f"{name}: " + ", ".join(f"{value} {count}" for value, count in counts.items()), "dim"))


def _show(row: dict[str, Any], out: Console) -> None:
    title = row["title"] or row["url"]
    places = row["title_highlights"] if row["title"] else []
    out.print(Text.assemble(cell(short_id(row["id"]), "cyan"), "  ", highlighted(title, places, "bold")))
    details = (row["recipe"], row["publisher"], format_time(row["published_at"])[:10], row["url"])
    out.print(cell("  ".join(part for part in details if part), "dim"), soft_wrap=True)
    out.print(highlighted(row["snippet"], row["highlights"]))
    if row["duplicates"]:
        publishers = [copy["publisher"] or copy["url"] for copy in row["duplicates"]]
        out.print(cell(f"also: {', '.join(dict.fromkeys(publishers))}", "dim"))
    out.print()


def highlighted(text: str, places: list[list[int]], style: str = "") -> Text:
    """The text with its matches in colour; each part is made harmless for the terminal."""
    parts, last = [], 0
    for first, end in places:
        parts += [_part(text[last:first], style), _part(text[first:end], f"{style} yellow".strip())]
        last = end
    return Text.assemble(*parts, _part(text[last:], style))


def _part(text: str, style: str) -> Text:
    """`cell` would take away the spaces at its ends."""
    lead = " " if text[:1].isspace() else ""
    tail = " " if len(text) > 1 and text[-1:].isspace() else ""
    return Text.assemble(lead, cell(text, style), tail)


app = single_command(search)

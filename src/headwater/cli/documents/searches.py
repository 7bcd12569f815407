"""`headwater searches`."""

from typing import Annotated, Any

import typer

from headwater.cli.environment import open_app
from headwater.cli.options import Json, LanguageFilter, Limit, OutFile, RecipeFilter, Since, command_group
from headwater.cli.render.console import (
    cell,
    console,
    format_time,
    print_json,
    print_json_lines,
    print_notices,
    short_id,
    table,
)
from headwater.model.document import Document
from headwater.model.saved_search import SavedSearch, SearchState
from headwater.ops.saved_searches import (
    SearchRequest,
    add_search,
    apply_search,
    check_search,
    list_searches,
    named_search,
    query_notices,
    search_feed,
    search_record,
    try_search,
)
from headwater.settings.times import parse_time
from headwater.store.reads.stored_records import StoredRecord

app = command_group(
    "Save searches: every new document is compared with them, and they notify, tag or drop what they meet."
)
SearchName = Annotated[str, typer.Argument(metavar="NAME", help="The name of a saved search.")]
Query = Annotated[
    str,
    typer.Argument(
        help='Words, "phrases", prefix*, -word, field:value, OR; the same language as `headwater search`. Put -- before one that begins with a minus.'
    ),
]
Publisher = Annotated[
    list[str] | None, typer.Option(metavar="NAME", help="Only of this publisher; can be repeated.")
]
Quality = Annotated[float | None, typer.Option(min=0, max=1, help="Only of at least this quality.")]
Kind = Annotated[str, typer.Option("--of", metavar="KIND", help="document, story or all.")]
TRIED = "tried"


@app.command("add")
def add(
    context: typer.Context,
    name: SearchName,
    query: Query,
    *,
    recipe: RecipeFilter = None,
    language: LanguageFilter = None,
    publisher: Publisher = None,
    quality: Quality = None,
    kind: Kind = "all",
    channel: Annotated[
        str, typer.Option(metavar="CHANNEL", help="A channel of the setting `notify`, or queue.")
    ] = "",
    deliver: Annotated[
        str | None,
        typer.Option(metavar="WHEN", help="immediately (the default with a channel), hourly or daily."),
    ] = None,
    action: Annotated[
        str,
        typer.Option(metavar="ACTION", help="deliver; or a rule of a recipe: tag, quarantine or drop."),
    ] = "deliver",
    as_json: Json = False,
) -> None:
    """Save a search. Workers that are running compare the next documents with it.

    Try it first with `headwater searches test QUERY`. Matches are always in its feed; with --channel they are sent, too.
    """
    request = SearchRequest(
        name=name,
        query=query,
        filters=_filters(language, publisher, quality),
        recipe=recipe,
        record_kind=kind,
        action=action,
        delivery=deliver,
        channel=channel,
    )
    app_ = open_app(context)
    search = add_search(app_, request)
    print_notices(query_notices(app_, search))
    if as_json:
        print_json(search_record(search))
        return
    sent = f"sent {search.delivery} to {search.channel}" if search.channel else "not sent"
    effect = f"{sent}, and in `headwater searches feed {name}`"
    if search.is_rule:
        effect = (
            f"the action {search.action}; apply it to stored documents with `headwater searches apply {name}`"
        )
    console().print(cell(f"Saved {name}. New matches: {effect}."))


def _filters(language: str | None, publisher: list[str] | None, quality: float | None) -> dict[str, Any]:
    return {"language": [language] if language else [], "publisher": publisher, "quality": quality}


@app.command("list")
def list_command(context: typer.Context, as_json: Json = False) -> None:
    """List the saved searches, with what they met and what keeps their deliveries from arriving."""
    rows = list_searches(open_app(context))
    if as_json:
        print_json_lines(rows)
        return
    listing = table("name", "state", "matches", "last", "delivery", "query", flexible="query")
    listing.expand = True
    for row in rows:
        delivery = f"{row['delivery']} {row['channel']}" if row["channel"] else row["action"]
        listing.add_row(
            cell(row["name"]),
            cell("failing" if row["problem"] else row["state"], "yellow" if row["problem"] else ""),
            str(row["matches"]),
            format_time(row["last_match_at"]),
            cell(delivery),
            cell(row["query"], "dim"),
        )
    out = console()
    out.print(listing if rows else "No saved searches. Save one with `headwater searches add NAME QUERY`.")
    for row in rows:
        if row["problem"]:
            out.print(cell(f"{row['name']}: {row['problem']}", "yellow"))


@app.command("test")
def try_on_past(
    context: typer.Context,
    query: Annotated[
        str, typer.Argument(help="The query, after -- if it begins with a minus; or with --saved nothing.")
    ] = "",
    *,
    saved: Annotated[str, typer.Option(metavar="NAME", help="Test this saved search instead.")] = "",
    recipe: RecipeFilter = None,
    language: LanguageFilter = None,
    publisher: Publisher = None,
    quality: Quality = None,
    kind: Kind = "all",
    since: Since = None,
    limit: Limit = 20,
    as_json: Json = False,
) -> None:
    """Show which stored documents and stories a search would have matched. Nothing is stored or sent."""
    app_ = open_app(context)
    if bool(query) == bool(saved):
        raise typer.BadParameter("give either a query or --saved NAME")
    search: SavedSearch
    if saved:
        search = named_search(app_, saved)
    else:
        filters = _filters(language, publisher, quality)
        request = SearchRequest(name=TRIED, query=query, filters=filters, recipe=recipe, record_kind=kind)
        search = check_search(app_, request)
    print_notices(query_notices(app_, search))
    start = parse_time(since, app_.clock(), "--since") if since else None
    rows, total = [], 0
    for stored in try_search(app_, search, start):
        total += 1
        if total <= limit:
            rows.append(_match_row(stored))
    if as_json:
        print_json({"matches": total, "shown": rows})
        return
    out = console()
    for row in rows:
        out.print(cell(f"{short_id(row['id'])}  {row['kind']}  {row['title'] or row['url']}"))
    ending = f"; {len(rows)} are shown" if total > len(rows) else ""
    out.print(f"{_matches(total)} in the stored past{ending}.")


def _matches(count: int) -> str:
    return "1 match" if count == 1 else f"{count} matches"


def _match_row(stored: StoredRecord) -> dict[str, Any]:
    record = stored.record
    is_document = isinstance(record, Document)
    return {
        "id": record.id,
        "kind": "document" if is_document else "story",
        "recipe": record.recipe,
        "title": record.title,
        "url": record.url if isinstance(record, Document) else "",
        "published_at": stored.searched.moment,
    }


@app.command("pause")
def pause(context: typer.Context, name: SearchName, as_json: Json = False) -> None:
    """Stop comparing new documents with a search. Its matches stay."""
    _set_state(context, name, SearchState.PAUSED, f"Paused {name}.", as_json=as_json)


@app.command("resume")
def resume(context: typer.Context, name: SearchName, as_json: Json = False) -> None:
    """Compare new documents with a paused search again. What came in between: `headwater searches apply`."""
    _set_state(context, name, SearchState.ACTIVE, f"Resumed {name}.", as_json=as_json)


def _set_state(context: typer.Context, name: str, state: SearchState, text: str, *, as_json: bool) -> None:
    app_ = open_app(context)
    app_.saved_searches.set_state(name, state, app_.clock())
    if as_json:
        print_json(search_record(named_search(app_, name)))
    else:
        console().print(cell(text))


@app.command("remove")
def remove(context: typer.Context, name: SearchName, as_json: Json = False) -> None:
    """Remove a search with its matches. What still waits to be sent is not sent; documents stay as they are."""
    count = open_app(context).saved_searches.remove(name)
    if as_json:
        print_json({"name": name, "matches": count})
    else:
        console().print(cell(f"Removed {name} and {_matches(count)}."))


@app.command("apply")
def apply(context: typer.Context, name: SearchName, *, since: Since = None, as_json: Json = False) -> None:
    """Apply a search to stored documents: a rule drops, quarantines or tags them; otherwise they join its feed.

    Test it first with `headwater searches test --saved NAME`. Works in batches; if it is interrupted, run it again.
    """
    app_ = open_app(context)
    start = parse_time(since, app_.clock(), "--since") if since else None
    figures = apply_search(app_, name, start)
    if as_json:
        print_json(
            {"matching": figures.matching, "changed": figures.changed, "passed_over": figures.passed_over}
        )
        return
    later = f" {figures.passed_over} are being worked on: run it again." if figures.passed_over else ""
    console().print(cell(f"{figures.matching} matched, {figures.changed} changed.{later}"))


@app.command("feed")
def feed(
    context: typer.Context,
    name: SearchName,
    *,
    feed_format: Annotated[
        str, typer.Option("--format", metavar="FORMAT", help="atom, rss or json.")
    ] = "atom",
    limit: Limit = 50,
    out: OutFile = None,
    as_json: Json = False,
) -> None:
    """Print the matches of a search as an Atom feed or a JSON feed."""
    text = search_feed(open_app(context), name, "json" if as_json else feed_format, limit=limit)
    if out is None:
        typer.echo(text, nl=False)
        return
    out.write_text(text, encoding="utf-8")
    console().print(cell(f"Wrote {out}."))

"""`headwater docs`."""

from datetime import datetime
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from headwater.app import App
from headwater.cli.environment import open_app, report_mistakes, select_recipes
from headwater.cli.options import (
    Json,
    LanguageFilter,
    Limit,
    RecipeFilter,
    Since,
    SourceFilter,
    Until,
    command_group,
)
from headwater.cli.period import read_period
from headwater.cli.render.console import (
    card,
    cell,
    console,
    error_console,
    format_count,
    format_time,
    print_json,
    print_json_lines,
    short_id,
    table,
    time_column,
)
from headwater.model.errors import Refused
from headwater.model.jobs import State, stored_states
from headwater.model.page import UNREAD_PAGES, PageState
from headwater.store.reads.catalogue import DOCUMENT_FIELDS
from headwater.store.reads.document_list import DocumentQuery, iterate_documents
from headwater.text.printable import printable_text

app = command_group("List and read documents.")
SOURCE_WIDTH = 12
LISTED = (*DOCUMENT_FIELDS, "source")
SHOWN = (
    "url",
    "page",
    "publisher",
    "authors",
    "published_at",
    "modified_at",
    "language",
    "keywords",
    "description",
)


@app.command("list")
def list_documents(
    context: typer.Context,
    *,
    recipe: RecipeFilter = None,
    state: Annotated[
        list[State] | None, typer.Option(help="Only documents in this state; can be repeated. Default: kept.")
    ] = None,
    since: Since = None,
    until: Until = None,
    source: SourceFilter = None,
    language: LanguageFilter = None,
    limit: Limit = 20,
    as_json: Json = False,
) -> None:
    """List documents, newest first. --since and --until compare with the publication, or the arrival of a document without a
    date."""
    app = open_app(context)
    if recipe:
        select_recipes(app, recipe)
    if source:
        app.catalogue.require_source(source, recipe)
    report_mistakes(app)
    period = read_period(app, since, until)
    query = DocumentQuery(
        recipe=recipe,
        source=source,
        language=language,
        states=stored_states(state or [State.KEPT]),
        since=period.since,
        until=period.until,
        limit=limit + 1,  # the last one only says that there are more
    )
    found_rows = [{name: row[name] for name in LISTED} for row in iterate_documents(app.engine, query)]
    rows = found_rows[:limit]
    if as_json:
        print_json_lines(rows)
        return
    head, times = time_column("published", [row["published_at"] for row in rows])
    listing = table("id", head, "source", "lang", "title", flexible="title", widths={"source": SOURCE_WIDTH})
    for row, published in zip(rows, times, strict=True):
        listing.add_row(
            cell(short_id(row["id"]), "cyan"),
            published,
            cell(row["source"] or row["publisher"]),
            cell(row["language"]),
            cell(_state_label(row) + (row["title"] or row["url"])),
        )
    console().print(listing if rows else "No documents.")
    is_filtered = any((source, language, since, until))  # those entries are only counted for a whole recipe
    lists_duplicates = State.DUPLICATE in (state or ())
    if lists_duplicates and not is_filtered and (address_count := _known_addresses(app, recipe)):
        error_console().print(
            f"{address_count} more came in with an address that was already stored (duplicate:url): they have no document.",
            style="dim",
            soft_wrap=True,
        )
    if len(found_rows) > limit:
        console().print(f"There are more; --limit {4 * limit} shows more of them.", style="dim")


def _known_addresses(app: App, recipe: str | None) -> int:
    """Entries that were duplicates by their address, and so never became documents."""
    statuses = [app.catalogue.status(name, app.clock()) for name in select_recipes(app, recipe)]
    return sum(
        int(status["leads"].get(State.DUPLICATE, 0)) - int(status["refetched"].get(State.DUPLICATE, 0))
        for status in statuses
    )


def _state_label(row: dict[str, Any]) -> str:
    """Why a document was not kept, or why it does without the text of its page; of a duplicate the original, by as much of its
    id as `docs show` needs."""
    if row["duplicate_of"]:
        return f"[copy of {row['duplicate_of'][:8]}] "
    if row["state"] != State.KEPT:
        return f"[{row['reason'] or row['state']}] "
    return f"[page: {row['page']}] " if row["page"] in UNREAD_PAGES else ""


@app.command("show")
def show_document(
    context: typer.Context,
    document: Annotated[
        str, typer.Argument(metavar="ID|URL", help="Id, the first 8 or more characters of it, or URL.")
    ],
    as_json: Json = False,
) -> None:
    """Show one document: its metadata and its text. A copy is stored without text: that of its original is shown."""
    catalogue = open_app(context).catalogue
    record = catalogue.document(document)
    if record is None:
        raise unknown_document(document)
    if record["duplicate_of"] and not record["text"]:
        original = catalogue.document(record["duplicate_of"])
        record |= {"text": original["text"], "text_of": original["id"]} if original else {}
    if as_json:
        print_json(record)
    else:
        _show(record, console())


def unknown_document(name: str) -> Refused:
    return Refused(
        "unknown_document",
        f"there is no document '{name}'; list them with `headwater docs list`, and give at least 8 characters of the id",
    )


@app.command("fetch")
def fetch_pages(
    context: typer.Context,
    keys: Annotated[
        list[str] | None,
        typer.Argument(metavar="KEY", help="Keys, or the first 8 or more characters of them."),
    ] = None,
    recipe: RecipeFilter = None,
    page: Annotated[
        list[PageState] | None,
        typer.Option(help="Only documents whose page is in this state; can be repeated."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Request the pages of documents that were stored without one: of these, or with --recipe of all of a recipe. A page that
    can be read now makes a new revision."""
    if bool(keys) == bool(recipe):
        raise typer.BadParameter("give either keys or --recipe RECIPE")
    app = open_app(context)
    if recipe:
        select_recipes(app, recipe)
    # Loaded here, because every other command of this group only reads rows.
    from headwater.fetch.browser.program import is_browser_available  # noqa: PLC0415

    count = app.operations.fetch_pages(
        keys, recipe, app.clock(), states=page or (), renders=is_browser_available()
    )
    if as_json:
        print_json({"count": count})
    else:
        console().print(f"{format_count(count, 'page')} due; a worker will request them.")


def _text(value: object) -> str:
    if isinstance(value, datetime):
        return format_time(value)
    return ", ".join(value) if isinstance(value, list) else str(value)


def _show(record: dict[str, Any], out: Console) -> None:
    out.print(Text(printable_text(record["title"] or "(no title)"), style="bold"))
    state = State.QUARANTINED if record["state"] == State.ASIDE else record["state"]
    identity = f"{record['id']}  revision {record['revision']}  {state}"
    original = {"copy of": record["duplicate_of"]} if record["duplicate_of"] else {}
    fields = {name.removesuffix("_at"): _text(record[name]) for name in SHOWN if record[name]}
    out.print(card({"id": identity, **original, **fields}))
    out.print()
    if record.get("text_of"):
        out.print(f"The text of its original, {short_id(record['text_of'])}:", style="dim")
    out.print(Text(printable_text(record["text"] or f"(no text: {record['reason']})")))

"""`headwater docs`."""

from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from headwater.cli.opening import open_app
from headwater.cli.options import Json, SomeRecipe, group
from headwater.cli.output import cell, console, moment, print_json, print_json_lines, short, table
from headwater.cli.sentences import printable
from headwater.cli.status import chosen
from headwater.model.errors import Refused
from headwater.model.work import State

app = group("List and read documents.")
SHOWN = ("url", "publisher", "authors", "published_at", "modified_at", "language", "keywords", "description")


@app.command("list")
def list_documents(
    context: typer.Context,
    recipe: SomeRecipe = None,
    state: Annotated[
        list[State] | None, typer.Option(help="Only documents in this state; may be repeated. Default: kept.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help="At most so many, newest first.")] = 20,
    as_json: Json = False,
) -> None:
    """List documents, newest first."""
    opened = open_app(context)
    if recipe:
        chosen(opened, recipe)
    found = opened.catalogue.documents(recipe, state or [State.KEPT], limit)
    if as_json:
        print_json_lines(found)
        return
    made = table("id", "published", "publisher", "title", flexible="title")
    made.expand = True
    for row in found:
        standing = "" if row["state"] == State.KEPT else f"[{row['reason'] or row['state']}] "
        made.add_row(
            cell(short(row["id"]), "cyan"),
            moment(row["published_at"])[:10],
            cell(row["publisher"][:16]),
            cell(standing + (row["title"] or row["url"])),
        )
    console().print(made if found else "No documents.")


@app.command("show")
def show_document(
    context: typer.Context,
    document: Annotated[
        str, typer.Argument(metavar="ID|URL", help="Key, its beginning (8 letters or more), or address.")
    ],
    as_json: Json = False,
) -> None:
    """Show one document: what it says and what is known about it."""
    found = open_app(context).catalogue.document(document)
    if found is None:
        raise unknown_document(document)
    if as_json:
        print_json(found)
    else:
        _show(found, console())


def unknown_document(name: str) -> Refused:
    return Refused(
        "unknown_document",
        f"there is no document '{name}'; see `headwater docs list`, and give at least 8 letters of its id",
    )


def _show(found: dict[str, Any], out: Console) -> None:
    out.print(Text(printable(found["title"] or "(no title)"), style="bold"))
    grid = Table.grid(padding=(0, 2))
    grid.add_row(Text("id", style="dim"), f"{found['id']}  revision {found['revision']}  {found['state']}")
    for name in SHOWN:
        if value := found[name]:
            text = ", ".join(value) if isinstance(value, list) else str(value)
            grid.add_row(Text(name.removesuffix("_at"), style="dim"), cell(text))
    out.print(grid)
    out.print()
    out.print(Text(printable(found["text"] or f"(no text: {found['reason']})")))

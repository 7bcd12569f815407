"""`headwater explain`."""

from typing import Annotated

import typer

from headwater.cli.documents.docs import unknown_document
from headwater.cli.environment import open_app
from headwater.cli.options import Json, single_command
from headwater.cli.render.console import console, print_json
from headwater.cli.render.document_history import history_tree
from headwater.store.reads.explanation import explain as history_of


def explain(
    context: typer.Context,
    document: Annotated[
        str, typer.Argument(metavar="ID|URL", help="Key, its beginning (8 letters or more), or address.")
    ],
    as_json: Json = False,
) -> None:
    """Tell the full story of one document.

    Where it came from, what was captured, which steps changed what, where each field comes from, what it duplicates,
    what became of it.
    """
    app = open_app(context)
    story = history_of(app.store.engine, document)
    if story is None:
        raise unknown_document(document)
    if as_json:
        print_json(story)
        return
    names = {source["id"]: source["name"] for source in app.catalogue.sources()}

    def title(key: str) -> str:
        found = app.catalogue.document(key)
        return found["title"] if found else ""

    console().print(history_tree(story, names, title))


app = single_command(explain)

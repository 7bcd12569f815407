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
        str, typer.Argument(metavar="ID|URL", help="Id, the first 8 or more characters of it, or URL.")
    ],
    as_json: Json = False,
) -> None:
    """Show the full history of one document.

    Its source, its captures, what each step changed, the origin of each field, its duplicates, and where it was delivered.
    """
    app = open_app(context)
    history = history_of(app.engine, document)
    if history is None:
        raise unknown_document(document)
    if as_json:
        print_json(history)
        return
    names = {source["id"]: source["name"] for source in app.catalogue.sources()}

    def title(document_id: str) -> str:
        record = app.catalogue.document(document_id)
        return record["title"] if record else ""

    console().print(history_tree(history, names, title))


app = single_command(explain)

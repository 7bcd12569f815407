"""`headwater explain`."""

from typing import Annotated

import typer

from headwater.backends.sql.history import explain as history_of
from headwater.cli.docs import unknown_document
from headwater.cli.opening import open_app
from headwater.cli.options import Json, verb
from headwater.cli.output import console, print_json
from headwater.cli.storytelling import tell


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
    opened = open_app(context)
    story = history_of(opened.store.engine, document)
    if story is None:
        raise unknown_document(document)
    if as_json:
        print_json(story)
        return
    names = {source["id"]: source["name"] for source in opened.catalogue.sources()}

    def title(key: str) -> str:
        found = opened.catalogue.document(key)
        return found["title"] if found else ""

    console().print(tell(story, names, title))


app = verb(explain)

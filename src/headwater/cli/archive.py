"""`headwater archive`: copies of what was captured and made, under names that other programs look for."""

from datetime import datetime
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from headwater.app import App
from headwater.backends.sql.copying import Copying
from headwater.cli.opening import open_app
from headwater.cli.options import Json, RecipeName, group
from headwater.cli.output import console, print_json
from headwater.model.errors import Refused
from headwater.model.layout import Layout
from headwater.settings.sources import parse_duration

app = group("Copy raw payloads and parsed documents to where other programs look for them.")


@app.command("copy")
def copy(
    context: typer.Context,
    recipe: RecipeName,
    *,
    to: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="A folder; its subfolders are buckets. Else DATA/objects."),
    ] = None,
    within: Annotated[
        str | None, typer.Option(metavar="DURATION", help="Only what is not older: 90s, 15m, 4h, 1d.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Copy the answers of every look and the text and record of every kept document, one file each.

    What is there already is not written again, but for documents that changed.
    """
    opened = open_app(context)
    layout = opened.recipe(recipe).layout
    if layout is None:
        raise Refused("no_layout", f"the recipe '{recipe}' says nothing about where copies should lie")
    since = opened.clock() - parse_duration(within, "--within") if within else None
    target = to or opened.settings.folder / "objects"
    try:
        counted = copy_objects(opened, recipe, layout, target, since)
    except OSError as error:
        raise Refused("folder_unwritable", f"{target} cannot be written: {error.strerror}") from error
    if as_json:
        print_json({"folder": str(target), **counted})
    else:
        console().print(
            f"{counted['payloads']} payloads and {counted['documents']} documents in {target}.",
            soft_wrap=True,
        )


def copy_objects(
    app: App, recipe: str, layout: Layout, target: Path, since: datetime | None
) -> dict[str, int]:
    """Gives how many of each were looked at."""
    copying = Copying(app.store.engine)
    counted = {"payloads": 0, "documents": 0, "written": 0, "missing": 0}
    for batch in copying.payloads(recipe, since):
        wanted = [(target / layout.raw(where), capture) for where, capture in batch]
        bodies = app.archive.get([capture for path, capture in wanted if not path.exists()])
        for path, capture in wanted:
            counted["payloads"] += 1
            if capture.sha256 in bodies:
                counted["written"] += _write(path, bodies[capture.sha256])
            elif not path.exists():
                counted["missing"] += 1
    for parsed in copying.parsed(recipe, since):
        for one in parsed:
            counted["documents"] += 1
            parts = {
                "normalized.txt": one.text.encode(),
                "parser_output.json": msgspec.json.encode(one.record),
            }
            for name, body in parts.items():
                counted["written"] += _write(target / layout.part(one.kind, one.label, one.id, name), body)
    return counted


def _write(path: Path, body: bytes) -> int:
    """Whole or not at all; gives whether anything had to be written."""
    if path.exists() and path.read_bytes() == body:
        return 0
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.tmp")
    draft.write_bytes(body)
    draft.replace(path)
    return 1

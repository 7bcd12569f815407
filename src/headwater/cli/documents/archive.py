"""`headwater archive`: copies of what was captured and made, under names that other programs look for."""

from datetime import datetime
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from headwater.app import App, bucket_server
from headwater.archive.named_objects import (
    NamedObjects,
    objects_in_bucket,
    objects_in_buckets,
    objects_in_folder,
)
from headwater.archive.record_files import FolderRecords, copy_records
from headwater.cli.environment import open_app
from headwater.cli.options import Json, OptionalRecipe, RecipeName, command_group
from headwater.cli.render.console import cell, console, print_json, print_json_lines
from headwater.model.errors import Refused
from headwater.model.recipe import ObjectLayout
from headwater.settings.archive import SCHEME, parse_bucket_url
from headwater.settings.sources import parse_duration
from headwater.store.reads.object_copies import ObjectCopies

app = command_group(
    "Copy raw payloads and parsed documents to where others look; list files of old documents."
)


@app.command("copy")
def copy(
    context: typer.Context,
    recipe: RecipeName,
    *,
    to: Annotated[
        str | None,
        typer.Option(
            metavar="PLACE",
            help="A folder whose subfolders are the buckets (else DATA/objects); s3:// for buckets of the archive's "
            "server, s3://BUCKET/PREFIX for one bucket.",
        ),
    ] = None,
    within: Annotated[
        str | None, typer.Option(metavar="DURATION", help="Only what is not older: 90s, 15m, 4h, 1d.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Copy the answers of every look and the text and record of every kept document, one file each.

    What is there already is not written again, but for documents that changed.
    """
    app = open_app(context)
    layout = app.recipe(recipe).layout
    if layout is None:
        raise Refused("no_layout", f"the recipe '{recipe}' says nothing about where copies should lie")
    since = app.clock() - parse_duration(within, "--within") if within else None
    target = to or str(app.settings.folder / "objects")
    try:
        counted = copy_objects(app, recipe, layout, objects_at(app, target), since)
    except OSError as error:
        raise Refused("folder_unwritable", f"{target} cannot be written: {error.strerror}") from error
    if as_json:
        print_json({"folder": target, **counted})
    else:
        console().print(
            f"{counted['payloads']} payloads and {counted['documents']} documents in {target}.",
            soft_wrap=True,
        )


@app.command("records")
def records(
    context: typer.Context,
    recipe: OptionalRecipe = None,
    *,
    to: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Also copy them into this folder, by their names.")
    ] = None,
    as_json: Json = False,
) -> None:
    """List the Parquet files into which old documents were moved, wherever they lie.

    Every machine of an installation finds them: in the data folder, or in the bucket of the archive under `records/`. A
    document that was moved says which file holds the rest of it.
    """
    files = open_app(context).records
    names = [name for name in files.names() if recipe is None or name.startswith(f"{recipe}/")]
    if to is not None:
        copy_records(files, FolderRecords(to), names)
    if as_json:
        print_json_lines({"name": name, "place": files.where(name)} for name in names)
        return
    for name in names:
        console().print(cell(files.where(name)), soft_wrap=True)
    if not names:
        console().print("No documents were moved to files.")


def objects_at(app: App, place: str) -> NamedObjects:
    """Buckets are of the server that the setting `archive` names, with its key."""
    if not place.startswith(SCHEME):
        return objects_in_folder(Path(place))
    server = bucket_server(app.settings.archive_settings)
    if place.rstrip("/") == SCHEME.rstrip("/"):
        return objects_in_buckets(server)
    return objects_in_bucket(server, *parse_bucket_url(place, "--to"))


def copy_objects(
    app: App, recipe: str, layout: ObjectLayout, target: NamedObjects, since: datetime | None
) -> dict[str, int]:
    """Gives how many of each were looked at."""
    copying = ObjectCopies(app.store.engine)
    counted = {"payloads": 0, "documents": 0, "written": 0, "missing": 0}
    for batch in copying.payloads(recipe, since):
        named = [(layout.raw(where), capture) for where, capture in batch]
        wanted = [(name, capture) for name, capture in named if not target.has(name)]
        bodies = app.archive.get([capture for _, capture in wanted])
        counted["payloads"] += len(named)
        for name, capture in wanted:
            if capture.sha256 in bodies:
                counted["written"] += target.write(name, bodies[capture.sha256])
            else:
                counted["missing"] += 1
    for parsed in copying.parsed(recipe, since):
        for one in parsed:
            counted["documents"] += 1
            parts = {
                "normalized.txt": one.text.encode(),
                "parser_output.json": msgspec.json.encode(one.record, order="deterministic"),
            }
            for name, body in parts.items():
                counted["written"] += target.write(layout.part(one.kind, one.label, one.id, name), body)
    return counted

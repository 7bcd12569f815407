"""`headwater archive`."""

from pathlib import Path
from typing import Annotated

import typer

from headwater.archive.record_files import FolderRecords, copy_records
from headwater.cli.environment import open_app, select_recipes
from headwater.cli.options import Json, OptionalLimit, Quiet, RecipeFilter, RecipeName, Since, command_group
from headwater.cli.period import read_period
from headwater.cli.render.console import cell, console, print_json, print_json_lines
from headwater.cli.render.progress import ticking
from headwater.model.errors import Refused
from headwater.ops.object_copies import copy_objects

app = command_group("Copy payloads and documents to named objects; list files of old documents.")


@app.command("copy")
def copy(
    context: typer.Context,
    recipe: RecipeName,
    *,
    to: Annotated[
        str | None,
        typer.Option(
            metavar="PLACE",
            help="A folder whose subfolders are the buckets (default: DATA/objects); s3:// for buckets of the archive's "
            "server; s3://BUCKET/PREFIX for one bucket.",
        ),
    ] = None,
    since: Since = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Copy the payloads of every poll, and the text and record of every kept document, one object each.

    Objects that exist are not written again, except for documents that changed.
    """
    app = open_app(context)
    layout = app.recipe(recipe).layout
    if layout is None:
        raise Refused("no_layout", f"the recipe '{recipe}' defines no layout for copies")
    start = read_period(app, since).since
    target = to or str(app.settings.folder / "objects")
    try:
        with ticking(f"copying to {target}", quiet=quiet):
            counts = copy_objects(app, recipe, layout, app.named_objects(target, "--to"), start)
    except OSError as error:
        raise Refused("folder_unwritable", f"{target} cannot be written: {error.strerror}") from error
    if as_json:
        print_json({"folder": target, **counts})
    else:
        console().print(
            f"{counts['payloads']} payloads and {counts['documents']} documents in {target}.",
            soft_wrap=True,
        )


@app.command("records")
def records(
    context: typer.Context,
    *,
    recipe: RecipeFilter = None,
    limit: OptionalLimit = None,
    to: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Also copy the files to this folder.")
    ] = None,
    as_json: Json = False,
) -> None:
    """List the Parquet files of documents that the retention policy moved out of the database.

    They are in the data folder, or under `records/` in the bucket of the archive. A document that was moved names the file
    that holds its content.
    """
    app = open_app(context)
    if recipe:
        select_recipes(app, recipe)
    files = app.records
    names = [name for name in files.names() if recipe is None or name.startswith(f"{recipe}/")][:limit]
    if to is not None:
        copy_records(files, FolderRecords(to), names)
    if as_json:
        print_json_lines({"name": name, "place": files.where(name)} for name in names)
        return
    for name in names:
        console().print(cell(files.where(name)), soft_wrap=True)
    if not names:
        console().print("No document was moved to a file.")

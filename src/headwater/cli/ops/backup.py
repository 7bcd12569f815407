"""`headwater backup`."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from headwater.cli.environment import open_app
from headwater.cli.options import Json, single_command
from headwater.cli.render.console import console, format_count, format_size, print_json
from headwater.ops.backup import create_backup


def backup(
    context: typer.Context,
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="Where backups are kept; made if it is not there.")
    ],
    as_json: Json = False,
) -> None:
    """Save the store, the raw captures and the files of old documents, while workers go on.

    Each backup is a folder of its own; captures are shared by all of them and copied once. The exit code is 1 if
    captures or files of old documents turned out to be damaged; everything else is saved nevertheless, and what earlier
    backups hold stays as it is.
    """
    app = open_app(context)
    saved = create_backup(app, folder)
    if as_json:
        print_json(asdict(saved))
    else:
        console().print(
            f"Saved {format_count(saved.rows, 'row')} ({format_size(saved.bytes)}) and {format_count(saved.packs, 'pack')} of "
            f"captures ({saved.packs_copied} new) as {Path(saved.folder) / saved.name}.",
            soft_wrap=True,
        )
        for name in saved.damaged:
            console().print(f"Damaged or missing in the archive: {name}", style="yellow", soft_wrap=True)
        for name in saved.records_damaged:
            console().print(
                f"Damaged: {app.records.where(name)} is not what was saved before as {folder / 'records' / name}, which "
                "was left as it is.",
                style="yellow",
                soft_wrap=True,
                markup=False,
            )
    if saved.damaged or saved.records_damaged:
        raise typer.Exit(1)


app = single_command(backup)

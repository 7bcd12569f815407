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
        Path,
        typer.Argument(metavar="FOLDER", help="The folder of the backups; created if it does not exist."),
    ],
    as_json: Json = False,
) -> None:
    """Back up the store, the raw captures and the files of old documents while workers run.

    Each backup has its own folder; captures are shared between backups and copied once. The exit code is 1 if captures or
    files of old documents are damaged; everything else is saved, and earlier backups do not change.
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
                f"Damaged: {app.records.where(name)} differs from the copy saved before as {folder / 'records' / name}, which "
                "was not replaced.",
                style="yellow",
                soft_wrap=True,
                markup=False,
            )
    if saved.damaged or saved.records_damaged:
        raise typer.Exit(1)


app = single_command(backup)

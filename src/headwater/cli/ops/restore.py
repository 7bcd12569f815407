"""`headwater restore`."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from headwater.cli.environment import make_app
from headwater.cli.options import Json, single_command
from headwater.cli.render.console import console, format_count, print_json
from headwater.ops.restore import check_backup, select_backup
from headwater.ops.restore import restore as put_back


def restore(
    context: typer.Context,
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Where the backups are kept.")],
    *,
    name: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Which backup, e.g. 20261115T120000Z; the newest if not given."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the data that is there.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only check the backup from end to end; change nothing.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Put a backup back, into SQLite or PostgreSQL, whichever it was made from. Stop the workers first.

    Everything is compared with its hash before anything is changed. Data that is there already is replaced only with
    --force.
    """
    backup = select_backup(folder, name)
    found = check_backup(backup) if dry_run else put_back(make_app(context), backup, force=force)
    if as_json:
        print_json(asdict(found) | {"restored": not dry_run})
        return
    done = "is sound" if dry_run else "is restored"
    console().print(
        f"{found.name} {done}: {format_count(found.rows, 'row')}, {format_count(found.packs, 'pack')} of captures."
    )
    if found.missing:
        console().print(
            f"{format_count(len(found.missing), 'pack')} were damaged before it was made.", style="yellow"
        )


app = single_command(restore)

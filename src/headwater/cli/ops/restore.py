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
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder of the backups.")],
    *,
    name: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Which backup, e.g. 20261115T120000Z; default: the newest."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace existing data.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only verify the backup; change nothing.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Restore a backup into SQLite or PostgreSQL, regardless of which it was made from. Stop the workers first.

    All hashes are verified before anything changes. Existing data is replaced only with --force.
    """
    backup = select_backup(folder, name)
    backup_report = check_backup(backup) if dry_run else put_back(make_app(context), backup, force=force)
    if as_json:
        print_json(asdict(backup_report) | {"restored": not dry_run})
        return
    outcome = "is sound" if dry_run else "is restored"
    console().print(
        f"{backup_report.name} {outcome}: {format_count(backup_report.rows, 'row')}, {format_count(backup_report.packs, 'pack')} of captures."
    )
    if backup_report.missing:
        console().print(
            f"{format_count(len(backup_report.missing), 'pack')} were already damaged when the backup was made.",
            style="yellow",
        )


app = single_command(restore)

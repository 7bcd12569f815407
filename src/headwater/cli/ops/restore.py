"""`headwater restore`."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from headwater.cli.environment import make_app
from headwater.cli.ops.backup import show_check
from headwater.cli.options import DryRun, Json, Quiet, single_command
from headwater.cli.render.console import console, print_json
from headwater.cli.render.progress import ticking
from headwater.ops.backup_check import verify_backups
from headwater.ops.backup_folder import select_backup
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
    skip_damaged: Annotated[
        bool,
        typer.Option("--skip-damaged", help="Restore the rest of a backup of which captures are damaged."),
    ] = False,
    dry_run: DryRun = False,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Restore a backup into SQLite or PostgreSQL, regardless of which it was made from. Stop the workers first.

    All checksums are verified before anything changes; damaged files are named, with exit code 1, and nothing is restored.
    With --skip-damaged everything else is restored; --dry-run only verifies. Existing data is replaced only with --force,
    which sets a damaged SQLite database aside.
    """
    backup = select_backup(folder, name)
    aside = None
    with ticking(f"{'verifying' if dry_run else 'restoring'} {backup}", quiet=quiet):
        if dry_run:
            (check,) = verify_backups(folder, backup.name)
        else:
            report = put_back(make_app(context), backup, force=force, skip_damaged=skip_damaged)
            check, aside = report.check, report.set_aside
    if as_json:
        print_json(
            asdict(check)
            | {"sound": check.is_sound, "restored": not dry_run, "set_aside": aside and str(aside)}
        )
    else:
        show_check(check, "is sound" if dry_run else "is restored")
        if aside is not None:
            message = f"The damaged database is now {aside}; remove it when you do not need it."
            console().print(message, style="yellow", soft_wrap=True, markup=False)
    if not check.is_sound:
        raise typer.Exit(1)


app = single_command(restore)

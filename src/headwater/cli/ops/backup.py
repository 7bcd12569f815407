"""`headwater backup`."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from headwater.cli.environment import open_app
from headwater.cli.options import Json, OptionalLimit, Quiet, command_group
from headwater.cli.render.console import console, format_count, format_size, print_json, print_json_lines
from headwater.cli.render.progress import ticking
from headwater.model.errors import Refused
from headwater.ops.backup import BackupReport, create_backup
from headwater.ops.backup_check import BackupCheck, verify_backups
from headwater.ops.backup_folder import PACKS, list_backups

app = command_group("Back up the store and the archive while in use; verify backups.")
Folder = Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder of the backups.")]


@app.command("create")
def create(
    context: typer.Context,
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="FOLDER",
            help="The folder of the backups; created if it does not exist. Use another disk.",
        ),
    ],
    *,
    keep: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Afterwards keep only the newest N backups.")
    ] = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Back up the store, the raw captures and the files of old documents while workers run.

    Each backup has its own folder; captures are shared between backups and copied once. Copies that were damaged since are
    replaced from the installation. The exit code is 1 if captures or files of old documents are damaged in the
    installation; everything else is saved, and earlier backups do not change.
    """
    installation = open_app(context)
    with ticking(f"backing up to {folder}", quiet=quiet):
        saved = create_backup(installation, folder, keep=keep)
    if as_json:
        print_json(asdict(saved))
    else:
        _show_saved(saved)
        for name in saved.records_damaged:
            console().print(
                f"Damaged: {installation.records.where(name)} differs from the copy saved before as "
                f"{folder / 'records' / name}, which was not replaced.",
                style="yellow",
                soft_wrap=True,
                markup=False,
            )
    if saved.damaged or saved.records_damaged:
        raise typer.Exit(1)


def _show_saved(saved: BackupReport) -> None:
    out = console()
    out.print(
        f"Saved {format_count(saved.rows, 'row')} ({format_size(saved.bytes)}) and {format_count(saved.packs, 'pack')} of "
        f"captures ({saved.packs_copied} new) as {Path(saved.folder) / saved.name}.",
        soft_wrap=True,
    )
    for name in saved.repaired:
        out.print(f"Repaired: the copy of {name} was damaged or missing and was replaced.", soft_wrap=True)
    for name in saved.damaged:
        copy = "" if name in saved.lost else f"; {Path(saved.folder) / PACKS / name} is a good copy"
        out.print(f"Damaged or missing in the archive: {name}{copy}", style="yellow", soft_wrap=True)
    for name in saved.unreadable:
        out.print(
            f"No old backup was removed: the manifest of {Path(saved.folder) / name} cannot be read, so an older backup may be "
            "needed. Remove that folder if you do not need it.",
            style="yellow",
            soft_wrap=True,
            markup=False,
        )
    if saved.removed:
        out.print(f"Removed {format_count(len(saved.removed), 'old backup')}: {', '.join(saved.removed)}.")


@app.command("verify")
def verify(
    folder: Folder,
    *,
    name: Annotated[
        str | None, typer.Option(metavar="NAME", help="Only this backup, e.g. 20261115T120000Z.")
    ] = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Compare every file of every backup with its recorded checksum.

    Changes nothing and needs no installation, so it also works on a copy on another machine. The exit code is 1 if a file is
    missing or damaged; each is named.
    """
    with ticking(f"verifying {folder}", quiet=quiet):
        checks = verify_backups(folder, name)
    if as_json:
        print_json_lines([asdict(check) | {"sound": check.is_sound} for check in checks])
    else:
        for check in checks:
            show_check(check)
    if not all(check.is_sound for check in checks):
        raise typer.Exit(1)


def show_check(check: BackupCheck, outcome: str = "is sound") -> None:
    out = console()
    if check.is_sound or outcome != "is sound":
        out.print(
            f"{check.name} {outcome}: {format_count(check.rows, 'row')}, {format_count(check.packs, 'pack')} of captures."
        )
    else:
        out.print(f"{check.name} is damaged: {_advice(check)}", style="red", soft_wrap=True)
    for file in check.damaged:
        out.print(f"Missing or changed since the backup: {file}", style="red", soft_wrap=True, markup=False)
    for pack in check.missing:
        out.print(
            f"Not in the backup, because it was already damaged in the installation: {pack}",
            style="yellow",
            soft_wrap=True,
            markup=False,
        )


def _advice(check: BackupCheck) -> str:
    if check.is_repairable:
        return "use another backup, or repair it with the next one: `headwater backup create` replaces these files."
    return "use another backup. Nothing can repair its database or its manifest; remove its folder when you have a good one."


@app.command("list")
def list_command(folder: Folder, limit: OptionalLimit = None, as_json: Json = False) -> None:
    """List the backups in a folder, oldest first; with --limit the newest. `backup verify` checks them."""
    names = list_backups(folder)
    names = names[-limit:] if limit else names
    if as_json:
        print_json_lines([{"name": name} for name in names])
        return
    if not names:
        raise Refused("no_backup", f"there is no backup in {folder}")
    for name in names:
        console().print(name)

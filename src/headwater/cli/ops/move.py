"""`headwater move`."""

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Annotated

import typer

from headwater.app import App
from headwater.cli.environment import open_app
from headwater.cli.options import Json, Quiet, single_command
from headwater.cli.render.console import console, error_console, format_count, print_json
from headwater.cli.render.progress import Throttle
from headwater.model.errors import Refused
from headwater.ops.installation_lock import undo_move
from headwater.ops.move import MoveReport, preview_move
from headwater.ops.move import move as move_house

TELL_EVERY = 2.0


def move(
    context: typer.Context,
    *,
    to: Annotated[
        str, typer.Option("--to", metavar="NAME", help="The name of an environment in the settings.")
    ] = "",
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only check both and report what would be copied.")
    ] = False,
    undo: Annotated[
        bool,
        typer.Option("--undo", help="Use this environment again, regardless of the state of the other one."),
    ] = False,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Move the store, the raw captures and the files of old documents to another environment.

    Stop the workers first. All hashes are verified at the target, which must be empty and stays so until all rows have
    arrived. If the command is killed, run it again. The data here stays and can be read, but nothing can write here any
    more, from any machine; `--undo` allows that again, and copies nothing back. The exit code is 1 if captures here were
    damaged; everything else is moved.
    """
    _refuse_unclear(to=to, undo=undo, dry_run=dry_run)
    app = open_app(context)
    if undo:
        _undo(app, as_json=as_json)
        return
    moved = preview_move(app, to) if dry_run else move_house(app, to, _progress_callback(quiet=quiet))
    if as_json:
        print_json(asdict(moved))
    else:
        _show(moved)
    if moved.damaged:
        raise typer.Exit(1)


def _refuse_unclear(*, to: str, undo: bool, dry_run: bool) -> None:
    if undo == bool(to):
        raise Refused("bad_option", "give --to NAME to move, or --undo to use this environment again")
    if undo and dry_run:
        raise Refused(
            "bad_option", "--dry-run only checks a move, and --undo changes something: give one of them"
        )


def _undo(app: App, *, as_json: bool) -> None:
    had_moved = undo_move(app)
    if as_json:
        print_json({"was_away": had_moved})
        return
    message = (
        "This environment is in use again: stop all workers of the other one."
        if had_moved
        else "This environment is in use."
    )
    console().print(message)


def _progress_callback(*, quiet: bool) -> Callable[[str, int, int], None]:
    return (lambda *_: None) if quiet else MoveProgress()


@dataclass
class MoveProgress:
    """A line every few seconds."""

    line: str = ""
    every: Throttle = field(init=False)

    def __post_init__(self) -> None:
        self.every = Throttle(
            TELL_EVERY, lambda: error_console().print(self.line, style="dim", soft_wrap=True)
        )

    def __call__(self, stage: str, done: int, total: int) -> None:
        self.line = f"{stage}: {done} of {total}"
        self.every()


def _show(moved: MoveReport) -> None:
    would = "Would move" if moved.dry_run else "Moved"
    rows, packs = sum(moved.tables.values()), format_count(moved.packs, "pack")
    out = console()
    out.print(
        f"{would} {format_count(rows, 'row')} of {format_count(len(moved.tables), 'table')} and {packs} of captures "
        f"({moved.packs_copied} to copy) to '{moved.to}'."
        if moved.dry_run
        else f"{would} {format_count(rows, 'row')} of {format_count(len(moved.tables), 'table')} and {packs} of captures "
        f"({moved.packs_copied} copied now) to '{moved.to}'; all hashes agree.",
        soft_wrap=True,
    )
    for name in moved.damaged:
        out.print(f"Damaged or missing here: {name}", style="yellow", soft_wrap=True)
    if not moved.dry_run:
        out.print(f"Continue there with `headwater --env {moved.to} work`.", soft_wrap=True)


app = single_command(move)

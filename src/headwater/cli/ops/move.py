"""`headwater move`."""

import os
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Annotated

import typer

from headwater.app import App
from headwater.cli.environment import open_app, settings_from
from headwater.cli.options import DryRun, GlobalOptions, Json, Quiet, global_options, single_command
from headwater.cli.render.console import console, format_count, print_json
from headwater.cli.render.progress import Progress
from headwater.model.errors import Refused
from headwater.ops.installation_lock import undo_move
from headwater.ops.move import MoveReport, preview_move
from headwater.ops.move import move as move_house
from headwater.ops.move_target import TargetEnvironment
from headwater.settings.environments import DEFAULT_ENVIRONMENT, environment_overrides
from headwater.settings.settings import overriding_variables, read_settings


def move(
    context: typer.Context,
    *,
    to: Annotated[
        str,
        typer.Option("--to", metavar="NAME", help="The name of an environment in the settings, or default."),
    ] = "",
    dry_run: DryRun = False,
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
    options = global_options(context)
    destination = find_destination(options, to)
    if dry_run:
        moved = preview_move(app, destination)
    else:
        stage = MoveStage()
        with Progress(stage.line, quiet=quiet) as progress:
            moved = move_house(
                app, destination, lambda name, done, total: stage.reach(name, done, total, progress)
            )
    if as_json:
        print_json(asdict(moved))
    else:
        _show(moved, f"headwater {'' if options.data is None else f'--data {options.data} '}--env {to}")
    if moved.damaged:
        raise typer.Exit(1)


def find_destination(options: GlobalOptions, name: str) -> TargetEnvironment:
    """The environment of that name, as `--env NAME` gives it. Refused if something overrides what the environment says:
    workers started elsewhere would not use the database or the archive that the installation moved to."""
    base = read_settings(options.config, env=DEFAULT_ENVIRONMENT)
    overriding = overriding_variables(base, name, os.environ)
    if options.data is not None and environment_overrides(base.environments, name).get("data"):
        overriding.append("--data")
    if overriding:
        raise Refused(
            "overridden_environment",
            f"{', '.join(overriding)} would override the environment '{name}'; unset it first, here and for the workers",
        )
    return TargetEnvironment(name, settings_from(replace(options, env=name)))


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


@dataclass
class MoveStage:
    """What is being copied."""

    name: str = ""
    done: int = 0
    total: int = 0

    def reach(self, name: str, done: int, total: int, report: Callable[[], None]) -> None:
        self.name, self.done, self.total = name, done, total
        report()

    def line(self) -> str:
        return f"{self.name}: {self.done} of {self.total}"


def _show(moved: MoveReport, there: str) -> None:
    rows = f"{format_count(sum(moved.tables.values()), 'row')} of {format_count(len(moved.tables), 'table')}"
    packs = format_count(moved.packs, "pack")
    out = console()
    if moved.dry_run:
        out.print(
            f"Would move {rows} and {packs} of captures ({moved.packs_copied} to copy) to '{moved.to}'.",
            soft_wrap=True,
        )
        return
    verdict = "all hashes agree" if not moved.damaged else f"{len(moved.damaged)} could not be moved"
    out.print(
        f"Moved {rows} to '{moved.to}'. {moved.packs_read} of {packs} of captures were read back there "
        f"({moved.packs_copied} copied now); {verdict}.",
        soft_wrap=True,
    )
    for name in moved.damaged:
        out.print(f"Damaged or missing here: {name}", style="yellow", soft_wrap=True)
    out.print(f"Continue there with `{there} work`.", soft_wrap=True)


app = single_command(move)

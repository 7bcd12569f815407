"""The program: global options, and one sentence for each error."""

import json
import os
import platform
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Literal

import typer

from headwater.cli.commands import CommandGroup
from headwater.cli.options import GlobalOptions
from headwater.cli.render.messages import error_message, system_error_message
from headwater.model.errors import HeadwaterError

PRIVATE_MASK = 0o077
app = typer.Typer(
    name="headwater",
    cls=CommandGroup,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Sources in; clean, deduplicated, explained documents and stories out.",
)


def _print_version(context: typer.Context, requested: bool) -> None:
    """Not eager, so that --json is known whatever the order."""
    if not requested:
        return
    if context.params.get("as_json"):
        from headwater.installed_packages import own_packages  # noqa: PLC0415 - rarely needed

        own, packages = own_packages()
        record = {
            "headwater": own.version,
            "python": platform.python_version(),
            "dependencies": {package.name: package.version for package in packages},
        }
        typer.echo(json.dumps(record, indent=2))
    else:
        typer.echo(f"headwater {version('headwater')}")
    raise typer.Exit


@app.callback()
def headwater(
    context: typer.Context,
    *,
    config: Annotated[
        Path | None,
        typer.Option(help="Settings file; default: ./headwater.yaml if it exists.", metavar="FILE"),
    ] = None,
    data: Annotated[
        str | None, typer.Option(help="Data folder; overrides the settings.", metavar="DIR")
    ] = None,
    env: Annotated[
        str | None, typer.Option(help="An environment that the settings define.", metavar="NAME")
    ] = None,
    log: Annotated[
        Literal["console", "json"] | None, typer.Option(help="Format of log lines: console or json.")
    ] = None,
    log_level: Annotated[
        Literal["debug", "info", "warning", "error"] | None,
        typer.Option(help="Minimum level of log lines: debug, info, warning or error."),
    ] = None,
    version: Annotated[  # noqa: ARG001 - handled by its callback
        bool, typer.Option("--version", help="Show the version.", callback=_print_version)
    ] = False,
    as_json: Annotated[
        bool,
        typer.Option(
            "--json", help="With --version: as JSON, with the versions of the dependencies.", is_eager=True
        ),
    ] = False,
) -> None:
    """Sources in; clean, deduplicated, explained documents and stories out."""
    if as_json:
        raise typer.BadParameter("--json stands after the command, or with --version")
    context.obj = GlobalOptions(config, data, log, log_level, env)


def main() -> None:
    """Exit codes: 0 success, 1 failure, 2 wrong usage, 130 interrupted."""
    # Whatever is created, other users of the machine cannot read it: data folder, database, archive, exports, backups.
    previous_mask = os.umask(PRIVATE_MASK)
    try:
        app(prog_name="headwater")
    except HeadwaterError as error:
        sys.stderr.write(f"headwater: {error_message(error)}\n")
        sys.exit(1)
    except OSError as error:  # a disk, a folder or a limit that no command expects
        sys.stderr.write(f"headwater: {system_error_message(error)}\n")
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
    finally:
        os.umask(previous_mask)

"""The door: options before the verb, and one sentence when something cannot be done."""

import sys
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Literal

import typer

from headwater.cli.commands import CommandGroup
from headwater.cli.options import GlobalOptions
from headwater.cli.render.messages import error_message, printable_text
from headwater.model.errors import HeadwaterError

app = typer.Typer(
    name="headwater",
    cls=CommandGroup,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Sources in; clean, deduplicated, explained documents and stories out.",
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"headwater {version('headwater')}")
        raise typer.Exit


@app.callback()
def headwater(
    context: typer.Context,
    *,
    config: Annotated[
        Path | None, typer.Option(help="Settings file; ./headwater.yaml if there is one.", metavar="FILE")
    ] = None,
    data: Annotated[
        str | None, typer.Option(help="Data folder; overrides the settings.", metavar="DIR")
    ] = None,
    env: Annotated[
        str | None, typer.Option(help="One of the homes that the settings name.", metavar="NAME")
    ] = None,
    log: Annotated[
        Literal["console", "json"] | None, typer.Option(help="Form of the log lines: console or json.")
    ] = None,
    log_level: Annotated[
        Literal["debug", "info", "warning", "error"] | None,
        typer.Option(help="Least level that is logged: debug, info, warning or error."),
    ] = None,
    version: Annotated[  # noqa: ARG001 - handled by its callback
        bool, typer.Option("--version", help="Show the version.", is_eager=True, callback=_print_version)
    ] = False,
) -> None:
    """Sources in; clean, deduplicated, explained documents and stories out."""
    context.obj = GlobalOptions(config, data, log, log_level, env)


def main() -> None:
    """Exit code 0: done; 1: it could not be done; 2: it was not understood; 130: interrupted."""
    try:
        app(prog_name="headwater")
    except HeadwaterError as error:
        sys.stderr.write(f"headwater: {error_message(error)}\n")
        sys.exit(1)
    except OSError as error:  # a disk, a folder or a limit that nobody foresaw here
        place = f" ({error.filename})" if error.filename else ""
        sys.stderr.write(f"headwater: the system says: {printable_text(error.strerror or error)}{place}.\n")
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)

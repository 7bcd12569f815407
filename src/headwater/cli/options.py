"""What every verb shares: the options before it, and the words its own options are made of."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
RecipeName = Annotated[str, typer.Argument(metavar="RECIPE", help="The name of a recipe.")]
OptionalRecipe = Annotated[str | None, typer.Argument(metavar="RECIPE", help="Only this recipe.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")]
Workers = Annotated[
    int | None, typer.Option("--workers", min=1, help="Processes that refine, beside the one that fetches.")
]


@dataclass(frozen=True, slots=True)
class GlobalOptions:
    """The options before the verb; None where the settings decide."""

    config: Path | None = None
    data: str | None = None
    log: str | None = None
    log_level: str | None = None
    env: str | None = None


def global_options(context: typer.Context) -> GlobalOptions:
    found = context.find_object(GlobalOptions)
    return found or GlobalOptions()


def command_group(purpose: str) -> typer.Typer:
    """A verb with verbs of its own."""
    return typer.Typer(help=purpose, no_args_is_help=True, add_completion=False, rich_markup_mode=None)


def single_command(function: Callable[..., Any]) -> typer.Typer:
    """A verb by itself; its help is the function's docstring."""
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command()(function)
    return app

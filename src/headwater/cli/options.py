"""What commands share: the global options, and the types of common arguments."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
RecipeName = Annotated[str, typer.Argument(metavar="RECIPE", help="The name of a recipe.")]
OptionalRecipe = Annotated[str | None, typer.Argument(metavar="RECIPE", help="Only this recipe.")]
Since = Annotated[
    str | None, typer.Option("--since", metavar="TIME", help="Published since: 2h, yesterday, 2026-11-14.")
]
Until = Annotated[
    str | None, typer.Option("--until", metavar="TIME", help="Published before: 2h, today, 2026-11-14.")
]
SourceFilter = Annotated[
    str | None, typer.Option("--source", metavar="SOURCE", help="Only of this source: its name or id.")
]
LanguageFilter = Annotated[
    str | None, typer.Option("--language", metavar="CODE", help="Only in this language, for example es.")
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")]
Workers = Annotated[
    int | None, typer.Option("--workers", min=1, help="Processes that refine, beside the one that fetches.")
]

RecipeFilter = Annotated[
    list[str] | None, typer.Option("--recipe", metavar="RECIPE", help="Only this recipe; can be repeated.")
]


@dataclass(frozen=True, slots=True)
class GlobalOptions:
    """The options before the command; None where the settings decide."""

    config: Path | None = None
    data: str | None = None
    log: str | None = None
    log_level: str | None = None
    env: str | None = None


def global_options(context: typer.Context) -> GlobalOptions:
    return context.find_object(GlobalOptions) or GlobalOptions()


def command_group(help_text: str) -> typer.Typer:
    """A command with subcommands."""
    return typer.Typer(help=help_text, no_args_is_help=True, add_completion=False, rich_markup_mode=None)


def single_command(function: Callable[..., Any]) -> typer.Typer:
    """A command without subcommands; its help is the docstring of the function."""
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command()(function)
    return app

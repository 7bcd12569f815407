"""What commands share: the global options, and every option and argument that more than one command has, declared once."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from headwater.documents.language.codes import language_problem

Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
SummaryJson = Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")]
RecipeName = Annotated[str, typer.Argument(metavar="RECIPE", help="The name of a recipe.")]
RecipeFilter = Annotated[str | None, typer.Option("--recipe", metavar="RECIPE", help="Only this recipe.")]
RecipesFilter = Annotated[
    list[str] | None, typer.Option("--recipe", metavar="RECIPE", help="Only this recipe; can be repeated.")
]
Since = Annotated[
    str | None,
    typer.Option(
        "--since", metavar="TIME", help="From then on: 2h (ago), yesterday, 2026-11-14; local time."
    ),
]
Until = Annotated[
    str | None,
    typer.Option("--until", metavar="TIME", help="Before then: 2h (ago), today, 2026-11-14; local time."),
]
SourceFilter = Annotated[
    str | None, typer.Option("--source", metavar="SOURCE", help="Only of this source: its name or id.")
]


def _check_language(language: str | None) -> str | None:
    if language and (problem := language_problem(language)):
        raise typer.BadParameter(problem)
    return language


LanguageFilter = Annotated[
    str | None,
    typer.Option(
        "--language",
        metavar="CODE",
        help="Only in this language, for example es.",
        callback=_check_language,
    ),
]
Limit = Annotated[int, typer.Option("--limit", metavar="N", min=1, help="At most this many.")]
OptionalLimit = Annotated[
    int | None, typer.Option("--limit", metavar="N", min=1, help="At most this many; default: all.")
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")]
Workers = Annotated[
    int | None, typer.Option("--workers", min=1, help="Processes that refine, beside the one that fetches.")
]
ParsingWorkers = Annotated[
    int | None, typer.Option("--workers", min=1, help="Processes that parse; default: one per processor.")
]
OutFile = Annotated[
    Path | None, typer.Option("--out", metavar="FILE", help="Write here instead of standard output.")
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only report what would be done.")]
InputNames = Annotated[
    list[str],
    typer.Argument(
        metavar="PATH|URL…",
        help="Files, folders, patterns or URLs; - reads a list of them from standard input.",
    ),
]
ArticleFile = Annotated[
    str,
    typer.Argument(
        metavar="IN.jsonl", help="One article per line, optionally .gz or .xz; - is standard input."
    ),
]
SkipBad = Annotated[
    bool, typer.Option("--skip-bad", help="Report lines that cannot be read and continue; default: stop.")
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

"""`python -m headwater.cli.reference docs/reference`: the reference, written from the code itself.

Nobody edits those pages; a test compares them with what this gives.
"""

import inspect
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from typer.main import get_command

from headwater.cli.commands import all_commands, load_command
from headwater.cli.program import app
from headwater.model.recipe import Recipe
from headwater.recipe_loader import installed_recipes
from headwater.settings.reference import setting_default, setting_descriptions, setting_variable
from headwater.settings.settings import Settings

GENERATED = "<!-- Written by `python -m headwater.cli.reference docs/reference`; do not edit. -->\n"


def pages() -> Mapping[str, str]:
    """Every page of the reference by its file name."""
    return {
        "cli.md": _page("Command line", _command_lines()),
        "settings.md": _page("Settings", _setting_lines()),
        "recipes.md": _page("Recipes", _recipe_lines()),
    }


def commands() -> Iterator[tuple[str, Any]]:
    """Every command by the words that call it, the program itself first."""
    yield "headwater", get_command(app)
    for name in all_commands():
        yield from _below(f"headwater {name}", load_command(name))


def _below(words: str, command: Any) -> Iterator[tuple[str, Any]]:
    yield words, command
    for name, child in getattr(command, "commands", {}).items():
        yield from _below(f"{words} {name}", child)


def _page(title: str, lines: Iterator[str]) -> str:
    return "\n".join([GENERATED, f"# {title}", "", *lines]).rstrip() + "\n"


def _command_lines() -> Iterator[str]:
    for words, command in commands():
        yield f"## `{words}`"
        yield ""
        yield inspect.cleandoc(command.help or "")
        yield ""
        if rows := [row for parameter in command.params if (row := _parameter(parameter))]:
            yield "| argument or option | meaning |"
            yield "|---|---|"
            yield from rows
            yield ""


def _parameter(parameter: Any) -> str | None:
    if parameter.param_type_name == "argument":
        return f"| `{parameter.metavar or parameter.name.upper()}` | {_cell(parameter.help)} |"
    if "completion" in parameter.opts[0]:
        return None  # the library's own
    value = f" {parameter.metavar}" if parameter.metavar else ""
    shown = ", ".join(f"`{option}{value}`" for option in parameter.opts)
    return f"| {shown} | {_cell(parameter.help)} |"


def _cell(text: str | None) -> str:
    return (text or "").replace("|", "\\|")


def _setting_lines() -> Iterator[str]:
    yield "A settings file is YAML: `headwater.yaml` in the current folder, or the one that `--config` or the variable"
    yield "`HEADWATER_CONFIG` names. Variables win over the file, options on the command line over both."
    yield ""
    yield "| setting | default | variable | meaning |"
    yield "|---|---|---|---|"
    for name, meaning in setting_descriptions().items():
        variable = f"`{setting_variable(name)}`" if setting_variable(name) else ""
        default = setting_default(name)
        shown = f"`{default}`" if default not in (None, "", {}, []) else "none"
        yield f"| `{name}` | {shown} | {variable} | {_cell(meaning)} |"


def _recipe_lines() -> Iterator[str]:
    for recipe in installed_recipes(Settings()).values():
        yield from _recipe(recipe)


def _recipe(recipe: Recipe) -> Iterator[str]:
    yield f"## {recipe.name} (version {recipe.version})"
    yield ""
    yield f"{len(recipe.sources)} sources of its own; it can look at: {', '.join(sorted(recipe.discover))}."
    yield f"Sources are looked at {_trigger(recipe)} unless they say otherwise."
    yield f"It reads {', '.join(f'`{kind}`' for kind in sorted(recipe.extract))}."
    yield ""
    yield "| step | version | what it does |"
    yield "|---|---|---|"
    for step in recipe.steps:
        yield f"| `{step.name}` | {step.version} | {_first_line(step)} |"
    yield ""
    for route in recipe.routes:
        yield f"Route `{route.name}`: every {route.of} for which its condition holds goes to the sink `{route.sink}`."
        yield ""


def _trigger(recipe: Recipe) -> str:
    trigger = recipe.trigger
    return f"by the cron expression `{trigger.cron}` (UTC)" if trigger.cron else f"every {trigger.every}"


def _first_line(step: Any) -> str:
    told = inspect.getdoc(getattr(step, "decide", None) or type(step)) or ""
    return _cell(told.split("\n\n")[0].replace("\n", " "))


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in pages().items():
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()

"""Commands as values, and where recipes register. Apart from `recipe`, because `headwater --help` must not wait for the rest."""

from dataclasses import dataclass

RECIPE_ENTRY_POINTS = "headwater.recipes"


@dataclass(frozen=True, slots=True)
class Command:
    """A command of the command line: the module whose `app` is a typer application, and its line in `--help`."""

    module: str
    help: str

"""Settings of recipes: those of installed ones, and recipes that the settings define."""

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from headwater.model.filters import DocumentFilter

GroupBy = Literal["all", "day", "week", "month", "subject", "source", "language"]
BUNDLED = "bundled"
BY_MEANING = "news"
"""The recipe that groups by meaning unless its settings say something else."""
ClusterBy = Literal["meaning", "words", "event", "headline"]


class GroupSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How documents become stories: `by` says which documents can share a story, `cluster` how they are compared, `settle`
    is the pause after the last arrival, and stories older than `window` no longer change. With `summary`, a story has a
    summary and counts its publishers."""

    by: GroupBy = "all"
    cluster: ClusterBy = "meaning"
    settle: str = "1m"
    window: str | None = None
    summary: bool = True


class RouteSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where records go: `to` is `files`, `queue`, `table` or a channel of `notify`; `of` is `document` or `story`; `when` is
    a filter. `table` and `database` name the table of `to: table`."""

    to: str
    name: str = ""
    of: Literal["document", "story"] = "document"
    when: dict[str, Any] = {}
    table: str = ""
    database: str = ""


class RecipeSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`like` derives the recipe from another; `file` is a Python file whose function `recipe` returns it. `sources` is a
    file with its sources, or `bundled` for the list that comes with the recipe; `subjects` is a file of subjects to search for; `folder` is where a
    recipe writes its files (out/RECIPE in the data folder by default); paths are relative to the settings file; `options` are those of the recipe. `every` or
    `cron` say how often sources are polled that do not say so themselves. `keep` is a filter; `steps`, `group` and `routes`
    replace those of the recipe."""

    like: str = ""
    file: str = ""
    sources: str | None = None
    subjects: str | None = None
    folder: str | None = None
    options: dict[str, Any] = {}
    every: str | None = None
    cron: str | None = None
    keep: DocumentFilter | None = None
    steps: list[str | dict[str, Any]] | None = None
    group: GroupSettings | Literal[False] | None = None
    routes: list[RouteSettings] | None = None


def is_by_meaning(recipes: Mapping[str, RecipeSettings], name: str) -> bool:
    """Whether a recipe is to group its stories by meaning: by its own settings, or by those of the recipe that it is like."""
    for _ in range(len(recipes) + 1):
        own = recipes.get(name, RecipeSettings())
        if own.group is not None:
            return isinstance(own.group, GroupSettings) and own.group.cluster == "meaning"
        if own.file or not own.like or own.like == name:
            return name == BY_MEANING and not own.file
        name = own.like
    return False


class BrokenRecipe(RecipeSettings, frozen=True):
    """Settings of a recipe that cannot be read. It is refused when it is loaded; the others are not affected."""

    problem: str = ""


def settings_mistakes(recipes: Mapping[str, RecipeSettings]) -> dict[str, str]:
    """The mistakes in the settings of recipes, by name; known without loading any recipe."""
    return {name: own.problem for name, own in recipes.items() if isinstance(own, BrokenRecipe)}

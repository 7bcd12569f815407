"""Recipes of a test in the place of the installed ones."""

from collections.abc import Mapping
from typing import Any

from headwater.app import App
from headwater.recipes.loader import LoadedRecipes


def install_recipes(app: App, recipes: Mapping[str, Any]) -> None:
    """The app has these recipes and no others."""
    vars(app).update(recipes=recipes, loaded_recipes=LoadedRecipes(recipes, {}))

"""Loads the recipes of an installation: of installed packages, of single files and of the settings.

A recipe that cannot be loaded is left out with its reason; the others are not affected.
"""

import re
import sys
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint, entry_points
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

from headwater.model.command import RECIPE_ENTRY_POINTS
from headwater.model.errors import Refused
from headwater.model.outcomes import Extract
from headwater.model.recipe import Recipe
from headwater.model.suggestion import suggest
from headwater.recipes.definition import configure_recipe, rename_recipe
from headwater.settings.recipes import BrokenRecipe, RecipeSettings
from headwater.settings.settings import Settings
from headwater.settings.yaml_file import missing_file

RECIPE_NAME = re.compile(r"[a-z][a-z0-9_-]{0,39}")
RECIPE_FUNCTION = "recipe"


@dataclass(frozen=True)
class LoadedRecipes:
    """The usable recipes by name, and why each of the others is not usable."""

    recipes: Mapping[str, Recipe]
    refusals: Mapping[str, Refused] = field(default_factory=dict)


def load_recipes(settings: Settings, names: Collection[str] | None = None) -> LoadedRecipes:
    """Returns every recipe, or those of these names, with its settings applied, and why others are left out."""
    entries = {entry.name: entry for entry in entry_points(group=RECIPE_ENTRY_POINTS)}
    loader = _Loader(settings, entries)
    recipes, refusals = {}, {}
    for name in sorted({*entries, *settings.recipes} if names is None else names):
        try:
            recipes[name] = loader.load(name)
        except Refused as refusal:
            refusals[name] = refusal
    return LoadedRecipes(recipes, refusals)


@dataclass(frozen=True)
class _Loader:
    settings: Settings
    entries: Mapping[str, EntryPoint]

    def load(self, name: str) -> Recipe:
        return configure_recipe(self._unconfigured(name, ()), name, self._settings_of(name), self.settings)

    def _settings_of(self, name: str) -> RecipeSettings:
        """The recipe's own settings; what it leaves open comes from the recipe that it is like."""
        return self.settings.recipes.get(name, RecipeSettings())

    def _unconfigured(self, name: str, followed: tuple[str, ...]) -> Recipe:
        """The recipe before its own settings: the one it is like, that of its file, or the installed one."""
        own = self._settings_of(name)
        if isinstance(own, BrokenRecipe):
            raise Refused("bad_config", own.problem)
        where = f"recipes.{name}"
        if name in followed:
            raise Refused(
                "bad_config", f"{where}.like: {' is like '.join((*followed, name))}, which has no end"
            )
        if own.like and own.file:
            raise Refused("bad_config", f"{where}: set either `like` or `file`, not both")
        if not own.like:
            return self._from_file(name, own.file) if own.file else self._installed(name, followed)
        if not RECIPE_NAME.fullmatch(name):
            raise Refused(
                "bad_config",
                f"{where}: '{name}' is not a recipe name; use a to z, digits, - and _, at most 40",
            )
        if own.like == name:
            return self._installed(name, followed)
        model = self._unconfigured(own.like, (*followed, name))
        model_settings = self._settings_of(own.like)
        return rename_recipe(configure_recipe(model, own.like, model_settings, self.settings), name)

    def _installed(self, name: str, followed: tuple[str, ...]) -> Recipe:
        entry = self.entries.get(name)
        if entry is None:
            others = {*self.entries, *self.settings.recipes} - {name, *followed}
            message = (
                _unknown_model(name, followed[-1], others) if followed else _unknown_recipe(name, others)
            )
            raise Refused("unknown_recipe", message)
        return load_recipe(entry)

    def _from_file(self, name: str, file: str) -> Recipe:
        where = f"recipes.{name}.file"
        path = Path(file)
        if not path.is_file():
            raise Refused("missing_file", f"{where}: {missing_file(path)}")
        recipe = _call_loaded(lambda: _recipe_function(path), f"the recipe '{name}' ({path})", "fix the file")
        if recipe.name != name:
            raise Refused("bad_config", f"{where}: the recipe in {path} is called '{recipe.name}'")
        return recipe


def _unknown_model(name: str, recipe: str, names: set[str]) -> str:
    """For a name that stands in the `like` of a recipe."""
    suggestion = suggest(name, sorted(names)) or "."
    return f"recipes.{recipe}.like: there is no recipe '{name}'{suggestion} There are: {', '.join(sorted(names))}"


def _unknown_recipe(name: str, names: set[str]) -> str:
    suggestion = suggest(name, sorted(names)) or "."
    return f"recipes.{name}: there is no recipe '{name}'{suggestion} A recipe of your own needs `like: NAME` or `file: PATH`"


def extract_profiles() -> Mapping[str, Extract]:
    """The extract profiles of all installed recipes that can be loaded."""
    profiles: dict[str, Extract] = {}
    for entry in entry_points(group=RECIPE_ENTRY_POINTS):
        with suppress(Refused):
            profiles |= load_recipe(entry).extract_profiles
    return profiles


def load_recipe(entry: EntryPoint) -> Recipe:
    """Returns the recipe of an installed package."""
    what = f"the recipe '{entry.name}' ({entry.value})"
    return _call_loaded(entry.load, what, "fix or uninstall its package")


def _call_loaded(load: Callable[[], Callable[[], object]], what: str, advice: str) -> Recipe:
    """Anything can go wrong in the code of a recipe, and it must not stop the others: any error becomes a refusal."""
    try:
        recipe = load()()
    except Exception as error:
        problem = f"{type(error).__name__}: {error}".splitlines()[0]
        raise Refused("broken_recipe", f"{what} cannot be loaded ({problem}); {advice}") from error
    if not isinstance(recipe, Recipe):
        raise Refused("broken_recipe", f"{what} is not a Recipe but {type(recipe).__name__}; {advice}")
    return recipe


def _recipe_function(path: Path) -> Callable[[], object]:
    """The function `recipe` of a Python file. The module is registered under a name of its own, so that its classes can
    be sent to other processes, and two files of the same name do not collide."""
    module_name = f"headwater_recipe_file_{abs(hash(str(path.resolve())))}"
    spec = spec_from_file_location(module_name, path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[module_name] = module
    spec.loader.exec_module(module)
    function: Callable[[], object] | None = getattr(module, RECIPE_FUNCTION, None)
    if function is None:
        raise AttributeError(f"it has no function `{RECIPE_FUNCTION}`")
    return function

"""Loads the installed recipes and applies the settings to them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

from headwater.documents.mentions.find_mentions import FindMentions
from headwater.documents.mentions.matcher import build_subject_matcher
from headwater.logs import configure_logs
from headwater.model.errors import Refused
from headwater.model.recipe import RECIPE_ENTRY_POINTS, Recipe
from headwater.model.subject import Subject
from headwater.settings.settings import RecipeSettings, Settings
from headwater.settings.sources import load_sources
from headwater.settings.subjects import load_subjects


def installed_recipes(settings: Settings) -> Mapping[str, Recipe]:
    """Returns every installed recipe, found by entry point, with the settings applied."""
    recipes = {}
    for entry in entry_points(group=RECIPE_ENTRY_POINTS):
        try:
            recipe = load_recipe(entry)
        except Refused as broken:
            log = configure_logs(settings.log, settings.log_level)
            log.warning("recipe left out", recipe=entry.name, reason=broken.reason, detail=broken.detail)
            continue
        recipe_settings = settings.recipes.get(entry.name)
        recipes[entry.name] = (
            with_data_dir(recipe, settings)
            if recipe_settings is None
            else configure_recipe(recipe, recipe_settings, settings)
        )
    return recipes


def load_recipe(entry: EntryPoint) -> Recipe:
    """A recipe that cannot be loaded must not stop the others, so any error becomes a refusal."""
    try:
        recipe: Recipe = entry.load()()
    except Exception as error:
        problem = f"{type(error).__name__}: {error}".splitlines()[0]
        raise Refused(
            "broken_recipe",
            f"the recipe '{entry.name}' ({entry.value}) cannot be loaded ({problem}); fix or uninstall its package",
        ) from error
    return recipe


def with_data_dir(recipe: Recipe, settings: Settings) -> Recipe:
    """Returns the recipe with its models in the data folder, if it has any."""
    return recipe if recipe.with_data_dir is None else recipe.with_data_dir(settings.folder, settings.encoder)


def configure_recipe(recipe: Recipe, recipe_settings: RecipeSettings, settings: Settings) -> Recipe:
    """Returns the recipe with its settings applied."""
    file = None if recipe_settings.sources is None else Path(recipe_settings.sources)
    if recipe.configure is not None:
        recipe = recipe.configure(file, recipe_settings.options)
    elif recipe_settings.options:
        raise Refused("bad_config", f"recipes.{recipe.name}.options: this recipe has no options")
    elif file is not None:
        recipe = replace(recipe, sources=load_sources(file, recipe.name))
    recipe = with_data_dir(recipe, settings)
    if recipe_settings.subjects is None:
        return recipe
    return with_subjects(recipe, *load_subjects(Path(recipe_settings.subjects)))


def with_subjects(recipe: Recipe, subjects: Sequence[Subject], matching: str) -> Recipe:
    """Returns the recipe with these subjects instead of its own; a recipe without such a step gets one at the end."""
    matcher = build_subject_matcher(subjects, matching)
    steps = tuple(
        replace(step, matcher=matcher) if isinstance(step, FindMentions) else step for step in recipe.steps
    )
    if not any(isinstance(step, FindMentions) for step in steps):
        steps = (*steps, FindMentions(matcher))
    return replace(recipe, steps=steps, subjects=tuple(subjects))

"""Applies settings to a recipe: its sources, subjects, schedule, filter, steps, grouping and routes."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from headwater.documents.dedupe.drop_duplicates import DropDuplicates
from headwater.documents.dedupe.drop_exact_duplicates import DropExactDuplicates
from headwater.documents.embedding.models import nlp_installed
from headwater.documents.filters import KeepMatching
from headwater.documents.mentions.find_mentions import FindMentions
from headwater.documents.mentions.matcher import build_subject_matcher
from headwater.model.errors import Refused
from headwater.model.filters import DocumentFilter
from headwater.model.keys import source_key
from headwater.model.recipe import Recipe, Route, Step
from headwater.model.source import Source
from headwater.model.source_kind import find_source_problem
from headwater.model.subject import Subject
from headwater.recipes.named_groupings import check_filter, make_grouping, make_routes
from headwater.recipes.named_steps import StepParts, make_steps
from headwater.settings.recipes import BUNDLED, RecipeSettings
from headwater.settings.settings import Settings
from headwater.settings.source_places import source_beside
from headwater.settings.sources import load_sources, parse_trigger
from headwater.settings.subjects import load_subjects
from headwater.settings.yaml_file import line_of
from headwater.stories.document_vectors import DocumentEncoder

COMMON_SINKS = frozenset({"files", "queue", "table"})
OBJECTS = "objects"


def configure_recipe(recipe: Recipe, name: str, own: RecipeSettings, settings: Settings) -> Recipe:
    """Returns the recipe `name` with its settings applied."""
    if own.keep is not None:
        check_filter(own.keep, f"recipes.{name}.keep")
    recipe = with_sources(recipe, name, own)
    recipe = _with_models(recipe, name, settings)
    recipe = _with_definition(recipe, own, settings, f"recipes.{name}")
    if own.subjects is not None:
        recipe = with_subjects(recipe, *load_subjects(Path(own.subjects)))
    if own.keep is not None and own.steps is None:
        recipe = replace(recipe, steps=_with_filter(recipe.steps, own.keep, _source_names(recipe)))
    if settings.objects and recipe.layout is not None:
        recipe = replace(recipe, routes=(*recipe.routes, Route(name=OBJECTS, sink=OBJECTS)))
    _check_sinks(
        recipe.routes, {*COMMON_SINKS, OBJECTS, *settings.notify, *recipe.sinks}, f"recipes.{name}.routes"
    )
    return recipe


def _with_models(recipe: Recipe, name: str, settings: Settings) -> Recipe:
    """Returns the recipe with its models in the data folder, if it has any. This is done once: a recipe that is like it
    inherits the result."""
    if recipe.with_data_dir is None:
        return recipe
    rebuilt = rename_recipe(recipe.with_data_dir(settings.folder, settings.encoder), name)
    return replace(rebuilt, sources=recipe.sources, with_data_dir=None)


def with_sources(recipe: Recipe, name: str, own: RecipeSettings) -> Recipe:
    """Returns the recipe with the sources of its file and its options. A source that it cannot poll is refused here, with
    its place, and not when it is polled."""
    if own.sources == BUNDLED:
        return rename_recipe(with_bundled_list(recipe, own), name)
    file = None if own.sources is None else Path(own.sources)
    if recipe.configure is not None:
        if file is not None or own.options:
            recipe = rename_recipe(recipe.configure(file, own.options), name)
    elif own.options:
        raise Refused("bad_config", f"recipes.{name}.options: this recipe has no options")
    elif file is not None:
        recipe = replace(recipe, sources=_listed_sources(recipe, file, name))
    _check_sources(recipe, file if recipe.configure is None else None)
    return recipe


def _listed_sources(recipe: Recipe, file: Path, name: str) -> tuple[Source, ...]:
    return tuple(source_beside(source, file.parent, recipe.discover) for source in load_sources(file, name))


def with_bundled_list(recipe: Recipe, own: RecipeSettings) -> Recipe:
    """Returns the recipe with the list that comes with its package."""
    if recipe.bundled is None:
        raise Refused(
            "no_bundled_list", f"the recipe '{recipe.name}' comes without a list of sources; name your own"
        )
    return recipe.bundled(own.options)


def _check_sources(recipe: Recipe, file: Path | None) -> None:
    for number, source in enumerate(recipe.sources):
        problem = find_source_problem(source, recipe.discover)
        if problem is not None:
            place = _place(file, number, problem.field) if file else f"the source '{source.name}': "
            raise Refused("bad_config", f"{place}{problem.field}: {problem.sentence}")


def _place(file: Path, number: int, field: str) -> str:
    line = line_of(file, ["sources", str(number), *field.split(".")])
    return f"{file}:{line}: sources[{number}]."


def rename_recipe(recipe: Recipe, name: str) -> Recipe:
    """Returns the recipe under another name, with sources of its own. Views and commands stay with the original: they
    have names of their own."""
    if recipe.name == name:
        return recipe
    sources = tuple(_rename_source(source, name) for source in recipe.sources)
    return replace(recipe, name=name, namespace="", sources=sources, views=None, commands={})


def _rename_source(source: Source, recipe: str) -> Source:
    return replace(source, recipe=recipe, id=source_key(recipe, source.kind, source.url, source.name))


def _with_definition(recipe: Recipe, own: RecipeSettings, settings: Settings, where: str) -> Recipe:
    encoder = DocumentEncoder(str(settings.folder), settings.encoder or None) if nlp_installed() else None
    trigger = parse_trigger(own.every, own.cron, where)
    if trigger is not None:
        recipe = replace(recipe, trigger=trigger, triggers={})
    if own.steps is not None:
        parts = StepParts(keep=own.keep, source_names=_source_names(recipe), encoder=encoder)
        recipe = replace(recipe, steps=make_steps(own.steps, parts, f"{where}.steps"))
    if own.group is False:
        recipe = replace(recipe, grouping=None)
    elif own.group is not None:
        recipe = replace(recipe, grouping=make_grouping(own.group, encoder, f"{where}.group"))
    if own.routes is not None:
        routes, sinks = make_routes(own.routes, recipe.name, _source_names(recipe), f"{where}.routes")
        recipe = replace(recipe, routes=routes, sinks={**recipe.sinks, **sinks})
    return recipe


def _source_names(recipe: Recipe) -> Mapping[str, str]:
    return {source.id: source.name for source in recipe.sources}


def _with_filter(
    steps: Sequence[Step], keep: DocumentFilter, source_names: Mapping[str, str]
) -> tuple[Step, ...]:
    """The filter comes before the search for duplicates, so that a document that is filtered out is the original of no
    other; and after the search for mentions, if it asks for subjects."""
    others = [step for step in steps if not isinstance(step, KeepMatching)]
    positions = [i for i, step in enumerate(others) if isinstance(step, DropDuplicates | DropExactDuplicates)]
    position = positions[0] if positions else len(others)
    if keep.subjects:
        mentions = [i + 1 for i, step in enumerate(others) if isinstance(step, FindMentions)]
        position = max([position, *mentions])
    return (*others[:position], KeepMatching(keep, source_names), *others[position:])


def with_subjects(recipe: Recipe, subjects: Sequence[Subject], matching: str) -> Recipe:
    """Returns the recipe with these subjects instead of its own; a recipe without such a step gets one at the end."""
    matcher = build_subject_matcher(subjects, matching)
    steps = tuple(
        replace(step, matcher=matcher) if isinstance(step, FindMentions) else step for step in recipe.steps
    )
    if not any(isinstance(step, FindMentions) for step in steps):
        steps = (*steps, FindMentions(matcher))
    return replace(recipe, steps=steps, subjects=tuple(subjects))


def _check_sinks(routes: Sequence[Route], names: set[str], where: str) -> None:
    for number, route in enumerate(routes):
        if route.sink not in names:
            raise Refused(
                "bad_config",
                f"{where}[{number}].to: there is no sink '{route.sink}'; use files, queue, table, or the name of a channel in the setting `notify`",
            )

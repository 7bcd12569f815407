"""News about flashpoints: once a day, every entry read once, put into the stories of its flashpoint, summarised, scored,
and told of when it matters."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from headwater.discover.feed import discover_feed
from headwater.extract.fragment import Fragments
from headwater.extract.read import by_media_type
from headwater.model.recipe import Grouping, MakeSink, Provenance, Recipe, Retelling, Route
from headwater.model.source import Trigger
from headwater.model.story import Story
from headwater.settings.settings import DEFAULT_DATA
from headwater.settings.sources import parse_duration, parse_trigger
from headwater.steps.clean import Clean
from headwater.steps.duplicates import DropDuplicates
from headwater.steps.language import DetectLanguage
from headwater.steps.normalise import normalise
from headwater.steps.places import TagPlaces
from headwater.steps.quality import ScoreQuality
from headwater.stories.meaning import by_meaning
from headwater_recipes.geopolitics.day_tables.answering import answer
from headwater_recipes.geopolitics.day_tables.filling import FillEntries, came_from_a_table
from headwater_recipes.geopolitics.day_tables.reading import discover_day_tables
from headwater_recipes.geopolitics.entries import discover_entries
from headwater_recipes.geopolitics.extras import extra_steps
from headwater_recipes.geopolitics.flashpoints import DAY_TABLES, ENTRIES, RECIPE, Watched, load_flashpoints
from headwater_recipes.geopolitics.meaning import Embed, Meaning, by_stored_meaning, classifier
from headwater_recipes.geopolitics.options import WHERE, Options, read_options, rules_of
from headwater_recipes.geopolitics.steps import TagTopic, assign_flashpoint, flashpoint_of
from headwater_recipes.geopolitics.telling import TellStory

STORIES = "stories"
FLASHPOINTS = Path(__file__).with_name("flashpoints.yaml")


def recipe() -> Recipe:
    return configure(None, {})


def configure(listed: Path | None, options: Mapping[str, Any]) -> Recipe:
    """The recipe over a list of flashpoints, its own unless another is named."""
    chosen = read_options(options)
    watched = load_flashpoints(listed or FLASHPOINTS, chosen.date)

    def housed(folder: Path, encoder: str) -> Recipe:
        return replace(made(chosen, watched, chosen.models or str(folder), encoder), housed=housed)

    return housed(Path(DEFAULT_DATA), "")


def made(chosen: Options, watched: Watched, models: str, encoder: str) -> Recipe:
    model = chosen.model or encoder or None
    readers = by_media_type()
    titles = {subject.id: subject.name for subject in watched.subjects}
    rules = rules_of(chosen.alerts)
    telling = TellStory(rules=rules, titles=titles)
    # Tier A goes by words alone.
    meaning = None if chosen.tier == "A" else Meaning(models, model)
    return Recipe(
        name=RECIPE,
        version="1",
        sources=watched.sources,
        subjects=watched.subjects,
        discover={"feed": discover_feed, ENTRIES: discover_entries, DAY_TABLES: discover_day_tables},
        extract={**readers, "text/html": Fragments(readers["text/html"])},
        steps=(
            assign_flashpoint,
            normalise,
            Clean(),
            DetectLanguage(paragraphs=2),
            TagPlaces(),
            ScoreQuality(),
            DropDuplicates(),
            *extra_steps(chosen, models),
            *(() if meaning is None else (Embed(meaning),)),
            TagTopic(None if meaning is None or model else classifier(meaning), least=0.0),
        ),
        trigger=parse_trigger(None, chosen.cron, WHERE) or Trigger(cron="0 4 * * *"),
        grouping=Grouping(
            key=flashpoint_of,
            cluster=by_meaning(None) if meaning is None else by_stored_meaning(meaning, chosen.profile),
            settle=parse_duration(chosen.settle, f"{WHERE}.settle"),
            describe=telling,
            age=telling.age,
            retelling=Retelling((STORIES,)) if chosen.tier == "C" else None,
        ),
        routes=(
            Route(name=STORIES, sink="files", of="story"),
            *(alert_route(channel) for channel in chosen.alerts.channels),
            *((Route(name=DAY_TABLES, sink=DAY_TABLES, when=came_from_a_table),) if watched.database else ()),
        ),
        sinks={} if watched.database is None else {DAY_TABLES: _filler(watched.database)},
        closing=None if watched.database is None else _answerer(watched.database),
        configure=configure,
        quiet=rules.silence,
    )


def alert_route(channel: str) -> Route:
    return Route(name=f"alerts-{channel}", sink=channel, of="story", when=is_alerting)


def is_alerting(story: Story) -> bool:
    """A change of the story met a rule."""
    return bool(story.attributes.get("alert"))


def _filler(database: str) -> MakeSink:
    return lambda _folder, _provenance: FillEntries(database)


def _answerer(database: str) -> Callable[[Path, Provenance], None]:
    def close(_folder: Path, provenance: Provenance) -> None:
        answer(database, provenance.stories(RECIPE))

    return close

"""News about flashpoints: once a day, entries are grouped into stories per flashpoint, summarised, scored, and alerted on."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from headwater.documents.cleaning.clean import Clean
from headwater.documents.cleaning.normalise import normalise
from headwater.documents.dedupe.drop_duplicates import DropDuplicates
from headwater.documents.language.detect_language import DetectLanguage
from headwater.documents.places.tag_places import TagPlaces
from headwater.documents.quality.parse_quality import ScoreQuality
from headwater.extract.sandboxed_readers import readers_by_media_type
from headwater.model.errors import Refused
from headwater.model.outcomes import Extract
from headwater.model.page import PageMode
from headwater.model.recipe import (
    Grouping,
    Provenance,
    Recipe,
    Route,
    SinkFactory,
    SummaryPermission,
)
from headwater.model.source import Trigger
from headwater.model.story import Story
from headwater.settings.settings import DEFAULT_DATA
from headwater.settings.sources import parse_duration, parse_trigger
from headwater.sources.kinds import FEED
from headwater.stories.clustering.groupings import cluster_by_meaning
from headwater.stories.document_vectors import DocumentEncoder, EmbedDocuments, cluster_by_embedding
from headwater.stories.reader_language import with_readable_titles
from headwater_recipes.geopolitics.day_tables.output import EntryRowSink, is_from_day_table, write_story_table
from headwater_recipes.geopolitics.day_tables.source import discover_day_tables
from headwater_recipes.geopolitics.description import DescribeStory
from headwater_recipes.geopolitics.entries import discover_entries
from headwater_recipes.geopolitics.flashpoints import (
    DAY_TABLES,
    ENTRIES,
    RECIPE,
    FlashpointList,
    load_flashpoints,
)
from headwater_recipes.geopolitics.options import WHERE, GeopoliticsOptions, read_alert_rules, read_options
from headwater_recipes.geopolitics.run_options import RUN_OPTIONS
from headwater_recipes.geopolitics.steps import (
    LEAST_BY_WORDS,
    TagTopic,
    assign_flashpoint,
    flashpoint_of,
    optional_steps,
)
from headwater_recipes.geopolitics.topic_vectors import topic_classifier
from headwater_recipes.geopolitics.views import GEOPOLITICS_VIEWS

STORIES = "stories"
FLASHPOINTS = Path(__file__).with_name("flashpoints.yaml")


def recipe() -> Recipe:
    return configure(None, {})


def configure(flashpoint_file: Path | None, options: Mapping[str, Any]) -> Recipe:
    """The recipe for a list of flashpoints. Without one it follows none."""
    parsed = read_options(options)
    flashpoints = (
        FlashpointList(sources=(), subjects=())
        if flashpoint_file is None
        else load_flashpoints(flashpoint_file, parsed.target_date)
    )

    def with_data_dir(folder: Path, encoder: str) -> Recipe:
        return replace(
            build_recipe(parsed, flashpoints, parsed.models or str(folder), encoder),
            with_data_dir=with_data_dir,
        )

    return with_data_dir(Path(DEFAULT_DATA), "")


def build_recipe(
    options: GeopoliticsOptions, flashpoints: FlashpointList, models: str, encoder: str
) -> Recipe:
    model = options.model or encoder or None
    titles = {subject.id: subject.name for subject in flashpoints.subjects}
    rules = read_alert_rules(options.alerts)
    places = {subject.id: tuple(subject.attributes["countries"]) for subject in flashpoints.subjects}
    describe = DescribeStory(rules=rules, titles=titles, places=places, languages=options.languages)
    # Tier A compares words only.
    document_encoder = None if options.tier == "A" else DocumentEncoder(models, model)
    return Recipe(
        name=RECIPE,
        version="1",
        views=GEOPOLITICS_VIEWS,
        sources=flashpoints.sources,
        subjects=flashpoints.subjects,
        discover={"feed": FEED, ENTRIES: discover_entries, DAY_TABLES: discover_day_tables},
        extract=_readers(options.extract),
        steps=(
            assign_flashpoint,
            normalise,
            Clean(),
            DetectLanguage(paragraphs=2),
            TagPlaces(),
            ScoreQuality(),
            DropDuplicates(),
            *optional_steps(options, models),
            *(() if document_encoder is None else (EmbedDocuments(document_encoder),)),
            # The classifier over vectors was trained for the default encoder; with another one words decide.
            TagTopic(topic_classifier(None), least=LEAST_BY_WORDS)
            if model or document_encoder is None
            else TagTopic(topic_classifier(document_encoder)),
        ),
        pages=dict.fromkeys(("feed", ENTRIES, DAY_TABLES), PageMode.TRY),
        trigger=parse_trigger(None, options.cron, WHERE) or Trigger(cron="0 4 * * *"),
        grouping=Grouping(
            key=flashpoint_of,
            cluster=with_readable_titles(
                cluster_by_meaning(None)
                if document_encoder is None
                else cluster_by_embedding(document_encoder, options.profile),
                options.languages,
            ),
            settle=parse_duration(options.settle, f"{WHERE}.settle"),
            describe=describe,
            age=describe.age,
            summary_permission=SummaryPermission((STORIES,)) if options.tier == "C" else None,
            summary_hint=f"set {WHERE}.tier to C",
        ),
        routes=(
            Route(name=STORIES, sink="files", of="story"),
            *(alert_route(channel) for channel in options.alerts.channels),
            *(
                (Route(name=DAY_TABLES, sink=DAY_TABLES, when=is_from_day_table),)
                if flashpoints.database
                else ()
            ),
        ),
        sinks={} if flashpoints.database is None else {DAY_TABLES: _entry_sink(flashpoints.database)},
        after_run=None if flashpoints.database is None else _story_writer(flashpoints.database),
        configure=configure,
        bundled=lambda bundled_options: configure(FLASHPOINTS, bundled_options),
        run_options=RUN_OPTIONS,
        silence_limit=rules.silence,
        warns_if_scattered=True,
    )


def _readers(profile: str) -> Mapping[str, Extract]:
    try:
        return readers_by_media_type(fragments=True, profile=profile)
    except ValueError as error:
        raise Refused("missing_extra", f"{WHERE}.extract: {error}") from error


def alert_route(channel: str) -> Route:
    return Route(name=f"alerts-{channel}", sink=channel, of="story", when=is_alerting)


def is_alerting(story: Story) -> bool:
    """Whether the last change of the story met an alert rule."""
    return bool(story.attributes.get("alert"))


def _entry_sink(database: str) -> SinkFactory:
    return lambda _folder, _provenance: EntryRowSink(database)


def _story_writer(database: str) -> Callable[[Path, Provenance], None]:
    def write_stories(_folder: Path, provenance: Provenance) -> None:
        write_story_table(database, provenance.stories(RECIPE))

    return write_stories

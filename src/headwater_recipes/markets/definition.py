"""Market intelligence: news, filings, prices and macro news about a watch list of companies, for the next system."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import msgspec

from headwater.documents.cleaning.clean import Clean
from headwater.documents.cleaning.enrichment import EnrichShortBodies
from headwater.documents.cleaning.normalise import normalise
from headwater.documents.language.detect_language import DetectLanguage
from headwater.documents.mentions.find_mentions import FindMentions
from headwater.documents.mentions.matcher import PROFILES, build_subject_matcher
from headwater.documents.quality.parse_quality import ScoreQuality
from headwater.extract.sandboxed_readers import readers_by_media_type
from headwater.model.document import Document
from headwater.model.errors import Refused
from headwater.model.fetch_limits import FetchLimits, HostRule
from headwater.model.page import PageMode
from headwater.model.recipe import Recipe, Route
from headwater.model.source import Trigger
from headwater.model.subject import Subject
from headwater_recipes.markets.commands import COMMANDS
from headwater_recipes.markets.endpoints import AdapterTable, ApiEndpoints
from headwater_recipes.markets.layout import NEUTRAL, ResourceNames, object_layout
from headwater_recipes.markets.questions import QUESTIONS, QUEUE_ATTRIBUTES
from headwater_recipes.markets.sources.edgar import filing_identity, normal_cik
from headwater_recipes.markets.steps import (
    AddListedMentions,
    DropArticleDuplicates,
    KeepParserOutput,
    with_links,
)
from headwater_recipes.markets.views import SCHEMA, market_views
from headwater_recipes.markets.watch_list import NO_COMPANIES, RECIPE, load_watch_list

WATCH_LIST = Path(__file__).with_name("watchlist.yaml")
MACRO = "macro_event"
# The regulator allows ten requests a second over all of its hosts, with a declared contact. This uses half of it.
FETCH_LIMITS = FetchLimits(
    hosts={"*.sec.gov": HostRule(rate=5, shared=True, contact=True)},
    per_minute_by_kind={"market_api": 20, "news_api": 20, "filings_api": 10, "macro_news": 10},
)

# Tables that the stages after this one write, with the days that their rows are kept. They are in the schema of the views if
# their program works there.
LATER_TABLES = {"competitive_signal_records": 30, "trading_decisions": 90, "execution_decisions": 90}

POLL_SECONDS: Mapping[str, int] = {
    "market_api": 300,
    "news_api": 300,
    "filings_api": 3600,
    "macro_news": 600,
    "web_scrape": 1800,
    "broker": 30,
}


class MarketOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`namespace`: prefix of queues and buckets. `mentions`: `words`, or `compat` to match names inside words too.
    `endpoints`: other servers for the APIs."""

    namespace: str = NEUTRAL
    mentions: str = "words"
    endpoints: dict[str, str] = {}


def build_recipe() -> Recipe:
    return configure(None, {})


def configure(watch_list_file: Path | None, options: Mapping[str, Any]) -> Recipe:
    """The recipe for a watch list. Without one it follows no company."""
    market_options = _options(options)
    watch_list = NO_COMPANIES if watch_list_file is None else load_watch_list(watch_list_file)
    names = ResourceNames(market_options.namespace)
    endpoints = ApiEndpoints(**market_options.endpoints)
    return Recipe(
        commands=COMMANDS,
        name=RECIPE,
        version="1",
        views=market_views(names),
        sources=watch_list.sources,
        subjects=watch_list.subjects,
        discover=AdapterTable(endpoints).table(),
        canonical=filing_identity(endpoints.archive),
        extract=with_links(readers_by_media_type()),
        steps=(
            normalise,
            Clean(),
            EnrichShortBodies(),
            DetectLanguage(),
            FindMentions(build_subject_matcher(watch_list.subjects, market_options.mentions)),
            AddListedMentions(watch_list.tickers, _subjects_by_cik(watch_list.subjects)),
            ScoreQuality(),
            DropArticleDuplicates(),
            KeepParserOutput(),
        ),
        pages=dict.fromkeys(("news_api", "macro_news"), PageMode.TRY),
        trigger=Trigger(every=timedelta(seconds=POLL_SECONDS["news_api"])),
        triggers={kind: Trigger(every=timedelta(seconds=seconds)) for kind, seconds in POLL_SECONDS.items()},
        routes=(
            Route(name=names.queue("macro_classification"), sink="queue", when=is_macro),
            Route(name=names.queue("extraction"), sink="queue", when=lambda document: not is_macro(document)),
        ),
        layout=object_layout(names),
        namespace=market_options.namespace,
        fetch_limits=FETCH_LIMITS,
        tables=LATER_TABLES | {f"{SCHEMA}.{name}": days for name, days in LATER_TABLES.items()},
        queue_attributes=QUEUE_ATTRIBUTES,
        questions=QUESTIONS,
        configure=configure,
        bundled=lambda bundled_options: configure(WATCH_LIST, bundled_options),
    )


def _subjects_by_cik(subjects: Sequence[Subject]) -> dict[str, str]:
    return {normal_cik(cik): subject.id for subject in subjects if (cik := subject.attributes.get("cik"))}


def is_macro(document: Document) -> bool:
    return document.attributes.get("document_type") == MACRO


def _options(options: Mapping[str, Any]) -> MarketOptions:
    try:
        parsed = msgspec.convert(dict(options), MarketOptions)
    except msgspec.ValidationError as error:
        raise Refused("bad_config", f"recipes.markets.options: {error}") from error
    if parsed.mentions not in PROFILES:
        raise Refused("bad_config", f"recipes.markets.options.mentions: use one of {', '.join(PROFILES)}")
    unknown = parsed.endpoints.keys() - {"provider", "broker", "search", "archive", "tickers"}
    if unknown:
        raise Refused("bad_config", f"recipes.markets.options.endpoints: unknown endpoint '{min(unknown)}'")
    return parsed

"""Market intelligence: news, filings, prices and the economy about a list of companies, ready for the next system."""

from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import msgspec

from headwater.extract.read import by_media_type
from headwater.model.document import Document
from headwater.model.errors import Refused
from headwater.model.recipe import Recipe, Route
from headwater.model.source import Trigger
from headwater.pure.mentions import PROFILES
from headwater.pure.mentions.subject import matcher_of
from headwater.steps.clean import Clean
from headwater.steps.enrich import EnrichShortBodies
from headwater.steps.language import DetectLanguage
from headwater.steps.mentions import FindMentions
from headwater.steps.normalise import normalise
from headwater.steps.quality import ScoreQuality
from headwater_recipes.markets.adapters import Adapters, Endpoints
from headwater_recipes.markets.layout import layout
from headwater_recipes.markets.parser_output import KeepParserOutput, with_links
from headwater_recipes.markets.steps import DropCopies, MentionListed
from headwater_recipes.markets.vocabulary import NEUTRAL, Vocabulary
from headwater_recipes.markets.watch_list import RECIPE, load_watch_list

WATCHED = Path(__file__).with_name("watchlist.yaml")
MACRO = "macro_event"

CADENCES: Mapping[str, int] = {
    "market_api": 300,
    "news_api": 300,
    "filings_api": 3600,
    "macro_news": 600,
    "web_scrape": 1800,
    "broker": 30,
}


class MarketOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`namespace` names queues and buckets; `mentions` is `words`, or `compat` for names anywhere inside words;
    `endpoints` points at other servers."""

    namespace: str = NEUTRAL
    mentions: str = "words"
    endpoints: dict[str, str] = {}


def recipe() -> Recipe:
    return configure(None, {})


def configure(listed: Path | None, options: Mapping[str, Any]) -> Recipe:
    """The recipe over a watch list, its own unless another is named."""
    chosen = _options(options)
    watched = load_watch_list(listed or WATCHED)
    words = Vocabulary(chosen.namespace)
    return Recipe(
        name=RECIPE,
        version="1",
        sources=watched.sources,
        subjects=watched.subjects,
        discover=Adapters(Endpoints(**chosen.endpoints)).table(),
        extract=with_links(by_media_type()),
        steps=(
            normalise,
            Clean(),
            EnrichShortBodies(),
            DetectLanguage(),
            FindMentions(matcher_of(watched.subjects, chosen.mentions)),
            MentionListed(watched.tickers),
            ScoreQuality(),
            DropCopies(),
            KeepParserOutput(),
        ),
        trigger=Trigger(every=timedelta(seconds=CADENCES["news_api"])),
        triggers={kind: Trigger(every=timedelta(seconds=number)) for kind, number in CADENCES.items()},
        routes=(
            Route(name=words.queue("macro_classification"), sink="queue", when=is_macro),
            Route(name=words.queue("extraction"), sink="queue", when=lambda document: not is_macro(document)),
        ),
        layout=layout(words),
        namespace=chosen.namespace,
        configure=configure,
    )


def is_macro(document: Document) -> bool:
    return document.attributes.get("document_type") == MACRO


def _options(options: Mapping[str, Any]) -> MarketOptions:
    try:
        chosen = msgspec.convert(dict(options), MarketOptions)
    except msgspec.ValidationError as error:
        raise Refused("bad_config", f"recipes.markets.options: {error}") from error
    if chosen.mentions not in PROFILES:
        raise Refused("bad_config", f"recipes.markets.options.mentions: one of {', '.join(PROFILES)}")
    unknown = chosen.endpoints.keys() - {"provider", "broker", "search", "archive", "tickers"}
    if unknown:
        raise Refused("bad_config", f"recipes.markets.options.endpoints: there is no '{min(unknown)}'")
    return chosen

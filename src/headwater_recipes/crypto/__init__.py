"""Crypto news: feeds in, each article once, stored and handed on."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from headwater.documents.cleaning.normalise import normalise
from headwater.documents.dedupe.drop_duplicates import DropDuplicates
from headwater.documents.language.detect_language import DetectLanguage
from headwater.documents.quality.parse_quality import ScoreQuality
from headwater.extract.sandboxed_readers import readers_by_media_type
from headwater.model.page import PageMode
from headwater.model.recipe import Recipe, Route
from headwater.model.source import Trigger
from headwater.recipes.named_groupings import make_grouping
from headwater.settings.recipes import GroupSettings
from headwater.settings.sources import load_sources
from headwater.sources.kinds import FEED
from headwater_recipes.crypto.views import CRYPTO_VIEWS

FEEDS = Path(__file__).with_name("feeds.yaml")
# Reports of one event appear within two days; older stories cost nothing any more.
STORIES = GroupSettings(by="all", cluster="event", settle="1s", window="3d")


def with_bundled_feeds(options: Mapping[str, Any]) -> Recipe:
    del options
    return replace(recipe(), sources=load_sources(FEEDS, "crypto"))


def recipe() -> Recipe:
    return Recipe(
        name="crypto",
        version="1",
        views=CRYPTO_VIEWS,
        sources=(),
        bundled=with_bundled_feeds,
        discover={"feed": FEED},
        extract=readers_by_media_type(fragments=True),
        steps=(normalise, DetectLanguage(paragraphs=2, sure=0.95), ScoreQuality(), DropDuplicates()),
        pages={"feed": PageMode.TRY},
        trigger=Trigger(cron="0 */4 * * *"),
        grouping=make_grouping(STORIES, None, "crypto"),
        routes=(Route(name="articles", sink="files"),),
    )

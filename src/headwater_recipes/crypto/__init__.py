"""Crypto news: feeds in, each article once, stored and handed on."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

from headwater.documents.cleaning.normalise import normalise
from headwater.documents.dedupe.drop_duplicates import DropDuplicates
from headwater.documents.language.detect_language import DetectLanguage
from headwater.documents.quality.parse_quality import ScoreQuality
from headwater.extract.reader import readers_by_media_type
from headwater.model.page import PageMode
from headwater.model.recipe import Grouping, Recipe, Route
from headwater.model.source import Trigger
from headwater.settings.sources import load_sources
from headwater.sources.kinds import FEED
from headwater.stories.clustering.groupings import cluster_by_headline, publication_day
from headwater_recipes.crypto.views import CRYPTO_VIEWS

FEEDS = Path(__file__).with_name("feeds.yaml")


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
        grouping=Grouping(
            key=publication_day,
            cluster=cluster_by_headline,
            settle=timedelta(seconds=1),
            full_documents=False,
        ),
        routes=(Route(name="articles", sink="files"),),
    )

"""Crypto news: feeds in, each article once, stored and handed on."""

from datetime import timedelta
from pathlib import Path

from headwater.discover.feed import discover_feed
from headwater.extract.fragment import Fragments
from headwater.extract.read import by_media_type
from headwater.model.recipe import Grouping, Recipe, Route
from headwater.model.source import Trigger
from headwater.settings.sources import load_sources
from headwater.steps.duplicates import DropDuplicates
from headwater.steps.language import DetectLanguage
from headwater.steps.normalise import normalise
from headwater.steps.quality import ScoreQuality
from headwater.stories.headlines import same_day, same_headline

FEEDS = Path(__file__).with_name("feeds.yaml")


def recipe() -> Recipe:
    readers = by_media_type()
    return Recipe(
        name="crypto",
        version="1",
        sources=load_sources(FEEDS, "crypto"),
        discover={"feed": discover_feed},
        extract={**readers, "text/html": Fragments(readers["text/html"])},
        steps=(normalise, DetectLanguage(paragraphs=2, sure=0.95), ScoreQuality(), DropDuplicates()),
        trigger=Trigger(cron="0 */4 * * *"),
        grouping=Grouping(key=same_day, cluster=same_headline, settle=timedelta(seconds=1), whole=False),
        routes=(Route(name="articles", sink="files"),),
    )

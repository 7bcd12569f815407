"""Renders the response for a feed of the catalogue."""

from collections.abc import Callable

from headwater_demo.article import DemoArticle
from headwater_demo.feeds.atom import atom_html, atom_text, atom_xhtml
from headwater_demo.feeds.atom03 import atom03
from headwater_demo.feeds.catalogue import DemoFeed, Format
from headwater_demo.feeds.defects import DEFECTS
from headwater_demo.feeds.json_feed import json_feed
from headwater_demo.feeds.rdf import rss1
from headwater_demo.feeds.rss import rss091, rss092, rss2, rss2_teaser
from headwater_demo.publishers import Publisher
from headwater_demo.site import SiteResponse

Writer = Callable[[DemoFeed, Publisher, list[DemoArticle]], str]

_WRITERS: dict[Format, tuple[Writer, str]] = {
    "rss091": (rss091, "text/xml; charset=utf-8"),
    "rss092": (rss092, "application/xml; charset=utf-8"),
    "rss1": (rss1, "application/rdf+xml; charset=utf-8"),
    "rss2": (rss2, "application/rss+xml; charset=utf-8"),
    "rss2-teaser": (rss2_teaser, "application/rss+xml"),
    "atom-html": (atom_html, "application/atom+xml; charset=utf-8"),
    "atom-xhtml": (atom_xhtml, "application/atom+xml; charset=utf-8"),
    "atom-text": (atom_text, "application/atom+xml"),
    "atom03": (atom03, "application/atom+xml; charset=utf-8"),
    "json": (json_feed, "application/feed+json"),
}


def media_type(feed: DemoFeed) -> str:
    return _WRITERS[feed.format][1]


def render_feed(feed: DemoFeed, publisher: Publisher, articles: list[DemoArticle]) -> SiteResponse:
    write, kind = _WRITERS[feed.format]
    modified = max((item.modified for item in articles), default=None)
    sound = SiteResponse(
        body=write(feed, publisher, articles).encode(), media_type=kind, last_modified=modified
    )
    return DEFECTS[feed.defect](feed, sound) if feed.defect else sound

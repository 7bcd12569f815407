"""Feeds that serve as sitemaps."""

from collections.abc import Iterator
from datetime import datetime

from headwater.pure.feeds import Feed, NotAFeed, read_feed
from headwater.pure.feeds.notes import Note
from headwater.pure.sitemaps.values import Listed, NotASitemap


def read_feed_list(body: bytes, *, url: str, media_type: str, note: Note) -> Iterator[Listed]:
    try:
        feed = read_feed(body, url=url, media_type=media_type)
    except NotAFeed as error:
        known = error.reason in ("empty", "html", "too_large", "refused_entities", "compressed")
        raise NotASitemap(error.reason if known else "unknown", str(error)) from error
    for warning in feed.warnings:
        note("feed", warning)
    return _entries(feed)


def _entries(feed: Feed) -> Iterator[Listed]:
    for entry in feed.entries:
        if entry.link:
            yield Listed(
                url=entry.link,
                lastmod=_text(entry.updated or entry.published),
                title=entry.title or "",
                published=_text(entry.published),
                language=entry.language or feed.language or "",
            )


def _text(moment: datetime | None) -> str:
    return moment.isoformat() if moment else ""

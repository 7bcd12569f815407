"""The records that every feed format is parsed into.

`Feed.format` is one of
    rss20, rss10, rss090, rss091n (Netscape), rss091u (UserLand), rss092, rss093, rss094,
    rss (any other version), atom10, atom03, atom02, atom01, atom (no namespace),
    cdf, json1, json11, json (an unknown or missing version).

`Feed.warnings` names every repair and irregularity as ``code: detail`` (or ``code: detail (xN)`` when it
happened N times, with the first detail); the part before the first colon is for machines.

NotAFeed(ValueError)
└── reason: html, empty, json, opml, sitemap, refused_entities, compressed, too_large, unknown
"""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Enclosure:
    url: str
    media_type: str | None = None
    length: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedEntry:
    """One entry. Dates are aware and in UTC; links are absolute wherever the base URL was known.

    `content` is the longest body the entry carries, so it repeats `summary` when there is nothing else.
    `summary` is never derived from `content`, nor `published` from `updated`.
    """

    id: str | None = None
    title: str | None = None
    subtitle: str | None = None
    link: str | None = None
    published: datetime | None = None
    updated: datetime | None = None
    authors: tuple[str, ...] = ()
    summary: str | None = None
    content: str | None = None
    content_type: Literal["html", "text"] | None = None
    categories: tuple[str, ...] = ()
    image: str | None = None
    enclosures: tuple[Enclosure, ...] = ()
    language: str | None = None
    comments: str | None = None
    source_title: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Feed:
    format: str
    title: str | None = None
    link: str | None = None
    description: str | None = None
    language: str | None = None
    updated: datetime | None = None
    ttl_minutes: int | None = None
    self_url: str | None = None
    next_url: str | None = None
    hubs: tuple[str, ...] = ()
    entries: tuple[FeedEntry, ...] = ()
    warnings: tuple[str, ...] = ()


class NotAFeed(ValueError):
    """The bytes are not a feed. `reason` says why; for an HTML page, `alternates` lists the feeds it links to."""

    def __init__(self, reason: str, detail: str = "", *, alternates: tuple[str, ...] = ()) -> None:
        super().__init__(f"{reason}: {detail}" if detail else reason)
        self.reason = reason
        self.detail = detail
        self.alternates = alternates


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedFeed:
    """A feed as it comes out of the sandbox, or why the bytes are none. `repeated` are the positions of the entries whose
    content is their summary: it is not carried twice."""

    feed: Feed | None = None
    repeated: tuple[int, ...] = ()
    reason: str = ""
    detail: str = ""
    alternates: tuple[str, ...] = ()

    def unwrap(self) -> Feed:
        """Raises NotAFeed when the bytes are none."""
        if self.feed is None:
            raise NotAFeed(self.reason, self.detail, alternates=self.alternates)
        repeated = set(self.repeated)
        entries = tuple(
            replace(entry, content=entry.summary) if number in repeated else entry
            for number, entry in enumerate(self.feed.entries)
        )
        return replace(self.feed, entries=entries) if repeated else self.feed


def pack_feed(feed: Feed) -> ParsedFeed:
    repeated = tuple(
        number
        for number, entry in enumerate(feed.entries)
        if entry.content is not None and entry.content == entry.summary
    )
    positions = set(repeated)
    entries = tuple(
        replace(entry, content=None) if number in positions else entry
        for number, entry in enumerate(feed.entries)
    )
    return ParsedFeed(feed=replace(feed, entries=entries), repeated=repeated)

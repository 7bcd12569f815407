"""Feeds as Atom, RSS 2.0 and JSON Feed 1.1, from the same entries. Ids never change; text is escaped, never markup."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import format_datetime
from xml.sax.saxutils import escape, quoteattr

import msgspec

from headwater.text.letters import to_storable_text

ATOM = "http://www.w3.org/2005/Atom"
LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedItem:
    """`id` is a URN; `content` is the whole text, if the caller wants it."""

    id: str
    title: str
    updated: datetime
    url: str = ""
    published: datetime | None = None
    summary: str = ""
    content: str = ""
    authors: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    language: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedPage:
    """`url` is the address of the feed itself, if it has one; `hub` is that of a WebSub hub. `created` is when a feed without
    items was updated."""

    id: str
    title: str
    items: Sequence[FeedItem]
    subtitle: str = ""
    url: str = ""
    site: str = ""
    next_url: str = ""
    hub: str = ""
    created: datetime = LONG_AGO

    @property
    def updated(self) -> datetime:
        return max((item.updated for item in self.items), default=self.created)


def write_atom(feed: FeedPage) -> bytes:
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        f'<feed xmlns="{ATOM}">',
        _tag("id", feed.id),
        _tag("title", feed.title),
        *([_tag("subtitle", feed.subtitle)] if feed.subtitle else []),
        _tag("updated", _iso(feed.updated)),
        *(
            [f'<link rel="self" type="application/atom+xml" href={_attribute(feed.url)}/>']
            if feed.url
            else []
        ),
        *(
            [f'<link rel="alternate" type="application/json" href={_attribute(feed.site)}/>']
            if feed.site
            else []
        ),
        *([f'<link rel="next" href={_attribute(feed.next_url)}/>'] if feed.next_url else []),
        *([f'<link rel="hub" href={_attribute(feed.hub)}/>'] if feed.hub else []),
        "<author><name>Headwater</name></author>",
        *(_atom_entry(item) for item in feed.items),
        "</feed>",
    ]
    return "\n".join(lines).encode()


def _atom_entry(item: FeedItem) -> str:
    parts = [
        "<entry>",
        _tag("id", item.id),
        _tag("title", item.title or item.url or item.id),
        _tag("updated", _iso(item.updated)),
        _tag("published", _iso(item.published)) if item.published else "",
        f'<link rel="alternate" href={_attribute(item.url)}/>' if item.url else "",
        *(f"<author>{_tag('name', name)}</author>" for name in item.authors),
        *(f"<category term={_attribute(name)}/>" for name in item.categories),
        f'<summary type="text">{_text(item.summary)}</summary>' if item.summary or not item.url else "",
        f'<content type="text">{_text(item.content)}</content>' if item.content else "",
        "</entry>",
    ]
    return "".join(part for part in parts if part)


def write_rss(feed: FeedPage) -> bytes:
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        f'<rss version="2.0" xmlns:atom="{ATOM}" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel>',
        _tag("title", feed.title),
        _tag("link", feed.site or feed.url or feed.id),
        _tag("description", feed.subtitle or feed.title),
        _tag("lastBuildDate", format_datetime(feed.updated.astimezone(UTC))),
        *(
            [f'<atom:link rel="self" type="application/rss+xml" href={_attribute(feed.url)}/>']
            if feed.url
            else []
        ),
        *([f'<atom:link rel="hub" href={_attribute(feed.hub)}/>'] if feed.hub else []),
        *(_rss_item(item) for item in feed.items),
        "</channel></rss>",
    ]
    return "\n".join(lines).encode()


def _rss_item(item: FeedItem) -> str:
    moment = item.published or item.updated
    parts = [
        "<item>",
        f'<guid isPermaLink="false">{_text(item.id)}</guid>',
        _tag("title", item.title or item.url or item.id),
        _tag("link", item.url) if item.url else "",
        _tag("pubDate", format_datetime(moment.astimezone(UTC))),
        *(_tag("category", name) for name in item.categories),
        # The description of RSS is HTML, so that text is escaped twice.
        _tag("description", escape(item.summary)) if item.summary else "",
        _tag("content:encoded", f"<p>{escape(item.content)}</p>") if item.content else "",
        "</item>",
    ]
    return "".join(part for part in parts if part)


def write_json_feed(feed: FeedPage) -> bytes:
    record = {
        "version": "https://jsonfeed.org/version/1.1",
        "title": feed.title,
        **{name: value for name, value in _feed_members(feed).items() if value},
        "items": [_json_item(item) for item in feed.items],
    }
    return msgspec.json.encode(record)


def _feed_members(feed: FeedPage) -> dict[str, object]:
    return {
        "description": feed.subtitle,
        "home_page_url": feed.site,
        "feed_url": feed.url,
        "next_url": feed.next_url,
        "hubs": [{"type": "WebSub", "url": feed.hub}] if feed.hub else [],
    }


def _json_item(item: FeedItem) -> dict[str, object]:
    values = {
        "id": item.id,
        "url": item.url,
        "title": item.title,
        "content_text": item.content or item.summary or item.title,
        "summary": item.summary,
        "date_published": _iso(item.published or item.updated),
        "date_modified": _iso(item.updated),
        "authors": [{"name": name} for name in item.authors],
        "tags": list(item.categories),
        "language": item.language,
    }
    return {name: value for name, value in values.items() if value}


FEED_WRITERS = {"atom": write_atom, "rss": write_rss, "jsonfeed": write_json_feed}


def _tag(name: str, text: str) -> str:
    return f"<{name}>{_text(text)}</{name}>"


def _text(text: str) -> str:
    return escape(_xml_characters(text))


def _attribute(text: str) -> str:
    return quoteattr(_xml_characters(text))


def _xml_characters(text: str) -> str:
    """Without the characters that XML does not allow."""
    return "".join(
        letter
        for letter in to_storable_text(text)
        if (letter >= " " and letter not in "\ufffe\uffff\x7f") or letter in "\t\n\r"
    )


def _iso(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")

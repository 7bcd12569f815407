"""The matches of a saved search as an Atom or JSON feed, for feed readers and other programs."""

import html
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from headwater.model.saved_search import MatchEntry

JSON_FEED_VERSION = "https://jsonfeed.org/version/1.1"
LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchFeed:
    """`url` is where the feed is served, if it is. Entries are newest first."""

    search_id: str
    name: str
    query: str
    entries: Sequence[MatchEntry]
    url: str = ""

    @property
    def id(self) -> str:
        return f"urn:headwater:search:{self.search_id}"

    @property
    def title(self) -> str:
        return f"Headwater: {self.name}"

    @property
    def updated(self) -> datetime:
        return max((entry.matched_at for entry in self.entries), default=LONG_AGO)


def entry_id(feed: MatchFeed, entry: MatchEntry) -> str:
    """The same for ever, so that a reader shows each entry once."""
    return f"urn:headwater:{entry.record_kind}:{entry.record_id}:{feed.search_id}"


def atom_feed(feed: MatchFeed) -> str:
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        '<feed xmlns="http://www.w3.org/2005/Atom">',
        f"<id>{feed.id}</id>",
        f"<title>{_xml(feed.title)}</title>",
        f"<subtitle>{_xml(feed.query)}</subtitle>",
        f"<updated>{_time(feed.updated)}</updated>",
        "<author><name>Headwater</name></author>",
        *([f'<link rel="self" href="{_xml(feed.url)}"/>'] if feed.url else []),
        *(_atom_entry(feed, entry) for entry in feed.entries),
        "</feed>",
    ]
    return "\n".join(lines) + "\n"


def _atom_entry(feed: MatchFeed, entry: MatchEntry) -> str:
    author = f"<author><name>{_xml(entry.publisher)}</name></author>" if entry.publisher else ""
    published = f"<published>{_time(entry.published)}</published>" if entry.published else ""
    link = f'<link href="{_xml(entry.url)}"/>' if entry.url else ""
    return (
        f"<entry><id>{entry_id(feed, entry)}</id><title>{_xml(entry.title)}</title>{link}"
        f"<updated>{_time(entry.matched_at)}</updated>{published}{author}"
        f'<category term="{_xml(entry.recipe)}"/><summary>{_xml(entry.text)}</summary></entry>'
    )


def json_feed(feed: MatchFeed) -> str:
    record: dict[str, Any] = {
        "version": JSON_FEED_VERSION,
        "title": feed.title,
        "description": feed.query,
        **({"feed_url": feed.url} if feed.url else {}),
        "items": [_json_item(feed, entry) for entry in feed.entries],
    }
    return json.dumps(record, ensure_ascii=False, indent=2) + "\n"


def _json_item(feed: MatchFeed, entry: MatchEntry) -> dict[str, Any]:
    item: dict[str, Any] = {
        "id": entry_id(feed, entry),
        "url": entry.url,
        "title": entry.title,
        "content_text": entry.text,
        "date_published": _time(entry.published) if entry.published else "",
        "date_modified": _time(entry.matched_at),
        "authors": [{"name": entry.publisher}] if entry.publisher else [],
        "language": entry.language,
        "tags": [entry.recipe, entry.record_kind],
    }
    return {name: value for name, value in item.items() if value or name in ("id", "content_text")}


def _xml(text: str) -> str:
    """Escaped, and without the characters that XML forbids."""
    allowed = "".join(
        character
        for character in text
        if character in "\t\n\r" or (character >= " " and character not in "\ufffe\uffff")
    )
    return html.escape(allowed.encode("utf-8", "replace").decode())


def _time(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

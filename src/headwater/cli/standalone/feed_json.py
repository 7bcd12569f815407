"""A feed as a JSON record. The sandbox imports this module: it imports no more than the parser needs."""

from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from headwater.model.outcomes import ExtractHints, Reading
from headwater.sources.feeds.feed import Feed, FeedEntry, NotAFeed
from headwater.sources.feeds.parser import parse_feed


def extract_feed(data: bytes, hints: ExtractHints) -> Reading:
    """The feed as the attributes of a reading, so that the sandbox can parse it; without a feed, the reason."""
    try:
        feed = parse_feed(data, url=hints.url, media_type=hints.media_type)
    except NotAFeed as error:
        detail = str(error).removeprefix(error.reason).removeprefix(": ")
        record = failed_feed_record(error.reason, detail) | {"feeds": error.alternates}
    else:
        record = parsed_feed_record(feed)
    return Reading(text="", attributes=record)


def failed_feed_record(reason: str, detail: str = "") -> dict[str, Any]:
    return {"ok": False, "reason": reason, "detail": detail, "entries": [], "warnings": []}


def parsed_feed_record(feed: Feed) -> dict[str, Any]:
    return {
        "ok": True,
        "format": feed.format,
        "title": feed.title,
        "link": feed.link,
        "description": feed.description,
        "language": feed.language,
        "updated": _time_text(feed.updated),
        "ttl_minutes": feed.ttl_minutes,
        "self_url": feed.self_url,
        "next_url": feed.next_url,
        "hubs": feed.hubs,
        "entries": [_entry(entry) for entry in feed.entries],
        "warnings": feed.warnings,
    }


def _entry(entry: FeedEntry) -> dict[str, Any]:
    return {
        "id": entry.id,
        "title": entry.title,
        "subtitle": entry.subtitle,
        "link": entry.link,
        "published": _time_text(entry.published),
        "updated": _time_text(entry.updated),
        "author": ", ".join(entry.authors) or None,
        "authors": entry.authors,
        "summary": entry.summary,
        "content": entry.content,
        "content_type": entry.content_type,
        "categories": entry.categories,
        "image": entry.image,
        "enclosures": [asdict(enclosure) for enclosure in entry.enclosures],
        "language": entry.language,
        "comments": entry.comments,
        "source": entry.source_title,
    }


def _time_text(value: datetime | None) -> str | None:
    return value.astimezone(UTC).isoformat().replace("+00:00", "Z") if value else None

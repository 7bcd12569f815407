"""One feed as one line of JSON."""

from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from headwater.sources.feeds.feed import Feed, FeedEntry, NotAFeed
from headwater.sources.feeds.parser import parse_feed

Record = dict[str, Any]


def feed_record(path: str, data: bytes, url: str | None, media_type: str | None) -> Record:
    """What the bytes say; for what is no feed, why not."""
    try:
        feed = parse_feed(data, url=url, media_type=media_type)
    except NotAFeed as error:
        detail = str(error).removeprefix(error.reason).removeprefix(": ")
        return failed_feed_record(path, error.reason, detail) | {"feeds": error.alternates}
    return parsed_feed_record(path, feed)


def failed_feed_record(path: str, reason: str, detail: str = "") -> Record:
    return {"path": path, "ok": False, "reason": reason, "detail": detail, "entries": [], "warnings": []}


def parsed_feed_record(path: str, feed: Feed) -> Record:
    return {
        "path": path,
        "ok": True,
        "format": feed.format,
        "title": feed.title,
        "link": feed.link,
        "description": feed.description,
        "language": feed.language,
        "updated": _moment(feed.updated),
        "ttl_minutes": feed.ttl_minutes,
        "self_url": feed.self_url,
        "next_url": feed.next_url,
        "hubs": feed.hubs,
        "entries": [_entry(entry) for entry in feed.entries],
        "warnings": feed.warnings,
    }


def _entry(entry: FeedEntry) -> Record:
    return {
        "id": entry.id,
        "title": entry.title,
        "subtitle": entry.subtitle,
        "link": entry.link,
        "published": _moment(entry.published),
        "updated": _moment(entry.updated),
        "author": ", ".join(entry.authors) or None,
        "authors": entry.authors,
        "summary": entry.summary,
        "content": entry.content,
        "content_type": entry.content_type,
        "categories": entry.categories,
        "image": entry.image,
        "enclosures": [asdict(one) for one in entry.enclosures],
        "language": entry.language,
        "comments": entry.comments,
        "source": entry.source_title,
    }


def _moment(value: datetime | None) -> str | None:
    return value.astimezone(UTC).isoformat().replace("+00:00", "Z") if value else None

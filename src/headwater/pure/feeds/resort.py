"""The last resort: feedparser, for a document in which nothing else finds an entry."""

import calendar
import io
from datetime import UTC, datetime
from typing import Any

from headwater.pure.feeds.links import absolute
from headwater.pure.feeds.notes import Notes
from headwater.pure.feeds.people import person
from headwater.pure.feeds.values import Entry, Feed
from headwater.pure.feeds.wording import title_text

# Its loose parser is slow on hostile input, so only documents of ordinary size get this far.
LARGEST = 128 * 1024
# What it is known to raise on documents as broken as these, besides what it promises.
CRASHES = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)


def read_with_feedparser(data: bytes, url: str | None, notes: Notes) -> Feed | None:
    """None when it finds no entry either. It is handed bytes in memory, so it never fetches or opens anything."""
    if len(data) > LARGEST:
        return None
    import feedparser  # noqa: PLC0415 - a slow import that almost no document needs

    try:
        parsed = feedparser.parse(
            io.BytesIO(data),
            response_headers={"content-type": "application/xml; charset=utf-8"},
            sanitize_html=False,
        )
    except CRASHES as error:
        notes("feedparser_failed", type(error).__name__)
        return None
    entries = tuple(_entry(entry, url, notes) for entry in parsed.entries)
    if not entries:
        return None
    notes("feedparser", "")
    return Feed(
        format=parsed.get("version") or "rss",
        title=title_text(parsed.feed.get("title") or "", notes),
        link=absolute(parsed.feed.get("link"), url, notes),
        description=parsed.feed.get("subtitle") or None,
        language=parsed.feed.get("language") or None,
        entries=entries,
        warnings=notes.as_warnings(),
    )


def _entry(entry: Any, url: str | None, notes: Notes) -> Entry:
    contents = [part.get("value") for part in entry.get("content", ()) if part.get("value")]
    summary = entry.get("summary") or None
    content = contents[0] if contents else summary
    author = person(entry["author"], notes) if entry.get("author") else None
    return Entry(
        id=entry.get("id") or None,
        title=title_text(entry.get("title") or "", notes),
        link=absolute(entry.get("link"), url, notes),
        published=_moment(entry.get("published_parsed")),
        updated=_moment(entry.get("updated_parsed") if "updated" in entry else None),
        authors=(author,) if author else (),
        summary=summary,
        content=content,
        content_type="html" if content else None,
        categories=tuple(tag["term"] for tag in entry.get("tags", ()) if tag.get("term")),
    )


def _moment(parsed: Any) -> datetime | None:
    return datetime.fromtimestamp(calendar.timegm(parsed), UTC) if parsed else None

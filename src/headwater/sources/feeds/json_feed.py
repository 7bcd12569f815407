"""JSON Feed 1 and 1.1, tolerant of wrong types and cut-off documents."""

import json
import re
from typing import Any

from headwater.model.warning_log import Warn, WarningLog
from headwater.sources.feeds.entry import parse_count
from headwater.sources.feeds.feed import Enclosure, Feed, FeedEntry, NotAFeed
from headwater.sources.feeds.fields import clean_title, fix_mojibake, person_name, unique_names
from headwater.sources.feeds.links import absolute_url
from headwater.text.written_dates import parse_feed_date

Record = dict[str, Any]
VERSION = re.compile(r"jsonfeed\.org/version/(\d+(?:\.\d+)?)")
ITEMS = re.compile(r'"items"\s*:\s*\[')
HEAD_FIELD = re.compile(
    r'"(version|title|home_page_url|feed_url|description|language|next_url)"\s*:\s*("(?:[^"\\]|\\.)*")'
)
MOST_ITEMS = 100_000


def parse_json_feed(data: bytes, url: str | None, notes: WarningLog) -> Feed:
    record = _record(data.decode(), notes)
    version = VERSION.search(_text(record.get("version")) or "")
    items = record.get("items")
    if not isinstance(items, list) or not (version or _resembles(items)):
        raise NotAFeed("json", "no JSON Feed")
    if not version:
        notes("unknown_version", _text(record.get("version")) or "none")
    link = absolute_url(_text(record.get("home_page_url")), url, notes)
    base = url or link
    authors = _authors(record, notes)
    entries = tuple(_entry(item, base, authors, notes) for item in _objects(items, notes))
    if not entries:
        notes("no_entries", "")
    return Feed(
        format="json" + (version[1].replace(".", "") if version else ""),
        title=clean_title(_text(record.get("title")) or "", notes, literal=True),
        link=link,
        description=_text(record.get("description")),
        language=_text(record.get("language")),
        updated=None,
        self_url=absolute_url(_text(record.get("feed_url")), url, notes),
        next_url=absolute_url(_text(record.get("next_url")), url, notes),
        hubs=_hubs(record, base, notes),
        entries=entries,
        warnings=notes.as_warnings(),
    )


def _record(text: str, notes: WarningLog) -> Record:
    try:
        value = json.loads(text, strict=False)
    except (ValueError, RecursionError) as error:
        notes("malformed", type(error).__name__ if isinstance(error, RecursionError) else str(error))
        value = _salvaged(text)
    if not isinstance(value, dict):
        raise NotAFeed("json", "no JSON Feed")
    return value


def _salvaged(text: str) -> Record:
    """The head fields and every whole item before, and after, the damage."""
    start = ITEMS.search(text)
    if start is None:
        raise NotAFeed("json", "malformed")
    decoder = json.JSONDecoder(strict=False)
    record: Record = {"items": _whole_objects(text, start.end(), decoder)}
    for match in HEAD_FIELD.finditer(text[: start.start()]):
        try:
            record[match[1]] = json.loads(match[2], strict=False)
        except ValueError:
            continue
    return record


def _whole_objects(text: str, position: int, decoder: json.JSONDecoder) -> list[Any]:
    found: list[Any] = []
    while len(found) < MOST_ITEMS and (position := text.find("{", position)) >= 0:
        try:
            value, position = decoder.raw_decode(text, position)
        except RecursionError:
            break
        except ValueError as error:
            # Go on behind the damage, never before it, so that the work stays linear.
            position = max(getattr(error, "pos", 0), position + 1)
            continue
        found.append(value)
    return found


def _objects(items: list[Any], notes: WarningLog) -> list[Record]:
    whole = [item for item in items if isinstance(item, dict) and item]
    if len(whole) < len(items):
        notes("odd_entry", f"{len(items) - len(whole)} items are no objects")
    return whole


def _resembles(items: list[Any]) -> bool:
    keys = {"content_html", "content_text", "url", "external_url", "date_published"}
    return any(isinstance(item, dict) and "id" in item and keys & item.keys() for item in items)


def _entry(item: Record, base: str | None, inherited: tuple[str, ...], notes: WarningLog) -> FeedEntry:
    markup, words = _text(item.get("content_html")), _text(item.get("content_text"))
    summary = _text(item.get("summary"))
    content = markup or words or summary
    link = absolute_url(_text(item.get("url")) or _text(item.get("external_url")), base, notes)
    identity = _text(item.get("id"))
    image = _text(item.get("image")) or _text(item.get("banner_image"))
    return FeedEntry(
        id=identity or link,
        title=clean_title(_text(item.get("title")) or "", notes, literal=True),
        link=link or (identity if identity and identity.startswith("http") else None),
        published=parse_feed_date(_text(item.get("date_published")), notes),
        updated=parse_feed_date(_text(item.get("date_modified")), notes),
        authors=_authors(item, notes) or inherited,
        summary=fix_mojibake(summary, notes) if summary else None,
        content=fix_mojibake(content, notes) if content else None,
        content_type=("html" if markup else "text") if content else None,
        categories=tuple(dict.fromkeys(tag for tag in map(_text, _list(item.get("tags"))) if tag)),
        image=absolute_url(image, base, notes),
        enclosures=_enclosures(item, base, notes),
        language=_text(item.get("language")),
    )


def _authors(record: Record, warn: Warn) -> tuple[str, ...]:
    people = [*_list(record.get("authors")), *_list(record.get("author"))]
    names = [
        _text(one.get("name")) or _text(one.get("url")) if isinstance(one, dict) else _text(one)
        for one in people
    ]
    return unique_names([person_name(name, warn) for name in names if name])


def _enclosures(item: Record, base: str | None, warn: Warn) -> tuple[Enclosure, ...]:
    attachments = [one for one in _list(item.get("attachments")) if isinstance(one, dict)]
    found = ((absolute_url(_text(one.get("url")), base, warn), one) for one in attachments)
    return tuple(
        Enclosure(
            url=url,
            media_type=_text(one.get("mime_type")),
            length=parse_count(_text(one.get("size_in_bytes"))),
        )
        for url, one in found
        if url
    )


def _hubs(record: Record, base: str | None, warn: Warn) -> tuple[str, ...]:
    hubs = [hub for hub in _list(record.get("hubs")) if isinstance(hub, dict)]
    found = (absolute_url(_text(hub.get("url")), base, warn) for hub in hubs)
    return tuple(address for address in found if address)


def _list(value: Any) -> list[Any]:
    if isinstance(value, list):
        return value
    return [] if value is None else [value]


def _text(value: Any) -> str | None:
    """Numbers are taken for the strings they should have been."""
    if isinstance(value, str):
        return value.strip() or None
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"{value:.0f}" if isinstance(value, float) and value.is_integer() else str(value)
    return None

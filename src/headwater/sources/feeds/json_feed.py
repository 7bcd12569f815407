"""JSON Feed 1 and 1.1, tolerant of wrong types and truncated documents."""

import json
import re
from typing import Any

from headwater.model.warning_log import Warn, WarningLog
from headwater.sources.feeds.entry import parse_count
from headwater.sources.feeds.feed import Enclosure, Feed, FeedEntry, NotAFeed
from headwater.sources.feeds.fields import clean_title, person_name, repair_encoding, unique_names
from headwater.sources.feeds.links import absolute_url
from headwater.text.written_dates import parse_feed_date

Record = dict[str, Any]
VERSION = re.compile(r"jsonfeed\.org/version/(\d+(?:\.\d+)?)")
ITEMS = re.compile(r'"items"\s*:\s*\[')
HEAD_FIELD = re.compile(
    r'"(version|title|home_page_url|feed_url|description|language|next_url)"\s*:\s*("(?:[^"\\]++|\\.)*+")'
)
MOST_ITEMS = 100_000


def parse_json_feed(data: bytes, url: str | None, warnings: WarningLog) -> Feed:
    record = _record(data.decode(), warnings)
    version = VERSION.search(_as_text(record.get("version")) or "")
    items = record.get("items")
    if not isinstance(items, list) or not (version or _looks_like_feed_items(items)):
        raise NotAFeed("json", "no JSON Feed")
    if not version:
        warnings("unknown_version", _as_text(record.get("version")) or "none")
    link = absolute_url(_as_text(record.get("home_page_url")), url, warnings)
    base = url or link
    authors = _authors(record, warnings)
    entries = tuple(_entry(item, base, authors, warnings) for item in _objects(items, warnings))
    if not entries:
        warnings("no_entries", "")
    return Feed(
        format="json" + (version[1].replace(".", "") if version else ""),
        title=clean_title(_as_text(record.get("title")) or "", warnings, literal=True),
        link=link,
        description=_as_text(record.get("description")),
        language=_as_text(record.get("language")),
        updated=None,
        self_url=absolute_url(_as_text(record.get("feed_url")), url, warnings),
        next_url=absolute_url(_as_text(record.get("next_url")), url, warnings),
        hubs=_hubs(record, base, warnings),
        entries=entries,
        warnings=warnings.lines(),
    )


def _record(text: str, warnings: WarningLog) -> Record:
    try:
        value = json.loads(text, strict=False)
    except (ValueError, RecursionError) as error:
        warnings("malformed", type(error).__name__ if isinstance(error, RecursionError) else str(error))
        value = _salvage(text)
    if not isinstance(value, dict):
        raise NotAFeed("json", "no JSON Feed")
    return value


def _salvage(text: str) -> Record:
    """The head fields and every complete item before and after the damage."""
    start = ITEMS.search(text)
    if start is None:
        raise NotAFeed("json", "malformed")
    decoder = json.JSONDecoder(strict=False)
    record: Record = {"items": _salvage_objects(text, start.end(), decoder)}
    for match in HEAD_FIELD.finditer(text[: start.start()]):
        try:
            record[match[1]] = json.loads(match[2], strict=False)
        except ValueError:
            continue
    return record


def _salvage_objects(text: str, position: int, decoder: json.JSONDecoder) -> list[Any]:
    objects: list[Any] = []
    while len(objects) < MOST_ITEMS and (position := text.find("{", position)) >= 0:
        try:
            value, position = decoder.raw_decode(text, position)
        except RecursionError:
            break
        except ValueError as error:
            # Continue after the damage, never before it, so that the work stays linear.
            position = max(getattr(error, "pos", 0), position + 1)
            continue
        objects.append(value)
    return objects


def _objects(items: list[Any], warnings: WarningLog) -> list[Record]:
    objects = [item for item in items if isinstance(item, dict) and item]
    if len(objects) < len(items):
        warnings("odd_entry", f"{len(items) - len(objects)} items are not objects")
    return objects


def _looks_like_feed_items(items: list[Any]) -> bool:
    keys = {"content_html", "content_text", "url", "external_url", "date_published"}
    return any(isinstance(item, dict) and "id" in item and keys & item.keys() for item in items)


def _entry(item: Record, base: str | None, inherited: tuple[str, ...], warnings: WarningLog) -> FeedEntry:
    markup, text = _as_text(item.get("content_html")), _as_text(item.get("content_text"))
    summary = _as_text(item.get("summary"))
    content = markup or text or summary
    link = absolute_url(_as_text(item.get("url")) or _as_text(item.get("external_url")), base, warnings)
    identity = _as_text(item.get("id"))
    image = _as_text(item.get("image")) or _as_text(item.get("banner_image"))
    return FeedEntry(
        id=identity or link,
        title=clean_title(_as_text(item.get("title")) or "", warnings, literal=True),
        link=link or (identity if identity and identity.startswith("http") else None),
        published=parse_feed_date(_as_text(item.get("date_published")), warnings),
        updated=parse_feed_date(_as_text(item.get("date_modified")), warnings),
        authors=_authors(item, warnings) or inherited,
        summary=repair_encoding(summary, warnings) if summary else None,
        content=repair_encoding(content, warnings) if content else None,
        content_type=("html" if markup else "text") if content else None,
        categories=tuple(dict.fromkeys(tag for tag in map(_as_text, _as_list(item.get("tags"))) if tag)),
        image=absolute_url(image, base, warnings),
        enclosures=_enclosures(item, base, warnings),
        language=_as_text(item.get("language")),
    )


def _authors(record: Record, warn: Warn) -> tuple[str, ...]:
    people = [*_as_list(record.get("authors")), *_as_list(record.get("author"))]
    names = [
        _as_text(author.get("name")) or _as_text(author.get("url"))
        if isinstance(author, dict)
        else _as_text(author)
        for author in people
    ]
    return unique_names([person_name(name, warn) for name in names if name])


def _enclosures(item: Record, base: str | None, warn: Warn) -> tuple[Enclosure, ...]:
    attachments = [
        attachment for attachment in _as_list(item.get("attachments")) if isinstance(attachment, dict)
    ]
    resolved = (
        (absolute_url(_as_text(attachment.get("url")), base, warn), attachment) for attachment in attachments
    )
    return tuple(
        Enclosure(
            url=url,
            media_type=_as_text(attachment.get("mime_type")),
            length=parse_count(_as_text(attachment.get("size_in_bytes"))),
        )
        for url, attachment in resolved
        if url
    )


def _hubs(record: Record, base: str | None, warn: Warn) -> tuple[str, ...]:
    hubs = [hub for hub in _as_list(record.get("hubs")) if isinstance(hub, dict)]
    urls = (absolute_url(_as_text(hub.get("url")), base, warn) for hub in hubs)
    return tuple(url for url in urls if url)


def _as_list(value: Any) -> list[Any]:
    if isinstance(value, list):
        return value
    return [] if value is None else [value]


def _as_text(value: Any) -> str | None:
    """A string; a number is taken for the string it should have been."""
    if isinstance(value, str):
        return value.strip() or None
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"{value:.0f}" if isinstance(value, float) and value.is_integer() else str(value)
    return None

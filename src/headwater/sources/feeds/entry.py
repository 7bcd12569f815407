"""Pictures and attachments of an entry."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from xml.etree.ElementTree import Element

from headwater.model.warning_log import Warn
from headwater.sources.feeds.body import PLAIN_TYPES, is_base64, read_bodies, read_body
from headwater.sources.feeds.feed import Enclosure, FeedEntry
from headwater.sources.feeds.fields import (
    Fields,
    author_name,
    clean_title,
    fields_of,
    first_text,
    inner_text,
    unique_names,
)
from headwater.sources.feeds.links import (
    FeedLink,
    absolute_url,
    base_url_of,
    fallback_url,
    page_url,
    read_links,
    related_url,
)
from headwater.sources.feeds.namespaces import XML_LANGUAGE, attribute_of
from headwater.text.written_dates import parse_feed_date

CARRIERS = ("enclosure", "media:content")
PICTURES = ("media:thumbnail", "itunes:image")
PICTURE_ENDINGS = (".jpg", ".jpeg", ".png", ".gif", ".webp", ".avif", ".svg")


def read_enclosures(
    fields: Fields, links: list[FeedLink], base: str | None, warn: Warn
) -> tuple[Enclosure, ...]:
    found: dict[str, Enclosure] = {}
    for enclosure in _enclosures(fields, links, base, warn):
        found.setdefault(enclosure.url, enclosure)
    return tuple(found.values())


def _enclosures(fields: Fields, links: list[FeedLink], base: str | None, warn: Warn) -> Iterator[Enclosure]:
    for name in CARRIERS:
        for element in fields.get(name, ()):
            url = absolute_url(attribute_of(element, "url") or attribute_of(element, "href"), base, warn)
            if url:
                size = attribute_of(element, "length") or attribute_of(element, "filesize")
                yield Enclosure(url=url, media_type=_media_type(element), length=parse_count(size))
    for link in links:
        if link.relation == "enclosure":
            yield Enclosure(
                url=link.address, media_type=link.media_type or None, length=parse_count(link.length)
            )


def _media_type(element: Element) -> str | None:
    stated = attribute_of(element, "type")
    if stated:
        return stated.lower()
    medium = (attribute_of(element, "medium") or "").lower()
    return f"{medium}/*" if medium in {"image", "audio", "video"} else None


def parse_count(text: str | None) -> int | None:
    digits = (text or "").strip().replace(",", "")
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 16 else None


def read_image(fields: Fields, enclosures: tuple[Enclosure, ...], base: str | None, warn: Warn) -> str | None:
    """A named picture, else the first attachment that is one."""
    for name in PICTURES:
        for element in fields.get(name, ()):
            url = (
                attribute_of(element, "url") or attribute_of(element, "href") or (element.text or "").strip()
            )
            if url:
                return absolute_url(url, base, warn)
    for element in fields.get("image", ()):
        inner = first_text(fields_of(element), "url") if len(element) else None
        url = inner or attribute_of(element, "href") or (element.text or "").strip()
        if url:
            return absolute_url(url, base, warn)
    return next((enclosure.url for enclosure in enclosures if _is_picture(enclosure)), None)


def _is_picture(enclosure: Enclosure) -> bool:
    if enclosure.media_type:
        return enclosure.media_type.startswith("image/")
    return enclosure.url.partition("?")[0].lower().endswith(PICTURE_ENDINGS)


TITLES = ("title", "dc:title", "media:title", "itunes:title")
SUBTITLES = ("subtitle", "itunes:subtitle", "dcterms:alternative", "dek", "standfirst")
IDENTITIES = ("guid", "id", "dc:identifier")
PUBLISHED = (
    "pubdate",
    "published",
    "issued",
    "dcterms:issued",
    "dc:date",
    "dcterms:created",
    "created",
    "date",
)
UPDATED = ("updated", "modified", "dcterms:modified", "lastbuilddate")
AUTHORS = ("author", "dc:creator", "dc:author", "itunes:author", "creator")
LISTS = ("itunes:keywords", "media:keywords", "keywords", "tags")
SUBJECTS = ("category", "dc:subject", "media:category", "subject", "itunes:category")


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedContext:
    """What an entry inherits from its feed."""

    warn: Warn
    base: str | None = None
    atom: bool = False
    language: str | None = None
    authors: tuple[str, ...] = ()


def read_entry(item: Element, around: FeedContext) -> FeedEntry | None:
    """None, with a note, for an item that says nothing at all."""
    fields = fields_of(item)
    warn = around.warn
    base = base_url_of(item, around.base) if item.attrib else around.base
    about = attribute_of(item, "about") if item.attrib else None
    identity = first_text(fields, *IDENTITIES) or about
    links = read_links(fields.get("link", []), base, warn)
    published, updated = read_dates(fields, warn)
    summary, content, content_type = read_bodies(fields, warn, atom=around.atom)
    enclosures = read_enclosures(fields, links, base, warn)
    entry = FeedEntry(
        id=identity,
        title=read_title(fields, warn, atom=around.atom),
        subtitle=_subtitle(fields, warn),
        link=page_url(links) or _spare_link(item, fields, identity, links, base=base, warn=warn),
        published=published,
        updated=updated,
        authors=read_authors(fields, warn) or around.authors,
        summary=summary,
        content=content,
        content_type=content_type,
        categories=read_categories(fields, warn),
        image=read_image(fields, enclosures, base, warn),
        enclosures=enclosures,
        language=item.get(XML_LANGUAGE) or first_text(fields, "dc:language", "language") or around.language,
        comments=_comments(fields, links, base, warn),
        source_title=_source_title(fields, warn),
    )
    if fields or identity or entry.link:
        return entry
    warn("empty_entry", "")
    return None


def read_title(fields: Fields, warn: Warn, *, atom: bool) -> str | None:
    for name in TITLES:
        for element in fields.get(name, ()):
            title = _one_title(element, warn, atom=atom and name == "title")
            if title:
                return title
    return None


def _subtitle(fields: Fields, warn: Warn) -> str | None:
    text = first_text(fields, *SUBTITLES)
    return clean_title(text, warn) if text else None


def _one_title(element: Element, warn: Warn, *, atom: bool) -> str | None:
    """Atom titles are literal unless they say otherwise; RSS never settled it, so markup is assumed."""
    kind = (attribute_of(element, "type") or "text").lower() if atom else ""
    if element.attrib and is_base64(element, kind, atom=atom):
        body = read_body(element, warn, atom=atom)
        return clean_title(body[0], warn) if body else None
    literal = kind in PLAIN_TYPES or bool(len(element))
    return clean_title(inner_text(element), warn, literal=literal)


def read_dates(fields: Fields, warn: Warn) -> tuple[datetime | None, datetime | None]:
    """When it came out and when it changed; a spare dc:date beside a publication date is a change."""
    published, updated = None, None
    source = ""
    for name in PUBLISHED:
        if name in fields:
            published = parse_feed_date(first_text(fields, name), warn)
            if published:
                source = name
                break
    for name in UPDATED:
        if name in fields:
            updated = updated or parse_feed_date(first_text(fields, name), warn)
    if updated is None and "dc:date" in fields and source != "dc:date":
        updated = parse_feed_date(first_text(fields, "dc:date"), warn)
    return published, updated


def read_authors(fields: Fields, warn: Warn) -> tuple[str, ...]:
    for name in AUTHORS:
        if name in fields:
            found = unique_names([author_name(element, warn) for element in fields[name]])
            if found:
                return found
    return _source_authors(fields, warn)


def _source_authors(fields: Fields, warn: Warn) -> tuple[str, ...]:
    """An Atom entry copied from elsewhere takes the authors of where it came from."""
    for source in fields.get("source", ()):
        if len(source):
            return read_authors({"author": fields_of(source).get("author", [])}, warn)
    return ()


def read_categories(fields: Fields, warn: Warn) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_categories(fields, warn)))


def _categories(fields: Fields, warn: Warn) -> Iterator[str]:
    for name in SUBJECTS:
        for element in fields.get(name, ()):
            text = attribute_of(element, "term") or attribute_of(element, "text") if element.attrib else None
            text = text or inner_text(element).strip() or attribute_of(element, "label")
            word = clean_title(text, warn) if text else None
            if word:
                yield word
    for name in LISTS:
        for element in fields.get(name, ()):
            words = (clean_title(word, warn) for word in (element.text or "").split(","))
            yield from (word for word in words if word)


def _spare_link(
    item: Element,
    fields: Fields,
    identity: str | None,
    links: list[FeedLink],
    *,
    base: str | None,
    warn: Warn,
) -> str | None:
    """CDF puts the address on the item itself; other formats have their stand-ins."""
    own = attribute_of(item, "href") if item.attrib else None
    return absolute_url(own, base, warn) or fallback_url(fields, identity, links, base, warn)


def _comments(fields: Fields, links: list[FeedLink], base: str | None, warn: Warn) -> str | None:
    address = first_text(fields, "comments") if "comments" in fields else None
    if address is None and len(links) > 1:
        address = related_url(links, "replies")
    return absolute_url(address, base, warn) if address else None


def _source_title(fields: Fields, warn: Warn) -> str | None:
    for source in fields.get("source", ()):
        text = first_text(fields_of(source), "title") if len(source) else source.text
        if text:
            return clean_title(text, warn)
    return None

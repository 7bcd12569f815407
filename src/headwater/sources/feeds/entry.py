"""One RSS item or Atom entry as a `FeedEntry`."""

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
    title_text,
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

ENCLOSURE_NAMES = ("enclosure", "media:content")
IMAGE_NAMES = ("media:thumbnail", "itunes:image")
IMAGE_SUFFIXES = (".jpg", ".jpeg", ".png", ".gif", ".webp", ".avif", ".svg")
TITLE_NAMES = ("title", "dc:title", "media:title", "itunes:title")
SUBTITLE_NAMES = ("subtitle", "itunes:subtitle", "dcterms:alternative", "dek", "standfirst")
ID_NAMES = ("guid", "id", "dc:identifier")
PUBLISHED_NAMES = (
    "pubdate",
    "published",
    "issued",
    "dcterms:issued",
    "dc:date",
    "dcterms:created",
    "created",
    "date",
)
UPDATED_NAMES = ("updated", "modified", "dcterms:modified", "lastbuilddate")
AUTHOR_NAMES = ("author", "dc:creator", "dc:author", "itunes:author", "creator")
KEYWORD_LIST_NAMES = ("itunes:keywords", "media:keywords", "keywords", "tags")
CATEGORY_NAMES = ("category", "dc:subject", "media:category", "subject", "itunes:category")


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedContext:
    """What an entry inherits from its feed."""

    warn: Warn
    base: str | None = None
    atom: bool = False
    language: str | None = None
    authors: tuple[str, ...] = ()


def read_entry(item: Element, context: FeedContext) -> FeedEntry | None:
    """The entry; None, with a warning, for an empty one."""
    fields = fields_of(item)
    warn = context.warn
    base = base_url_of(item, context.base) if item.attrib else context.base
    rdf_about = attribute_of(item, "about") if item.attrib else None
    identity = first_text(fields, *ID_NAMES) or rdf_about
    links = read_links(fields.get("link", []), base, warn)
    published, updated = read_dates(fields, warn)
    summary, content, content_type = read_bodies(fields, warn, atom=context.atom)
    enclosures = read_enclosures(fields, links, base, warn)
    entry = FeedEntry(
        id=identity,
        title=read_title(fields, warn, atom=context.atom),
        subtitle=_subtitle(fields, warn),
        link=page_url(links) or _link_without_page(item, fields, identity, links, base=base, warn=warn),
        published=published,
        updated=updated,
        authors=read_authors(fields, warn) or context.authors,
        summary=summary,
        content=content,
        content_type=content_type,
        categories=read_categories(fields, warn),
        image=read_image(fields, enclosures, base, warn),
        enclosures=enclosures,
        language=item.get(XML_LANGUAGE) or first_text(fields, "dc:language", "language") or context.language,
        comments=_comments(fields, links, base, warn),
        source_title=_source_title(fields, warn),
    )
    if fields or identity or entry.link:
        return entry
    warn("empty_entry", "")
    return None


def read_title(fields: Fields, warn: Warn, *, atom: bool) -> str | None:
    for name in TITLE_NAMES:
        for element in fields.get(name, ()):
            title = _title_text(element, warn, atom=atom and name == "title")
            if title:
                return title
    return None


def _title_text(element: Element, warn: Warn, *, atom: bool) -> str | None:
    """Atom titles are literal unless their type says otherwise; RSS leaves it open, so markup is assumed."""
    kind = (attribute_of(element, "type") or "text").lower() if atom else ""
    if element.attrib and is_base64(element, kind, atom=atom):
        body = read_body(element, warn, atom=atom)
        return clean_title(body[0], warn) if body else None
    literal = kind in PLAIN_TYPES or bool(len(element))
    return clean_title(title_text(element), warn, literal=literal)


def _subtitle(fields: Fields, warn: Warn) -> str | None:
    text = first_text(fields, *SUBTITLE_NAMES)
    return clean_title(text, warn) if text else None


def read_dates(fields: Fields, warn: Warn) -> tuple[datetime | None, datetime | None]:
    """Publication and update; a dc:date beside another publication date is an update."""
    published, updated = None, None
    source = ""
    for name in PUBLISHED_NAMES:
        if name in fields:
            published = parse_feed_date(first_text(fields, name), warn)
            if published:
                source = name
                break
    for name in UPDATED_NAMES:
        if name in fields:
            updated = updated or parse_feed_date(first_text(fields, name), warn)
    if updated is None and "dc:date" in fields and source != "dc:date":
        updated = parse_feed_date(first_text(fields, "dc:date"), warn)
    return published, updated


def read_authors(fields: Fields, warn: Warn) -> tuple[str, ...]:
    for name in AUTHOR_NAMES:
        if name in fields:
            authors = unique_names([author_name(element, warn) for element in fields[name]])
            if authors:
                return authors
    return _source_authors(fields, warn)


def _source_authors(fields: Fields, warn: Warn) -> tuple[str, ...]:
    """The authors of the feed that an Atom entry was copied from."""
    for source in fields.get("source", ()):
        if len(source):
            return read_authors({"author": fields_of(source).get("author", [])}, warn)
    return ()


def read_categories(fields: Fields, warn: Warn) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_categories(fields, warn)))


def _categories(fields: Fields, warn: Warn) -> Iterator[str]:
    for name in CATEGORY_NAMES:
        for element in fields.get(name, ()):
            text = attribute_of(element, "term") or attribute_of(element, "text") if element.attrib else None
            text = text or inner_text(element).strip() or attribute_of(element, "label")
            word = clean_title(text, warn) if text else None
            if word:
                yield word
    for name in KEYWORD_LIST_NAMES:
        for element in fields.get(name, ()):
            keywords = (clean_title(word, warn) for word in (element.text or "").split(","))
            yield from (word for word in keywords if word)


def _link_without_page(
    item: Element,
    fields: Fields,
    identity: str | None,
    links: list[FeedLink],
    *,
    base: str | None,
    warn: Warn,
) -> str | None:
    """CDF puts the URL on the item itself; other formats have fallbacks."""
    href = attribute_of(item, "href") if item.attrib else None
    return absolute_url(href, base, warn) or fallback_url(fields, identity, links, base, warn)


def _comments(fields: Fields, links: list[FeedLink], base: str | None, warn: Warn) -> str | None:
    url = first_text(fields, "comments") if "comments" in fields else None
    if url is None and len(links) > 1:
        url = related_url(links, "replies")
    return absolute_url(url, base, warn) if url else None


def _source_title(fields: Fields, warn: Warn) -> str | None:
    for source in fields.get("source", ()):
        text = first_text(fields_of(source), "title") if len(source) else source.text
        if text:
            return clean_title(text, warn)
    return None


def read_enclosures(
    fields: Fields, links: list[FeedLink], base: str | None, warn: Warn
) -> tuple[Enclosure, ...]:
    by_url: dict[str, Enclosure] = {}
    for enclosure in _enclosures(fields, links, base, warn):
        by_url.setdefault(enclosure.url, enclosure)
    return tuple(by_url.values())


def _enclosures(fields: Fields, links: list[FeedLink], base: str | None, warn: Warn) -> Iterator[Enclosure]:
    for name in ENCLOSURE_NAMES:
        for element in fields.get(name, ()):
            url = absolute_url(attribute_of(element, "url") or attribute_of(element, "href"), base, warn)
            if url:
                size = attribute_of(element, "length") or attribute_of(element, "filesize")
                yield Enclosure(url=url, media_type=_media_type(element), length=parse_count(size))
    for link in links:
        if link.relation == "enclosure":
            yield Enclosure(url=link.url, media_type=link.media_type or None, length=parse_count(link.length))


def _media_type(element: Element) -> str | None:
    media_type = attribute_of(element, "type")
    if media_type:
        return media_type.lower()
    medium = (attribute_of(element, "medium") or "").lower()
    return f"{medium}/*" if medium in {"image", "audio", "video"} else None


def parse_count(text: str | None) -> int | None:
    digits = (text or "").strip().replace(",", "")
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 16 else None


def read_image(fields: Fields, enclosures: tuple[Enclosure, ...], base: str | None, warn: Warn) -> str | None:
    """The image the entry names, else its first enclosure that is an image."""
    for name in IMAGE_NAMES:
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
    return next((enclosure.url for enclosure in enclosures if _is_image(enclosure)), None)


def _is_image(enclosure: Enclosure) -> bool:
    if enclosure.media_type:
        return enclosure.media_type.startswith("image/")
    return enclosure.url.partition("?")[0].lower().endswith(IMAGE_SUFFIXES)

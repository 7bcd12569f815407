"""One item or entry, of whatever format, into a value."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from xml.etree.ElementTree import Element

from headwater.pure.feeds.addresses import Link, base_of, page_link, read_links, related, stand_in
from headwater.pure.feeds.bodies import PLAIN_TYPES, is_packed, read_bodies, read_body
from headwater.pure.feeds.dates import read_date
from headwater.pure.feeds.fields import Fields, fields_of, first_text
from headwater.pure.feeds.links import absolute
from headwater.pure.feeds.media import read_enclosures, read_image
from headwater.pure.feeds.names import XML_LANGUAGE, attribute
from headwater.pure.feeds.notes import Note
from headwater.pure.feeds.people import author_of, unique
from headwater.pure.feeds.values import Entry
from headwater.pure.feeds.wording import title_text, whole_text

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
class Surroundings:
    """What an entry inherits from its feed."""

    note: Note
    base: str | None = None
    atom: bool = False
    language: str | None = None
    authors: tuple[str, ...] = ()


def read_entry(item: Element, around: Surroundings) -> Entry | None:
    """None, with a note, for an item that says nothing at all."""
    fields = fields_of(item)
    note = around.note
    base = base_of(item, around.base) if item.attrib else around.base
    about = attribute(item, "about") if item.attrib else None
    identity = first_text(fields, *IDENTITIES) or about
    links = read_links(fields.get("link", []), base, note)
    published, updated = read_dates(fields, note)
    summary, content, content_type = read_bodies(fields, note, atom=around.atom)
    enclosures = read_enclosures(fields, links, base, note)
    entry = Entry(
        id=identity,
        title=read_title(fields, note, atom=around.atom),
        subtitle=_subtitle(fields, note),
        link=page_link(links) or _spare_link(item, fields, identity, links, base=base, note=note),
        published=published,
        updated=updated,
        authors=read_authors(fields, note) or around.authors,
        summary=summary,
        content=content,
        content_type=content_type,
        categories=read_categories(fields, note),
        image=read_image(fields, enclosures, base, note),
        enclosures=enclosures,
        language=item.get(XML_LANGUAGE) or first_text(fields, "dc:language", "language") or around.language,
        comments=_comments(fields, links, base, note),
        source_title=_source_title(fields, note),
    )
    if fields or identity or entry.link:
        return entry
    note("empty_entry", "")
    return None


def read_title(fields: Fields, note: Note, *, atom: bool) -> str | None:
    for name in TITLES:
        for element in fields.get(name, ()):
            title = _one_title(element, note, atom=atom and name == "title")
            if title:
                return title
    return None


def _subtitle(fields: Fields, note: Note) -> str | None:
    text = first_text(fields, *SUBTITLES)
    return title_text(text, note) if text else None


def _one_title(element: Element, note: Note, *, atom: bool) -> str | None:
    """Atom titles are literal unless they say otherwise; RSS never settled it, so markup is assumed."""
    kind = (attribute(element, "type") or "text").lower() if atom else ""
    if element.attrib and is_packed(element, kind, atom=atom):
        body = read_body(element, note, atom=atom)
        return title_text(body[0], note) if body else None
    literal = kind in PLAIN_TYPES or bool(len(element))
    return title_text(whole_text(element), note, literal=literal)


def read_dates(fields: Fields, note: Note) -> tuple[datetime | None, datetime | None]:
    """When it came out and when it changed; a spare dc:date beside a publication date is a change."""
    published, updated = None, None
    source = ""
    for name in PUBLISHED:
        if name in fields:
            published = read_date(first_text(fields, name), note)
            if published:
                source = name
                break
    for name in UPDATED:
        if name in fields:
            updated = updated or read_date(first_text(fields, name), note)
    if updated is None and "dc:date" in fields and source != "dc:date":
        updated = read_date(first_text(fields, "dc:date"), note)
    return published, updated


def read_authors(fields: Fields, note: Note) -> tuple[str, ...]:
    for name in AUTHORS:
        if name in fields:
            found = unique([author_of(element, note) for element in fields[name]])
            if found:
                return found
    return _source_authors(fields, note)


def _source_authors(fields: Fields, note: Note) -> tuple[str, ...]:
    """An Atom entry copied from elsewhere takes the authors of where it came from."""
    for source in fields.get("source", ()):
        if len(source):
            return read_authors({"author": fields_of(source).get("author", [])}, note)
    return ()


def read_categories(fields: Fields, note: Note) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_categories(fields, note)))


def _categories(fields: Fields, note: Note) -> Iterator[str]:
    for name in SUBJECTS:
        for element in fields.get(name, ()):
            text = attribute(element, "term") or attribute(element, "text") if element.attrib else None
            text = text or whole_text(element).strip() or attribute(element, "label")
            word = title_text(text, note) if text else None
            if word:
                yield word
    for name in LISTS:
        for element in fields.get(name, ()):
            words = (title_text(word, note) for word in (element.text or "").split(","))
            yield from (word for word in words if word)


def _spare_link(
    item: Element, fields: Fields, identity: str | None, links: list[Link], *, base: str | None, note: Note
) -> str | None:
    """CDF puts the address on the item itself; other formats have their stand-ins."""
    own = attribute(item, "href") if item.attrib else None
    return absolute(own, base, note) or stand_in(fields, identity, links, base, note)


def _comments(fields: Fields, links: list[Link], base: str | None, note: Note) -> str | None:
    address = first_text(fields, "comments") if "comments" in fields else None
    if address is None and len(links) > 1:
        address = related(links, "replies")
    return absolute(address, base, note) if address else None


def _source_title(fields: Fields, note: Note) -> str | None:
    for source in fields.get("source", ()):
        text = first_text(fields_of(source), "title") if len(source) else source.text
        if text:
            return title_text(text, note)
    return None

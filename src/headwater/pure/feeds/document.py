"""A parsed document into a feed: which format it is, what it says of itself, and its entries."""

from xml.etree.ElementTree import Element

from headwater.pure.feeds.addresses import Link, base_of, page_link, read_links, related
from headwater.pure.feeds.bodies import read_body
from headwater.pure.feeds.dates import read_date
from headwater.pure.feeds.entry import Surroundings, read_authors, read_entry, read_title
from headwater.pure.feeds.fields import ENTRIES, Fields, fields_of, first_text
from headwater.pure.feeds.formats import format_of
from headwater.pure.feeds.links import is_web_address
from headwater.pure.feeds.media import whole_number
from headwater.pure.feeds.names import XML_LANGUAGE, canonical
from headwater.pure.feeds.notes import Notes
from headwater.pure.feeds.values import Entry, Feed

UPDATED = ("updated", "lastbuilddate", "modified", "pubdate", "dc:date", "published")
PERIOD_MINUTES = {"hourly": 60, "daily": 1440, "weekly": 10080, "monthly": 43200, "yearly": 525600}


def read_document(root: Element, declaration: bytes, url: str | None, notes: Notes) -> Feed:
    format_name = format_of(root, declaration)
    atom = format_name.startswith("atom")
    channel = _channel(root)
    stated = _stated_base(root, channel, url)
    fields = fields_of(channel) if canonical(channel.tag) not in ENTRIES else {}
    links = read_links(fields.get("link", []), stated or url, notes)
    link = page_link(links) or _first_address(fields)
    around = Surroundings(
        note=notes,
        base=_entry_base(stated, link, url, atom=atom),
        atom=atom,
        language=channel.get(XML_LANGUAGE) or root.get(XML_LANGUAGE),
        authors=read_authors({"author": fields.get("author", [])}, notes) if atom else (),
    )
    entries = _entries(root, channel, around)
    if not entries:
        notes("no_entries", "")
    return _feed(
        format_name=format_name,
        fields=fields,
        links=links,
        link=link,
        around=around,
        entries=entries,
        notes=notes,
    )


def _feed(
    *,
    format_name: str,
    fields: Fields,
    links: list[Link],
    link: str | None,
    around: Surroundings,
    entries: tuple[Entry, ...],
    notes: Notes,
) -> Feed:
    described = [
        body
        for name in ("description", "subtitle", "tagline", "itunes:summary")
        for body in fields.get(name, ())
    ]
    texts = [body[0] for element in described if (body := read_body(element, notes, atom=around.atom))]
    updated = next((text for name in UPDATED if (text := first_text(fields, name))), None)
    return Feed(
        format=format_name,
        title=read_title(fields, notes, atom=around.atom),
        link=link,
        description=texts[0] if texts else None,
        language=first_text(fields, "language", "dc:language") or around.language,
        updated=read_date(updated, notes),
        ttl_minutes=_ttl(fields),
        self_url=related(links, "self"),
        next_url=related(links, "next"),
        hubs=tuple(dict.fromkeys(one.address for one in links if "hub" in one.relation.split())),
        entries=entries,
        warnings=notes.as_warnings(),
    )


def _channel(root: Element) -> Element:
    if canonical(root.tag) in {"feed", "channel", *ENTRIES}:
        return root
    return next((child for child in root if canonical(child.tag) == "channel"), root)


def _stated_base(root: Element, channel: Element, url: str | None) -> str | None:
    base = base_of(root, url)
    base = base_of(channel, base) if channel is not root else base
    return base if base != url else None


def _entry_base(stated: str | None, link: str | None, url: str | None, *, atom: bool) -> str | None:
    """RSS links are written against the site, Atom's against the document, unless xml:base says."""
    if stated:
        return stated
    site = link if is_web_address(link) else None
    return (url or site) if atom else (site or url)


def _first_address(fields: Fields) -> str | None:
    """A feed that names no page: its id, when that is an address."""
    identity = first_text(fields, "id")
    return identity if is_web_address(identity) else None


def _entries(root: Element, channel: Element, around: Surroundings) -> tuple[Entry, ...]:
    read = (read_entry(item, around) for item in _items(root, channel))
    return tuple(entry for entry in read if entry)


def _items(root: Element, channel: Element) -> list[Element]:
    """All of them in document order, those wrongly nested in another included."""
    tags = {child.tag for child in (*channel, *root, root) if canonical(child.tag) in ENTRIES}
    if len(tags) == 1:
        return list(root.iter(tags.pop()))
    return [element for element in root.iter() if canonical(element.tag) in ENTRIES]


def has_entries(root: Element) -> bool:
    return bool(_items(root, _channel(root)))


def _ttl(fields: Fields) -> int | None:
    stated = whole_number(first_text(fields, "ttl"))
    if stated is not None:
        return stated
    period = PERIOD_MINUTES.get((first_text(fields, "sy:updateperiod") or "").lower())
    if period is None:
        return None
    return period // max(whole_number(first_text(fields, "sy:updatefrequency")) or 1, 1)

"""Which format a document is in, from its root."""

from xml.etree.ElementTree import Element

from headwater.model.warning_log import WarningLog
from headwater.sources.feeds.body import read_body
from headwater.sources.feeds.entry import FeedContext, parse_count, read_authors, read_entry, read_title
from headwater.sources.feeds.feed import Feed, FeedEntry
from headwater.sources.feeds.fields import ENTRIES, Fields, fields_of, first_text
from headwater.sources.feeds.links import FeedLink, base_url_of, is_web_url, page_url, read_links, related_url
from headwater.sources.feeds.namespaces import (
    ATOM_10,
    RSS_090,
    RSS_10,
    XML_LANGUAGE,
    attribute_of,
    canonical_name,
)
from headwater.text.written_dates import parse_feed_date

RSS_VERSIONS = {"0.90": "rss090", "0.91": "rss091u", "0.92": "rss092", "0.93": "rss093", "0.94": "rss094"}
ATOM_VERSIONS = {"0.1": "atom01", "0.2": "atom02", "0.3": "atom03", "1.0": "atom10"}
FEED_ROOTS = frozenset(("rss", "rdf:rdf", "feed", "channel", "item", "entry"))


def is_feed_root(element: Element) -> bool:
    return canonical_name(element.tag) in FEED_ROOTS


def format_of(root: Element, declaration: bytes) -> str:
    name = canonical_name(root.tag)
    if name == "rss":
        return _rss(root, declaration)
    if name == "rdf:rdf":
        return _rdf(root)
    if name in {"feed", "entry"}:
        return _atom(root)
    return "cdf" if name == "channel" and attribute_of(root, "href") else "rss"


def _rss(root: Element, declaration: bytes) -> str:
    version = (attribute_of(root, "version") or "").strip()
    if b"netscape" in declaration.lower():
        return "rss091n"
    if version.startswith("2"):
        return "rss20"
    return RSS_VERSIONS.get(version, "rss")


def _rdf(root: Element) -> str:
    spaces = {_namespace(child) for child in root} | {_default(root)}
    return "rss090" if RSS_090 in spaces and RSS_10 not in spaces else "rss10"


def _atom(root: Element) -> str:
    space = _namespace(root) or _default(root)
    if space == ATOM_10:
        return "atom10"
    stated = ATOM_VERSIONS.get(attribute_of(root, "version") or "")
    if stated:
        return stated
    return "atom03" if "purl.org/atom" in space else "atom"


def _namespace(element: Element) -> str:
    address = element.tag[1:].partition("}")[0] if element.tag.startswith("{") else ""
    return address.lower().rstrip("/#")


def _default(element: Element) -> str:
    """Loosely read documents keep the declaration as an attribute."""
    return (element.get("xmlns") or "").lower().rstrip("/#")


UPDATED = ("updated", "lastbuilddate", "modified", "pubdate", "dc:date", "published")
PERIOD_MINUTES = {"hourly": 60, "daily": 1440, "weekly": 10080, "monthly": 43200, "yearly": 525600}


def feed_from_tree(root: Element, declaration: bytes, url: str | None, notes: WarningLog) -> Feed:
    format_name = format_of(root, declaration)
    atom = format_name.startswith("atom")
    channel = _channel(root)
    stated = _stated_base(root, channel, url)
    fields = fields_of(channel) if canonical_name(channel.tag) not in ENTRIES else {}
    links = read_links(fields.get("link", []), stated or url, notes)
    link = page_url(links) or _first_address(fields)
    around = FeedContext(
        warn=notes,
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
    links: list[FeedLink],
    link: str | None,
    around: FeedContext,
    entries: tuple[FeedEntry, ...],
    notes: WarningLog,
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
        updated=parse_feed_date(updated, notes),
        ttl_minutes=_ttl(fields),
        self_url=related_url(links, "self"),
        next_url=related_url(links, "next"),
        hubs=tuple(dict.fromkeys(one.address for one in links if "hub" in one.relation.split())),
        entries=entries,
        warnings=notes.as_warnings(),
    )


def _channel(root: Element) -> Element:
    if canonical_name(root.tag) in {"feed", "channel", *ENTRIES}:
        return root
    return next((child for child in root if canonical_name(child.tag) == "channel"), root)


def _stated_base(root: Element, channel: Element, url: str | None) -> str | None:
    base = base_url_of(root, url)
    base = base_url_of(channel, base) if channel is not root else base
    return base if base != url else None


def _entry_base(stated: str | None, link: str | None, url: str | None, *, atom: bool) -> str | None:
    """RSS links are written against the site, Atom's against the document, unless xml:base says."""
    if stated:
        return stated
    site = link if is_web_url(link) else None
    return (url or site) if atom else (site or url)


def _first_address(fields: Fields) -> str | None:
    """A feed that names no page: its id, when that is an address."""
    identity = first_text(fields, "id")
    return identity if is_web_url(identity) else None


def _entries(root: Element, channel: Element, around: FeedContext) -> tuple[FeedEntry, ...]:
    read = (read_entry(item, around) for item in _items(root, channel))
    return tuple(entry for entry in read if entry)


def _items(root: Element, channel: Element) -> list[Element]:
    """All of them in document order, those wrongly nested in another included."""
    tags = {child.tag for child in (*channel, *root, root) if canonical_name(child.tag) in ENTRIES}
    if len(tags) == 1:
        return list(root.iter(tags.pop()))
    return [element for element in root.iter() if canonical_name(element.tag) in ENTRIES]


def has_entries(root: Element) -> bool:
    return bool(_items(root, _channel(root)))


def _ttl(fields: Fields) -> int | None:
    stated = parse_count(first_text(fields, "ttl"))
    if stated is not None:
        return stated
    period = PERIOD_MINUTES.get((first_text(fields, "sy:updateperiod") or "").lower())
    if period is None:
        return None
    return period // max(parse_count(first_text(fields, "sy:updatefrequency")) or 1, 1)

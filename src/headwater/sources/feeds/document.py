"""A parsed XML tree as a `Feed`: its format, its own fields and its entries."""

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
UPDATED_NAMES = ("updated", "lastbuilddate", "modified", "pubdate", "dc:date", "published")
PERIOD_MINUTES = {"hourly": 60, "daily": 1440, "weekly": 10080, "monthly": 43200, "yearly": 525600}


def feed_from_tree(root: Element, declaration: bytes, url: str | None, warnings: WarningLog) -> Feed:
    format_name = format_of(root, declaration)
    atom = format_name.startswith("atom")
    channel = _channel(root)
    xml_base = _xml_base(root, channel, url)
    fields = fields_of(channel) if canonical_name(channel.tag) not in ENTRIES else {}
    links = read_links(fields.get("link", []), xml_base or url, warnings)
    link = page_url(links) or _id_url(fields)
    context = FeedContext(
        warn=warnings,
        base=_entry_base(xml_base, link, url, atom=atom),
        atom=atom,
        language=channel.get(XML_LANGUAGE) or root.get(XML_LANGUAGE),
        authors=read_authors({"author": fields.get("author", [])}, warnings) if atom else (),
    )
    entries = _entries(root, channel, context)
    if not entries:
        warnings("no_entries", "")
    return _feed(
        format_name=format_name,
        fields=fields,
        links=links,
        link=link,
        context=context,
        entries=entries,
        warnings=warnings,
    )


def _feed(
    *,
    format_name: str,
    fields: Fields,
    links: list[FeedLink],
    link: str | None,
    context: FeedContext,
    entries: tuple[FeedEntry, ...],
    warnings: WarningLog,
) -> Feed:
    elements = [
        body
        for name in ("description", "subtitle", "tagline", "itunes:summary")
        for body in fields.get(name, ())
    ]
    texts = [body[0] for element in elements if (body := read_body(element, warnings, atom=context.atom))]
    updated = next((text for name in UPDATED_NAMES if (text := first_text(fields, name))), None)
    return Feed(
        format=format_name,
        title=read_title(fields, warnings, atom=context.atom),
        link=link,
        description=texts[0] if texts else None,
        language=first_text(fields, "language", "dc:language") or context.language,
        updated=parse_feed_date(updated, warnings),
        ttl_minutes=_ttl(fields),
        self_url=related_url(links, "self"),
        next_url=related_url(links, "next"),
        hubs=tuple(dict.fromkeys(hub_link.url for hub_link in links if "hub" in hub_link.relation.split())),
        entries=entries,
        warnings=warnings.lines(),
    )


def _channel(root: Element) -> Element:
    if canonical_name(root.tag) in {"feed", "channel", *ENTRIES}:
        return root
    return next((child for child in root if canonical_name(child.tag) == "channel"), root)


def _xml_base(root: Element, channel: Element, url: str | None) -> str | None:
    base = base_url_of(root, url)
    base = base_url_of(channel, base) if channel is not root else base
    return base if base != url else None


def _entry_base(xml_base: str | None, link: str | None, url: str | None, *, atom: bool) -> str | None:
    """The base URL of entries: xml:base, else the site for RSS and the document for Atom."""
    if xml_base:
        return xml_base
    site = link if is_web_url(link) else None
    return (url or site) if atom else (site or url)


def _id_url(fields: Fields) -> str | None:
    """The id of a feed that names no page, if it is a URL."""
    identity = first_text(fields, "id")
    return identity if is_web_url(identity) else None


def _entries(root: Element, channel: Element, context: FeedContext) -> tuple[FeedEntry, ...]:
    entries = (read_entry(item, context) for item in _items(root, channel))
    return tuple(entry for entry in entries if entry)


def _items(root: Element, channel: Element) -> list[Element]:
    """All items in document order, including those nested in another by mistake."""
    tags = {child.tag for child in (*channel, *root, root) if canonical_name(child.tag) in ENTRIES}
    if len(tags) == 1:
        return list(root.iter(tags.pop()))
    return [element for element in root.iter() if canonical_name(element.tag) in ENTRIES]


def has_entries(root: Element) -> bool:
    return bool(_items(root, _channel(root)))


def _ttl(fields: Fields) -> int | None:
    minutes = parse_count(first_text(fields, "ttl"))
    if minutes is not None:
        return minutes
    period = PERIOD_MINUTES.get((first_text(fields, "sy:updateperiod") or "").lower())
    if period is None:
        return None
    return period // max(parse_count(first_text(fields, "sy:updatefrequency")) or 1, 1)


def is_feed_root(element: Element) -> bool:
    return canonical_name(element.tag) in FEED_ROOTS


def format_of(root: Element, declaration: bytes) -> str:
    name = canonical_name(root.tag)
    if name == "rss":
        return _rss_format(root, declaration)
    if name == "rdf:rdf":
        return _rdf_format(root)
    if name in {"feed", "entry"}:
        return _atom_format(root)
    return "cdf" if name == "channel" and attribute_of(root, "href") else "rss"


def _rss_format(root: Element, declaration: bytes) -> str:
    version = (attribute_of(root, "version") or "").strip()
    if b"netscape" in declaration.lower():
        return "rss091n"
    if version.startswith("2"):
        return "rss20"
    return RSS_VERSIONS.get(version, "rss")


def _rdf_format(root: Element) -> str:
    spaces = {_namespace(child) for child in root} | {_default_namespace(root)}
    return "rss090" if RSS_090 in spaces and RSS_10 not in spaces else "rss10"


def _atom_format(root: Element) -> str:
    space = _namespace(root) or _default_namespace(root)
    if space == ATOM_10:
        return "atom10"
    version_name = ATOM_VERSIONS.get(attribute_of(root, "version") or "")
    if version_name:
        return version_name
    return "atom03" if "purl.org/atom" in space else "atom"


def _namespace(element: Element) -> str:
    namespace = element.tag[1:].partition("}")[0] if element.tag.startswith("{") else ""
    return namespace.lower().rstrip("/#")


def _default_namespace(element: Element) -> str:
    """The declaration as an attribute, where the loose parser keeps it."""
    return (element.get("xmlns") or "").lower().rstrip("/#")

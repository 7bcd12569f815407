"""Links as written, made absolute and safe to follow."""

import re
from typing import NamedTuple, TypeGuard
from urllib.parse import urljoin
from xml.etree.ElementTree import Element

from headwater.model.warning_log import Warn
from headwater.sources.feeds.fields import Fields
from headwater.sources.feeds.namespaces import RDF_RESOURCE, XML_BASE, attribute_of

BREAKS = re.compile(r"[\x00-\x1f\x7f]+")
SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
# A program, a local file or the document itself in place of an address is never a link to follow.
UNSAFE = frozenset(("javascript", "vbscript", "data", "file", "blob", "about", "view-source"))
HOST_FIRST = re.compile(r"www\.[A-Za-z0-9-]+\.[A-Za-z0-9.-]+(?:[/?#:]|$)", re.IGNORECASE)


def absolute_url(link: str | None, base: str | None, warn: Warn) -> str | None:
    """The link against its base; None for what is empty or unsafe, as given when no base is known."""
    link = link.strip() if link else ""
    if not link:
        return None
    if BREAKS.search(link):
        link = BREAKS.sub("", link)
        warn("link_with_line_breaks", link)
    if "&amp;" in link:
        warn("double_encoded_link", link)
        link = link.replace("&amp;", "&")
    if link.startswith(("http://", "https://")):
        return link
    return _joined(link, base, warn)


def _joined(link: str, base: str | None, warn: Warn) -> str | None:
    scheme = SCHEME.match(link)
    if scheme and not link[scheme.end() :].partition("/")[0].isdigit():
        return _schemed(link, scheme[1].lower(), warn)
    if HOST_FIRST.match(link):
        warn("link_without_scheme", link)
        return f"http://{link}"
    if not base:
        if link.startswith("//"):
            warn("link_without_scheme", link)
            return f"https:{link}"
        warn("relative_link", link)
        return link
    try:
        return urljoin(base, link)
    except ValueError:
        warn("unreadable_link", link)
        return None


def _schemed(link: str, scheme: str, warn: Warn) -> str | None:
    if scheme in UNSAFE:
        warn("unsafe_link", scheme)
        return None
    if scheme == "feed":
        rest = link[5:]
        return rest if rest.startswith("http") else f"http:{rest}" if rest.startswith("//") else link
    if scheme in {"http", "https"}:
        # `http:/host`, `http:///host` and `HTTP://host` all mean one thing.
        return f"{scheme}://{link.partition(':')[2].lstrip('/')}"
    return link


def is_web_url(text: str | None) -> TypeGuard[str]:
    return (
        text is not None and text.lower().startswith(("http://", "https://")) and not re.search(r"\s", text)
    )


PAGE_TYPES = ("", "text/html", "application/xhtml+xml")
IANA = "http://www.iana.org/assignments/relation/"
# Last resorts for an entry with no page of its own named, best first.
FALLBACK_RELATIONS = ("canonical", "related", "via", "self")


class FeedLink(NamedTuple):
    address: str
    relation: str
    media_type: str
    length: str | None


def read_links(elements: list[Element], base: str | None, warn: Warn) -> list[FeedLink]:
    """Links in document order, each against its own xml:base."""
    return [link for element in elements if (link := _read_link(element, base, warn))]


def _read_link(element: Element, base: str | None, warn: Warn) -> FeedLink | None:
    if not element.attrib:
        text = absolute_url(element.text, base, warn)
        return FeedLink(text, "alternate", "", None) if text else None
    own_base = base_url_of(element, base)
    given = attribute_of(element, "href") or element.text or ""
    other = attribute_of(element, "url") or element.get(RDF_RESOURCE)
    address = absolute_url(given.strip() or other, own_base, warn)
    if not address:
        return None
    relation = (attribute_of(element, "rel") or "alternate").lower().removeprefix(IANA)
    media_type = (attribute_of(element, "type") or "").lower()
    return FeedLink(address, relation, media_type, attribute_of(element, "length"))


def base_url_of(element: Element, base: str | None) -> str | None:
    """The base for what is inside, xml:base being relative to the base outside."""
    own = element.get(XML_BASE) or element.get("base")
    if not own:
        return base
    return absolute_url(own, base, lambda _code, _detail: None) or base


def page_url(links: list[FeedLink]) -> str | None:
    """The page: an alternate in HTML or of no stated type, else any alternate."""
    spare = None
    for link in links:
        if link.relation == "alternate":
            if link.media_type in PAGE_TYPES:
                return link.address
            spare = spare or link.address
    return spare


def related_url(links: list[FeedLink], relation: str) -> str | None:
    return next((link.address for link in links if relation in link.relation.split()), None)


def permalink_url(fields: Fields, base: str | None, warn: Warn) -> str | None:
    """The guid, where it serves as link: RSS says it does unless isPermaLink denies it."""
    for element in fields.get("guid", ()):
        stated = (attribute_of(element, "ispermalink") or "").lower()
        text = (element.text or "").strip()
        if text and stated != "false" and (is_web_url(text) or stated == "true" or text.startswith("/")):
            return absolute_url(text, base, warn)
    return None


def fallback_url(
    fields: Fields, identity: str | None, links: list[FeedLink], base: str | None, warn: Warn
) -> str | None:
    """A link for an entry that names no page: its permalink, its id, or a related address, in that order."""
    found = permalink_url(fields, base, warn)
    if found:
        return found
    if "guid" not in fields and identity and is_web_url(identity):
        warn("link_from_id", identity)
        return identity
    sources = [attribute_of(element, "src") for element in fields.get("content", ())]
    named = [related_url(links, relation) for relation in FALLBACK_RELATIONS]
    found = next((address for address in named if address), None)
    found = found or absolute_url(next((source for source in sources if source), None), base, warn)
    if found:
        warn("link_stand_in", found)
    return found

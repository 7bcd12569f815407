"""Links of feeds and entries: resolved to absolute URLs, and the one that leads to the page."""

import re
from typing import NamedTuple, TypeGuard
from urllib.parse import urljoin
from xml.etree.ElementTree import Element

from headwater.model.warning_log import Warn, ignore_warning
from headwater.sources.feeds.fields import Fields
from headwater.sources.feeds.namespaces import RDF_RESOURCE, XML_BASE, attribute_of

CONTROL_CHARACTERS = re.compile(r"[\x00-\x1f\x7f]+")
SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
# Scripts, local files and inline data are never links to follow.
UNSAFE_SCHEMES = frozenset(("javascript", "vbscript", "data", "file", "blob", "about", "view-source"))
WWW_HOST = re.compile(r"www\.[A-Za-z0-9-]+\.[A-Za-z0-9.-]+(?:[/?#:]|$)", re.IGNORECASE)
PAGE_TYPES = ("", "text/html", "application/xhtml+xml")
IANA_RELATION = "http://www.iana.org/assignments/relation/"
# For an entry that names no page, best first.
FALLBACK_RELATIONS = ("canonical", "related", "via", "self")


def absolute_url(link: str | None, base: str | None, warn: Warn) -> str | None:
    """The link resolved against its base, as written when there is no base; None for an empty or unsafe link."""
    link = link.strip() if link else ""
    if not link:
        return None
    if CONTROL_CHARACTERS.search(link):
        link = CONTROL_CHARACTERS.sub("", link)
        warn("link_with_line_breaks", link)
    if "&amp;" in link:
        warn("double_encoded_link", link)
        link = link.replace("&amp;", "&")
    if link.startswith(("http://", "https://")):
        return link
    return _join(link, base, warn)


def _join(link: str, base: str | None, warn: Warn) -> str | None:
    scheme = SCHEME.match(link)
    if scheme and not link[scheme.end() :].partition("/")[0].isdigit():
        return _with_scheme(link, scheme[1].lower(), warn)
    if WWW_HOST.match(link):
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


def _with_scheme(link: str, scheme: str, warn: Warn) -> str | None:
    if scheme in UNSAFE_SCHEMES:
        warn("unsafe_link", scheme)
        return None
    if scheme == "feed":
        target = link[5:]
        return target if target.startswith("http") else f"http:{target}" if target.startswith("//") else link
    if scheme in {"http", "https"}:
        # `http:/host`, `http:///host` and `HTTP://host` mean the same.
        return f"{scheme}://{link.partition(':')[2].lstrip('/')}"
    return link


def is_web_url(text: str | None) -> TypeGuard[str]:
    return (
        text is not None and text.lower().startswith(("http://", "https://")) and not re.search(r"\s", text)
    )


class FeedLink(NamedTuple):
    url: str
    relation: str
    media_type: str
    length: str | None


def read_links(elements: list[Element], base: str | None, warn: Warn) -> list[FeedLink]:
    """The links in document order, each resolved against its own xml:base."""
    return [link for element in elements if (link := _read_link(element, base, warn))]


def _read_link(element: Element, base: str | None, warn: Warn) -> FeedLink | None:
    if not element.attrib:
        url_text = absolute_url(element.text, base, warn)
        return FeedLink(url_text, "alternate", "", None) if url_text else None
    link_base = base_url_of(element, base)
    href = attribute_of(element, "href") or element.text or ""
    alternative = attribute_of(element, "url") or element.get(RDF_RESOURCE)
    url = absolute_url(href.strip() or alternative, link_base, warn)
    if not url:
        return None
    relation = (attribute_of(element, "rel") or "alternate").lower().removeprefix(IANA_RELATION)
    media_type = (attribute_of(element, "type") or "").lower()
    return FeedLink(url, relation, media_type, attribute_of(element, "length"))


def base_url_of(element: Element, base: str | None) -> str | None:
    """The base URL inside the element: its xml:base, resolved against the base outside."""
    xml_base = element.get(XML_BASE) or element.get("base")
    if not xml_base:
        return base
    return absolute_url(xml_base, base, ignore_warning) or base


def page_url(links: list[FeedLink]) -> str | None:
    """The URL of the page: an alternate in HTML or without a type, else any alternate."""
    other_alternate = None
    for link in links:
        if link.relation == "alternate":
            if link.media_type in PAGE_TYPES:
                return link.url
            other_alternate = other_alternate or link.url
    return other_alternate


def related_url(links: list[FeedLink], relation: str) -> str | None:
    return next((link.url for link in links if relation in link.relation.split()), None)


def permalink_url(fields: Fields, base: str | None, warn: Warn) -> str | None:
    """The guid if it is a URL: RSS says it is, unless isPermaLink denies it."""
    for element in fields.get("guid", ()):
        permalink_flag = (attribute_of(element, "ispermalink") or "").lower()
        text = (element.text or "").strip()
        if (
            text
            and permalink_flag != "false"
            and (is_web_url(text) or permalink_flag == "true" or text.startswith("/"))
        ):
            return absolute_url(text, base, warn)
    return None


def fallback_url(
    fields: Fields, identity: str | None, links: list[FeedLink], base: str | None, warn: Warn
) -> str | None:
    """A URL for an entry that names no page: its permalink, its id or a related link, in that order."""
    url = permalink_url(fields, base, warn)
    if url:
        return url
    if "guid" not in fields and identity and is_web_url(identity):
        warn("link_from_id", identity)
        return identity
    sources = [attribute_of(element, "src") for element in fields.get("content", ())]
    related_urls = [related_url(links, relation) for relation in FALLBACK_RELATIONS]
    url = next((related for related in related_urls if related), None)
    url = url or absolute_url(next((source for source in sources if source), None), base, warn)
    if url:
        warn("link_stand_in", url)
    return url

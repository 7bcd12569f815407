"""Where an HTML page says its feeds are."""

import html as markup
import re
from urllib.parse import urljoin

from headwater.sources.feeds.links import absolute_url

TAG = re.compile(rb"<(link|a|base)\b([^<>]{0,4000})>", re.IGNORECASE)
ATTRIBUTE = re.compile(rb"""([A-Za-z-]{1,20})\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")
HIDDEN = re.compile(
    rb"<!--.*?(?:-->|\Z)|<(script|template)\b.*?(?:</\1\s*>|\Z)",
    re.IGNORECASE | re.DOTALL,
)
FEED_TYPES = (
    "application/rss+xml",
    "application/atom+xml",
    "application/feed+json",
    "application/rdf+xml",
    "application/xml",
    "text/xml",
    "application/json",
)
GUESSES = ("/feed", "/rss", "/atom.xml", "/index.xml", "/feed.xml", "/rss.xml", "/feed.json")
LARGEST = 1 << 20


def find_feed_links(html: bytes, *, url: str) -> tuple[str, ...]:
    """The feeds a page names, absolute and in its order; none when it names none (see `guess_feeds`)."""
    page = HIDDEN.sub(b"", html[:LARGEST])
    base = url
    found: list[str] = []
    for match in TAG.finditer(page):
        tag = match[1].lower()
        attributes = _attributes(match[2])
        if tag == b"base" and base == url and attributes.get("href"):
            base = urljoin(url, attributes["href"])
        elif tag == b"link" and _names_feed(attributes):
            address = absolute_url(attributes.get("href"), base, _ignore)
            if address:
                found.append(address)
    return tuple(dict.fromkeys(found))


def guess_feed_urls(url: str) -> tuple[str, ...]:
    """The addresses where feeds conventionally are, for a page that names none."""
    return tuple(urljoin(url, path) for path in GUESSES)


def _attributes(raw: bytes) -> dict[str, str]:
    found: dict[str, str] = {}
    for match in ATTRIBUTE.finditer(raw):
        value = match[2] or match[3] or match[4] or b""
        found.setdefault(
            match[1].decode("ascii").lower(), markup.unescape(value.decode("utf-8", "replace")).strip()
        )
    return found


def _names_feed(attributes: dict[str, str]) -> bool:
    relations = attributes.get("rel", "").lower().split()
    media_type = attributes.get("type", "").lower().partition(";")[0].strip()
    if "feed" in relations and "stylesheet" not in relations:
        return True
    return "alternate" in relations and media_type in FEED_TYPES


def _ignore(_code: str, _detail: str) -> None:
    return

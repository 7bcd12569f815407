"""Feed autodiscovery: the feeds that an HTML page links to, and the usual places for a page that links to none."""

import html as markup
import re
from urllib.parse import urljoin

from headwater.model.warning_log import ignore_warning
from headwater.sources.feeds.links import absolute_url

TAG = re.compile(rb"<(link|a|base)\b([^<>]{0,4000})>", re.IGNORECASE)
ATTRIBUTE = re.compile(rb"""([A-Za-z-]{1,20})\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")
IGNORED_MARKUP = re.compile(
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
USUAL_PATHS = ("/feed", "/rss", "/atom.xml", "/index.xml", "/feed.xml", "/rss.xml", "/feed.json")
LARGEST = 1 << 20


def find_feed_links(html: bytes, *, url: str) -> tuple[str, ...]:
    """The feeds that the page links to, as absolute URLs in its order (see `guess_feed_urls` for a page with none)."""
    page = IGNORED_MARKUP.sub(b"", html[:LARGEST])
    base = url
    feeds: list[str] = []
    for match in TAG.finditer(page):
        tag = match[1].lower()
        attributes = _attributes(match[2])
        if tag == b"base" and base == url and attributes.get("href"):
            base = urljoin(url, attributes["href"])
        elif tag == b"link" and _names_feed(attributes):
            feed_url = absolute_url(attributes.get("href"), base, ignore_warning)
            if feed_url:
                feeds.append(feed_url)
    return tuple(dict.fromkeys(feeds))


def guess_feed_urls(url: str) -> tuple[str, ...]:
    """The URLs where feeds usually are."""
    return tuple(urljoin(url, path) for path in USUAL_PATHS)


def _attributes(raw: bytes) -> dict[str, str]:
    attributes: dict[str, str] = {}
    for match in ATTRIBUTE.finditer(raw):
        value = match[2] or match[3] or match[4] or b""
        attributes.setdefault(
            match[1].decode("ascii").lower(), markup.unescape(value.decode("utf-8", "replace")).strip()
        )
    return attributes


def _names_feed(attributes: dict[str, str]) -> bool:
    relations = attributes.get("rel", "").lower().split()
    media_type = attributes.get("type", "").lower().partition(";")[0].strip()
    if "feed" in relations and "stylesheet" not in relations:
        return True
    return "alternate" in relations and media_type in FEED_TYPES

"""The way from bytes to a feed."""

import re
from xml.etree.ElementTree import Element

from headwater.pure.feeds.decoding import as_utf8
from headwater.pure.feeds.discovery import discover_feeds
from headwater.pure.feeds.document import read_document
from headwater.pure.feeds.formats import is_feed_root
from headwater.pure.feeds.jsonfeed import read_json_feed
from headwater.pure.feeds.names import canonical
from headwater.pure.feeds.notes import Notes
from headwater.pure.feeds.parsing import parse_tree
from headwater.pure.feeds.resort import read_with_feedparser
from headwater.pure.feeds.unpacking import unpacked
from headwater.pure.feeds.values import Feed, NotAFeed

LIMIT = 32 * 1024 * 1024
BLANK = b" \t\r\n\x0b\x0c\x00"
HTML_MARK = re.compile(
    rb"<!doctype\s+html|<html[\s>]|<body[\s>]|<head[\s>]|<meta\s|<script[\s>]", re.IGNORECASE
)
FEED_MARK = re.compile(rb"<(?:rss|feed|rdf:rdf|channel)[\s>]|<(?:[a-z0-9]+:)?feed\s[^>]*xmlns", re.IGNORECASE)
OTHER_ROOTS = {
    "opml": "opml",
    "urlset": "sitemap",
    "sitemapindex": "sitemap",
    "html": "html",
    "xhtml:html": "html",
}


def read_feed(
    data: bytes, *, url: str | None = None, media_type: str | None = None, limit: int = LIMIT
) -> Feed:
    """What the document says, repaired where it was broken, with every repair in `warnings`.

    `media_type` is the whole Content-Type header, `url` the address the bytes came from; `limit` is in
    bytes, before and after unpacking. Raises NotAFeed, and nothing else, for whatever is no feed.
    """
    notes = Notes()
    data = unpacked(data, limit=limit, note=notes)
    data = as_utf8(data, media_type=media_type, note=notes).strip(BLANK)
    if not data:
        raise NotAFeed("empty")
    if data[:1] in b"{[":
        return read_json_feed(data, url, notes)
    if _is_page(data):
        raise NotAFeed("html", alternates=discover_feeds(data, url=url or ""))
    root, declaration = parse_tree(data, notes)
    if root is None:
        raise NotAFeed("unknown", data[:40].decode("utf-8", "replace"))
    return _read_tree(root, declaration, data, url, notes)


def _is_page(data: bytes) -> bool:
    """A page shows itself early, and a feed someone wrapped in one still has a feed's root."""
    return HTML_MARK.search(data[:2048]) is not None and FEED_MARK.search(data) is None


def _read_tree(root: Element, declaration: bytes, data: bytes, url: str | None, notes: Notes) -> Feed:
    if not is_feed_root(root):
        root = _inner_root(root, data, url)
        notes("wrapped_feed", "")
    feed = read_document(root, declaration, url, notes)
    if feed.entries or not any(line.startswith("loose_reading") for line in feed.warnings):
        return feed
    return read_with_feedparser(data, url, notes) or feed


def _inner_root(root: Element, data: bytes, url: str | None) -> Element:
    """A feed inside an envelope or a page."""
    found = next(
        (element for element in root.iter() if canonical(element.tag) in {"rss", "feed", "rdf:rdf"}), None
    )
    if found is not None:
        return found
    reason = OTHER_ROOTS.get(canonical(root.tag).rpartition(":")[2], "unknown")
    alternates = discover_feeds(data, url=url or "") if reason == "html" else ()
    raise NotAFeed(reason, canonical(root.tag), alternates=alternates)

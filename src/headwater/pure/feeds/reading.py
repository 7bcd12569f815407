"""The way from bytes to a feed."""

import re
from codecs import BOM_UTF8
from xml.etree.ElementTree import Element

from headwater.pure.feeds.adopting import adopt_unknown
from headwater.pure.feeds.decoding import as_utf8
from headwater.pure.feeds.discovery import discover_feeds
from headwater.pure.feeds.document import has_entries, read_document
from headwater.pure.feeds.fields import entry_count
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
HTML_MARK = re.compile(rb"<!doctype\s+html|<html[\s>]", re.IGNORECASE)
HTML_START = re.compile(
    rb"<(?:head|body|meta|script|style|title|div|h[1-6]|p|noscript|center|iframe)[\s>]", re.IGNORECASE
)
FEED_MARK = re.compile(
    rb"<(?:rss|feed|rdf:rdf|channel)[\s>]|<(?:[a-z0-9]+:)?feed\s[^<>]*xmlns", re.IGNORECASE
)
ITEM_MARK = re.compile(rb"</(?:item|entry)>", re.IGNORECASE)
FIELD_MARK = re.compile(rb"<(?:guid|pubdate|link|published|updated|dc:[a-z]+)>", re.IGNORECASE)
WHOLE_FEEDS = ("rss", "feed", "rdf:rdf")
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
    data = _bare(as_utf8(data, media_type=media_type, note=notes), notes)
    if not data:
        raise NotAFeed("empty")
    if data[:1] in b"{[" and not ITEM_MARK.search(data):
        return read_json_feed(data, url, notes)
    if _is_page(data):
        raise NotAFeed("html", alternates=discover_feeds(data, url=url or ""))
    root, declaration = parse_tree(data, notes)
    if root is None:
        raise NotAFeed("unknown", data[:40].decode("utf-8", "replace"))
    return _read_tree(root, declaration, data, url, notes)


def _bare(data: bytes, notes: Notes) -> bytes:
    """Without what stands around the document: blanks and further byte order marks."""
    bare = data.strip(BLANK)
    while bare.startswith(BOM_UTF8):
        bare = bare[len(BOM_UTF8) :].lstrip(BLANK)
    if bare.startswith(b"<?xml") and not data.startswith(b"<?xml"):
        notes("junk_before_document", "blanks")
    return bare


def _is_page(data: bytes) -> bool:
    """A page shows itself early, and a feed someone wrapped in one still has a feed's root."""
    marked = HTML_MARK.search(data[:2048]) is not None
    if not (marked or HTML_START.match(data)) or FEED_MARK.search(data):
        return False
    return not (ITEM_MARK.search(data) and (not marked or FIELD_MARK.search(data)))


def _read_tree(tree: Element, declaration: bytes, data: bytes, url: str | None, notes: Notes) -> Feed:
    root = _feed_root(tree)
    if (root is None or not has_entries(root)) and adopt_unknown(tree):
        notes("unknown_namespace", tree.tag)
        root = _feed_root(tree)
    if root is None:
        raise _other_document(tree, data, url)
    if root is not tree:
        notes("wrapped_feed", tree.tag)
    feed = read_document(root, declaration, url, notes)
    if "loose_reading" not in notes or any(entry.title or entry.link for entry in feed.entries):
        return feed
    return read_with_feedparser(data, url, notes) or feed


def _feed_root(tree: Element) -> Element | None:
    """The root, or a whole feed inside an envelope or a page."""
    if is_feed_root(tree):
        return tree
    inner = next((element for element in tree.iter() if canonical(element.tag) in WHOLE_FEEDS), None)
    return tree if inner is None and entry_count(tree) else inner


def _other_document(tree: Element, data: bytes, url: str | None) -> NotAFeed:
    name = canonical(tree.tag).rpartition(":")[2]
    reason = OTHER_ROOTS.get(name, "unknown")
    return NotAFeed(reason, name, alternates=discover_feeds(data, url=url or "") if reason == "html" else ())

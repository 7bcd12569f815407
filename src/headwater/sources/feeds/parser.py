"""From UTF-8 bytes to a tree: strictly, then repaired, then loosely."""

import calendar
import io
import re
from codecs import BOM_UTF8
from datetime import UTC, datetime
from typing import Any
from xml.etree.ElementTree import Element, ParseError, XMLParser

from headwater.model.warning_log import Warn, WarningLog
from headwater.sources.feeds.autodiscovery import find_feed_links
from headwater.sources.feeds.document import feed_from_tree, has_entries, is_feed_root
from headwater.sources.feeds.feed import Feed, FeedEntry, NotAFeed
from headwater.sources.feeds.fields import clean_title, entry_count, person_name
from headwater.sources.feeds.json_feed import parse_json_feed
from headwater.sources.feeds.links import absolute_url
from headwater.sources.feeds.loose_parser import parse_loosely
from headwater.sources.feeds.namespaces import canonical_name, map_unknown_namespaces, with_known_namespaces
from headwater.sources.feeds.xml_repair import repair_xml, without_doctype
from headwater.text.charset import to_utf8
from headwater.text.decompression import DecompressionError, decompress_document


def parse_xml_tree(data: bytes, warn: Warn) -> tuple[Element | None, bytes]:
    """The root and the document type declaration; no root when there is nothing like a feed in it.

    The parser is expat behind a tree builder in C: it reads nothing but these bytes, and the
    declaration that could define entities is gone before it starts.
    """
    document, declaration = without_doctype(data)
    document = with_known_namespaces(document, warn)
    try:
        return _whole(parse_strictly(document), document, warn), declaration
    except ParseError as error:
        warn("malformed", str(error))
    document = repair_xml(document, warn)
    # Junk in front can have hidden a declaration.
    document, late = without_doctype(document)
    try:
        return parse_strictly(document), declaration or late
    except ParseError:
        return parse_loosely(document, warn), declaration or late


def _whole(root: Element, document: bytes, warn: Warn) -> Element:
    """The tree, unless a section of unparsed text that was never closed has swallowed entries."""
    opened = document.count(b"<![CDATA[")
    if not opened or opened <= document.count(b"]]>"):
        return root
    loose = parse_loosely(document, _ignore_warning)
    if loose is None or entry_count(loose) <= entry_count(root):
        return root
    warn("unclosed_section", "")
    return loose


def _ignore_warning(_code: str, _detail: str) -> None:
    return


def parse_strictly(document: bytes) -> Element:
    # Every document type declaration was taken out above, and expat fetches nothing by itself.
    parser = XMLParser(encoding="utf-8")  # noqa: S314
    parser.feed(document)
    root: Element = parser.close()
    return root


# Its loose parser is slow on hostile input, so only documents of ordinary size get this far.
LARGEST = 128 * 1024
# What it is known to raise on documents as broken as these, besides what it promises.
CRASHES = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)


def parse_with_feedparser(data: bytes, url: str | None, notes: WarningLog) -> Feed | None:
    """None when it finds no entry either. It is handed bytes in memory, so it never fetches or opens anything."""
    if len(data) > LARGEST:
        return None
    import feedparser  # noqa: PLC0415 - a slow import that almost no document needs

    try:
        parsed = feedparser.parse(
            io.BytesIO(data),
            response_headers={"content-type": "application/xml; charset=utf-8"},
            sanitize_html=False,
        )
    except CRASHES as error:
        notes("feedparser_failed", type(error).__name__)
        return None
    entries = tuple(_entry(entry, url, notes) for entry in parsed.entries)
    if not entries:
        return None
    notes("feedparser", "")
    return Feed(
        format=parsed.get("version") or "rss",
        title=clean_title(parsed.feed.get("title") or "", notes),
        link=absolute_url(parsed.feed.get("link"), url, notes),
        description=parsed.feed.get("subtitle") or None,
        language=parsed.feed.get("language") or None,
        entries=entries,
        warnings=notes.as_warnings(),
    )


def _entry(entry: Any, url: str | None, notes: WarningLog) -> FeedEntry:
    contents = [part.get("value") for part in entry.get("content", ()) if part.get("value")]
    summary = entry.get("summary") or None
    content = contents[0] if contents else summary
    author = person_name(entry["author"], notes) if entry.get("author") else None
    return FeedEntry(
        id=entry.get("id") or None,
        title=clean_title(entry.get("title") or "", notes),
        link=absolute_url(entry.get("link"), url, notes),
        published=_moment(entry.get("published_parsed")),
        updated=_moment(entry.get("updated_parsed") if "updated" in entry else None),
        authors=(author,) if author else (),
        summary=summary,
        content=content,
        content_type="html" if content else None,
        categories=tuple(tag["term"] for tag in entry.get("tags", ()) if tag.get("term")),
    )


def _moment(parsed: Any) -> datetime | None:
    return datetime.fromtimestamp(calendar.timegm(parsed), UTC) if parsed else None


LARGEST_FEED = 32 * 1024 * 1024
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


def parse_feed(
    data: bytes, *, url: str | None = None, media_type: str | None = None, limit: int = LARGEST_FEED
) -> Feed:
    """What the document says, repaired where it was broken, with every repair in `warnings`.

    `media_type` is the whole Content-Type header, `url` the address the bytes came from; `limit` is in
    bytes, before and after unpacking. Raises NotAFeed, and nothing else, for whatever is no feed.
    """
    notes = WarningLog()
    data = decompress_feed(data, limit=limit, warn=notes)
    data = _bare(to_utf8(data, media_type=media_type, warn=notes), notes)
    if not data:
        raise NotAFeed("empty")
    if data[:1] in b"{[" and not ITEM_MARK.search(data):
        return parse_json_feed(data, url, notes)
    if _is_page(data):
        raise NotAFeed("html", alternates=find_feed_links(data, url=url or ""))
    root, declaration = parse_xml_tree(data, notes)
    if root is None:
        raise NotAFeed("unknown", data[:40].decode("utf-8", "replace"))
    return _read_tree(root, declaration, data, url, notes)


def decompress_feed(data: bytes, *, limit: int, warn: Warn) -> bytes:
    """The document itself. Raises NotAFeed when it is larger than `limit`, compressed or not."""
    try:
        return decompress_document(data, limit=limit, warn=warn)
    except DecompressionError as error:
        raise NotAFeed(error.reason, error.detail) from error


def _bare(data: bytes, notes: WarningLog) -> bytes:
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


def _read_tree(tree: Element, declaration: bytes, data: bytes, url: str | None, notes: WarningLog) -> Feed:
    root = _feed_root(tree)
    if (root is None or not has_entries(root)) and map_unknown_namespaces(tree):
        notes("unknown_namespace", tree.tag)
        root = _feed_root(tree)
    if root is None:
        raise _other_document(tree, data, url)
    if root is not tree:
        notes("wrapped_feed", tree.tag)
    feed = feed_from_tree(root, declaration, url, notes)
    if "loose_reading" not in notes or any(entry.title or entry.link for entry in feed.entries):
        return feed
    return parse_with_feedparser(data, url, notes) or feed


def _feed_root(tree: Element) -> Element | None:
    """The root, or a whole feed inside an envelope or a page."""
    if is_feed_root(tree):
        return tree
    inner = next((element for element in tree.iter() if canonical_name(element.tag) in WHOLE_FEEDS), None)
    return tree if inner is None and entry_count(tree) else inner


def _other_document(tree: Element, data: bytes, url: str | None) -> NotAFeed:
    name = canonical_name(tree.tag).rpartition(":")[2]
    reason = OTHER_ROOTS.get(name, "unknown")
    return NotAFeed(reason, name, alternates=find_feed_links(data, url=url or "") if reason == "html" else ())

"""From bytes to a `Feed`: RSS 0.90 to 2.0, Atom 0.3 and 1.0, JSON Feed, broken documents included.

XML is parsed strictly, then after repairs, then loosely; feedparser is the last resort.
"""

import calendar
import io
import re
from codecs import BOM_UTF8
from datetime import UTC, datetime
from typing import Any
from xml.etree.ElementTree import Element, ParseError, XMLParser

from headwater.model.outcomes import ExtractHints
from headwater.model.warning_log import Warn, WarningLog, ignore_warning
from headwater.sources.feeds.autodiscovery import find_feed_links
from headwater.sources.feeds.document import feed_from_tree, has_entries, is_feed_root
from headwater.sources.feeds.feed import Feed, FeedEntry, NotAFeed, ParsedFeed, pack_feed
from headwater.sources.feeds.fields import clean_title, entry_count, person_name
from headwater.sources.feeds.json_feed import parse_json_feed
from headwater.sources.feeds.links import absolute_url
from headwater.sources.feeds.loose_parser import parse_loosely
from headwater.sources.feeds.namespaces import canonical_name, map_unknown_namespaces, with_known_namespaces
from headwater.sources.feeds.xml_repair import repair_xml, without_doctype
from headwater.text.charset import to_utf8
from headwater.text.decompression import DecompressionError, decompress_document

# The loose parser of feedparser is slow on hostile input, so it only gets documents of ordinary size.
LARGEST_FOR_FEEDPARSER = 128 * 1024
# Errors that feedparser is known to raise on badly broken documents.
FEEDPARSER_ERRORS = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
DEEPEST = 200
LARGEST_FEED = 32 * 1024 * 1024
PADDING = b" \t\r\n\x0b\x0c\x00"
HTML_MARK = re.compile(rb"<!doctype\s+html|<html[\s>]", re.IGNORECASE)
HTML_START = re.compile(
    rb"<(?:head|body|meta|script|style|title|div|h[1-6]|p|noscript|center|iframe)[\s>]", re.IGNORECASE
)
FEED_MARK = re.compile(
    rb"<(?:rss|feed|rdf:rdf|channel)[\s>]|<(?:[a-z0-9]+:)?feed\s[^<>]*xmlns", re.IGNORECASE
)
ITEM_MARK = re.compile(rb"</(?:item|entry)>", re.IGNORECASE)
FIELD_MARK = re.compile(rb"<(?:guid|pubdate|link|published|updated|dc:[a-z]+)>", re.IGNORECASE)
FEED_TAGS = ("rss", "feed", "rdf:rdf")
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
    """The feed, with every repair listed in its `warnings`.

    `media_type` is the whole Content-Type header, `url` the URL the bytes came from, `limit` the most bytes, before
    and after decompression. Raises NotAFeed, and nothing else, for anything that is not a feed.
    """
    warnings = WarningLog()
    data = decompress_feed(data, limit=limit, warn=warnings)
    data = _without_padding(to_utf8(data, media_type=media_type, warn=warnings), warnings)
    if not data:
        raise NotAFeed("empty")
    if data[:1] in b"{[" and not ITEM_MARK.search(data):
        return parse_json_feed(data, url, warnings)
    if _is_page(data):
        raise NotAFeed("html", alternates=find_feed_links(data, url=url or ""))
    root, declaration = parse_xml_tree(data, warnings)
    if root is None:
        raise NotAFeed("unknown", data[:40].decode("utf-8", "replace"))
    return _feed_from_any_tree(root, declaration, data, url, warnings)


def parse_untrusted_feed(data: bytes, hints: ExtractHints) -> ParsedFeed:
    """For the sandbox: `parse_feed` as data. The media type is the whole Content-Type header."""
    try:
        return pack_feed(parse_feed(data, url=hints.url, media_type=hints.media_type))
    except NotAFeed as error:
        return ParsedFeed(reason=error.reason, detail=error.detail, alternates=error.alternates)


def decompress_feed(data: bytes, *, limit: int, warn: Warn) -> bytes:
    """The document itself. Raises NotAFeed when it is larger than `limit`, compressed or not."""
    try:
        return decompress_document(data, limit=limit, warn=warn)
    except DecompressionError as error:
        raise NotAFeed(error.reason, error.detail) from error


def _without_padding(data: bytes, warnings: WarningLog) -> bytes:
    """The document without white space and further byte order marks around it."""
    document = data.strip(PADDING)
    while document.startswith(BOM_UTF8):
        document = document[len(BOM_UTF8) :].lstrip(PADDING)
    if document.startswith(b"<?xml") and not data.startswith(b"<?xml"):
        warnings("junk_before_document", "blanks")
    return document


def _is_page(data: bytes) -> bool:
    """Whether this is an HTML page: marked as one at the start, and without a feed wrapped in it."""
    has_html_mark = HTML_MARK.search(data[:2048]) is not None
    if not (has_html_mark or HTML_START.match(data)) or FEED_MARK.search(data):
        return False
    return not (ITEM_MARK.search(data) and (not has_html_mark or FIELD_MARK.search(data)))


def _feed_from_any_tree(
    tree: Element, declaration: bytes, data: bytes, url: str | None, warnings: WarningLog
) -> Feed:
    root = _feed_root(tree)
    if (root is None or not has_entries(root)) and map_unknown_namespaces(tree):
        warnings("unknown_namespace", tree.tag)
        root = _feed_root(tree)
    if root is None:
        raise _not_a_feed(tree, data, url)
    if root is not tree:
        warnings("wrapped_feed", tree.tag)
    feed = feed_from_tree(root, declaration, url, warnings)
    if not feed.entries and is_too_deep(tree, data):
        raise NotAFeed("too_deep", f"more than {DEEPEST} elements inside one another, and no entry")
    if "loose_reading" not in warnings or any(entry.title or entry.link for entry in feed.entries):
        return feed
    return parse_with_feedparser(data, url, warnings) or feed


def is_too_deep(tree: Element, data: bytes) -> bool:
    """Whether elements are nested deeper than any feed needs. A tree that was parsed loosely is flat, so that unclosed tags
    count as well."""
    if data.count(b"<") - 2 * data.count(b"</") > 10 * DEEPEST:
        return True
    level = [tree]
    for _ in range(DEEPEST):
        level = [child for element in level for child in element]
        if not level:
            return False
    return True


def _feed_root(tree: Element) -> Element | None:
    """The root, or a whole feed inside another document."""
    if is_feed_root(tree):
        return tree
    inner = next((element for element in tree.iter() if canonical_name(element.tag) in FEED_TAGS), None)
    return tree if inner is None and entry_count(tree) else inner


def _not_a_feed(tree: Element, data: bytes, url: str | None) -> NotAFeed:
    name = canonical_name(tree.tag).rpartition(":")[2]
    reason = OTHER_ROOTS.get(name, "unknown")
    return NotAFeed(reason, name, alternates=find_feed_links(data, url=url or "") if reason == "html" else ())


def parse_xml_tree(data: bytes, warn: Warn) -> tuple[Element | None, bytes]:
    """The root and the document type declaration; the root is None if the document holds no feed tag.

    The parser is expat: it reads nothing but these bytes, and the declaration that could define entities is
    removed before it starts.
    """
    document, declaration = without_doctype(data)
    document = with_known_namespaces(document, warn)
    try:
        return _unless_entries_lost(parse_strictly(document), document, warn), declaration
    except ParseError as error:
        warn("malformed", str(error))
    document = repair_xml(document, warn)
    # Junk before the document may have hidden a declaration.
    document, late = without_doctype(document)
    try:
        return parse_strictly(document), declaration or late
    except ParseError:
        return parse_loosely(document, warn), declaration or late


def _unless_entries_lost(root: Element, document: bytes, warn: Warn) -> Element:
    """The tree, unless an unclosed CDATA section has swallowed entries: then the loosely parsed one."""
    opened_sections = document.count(b"<![CDATA[")
    if not opened_sections or opened_sections <= document.count(b"]]>"):
        return root
    loose = parse_loosely(document, ignore_warning)
    if loose is None or entry_count(loose) <= entry_count(root):
        return root
    warn("unclosed_section", "")
    return loose


def parse_strictly(document: bytes) -> Element:
    # The document type declaration was removed before, and expat fetches nothing by itself.
    parser = XMLParser(encoding="utf-8")  # noqa: S314
    parser.feed(document)
    root: Element = parser.close()
    return root


def parse_with_feedparser(data: bytes, url: str | None, warnings: WarningLog) -> Feed | None:
    """None if feedparser finds no entry either. It gets bytes in memory, so it never fetches or opens anything."""
    if len(data) > LARGEST_FOR_FEEDPARSER:
        return None
    import feedparser  # noqa: PLC0415 - a slow import that almost no document needs

    try:
        parsed = feedparser.parse(
            io.BytesIO(data),
            response_headers={"content-type": "application/xml; charset=utf-8"},
            sanitize_html=False,
        )
    except FEEDPARSER_ERRORS as error:
        warnings("feedparser_failed", type(error).__name__)
        return None
    entries = tuple(_feedparser_entry(entry, url, warnings) for entry in parsed.entries)
    if not entries:
        return None
    warnings("feedparser", "")
    return Feed(
        format=parsed.get("version") or "rss",
        title=clean_title(parsed.feed.get("title") or "", warnings),
        link=absolute_url(parsed.feed.get("link"), url, warnings),
        description=parsed.feed.get("subtitle") or None,
        language=parsed.feed.get("language") or None,
        entries=entries,
        warnings=warnings.lines(),
    )


def _feedparser_entry(entry: Any, url: str | None, warnings: WarningLog) -> FeedEntry:
    contents = [part.get("value") for part in entry.get("content", ()) if part.get("value")]
    summary = entry.get("summary") or None
    content = contents[0] if contents else summary
    author = person_name(entry["author"], warnings) if entry.get("author") else None
    return FeedEntry(
        id=entry.get("id") or None,
        title=clean_title(entry.get("title") or "", warnings),
        link=absolute_url(entry.get("link"), url, warnings),
        published=_utc_datetime(entry.get("published_parsed")),
        updated=_utc_datetime(entry.get("updated_parsed") if "updated" in entry else None),
        authors=(author,) if author else (),
        summary=summary,
        content=content,
        content_type="html" if content else None,
        categories=tuple(tag["term"] for tag in entry.get("tags", ()) if tag.get("term")),
    )


def _utc_datetime(parsed: Any) -> datetime | None:
    return datetime.fromtimestamp(calendar.timegm(parsed), UTC) if parsed else None

"""Sitemaps of every form, parsed from bytes: XML indexes and URL lists, plain text, feeds; compressed or not."""

import re
from collections.abc import Iterator
from datetime import datetime
from xml.parsers.expat import ExpatError

from headwater.model.outcomes import ExtractHints
from headwater.model.warning_log import Warn, WarningLog, ignore_warning
from headwater.sources.feeds.feed import Feed, NotAFeed
from headwater.sources.feeds.parser import parse_feed
from headwater.sources.sitemaps.sitemap import (
    LONGEST_URL,
    NotASitemap,
    ParsedSitemap,
    Sitemap,
    SitemapEntry,
    SitemapKind,
)
from headwater.sources.sitemaps.xml_parser import (
    StrictSitemapParser,
    guess_kind,
    parse_loosely,
    parse_strictly,
)
from headwater.text.decompression import DecompressionError, decompress_chunks

LINES_WITHOUT_URL = 20
LONGEST_LINE = 16 * 1024
MARKS = "\ufeff\u200b \t"
LARGEST_SITEMAP = 52_428_800  # bytes when decompressed, as the standard allows
MOST_ENTRIES = 50_000
BLANK = b"\xef\xbb\xbf\xff\xfe\x00 \t\r\n"
CONTROL = re.compile(r"[\x00-\x1f\x7f]")
FEED_ROOT = re.compile(rb"<(?:\w+:)?(?:rss|feed|rdf)[\s>]", re.IGNORECASE)
HTML_ROOT = re.compile(rb"<!doctype\s+html|<html[\s>]", re.IGNORECASE)


def parse_sitemap(
    body: bytes,
    *,
    url: str,
    media_type: str,
    warn: Warn,
    limit: int = LARGEST_SITEMAP,
    most: int = MOST_ENTRIES,
) -> Sitemap:
    """The sitemap; its entries are parsed while they are consumed. Raises NotASitemap for anything else.

    `limit` is the most decompressed bytes, `most` the most entries; further entries are left out with a warning.
    """
    chunks = decompress_sitemap(body, warn=warn, limit=limit)
    # Blanks may fill more than one chunk; a file of nothing else ends at the limit.
    first = next((chunk for chunk in chunks if chunk.lstrip(BLANK)), b"")
    start = first.lstrip(BLANK)
    if not start:
        raise NotASitemap("empty")
    if start[:1] == b"{" or FEED_ROOT.search(start[:4096]):
        entries = parse_feed_as_sitemap(body, url=url, media_type=media_type, warn=warn)
        return Sitemap("urls", _valid_entries(entries, most, warn))
    if not start.startswith(b"<"):
        return Sitemap("urls", _valid_entries(parse_url_list(_chain(start, chunks)), most, warn))
    if HTML_ROOT.search(start[:2048]):
        raise NotASitemap("html")
    return _parse_xml(body, first, chunks, warn=warn, limit=limit, most=most)


def parse_untrusted_sitemap(data: bytes, hints: ExtractHints) -> ParsedSitemap:
    """For the sandbox: the whole sitemap as data, as far as it can be parsed."""
    warnings = WarningLog()
    kind: SitemapKind = "urls"
    entries: list[SitemapEntry] = []
    reason = detail = ""

    try:
        sitemap = parse_sitemap(data, url=hints.url or "", media_type=hints.media_type or "", warn=warnings)
        kind = sitemap.kind
        entries.extend(sitemap.entries)
    except NotASitemap as error:
        reason, detail = error.reason, error.detail
    return ParsedSitemap(
        kind=kind, entries=tuple(entries), reason=reason, detail=detail, warnings=warnings.counts()
    )


def decompress_sitemap(body: bytes, *, warn: Warn, limit: int) -> Iterator[bytes]:
    """The content chunk by chunk. Raises NotASitemap when it is larger than `limit` or damaged."""
    try:
        yield from decompress_chunks(body, warn=warn, limit=limit)
    except DecompressionError as error:
        raise NotASitemap(error.reason, error.detail) from error


def _parse_xml(
    body: bytes, first: bytes, chunks: Iterator[bytes], *, warn: Warn, limit: int, most: int
) -> Sitemap:
    reader = StrictSitemapParser()
    try:
        # An XML declaration after an empty line is a common mistake and no reason to parse loosely.
        reader.feed(first.lstrip(b" \t\r\n"))
        kind = reader.kind
    except ExpatError:
        kind = reader.kind or guess_kind(first)
    if kind is None:
        raise NotASitemap("malformed", "neither a list of URLs nor an index")

    def reparse() -> Iterator[SitemapEntry]:
        return parse_loosely(decompress_sitemap(body, warn=ignore_warning, limit=limit))

    return Sitemap(kind, _valid_entries(_strict_then_loose(reader, chunks, reparse(), warn), most, warn))


def _strict_then_loose(
    reader: StrictSitemapParser, chunks: Iterator[bytes], loose_entries: Iterator[SitemapEntry], warn: Warn
) -> Iterator[SitemapEntry]:
    """Parse strictly up to the first error, then loosely from there."""
    count = 0
    try:
        for entry in parse_strictly(b"", chunks, reader):
            count += 1
            yield entry
    except ExpatError as error:
        warn("malformed", str(error))
        entries = list(reader.take())
        count += len(entries)
        yield from entries
        for number, entry in enumerate(loose_entries):
            if number >= count:
                yield entry


def _valid_entries(entries: Iterator[SitemapEntry], most: int, warn: Warn) -> Iterator[SitemapEntry]:
    for count, entry in enumerate(entries):
        if count >= most:
            warn("too_many_addresses", f"more than {most}")
            return
        if len(entry.url) > LONGEST_URL:
            warn("address_too_long", entry.url)
        elif CONTROL.search(entry.url + entry.lastmod):
            warn("control_characters", entry.url)
        else:
            yield entry


def _chain(first: bytes, chunks: Iterator[bytes]) -> Iterator[bytes]:
    yield first
    yield from chunks


def parse_url_list(chunks: Iterator[bytes]) -> Iterator[SitemapEntry]:
    """The lines that are URLs. A file that begins with many other lines is not a list."""
    misses, hits = 0, 0
    for line in _lines(chunks):
        text = line.decode("utf-8", "replace").strip(MARKS)
        if text.lower().startswith(("http://", "https://")):
            hits += 1
            yield SitemapEntry(url=text)
        elif text and not text.startswith("#"):
            misses += 1
            if not hits and misses >= LINES_WITHOUT_URL:
                break
    if not hits and misses:
        raise NotASitemap("unknown", "no line is a URL")


def _lines(chunks: Iterator[bytes]) -> Iterator[bytes]:
    tail = b""
    for chunk in chunks:
        *lines, tail = (tail + chunk).replace(b"\r", b"\n").split(b"\n")
        yield from lines
        if len(tail) > LONGEST_LINE:
            raise NotASitemap("unknown", "a line is too long")
    yield tail


def parse_feed_as_sitemap(body: bytes, *, url: str, media_type: str, warn: Warn) -> Iterator[SitemapEntry]:
    try:
        feed = parse_feed(body, url=url, media_type=media_type)
    except NotAFeed as error:
        is_sitemap_reason = error.reason in ("empty", "html", "too_large", "refused_entities", "compressed")
        raise NotASitemap(error.reason if is_sitemap_reason else "unknown", str(error)) from error
    for warning in feed.warnings:
        warn("feed", warning)
    return _entries(feed)


def _entries(feed: Feed) -> Iterator[SitemapEntry]:
    for entry in feed.entries:
        if entry.link:
            yield SitemapEntry(
                url=entry.link,
                lastmod=_iso_date(entry.updated or entry.published),
                title=entry.title or "",
                published=_iso_date(entry.published),
                language=entry.language or feed.language or "",
            )


def _iso_date(moment: datetime | None) -> str:
    return moment.isoformat() if moment else ""

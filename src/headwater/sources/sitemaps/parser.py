"""From bytes to what they list, whichever of the four forms a sitemap takes."""

import re
from collections.abc import Iterator
from datetime import datetime
from xml.parsers.expat import ExpatError

from headwater.model.warning_log import Warn
from headwater.sources.feeds.feed import Feed, NotAFeed
from headwater.sources.feeds.parser import parse_feed
from headwater.sources.sitemaps.sitemap import LONGEST_ADDRESS, NotASitemap, Sitemap, SitemapEntry
from headwater.sources.sitemaps.xml_parser import (
    StrictSitemapParser,
    guess_kind,
    parse_loosely,
    parse_strictly,
)
from headwater.text.decompression import DecompressionError, decompress_chunks

LINES_WITHOUT_ADDRESS = 20
LONGEST_LINE = 16 * 1024
MARKS = "\ufeff\u200b \t"


def parse_url_list(found: Iterator[bytes]) -> Iterator[SitemapEntry]:
    """Lines that are addresses. A beginning without any is no list."""
    misses, hits = 0, 0
    for line in _lines(found):
        text = line.decode("utf-8", "replace").strip(MARKS)
        if text.lower().startswith(("http://", "https://")):
            hits += 1
            yield SitemapEntry(url=text)
        elif text and not text.startswith("#"):
            misses += 1
            if not hits and misses >= LINES_WITHOUT_ADDRESS:
                break
    if not hits and misses:
        raise NotASitemap("unknown", "no line is an address")


def _lines(found: Iterator[bytes]) -> Iterator[bytes]:
    tail = b""
    for piece in found:
        *lines, tail = (tail + piece).replace(b"\r", b"\n").split(b"\n")
        yield from lines
        if len(tail) > LONGEST_LINE:
            raise NotASitemap("unknown", "a line without end")
    yield tail


def parse_feed_as_sitemap(body: bytes, *, url: str, media_type: str, warn: Warn) -> Iterator[SitemapEntry]:
    try:
        feed = parse_feed(body, url=url, media_type=media_type)
    except NotAFeed as error:
        known = error.reason in ("empty", "html", "too_large", "refused_entities", "compressed")
        raise NotASitemap(error.reason if known else "unknown", str(error)) from error
    for warning in feed.warnings:
        warn("feed", warning)
    return _entries(feed)


def _entries(feed: Feed) -> Iterator[SitemapEntry]:
    for entry in feed.entries:
        if entry.link:
            yield SitemapEntry(
                url=entry.link,
                lastmod=_text(entry.updated or entry.published),
                title=entry.title or "",
                published=_text(entry.published),
                language=entry.language or feed.language or "",
            )


def _text(moment: datetime | None) -> str:
    return moment.isoformat() if moment else ""


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
    """What the body lists, read as it is asked for. Oddities are noted; raises NotASitemap for whatever is none.

    `limit` is in unpacked bytes, `most` in lines; what is beyond `most` is noted and left out.
    """
    found = decompress_sitemap(body, warn=warn, limit=limit)
    first = next(found, b"")
    start = first.lstrip(BLANK)
    if not start:
        raise NotASitemap("empty")
    if start[:1] == b"{" or FEED_ROOT.search(start[:4096]):
        listed = parse_feed_as_sitemap(body, url=url, media_type=media_type, warn=warn)
        return Sitemap("urls", _within(listed, most, warn))
    if not start.startswith(b"<"):
        return Sitemap("urls", _within(parse_url_list(_joined(start, found)), most, warn))
    if HTML_ROOT.search(start[:2048]):
        raise NotASitemap("html")
    return _markup(body, first, found, warn=warn, limit=limit, most=most)


def decompress_sitemap(body: bytes, *, warn: Warn, limit: int) -> Iterator[bytes]:
    """The content chunk by chunk. Raises NotASitemap when it is larger than `limit` or damaged."""
    try:
        yield from decompress_chunks(body, warn=warn, limit=limit)
    except DecompressionError as error:
        raise NotASitemap(error.reason, error.detail) from error


def _markup(
    body: bytes, first: bytes, rest: Iterator[bytes], *, warn: Warn, limit: int, most: int
) -> Sitemap:
    reader = StrictSitemapParser()
    try:
        # A declaration that stands after an empty line is a common slip, and no reason to read loosely.
        reader.feed(first.lstrip(b" \t\r\n"))
        kind = reader.kind
    except ExpatError:
        kind = reader.kind or guess_kind(first)
    if kind is None:
        raise NotASitemap("malformed", "neither a list of addresses nor an index")

    def again() -> Iterator[SitemapEntry]:
        return parse_loosely(decompress_sitemap(body, warn=_ignore, limit=limit))

    return Sitemap(kind, _within(_forgiving(reader, rest, again(), warn), most, warn))


def _forgiving(
    reader: StrictSitemapParser, rest: Iterator[bytes], again: Iterator[SitemapEntry], warn: Warn
) -> Iterator[SitemapEntry]:
    """Strictly as far as that goes, then loosely from there on."""
    given = 0
    try:
        for one in parse_strictly(b"", rest, reader):
            given += 1
            yield one
    except ExpatError as error:
        warn("malformed", str(error))
        ready = list(reader.take())
        given += len(ready)
        yield from ready
        for number, one in enumerate(again):
            if number >= given:
                yield one


def _within(listed: Iterator[SitemapEntry], most: int, warn: Warn) -> Iterator[SitemapEntry]:
    for count, one in enumerate(listed):
        if count >= most:
            warn("too_many_addresses", f"more than {most}")
            return
        if len(one.url) > LONGEST_ADDRESS:
            warn("address_too_long", one.url)
        elif CONTROL.search(one.url + one.lastmod):
            warn("control_characters", one.url)
        else:
            yield one


def _joined(first: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    yield first
    yield from rest


def _ignore(_code: str, _detail: str) -> None:
    return

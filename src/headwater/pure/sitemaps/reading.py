"""From bytes to what they list, whichever of the four forms a sitemap takes."""

import re
from collections.abc import Iterator
from xml.parsers.expat import ExpatError

from headwater.pure.feeds.notes import Note
from headwater.pure.sitemaps.feed_list import read_feed_list
from headwater.pure.sitemaps.loose import kind_of, read_loosely
from headwater.pure.sitemaps.strict import StrictReader, read_strictly
from headwater.pure.sitemaps.text_list import read_list
from headwater.pure.sitemaps.unpacking import LARGEST, pieces
from headwater.pure.sitemaps.values import LONGEST_ADDRESS, Listed, NotASitemap, Sitemap

MOST_LISTED = 50_000
BLANK = b"\xef\xbb\xbf\xff\xfe\x00 \t\r\n"
CONTROL = re.compile(r"[\x00-\x1f\x7f]")
FEED_ROOT = re.compile(rb"<(?:\w+:)?(?:rss|feed|rdf)[\s>]", re.IGNORECASE)
HTML_ROOT = re.compile(rb"<!doctype\s+html|<html[\s>]", re.IGNORECASE)


def read_sitemap(
    body: bytes, *, url: str, media_type: str, note: Note, limit: int = LARGEST, most: int = MOST_LISTED
) -> Sitemap:
    """What the body lists, read as it is asked for. Oddities are noted; raises NotASitemap for whatever is none.

    `limit` is in unpacked bytes, `most` in lines; what is beyond `most` is noted and left out.
    """
    found = pieces(body, note=note, limit=limit)
    first = next(found, b"")
    start = first.lstrip(BLANK)
    if not start:
        raise NotASitemap("empty")
    if start[:1] == b"{" or FEED_ROOT.search(start[:4096]):
        listed = read_feed_list(body, url=url, media_type=media_type, note=note)
        return Sitemap("urls", _within(listed, most, note))
    if not start.startswith(b"<"):
        return Sitemap("urls", _within(read_list(_joined(start, found)), most, note))
    if HTML_ROOT.search(start[:2048]):
        raise NotASitemap("html")
    return _markup(body, first, found, note=note, limit=limit, most=most)


def _markup(
    body: bytes, first: bytes, rest: Iterator[bytes], *, note: Note, limit: int, most: int
) -> Sitemap:
    reader = StrictReader()
    try:
        # A declaration that stands after an empty line is a common slip, and no reason to read loosely.
        reader.feed(first.lstrip(b" \t\r\n"))
        kind = reader.kind
    except ExpatError:
        kind = reader.kind or kind_of(first)
    if kind is None:
        raise NotASitemap("malformed", "neither a list of addresses nor an index")

    def again() -> Iterator[Listed]:
        return read_loosely(pieces(body, note=_ignore, limit=limit))

    return Sitemap(kind, _within(_forgiving(reader, rest, again(), note), most, note))


def _forgiving(
    reader: StrictReader, rest: Iterator[bytes], again: Iterator[Listed], note: Note
) -> Iterator[Listed]:
    """Strictly as far as that goes, then loosely from there on."""
    given = 0
    try:
        for one in read_strictly(b"", rest, reader):
            given += 1
            yield one
    except ExpatError as error:
        note("malformed", str(error))
        ready = list(reader.take())
        given += len(ready)
        yield from ready
        for number, one in enumerate(again):
            if number >= given:
                yield one


def _within(listed: Iterator[Listed], most: int, note: Note) -> Iterator[Listed]:
    for count, one in enumerate(listed):
        if count >= most:
            note("too_many_addresses", f"more than {most}")
            return
        if len(one.url) > LONGEST_ADDRESS:
            note("address_too_long", one.url)
        elif CONTROL.search(one.url + one.lastmod):
            note("control_characters", one.url)
        else:
            yield one


def _joined(first: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    yield first
    yield from rest


def _ignore(_code: str, _detail: str) -> None:
    return

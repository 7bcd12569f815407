"""A body in pieces, unpacked on the way: the whole of it is never in memory twice."""

import zlib
from collections.abc import Iterator

from headwater.model.warning_log import Warn
from headwater.sources.sitemaps.sitemap import NotASitemap

GZIP = b"\x1f\x8b"
PIECE = 64 * 1024
LARGEST = 52_428_800  # what the standard allows, unpacked
LAYERS = 2  # a packed file that the server packed once more
MEMBERS = 64


def decompress_chunks(body: bytes, *, warn: Warn, limit: int = LARGEST) -> Iterator[bytes]:
    """The content piece by piece, packed or not. Raises NotASitemap when it is larger than `limit`."""
    found = _bounded(_plain(body), limit)
    for _ in range(LAYERS):
        first = next(found, b"")
        if not first.startswith(GZIP):
            return _again(first, found)
        found = _bounded(_opened(_again(first, found), warn), limit)
    return found


def _plain(body: bytes) -> Iterator[bytes]:
    view = memoryview(body)
    for start in range(0, len(body), PIECE):
        yield bytes(view[start : start + PIECE])


def _again(first: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    if first:
        yield first
    yield from rest


def _bounded(found: Iterator[bytes], limit: int) -> Iterator[bytes]:
    size = 0
    for piece in found:
        size += len(piece)
        if size > limit:
            raise NotASitemap("too_large", f"more than {limit} bytes")
        yield piece


def _opened(packed: Iterator[bytes], warn: Warn) -> Iterator[bytes]:
    opener = zlib.decompressobj(31)
    members = 1
    for piece in packed:
        rest = piece
        while rest:
            try:
                opened = opener.decompress(rest, PIECE)
            except zlib.error as error:
                raise NotASitemap("compressed", str(error)) from error
            if opened:
                yield opened
            rest = opener.unconsumed_tail
            if opener.eof:
                rest = opener.unused_data
                if not rest.startswith(GZIP):
                    return
                members += 1
                if members > MEMBERS:
                    raise NotASitemap("compressed", "too many members")
                opener = zlib.decompressobj(31)
    if not opener.eof:
        warn("truncated_compression", "")

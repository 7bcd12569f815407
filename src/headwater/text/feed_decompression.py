"""Compressed bodies that arrive without a header saying so, opened under a cap."""

import re
import zlib

from headwater.model.warning_log import Warn
from headwater.sources.feeds.feed import NotAFeed

GZIP = b"\x1f\x8b"
ZLIB = (b"\x78\x01", b"\x78\x5e", b"\x78\x9c", b"\x78\xda")
ZSTANDARD = b"\x28\xb5\x2f\xfd"
MEMBERS = 64
TEXT_STARTS = (b"", b"<", b"{", b"[", b"\xef", b"\xfe", b"\xff", b" ", b"\t", b"\r", b"\n", b"\x00")
BINARY = re.compile(rb"[\x00-\x08\x0e-\x1f\x80-\xff]")


def decompress_feed(data: bytes, *, limit: int, warn: Warn) -> bytes:
    """The document itself; raises NotAFeed when it is larger than `limit`, packed or not."""
    if data.startswith(GZIP):
        warn("gzip_without_header", "")
        return _inflate(data, window=31, limit=limit, warn=warn)
    if data.startswith(ZLIB):
        warn("deflate_without_header", "")
        return _inflate(data, window=15, limit=limit, warn=warn)
    if data.startswith(ZSTANDARD):
        raise NotAFeed("compressed", "zstd")
    if len(data) > limit:
        raise NotAFeed("too_large", f"{len(data)} bytes")
    return _raw_deflate(data, limit=limit, warn=warn) or data


def _inflate(data: bytes, *, window: int, limit: int, warn: Warn) -> bytes:
    pieces: list[bytes] = []
    size = 0
    for _ in range(MEMBERS):
        opened, data = _one_member(data, window=window, limit=limit - size, warn=warn)
        pieces.append(opened)
        size += len(opened)
        if size > limit:
            raise NotAFeed("too_large", f"more than {limit} bytes when unpacked")
        if not data.startswith(GZIP):
            break
    return b"".join(pieces)


def _one_member(data: bytes, *, window: int, limit: int, warn: Warn) -> tuple[bytes, bytes]:
    opener = zlib.decompressobj(window)
    try:
        opened = opener.decompress(data, limit + 1)
    except zlib.error as error:
        return _salvaged(data, window=window, limit=limit, error=error, warn=warn), b""
    if len(opened) <= limit and not opener.eof:
        warn("truncated_compression", "")
    return opened, opener.unused_data


def _salvaged(data: bytes, *, window: int, limit: int, error: zlib.error, warn: Warn) -> bytes:
    """What comes out before the damage, found by feeding small pieces."""
    opener = zlib.decompressobj(window)
    pieces: list[bytes] = []
    size = 0
    for start in range(0, len(data), 512):
        try:
            piece = opener.decompress(data[start : start + 512], max(limit - size, 0) + 1)
        except zlib.error:
            break
        pieces.append(piece)
        size += len(piece)
        if size > limit:
            break
    if not size:
        raise NotAFeed("compressed", str(error)) from error
    warn("damaged_compression", str(error))
    return b"".join(pieces)


def _raw_deflate(data: bytes, *, limit: int, warn: Warn) -> bytes | None:
    """Raw deflate has no mark: it is tried only on what cannot be a text document."""
    if data[:1] in TEXT_STARTS or not BINARY.search(data[:256]):
        return None
    opener = zlib.decompressobj(-15)
    try:
        opened = opener.decompress(data, limit + 1)
    except zlib.error:
        return None
    if b"<" not in opened and b"{" not in opened:
        return None
    if len(opened) > limit:
        raise NotAFeed("too_large", f"more than {limit} bytes when unpacked")
    warn("deflate_without_header", "raw")
    return opened

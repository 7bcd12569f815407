"""Compressed bytes, decompressed within a limit: HTTP content encodings, feeds and sitemaps.

A few kilobytes can decompress to gigabytes, so nothing here produces more than its caller allows. Callers turn a
`DecompressionError` into the error of their own domain.
"""

import gzip
import importlib
import io
import lzma
import re
import zlib
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any, BinaryIO, Protocol, cast

from headwater.model.warning_log import Warn

brotli: Any = importlib.import_module("brotli")  # it has no type hints

GZIP = b"\x1f\x8b"
_XZ = b"\xfd7zXZ\x00"
_ZLIB_HEADERS = (b"\x78\x01", b"\x78\x5e", b"\x78\x9c", b"\x78\xda")
_ZSTANDARD = b"\x28\xb5\x2f\xfd"
_GZIP_WINDOW, _ZLIB_WINDOW, _RAW_WINDOW = zlib.MAX_WBITS | 16, zlib.MAX_WBITS, -zlib.MAX_WBITS
_MOST_MEMBERS = 64
_LAYERS = 2  # a server may compress a file that is compressed already
_CHUNK = 64 * 1024
_BROTLI_STEP = 256 * 1024
_SALVAGE_STEP = 512
_TEXT_STARTS = (b"", b"<", b"{", b"[", b"\xef", b"\xfe", b"\xff", b" ", b"\t", b"\r", b"\n", b"\x00")
_BINARY = re.compile(rb"[\x00-\x08\x0e-\x1f\x80-\xff]")


class DecompressionError(ValueError):
    """`reason` is "compressed" (damaged or of an unknown kind) or "too_large"."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason
        self.detail = detail


class Decompressor(Protocol):
    def feed(self, data: bytes, room: int) -> bytes:
        """Decompress the next chunk. A result longer than `room` bytes means that the content is too large."""
        ...

    def is_complete(self) -> bool: ...


class ZlibDecompressor:
    """gzip, which may have several members, zlib, and raw deflate. Without a window, the first byte decides between the
    last two: RFC 9110 means zlib by "deflate", but raw streams are common."""

    def __init__(self, window: int | None = _GZIP_WINDOW) -> None:
        self._window = window
        self._stream = zlib.decompressobj(window) if window is not None else None
        self._started = False
        self.members = 1

    def feed(self, data: bytes, room: int) -> bytes:
        parts: list[bytes] = []
        while data and room >= 0:
            part, data = self.step(data, room + 1)
            parts.append(part)
            room -= len(part)
        return b"".join(parts)

    def step(self, data: bytes, most: int) -> tuple[bytes, bytes]:
        """At most `most` decompressed bytes and the input that is left; one step never crosses the end of a member."""
        stream = self._open(data)
        if stream is None:
            return b"", b""
        part = _guarded(stream.decompress, data, most)
        return part, stream.unused_data if stream.eof else stream.unconsumed_tail

    def _open(self, data: bytes) -> Any:
        if self._stream is None:
            self._stream = zlib.decompressobj(_ZLIB_WINDOW if data[0] & 0x0F == 8 else _RAW_WINDOW)
        elif self._stream.eof:
            if self._window != _GZIP_WINDOW or not data.startswith(GZIP[:1]):
                return None  # padding after the last member
            self._stream = zlib.decompressobj(_GZIP_WINDOW)
            self.members += 1
        self._started = True
        return self._stream

    def is_complete(self) -> bool:
        return not self._started or (self._stream is not None and self._stream.eof)


class BrotliDecompressor:
    def __init__(self) -> None:
        self._stream = brotli.Decompressor()
        self._started = False

    def feed(self, data: bytes, room: int) -> bytes:
        self._started = True
        parts: list[bytes] = []
        while room >= 0 and not self._stream.is_finished():
            part = _guarded(self._stream.process, data, output_buffer_limit=min(room + 1, _BROTLI_STEP))
            data = b""
            parts.append(part)
            room -= len(part)
            if not part and self._stream.can_accept_more_data():
                break
        return b"".join(parts)

    def is_complete(self) -> bool:
        return not self._started or bool(self._stream.is_finished())


class ZstdDecompressor:
    def __init__(self) -> None:
        self._stream = _zstd.ZstdDecompressor()
        self._started = False

    def feed(self, data: bytes, room: int) -> bytes:
        self._started = True
        parts: list[bytes] = []
        while room >= 0 and not self._stream.eof:
            part = _guarded(self._stream.decompress, data, room + 1)
            data = b""
            parts.append(part)
            room -= len(part)
            if self._stream.needs_input:
                break
        return b"".join(parts)

    def is_complete(self) -> bool:
        return not self._started or bool(self._stream.eof)


def _guarded(decompress: Callable[..., bytes], *arguments: object, **options: object) -> bytes:
    try:
        return decompress(*arguments, **options)
    except _LIBRARY_ERRORS as error:
        raise DecompressionError("compressed", str(error)) from None


def _find_zstd() -> Any:
    """The standard library has it from 3.14 on; the backport is used where it is installed."""
    for name in ("compression.zstd", "backports.zstd"):
        try:
            return importlib.import_module(name)
        except ImportError:
            continue
    return None


_zstd = _find_zstd()
_LIBRARY_ERRORS: tuple[type[Exception], ...] = (
    zlib.error,
    brotli.error,
    *((_zstd.ZstdError,) if _zstd else ()),
)
CONTENT_DECODERS: dict[str, Callable[[], Decompressor]] = {
    "gzip": ZlibDecompressor,
    "x-gzip": ZlibDecompressor,
    "deflate": lambda: ZlibDecompressor(None),
    "br": BrotliDecompressor,
    **({"zstd": ZstdDecompressor} if _zstd else {}),
}
"""By the names that the Content-Encoding header uses."""


def decompress_document(data: bytes, *, limit: int, warn: Warn) -> bytes:
    """A document that may be compressed although no header says so. What comes before damage is kept."""
    if data.startswith(GZIP):
        warn("gzip_without_header", "")
        return _inflate(data, window=_GZIP_WINDOW, limit=limit, warn=warn)
    if data.startswith(_ZLIB_HEADERS):
        warn("deflate_without_header", "")
        return _inflate(data, window=_ZLIB_WINDOW, limit=limit, warn=warn)
    if data.startswith(_ZSTANDARD):
        raise DecompressionError("compressed", "zstd")
    if len(data) > limit:
        raise DecompressionError("too_large", f"{len(data)} bytes")
    return _raw_deflate(data, limit=limit, warn=warn) or data


def _inflate(data: bytes, *, window: int, limit: int, warn: Warn) -> bytes:
    stream = ZlibDecompressor(window)
    parts: list[bytes] = []
    size = 0
    for _ in range(_MOST_MEMBERS):
        member = data
        try:
            part, data = stream.step(data, limit - size + 1)
        except DecompressionError as error:
            part, data = _salvage(member, window=window, limit=limit - size, error=error, warn=warn), b""
        else:
            if size + len(part) <= limit and not stream.is_complete():
                warn("truncated_compression", "")
        parts.append(part)
        size += len(part)
        if size > limit:
            raise DecompressionError("too_large", f"more than {limit} bytes when decompressed")
        if not data.startswith(GZIP):
            break
    return b"".join(parts)


def _salvage(data: bytes, *, window: int, limit: int, error: DecompressionError, warn: Warn) -> bytes:
    """What decompresses before the damage, found by feeding small pieces."""
    stream = ZlibDecompressor(window)
    parts: list[bytes] = []
    size = 0
    for start in range(0, len(data), _SALVAGE_STEP):
        try:
            part, _ = stream.step(data[start : start + _SALVAGE_STEP], max(limit - size, 0) + 1)
        except DecompressionError:
            break
        parts.append(part)
        size += len(part)
        if size > limit:
            break
    if not size:
        raise error
    warn("damaged_compression", error.detail)
    return b"".join(parts)


def _raw_deflate(data: bytes, *, limit: int, warn: Warn) -> bytes | None:
    """Raw deflate has no signature: it is tried only on what cannot be a text document."""
    if data[:1] in _TEXT_STARTS or not _BINARY.search(data[:256]):
        return None
    try:
        content, _ = ZlibDecompressor(_RAW_WINDOW).step(data, limit + 1)
    except DecompressionError:
        return None
    if b"<" not in content and b"{" not in content:
        return None
    if len(content) > limit:
        raise DecompressionError("too_large", f"more than {limit} bytes when decompressed")
    warn("deflate_without_header", "raw")
    return content


def decompress_chunks(body: bytes, *, limit: int, warn: Warn) -> Iterator[bytes]:
    """The content chunk by chunk, gzipped or not, so that the whole of it is never in memory twice."""
    chunks = _bounded(_chunks_of(body), limit)
    for _ in range(_LAYERS):
        first = next(chunks, b"")
        if not first.startswith(GZIP):
            return chain([first] if first else [], chunks)
        chunks = _bounded(_gunzip(chain([first], chunks), warn), limit)
    return chunks


def _chunks_of(body: bytes) -> Iterator[bytes]:
    view = memoryview(body)
    for start in range(0, len(body), _CHUNK):
        yield bytes(view[start : start + _CHUNK])


def _bounded(chunks: Iterator[bytes], limit: int) -> Iterator[bytes]:
    size = 0
    for chunk in chunks:
        size += len(chunk)
        if size > limit:
            raise DecompressionError("too_large", f"more than {limit} bytes")
        yield chunk


def _gunzip(chunks: Iterator[bytes], warn: Warn) -> Iterator[bytes]:
    stream = ZlibDecompressor()
    for chunk in chunks:
        compressed = chunk
        while compressed:
            content, compressed = stream.step(compressed, _CHUNK)
            if stream.members > _MOST_MEMBERS:
                raise DecompressionError("compressed", "too many members")
            if content:
                yield content
    if not stream.is_complete():
        warn("truncated_compression", "")


READ_ERRORS = (OSError, EOFError, lzma.LZMAError, zlib.error)
"""What reading from `open_decompressed` may raise: damaged or truncated input."""


def open_decompressed(stream: BinaryIO) -> BinaryIO:
    """A file of any size, read as it is decompressed. gzip and xz are recognised by the first bytes, not by the name."""
    start = stream.peek(len(_XZ)) if isinstance(stream, io.BufferedReader) else b""
    if start.startswith(GZIP):
        return cast("BinaryIO", gzip.open(stream))
    if start.startswith(_XZ):
        return cast("BinaryIO", lzma.open(stream))
    return stream

"""Content encodings: decoders that work chunk by chunk, within a limit, and detect truncated bodies.

A body that ends before its encoding does is truncated, whatever the transport says. Decoding stops at the limit,
however small the body was on the wire.
"""

import importlib
import zlib
from collections.abc import Callable
from typing import Any, Protocol

from headwater.fetch.failures import FetchStopped

brotli: Any = importlib.import_module("brotli")  # it has no type hints

_IDENTITY = frozenset({"", "identity", "none", "binary", "utf-8"})
_CHUNK_SIZE = 256 * 1024


class ContentDecoder(Protocol):
    def feed(self, data: bytes, room: int) -> bytes:
        """Decode the next chunk. A result longer than `room` bytes means that the body is too large."""
        ...

    def is_complete(self) -> bool: ...


def decoder_for(encoding: str) -> ContentDecoder | None:
    """The decoder for a Content-Encoding header, or None for a plain body. Unknown and stacked encodings stop the request."""
    name = encoding.strip().lower()
    if name in _IDENTITY:
        return None
    decoder_class = _DECODERS.get(name)
    if decoder_class is None:
        raise FetchStopped("encoding", f"content encoding {name[:40]!r}", temporary=False)
    return decoder_class()


class ZlibDecoder:
    """gzip, which may have several members, and deflate, with or without a zlib header."""

    def __init__(self, *, gzip: bool) -> None:
        self._gzip = gzip
        self._stream = zlib.decompressobj(zlib.MAX_WBITS | 16) if gzip else None
        self._started = False

    def feed(self, data: bytes, room: int) -> bytes:
        parts: list[bytes] = []
        while data and room >= 0:
            stream = self._open(data)
            if stream is None:
                break
            part = _decompress(stream.decompress, data, room + 1)
            parts.append(part)
            room -= len(part)
            data = stream.unused_data if stream.eof else stream.unconsumed_tail
        return b"".join(parts)

    def _open(self, data: bytes) -> Any:
        if self._stream is None:
            # RFC 9110 defines "deflate" as zlib, but raw streams are common. The first byte tells them apart.
            self._stream = zlib.decompressobj(zlib.MAX_WBITS if data[0] & 0x0F == 8 else -zlib.MAX_WBITS)
        elif self._stream.eof:
            if not self._gzip or not data.startswith(b"\x1f"):
                return None  # padding after the last member
            self._stream = zlib.decompressobj(zlib.MAX_WBITS | 16)
        self._started = True
        return self._stream

    def is_complete(self) -> bool:
        return not self._started or (self._stream is not None and self._stream.eof)


class BrotliDecoder:
    def __init__(self) -> None:
        self._stream = brotli.Decompressor()
        self._started = False

    def feed(self, data: bytes, room: int) -> bytes:
        self._started = True
        parts: list[bytes] = []
        while room >= 0 and not self._stream.is_finished():
            part = _decompress(self._stream.process, data, output_buffer_limit=min(room + 1, _CHUNK_SIZE))
            data = b""
            parts.append(part)
            room -= len(part)
            if not part and self._stream.can_accept_more_data():
                break
        return b"".join(parts)

    def is_complete(self) -> bool:
        return not self._started or bool(self._stream.is_finished())


class ZstdDecoder:
    def __init__(self) -> None:
        self._stream = _zstd.ZstdDecompressor()
        self._started = False

    def feed(self, data: bytes, room: int) -> bytes:
        self._started = True
        parts: list[bytes] = []
        while room >= 0 and not self._stream.eof:
            part = _decompress(self._stream.decompress, data, room + 1)
            data = b""
            parts.append(part)
            room -= len(part)
            if self._stream.needs_input:
                break
        return b"".join(parts)

    def is_complete(self) -> bool:
        return not self._started or bool(self._stream.eof)


def _decompress(decompress: Callable[..., bytes], *arguments: object, **options: object) -> bytes:
    try:
        return decompress(*arguments, **options)
    except _DECODE_ERRORS as error:
        raise FetchStopped("encoding", f"the body does not match its content encoding: {error}") from None


def _import_zstd() -> Any:
    """The standard library has zstd from 3.14 on. Before that, use the backport where it is installed."""
    for name in ("compression.zstd", "backports.zstd"):
        try:
            return importlib.import_module(name)
        except ImportError:
            continue
    return None


_zstd = _import_zstd()
_DECODE_ERRORS: tuple[type[Exception], ...] = (
    zlib.error,
    brotli.error,
    *((_zstd.ZstdError,) if _zstd else ()),
)
_DECODERS: dict[str, Callable[[], ContentDecoder]] = {
    "gzip": lambda: ZlibDecoder(gzip=True),
    "x-gzip": lambda: ZlibDecoder(gzip=True),
    "deflate": lambda: ZlibDecoder(gzip=False),
    "br": BrotliDecoder,
    **({"zstd": ZstdDecoder} if _zstd else {}),
}
ACCEPT_ENCODING = ", ".join(name for name in _DECODERS if not name.startswith("x-"))

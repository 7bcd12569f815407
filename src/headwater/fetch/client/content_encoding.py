"""Content encodings, decoded piece by piece within a limit, and checked to be complete.

A body that ends before its encoding does is truncated, whatever the transport says; one that grows beyond the limit
is given up at the limit, however small it was on the wire.
"""

import importlib
import zlib
from collections.abc import Callable
from typing import Any, Protocol

from headwater.fetch.failures import FetchStopped

brotli: Any = importlib.import_module("brotli")  # it ships no types

_IDENTITY = frozenset({"", "identity", "none", "binary", "utf-8"})
_STEP = 256 * 1024


class ContentDecoder(Protocol):
    def feed(self, data: bytes, room: int) -> bytes:
        """The decoded form of the next piece; more than `room` bytes of it only to show that it does not fit."""
        ...

    def complete(self) -> bool: ...


def decoder_for(encoding: str) -> ContentDecoder | None:
    """The decoder for a Content-Encoding header; None when the body is plain. Anything unknown or stacked stops."""
    name = encoding.strip().lower()
    if name in _IDENTITY:
        return None
    make = _DECODERS.get(name)
    if make is None:
        raise FetchStopped("encoding", f"content encoding {name[:40]!r}", temporary=False)
    return make()


class ZlibDecoder:
    """gzip, which may have several members, and deflate, which is sent with and without a zlib header."""

    def __init__(self, *, gzip: bool) -> None:
        self._gzip = gzip
        self._stream = zlib.decompressobj(zlib.MAX_WBITS | 16) if gzip else None
        self._begun = False

    def feed(self, data: bytes, room: int) -> bytes:
        parts: list[bytes] = []
        while data and room >= 0:
            stream = self._open(data)
            if stream is None:
                break
            part = _guarded(stream.decompress, data, room + 1)
            parts.append(part)
            room -= len(part)
            data = stream.unused_data if stream.eof else stream.unconsumed_tail
        return b"".join(parts)

    def _open(self, data: bytes) -> Any:
        if self._stream is None:
            # RFC 9110 means zlib by "deflate", but raw streams are common: the first byte tells.
            self._stream = zlib.decompressobj(zlib.MAX_WBITS if data[0] & 0x0F == 8 else -zlib.MAX_WBITS)
        elif self._stream.eof:
            if not self._gzip or not data.startswith(b"\x1f"):
                return None  # padding after the last member
            self._stream = zlib.decompressobj(zlib.MAX_WBITS | 16)
        self._begun = True
        return self._stream

    def complete(self) -> bool:
        return not self._begun or (self._stream is not None and self._stream.eof)


class BrotliDecoder:
    def __init__(self) -> None:
        self._stream = brotli.Decompressor()
        self._begun = False

    def feed(self, data: bytes, room: int) -> bytes:
        self._begun = True
        parts: list[bytes] = []
        while room >= 0 and not self._stream.is_finished():
            part = _guarded(self._stream.process, data, output_buffer_limit=min(room + 1, _STEP))
            data = b""
            parts.append(part)
            room -= len(part)
            if not part and self._stream.can_accept_more_data():
                break
        return b"".join(parts)

    def complete(self) -> bool:
        return not self._begun or bool(self._stream.is_finished())


class ZstdDecoder:
    def __init__(self) -> None:
        self._stream = _zstd.ZstdDecompressor()
        self._begun = False

    def feed(self, data: bytes, room: int) -> bytes:
        self._begun = True
        parts: list[bytes] = []
        while room >= 0 and not self._stream.eof:
            part = _guarded(self._stream.decompress, data, room + 1)
            data = b""
            parts.append(part)
            room -= len(part)
            if self._stream.needs_input:
                break
        return b"".join(parts)

    def complete(self) -> bool:
        return not self._begun or bool(self._stream.eof)


def _guarded(decompress: Callable[..., bytes], *arguments: object, **options: object) -> bytes:
    try:
        return decompress(*arguments, **options)
    except _BROKEN as broken:
        raise FetchStopped("encoding", f"the body is not what its encoding says: {broken}") from None


def _find_zstd() -> Any:
    """The standard library has it from 3.14 on; the backport is used where it is installed."""
    for name in ("compression.zstd", "backports.zstd"):
        try:
            return importlib.import_module(name)
        except ImportError:
            continue
    return None


_zstd = _find_zstd()
_BROKEN: tuple[type[Exception], ...] = (zlib.error, brotli.error, *((_zstd.ZstdError,) if _zstd else ()))
_DECODERS: dict[str, Callable[[], ContentDecoder]] = {
    "gzip": lambda: ZlibDecoder(gzip=True),
    "x-gzip": lambda: ZlibDecoder(gzip=True),
    "deflate": lambda: ZlibDecoder(gzip=False),
    "br": BrotliDecoder,
    **({"zstd": ZstdDecoder} if _zstd else {}),
}
ACCEPT_ENCODING = ", ".join(name for name in _DECODERS if not name.startswith("x-"))

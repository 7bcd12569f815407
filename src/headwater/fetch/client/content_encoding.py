"""Content encodings, decoded piece by piece within a limit, and checked to be complete.

A body that ends before its encoding does is truncated, whatever the transport says; one that grows beyond the limit
is given up at the limit, however small it was on the wire.
"""

from headwater.fetch.failures import FetchStopped
from headwater.text.decompression import CONTENT_DECODERS, DecompressionError, Decompressor

ACCEPT_ENCODING = ", ".join(name for name in CONTENT_DECODERS if not name.startswith("x-"))
_IDENTITY = frozenset({"", "identity", "none", "binary", "utf-8"})


class ContentDecoder:
    """A decompressor whose errors end the fetch."""

    def __init__(self, decompressor: Decompressor) -> None:
        self._decompressor = decompressor

    def feed(self, data: bytes, room: int) -> bytes:
        """The decoded form of the next piece; more than `room` bytes only to show that it does not fit."""
        try:
            return self._decompressor.feed(data, room)
        except DecompressionError as error:
            raise FetchStopped(
                "encoding", f"the body is not what its encoding says: {error.detail}"
            ) from None

    def complete(self) -> bool:
        return self._decompressor.complete()


def decoder_for(encoding: str) -> ContentDecoder | None:
    """The decoder for a Content-Encoding header; None when the body is plain. Anything unknown or stacked stops."""
    name = encoding.strip().lower()
    if name in _IDENTITY:
        return None
    make = CONTENT_DECODERS.get(name)
    if make is None:
        raise FetchStopped("encoding", f"content encoding {name[:40]!r}", temporary=False)
    return ContentDecoder(make())

"""Content encodings: decoders that work chunk by chunk, within a limit, and detect truncated bodies.

A body that ends before its encoding does is truncated, whatever the transport says. Decoding stops at the limit,
however small the body was on the wire.
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
        """Decode the next chunk. A result longer than `room` bytes means that the body is too large."""
        try:
            return self._decompressor.feed(data, room)
        except DecompressionError as error:
            raise FetchStopped(
                "encoding", f"the body is not what its encoding says: {error.detail}"
            ) from None

    def is_complete(self) -> bool:
        return self._decompressor.is_complete()


def decoder_for(encoding: str) -> ContentDecoder | None:
    """The decoder for a Content-Encoding header, or None for a plain body. Unknown and stacked encodings stop the request."""
    name = encoding.strip().lower()
    if name in _IDENTITY:
        return None
    make = CONTENT_DECODERS.get(name)
    if make is None:
        raise FetchStopped("encoding", f"content encoding {name[:40]!r}", temporary=False)
    return ContentDecoder(make())

"""What a parent sends to a child: how to start, then documents in batches."""

from dataclasses import dataclass

import msgspec

Item = tuple[str | None, str | None, bytes]
"""URL, media type and bytes of a document."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StartRequest:
    """`parsers` are pickled; the child imports them before it gives up its access to files."""

    parsers: tuple[bytes, ...]
    seconds: float
    megabytes: int
    recognises: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadRequest:
    parser: bytes
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureRequest:
    """From the child: a picture whose text the parent's program shall recognise."""

    languages: str
    seconds: float
    picture: bytes


start_decoder = msgspec.msgpack.Decoder(StartRequest)
read_decoder = msgspec.msgpack.Decoder(ReadRequest)
picture_decoder = msgspec.msgpack.Decoder(PictureRequest)
encode_request = msgspec.msgpack.Encoder().encode

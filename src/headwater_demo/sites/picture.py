"""A small picture that is really a PNG, tinted after its name."""

import struct
import zlib

from headwater_demo.site import SiteResponse


def picture(name: str) -> SiteResponse:
    tint = zlib.crc32(name.encode())
    row = b"\0" + bytes((tint & 255, tint >> 8 & 255, tint >> 16 & 255)) * 64
    parts = (
        (b"IHDR", struct.pack(">IIBBBBB", 64, 36, 8, 2, 0, 0, 0)),
        (b"IDAT", zlib.compress(row * 36)),
        (b"IEND", b""),
    )
    body = b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in parts)
    return SiteResponse(body=body, media_type="image/png")


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

"""Decompression within limits: several members, damage, and input that arrives in any pieces."""

import gzip
import zlib

import pytest

from headwater.model.warning_log import WarningLog, ignore_warning
from headwater.text.decompression import (
    CONTENT_DECODERS,
    DecompressionError,
    decompress_chunks,
    decompress_document,
)

TEXT = (
    b"<urlset>" + b"".join(b"<loc>http://a.example/%d</loc>" % number for number in range(500)) + b"</urlset>"
)
MEMBER = gzip.compress(TEXT, mtime=0)


def padded_member(size: int) -> bytes:
    """A gzip member of exactly `size` bytes: its header carries a long file name."""
    name = b"n" * (size - len(MEMBER) - 1)
    return MEMBER[:3] + b"\x08" + MEMBER[4:10] + name + b"\0" + MEMBER[10:]


def test_a_member_that_ends_with_a_chunk_is_followed_by_the_next():
    body = padded_member(64 * 1024) + MEMBER
    assert b"".join(decompress_chunks(body, limit=10**6, warn=ignore_warning)) == TEXT * 2


def test_a_file_that_the_server_compressed_once_more_is_decompressed_twice():
    body = gzip.compress(MEMBER, mtime=0)
    assert b"".join(decompress_chunks(body, limit=10**6, warn=ignore_warning)) == TEXT


@pytest.mark.parametrize(
    "decompress", [decompress_document, lambda *args, **kw: b"".join(decompress_chunks(*args, **kw))]
)
def test_nothing_grows_beyond_the_limit(decompress):
    bomb = gzip.compress(b"<" + b"0" * 10_000_000, mtime=0)
    with pytest.raises(DecompressionError) as error:
        decompress(bomb, limit=100_000, warn=ignore_warning)
    assert error.value.reason == "too_large"


def test_data_before_the_damage_is_kept():
    warnings = WarningLog()
    wrong_checksum = MEMBER[:-8] + b"\0\0\0\0" + MEMBER[-4:]
    content = decompress_document(wrong_checksum, limit=10**6, warn=warnings)
    assert content
    assert TEXT.startswith(content)
    assert "damaged_compression" in warnings


def test_raw_deflate_is_recognised_although_it_has_no_signature():
    compressor = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    raw = compressor.compress(TEXT) + compressor.flush()
    assert decompress_document(raw, limit=10**6, warn=ignore_warning) == TEXT


@pytest.mark.parametrize("step", [1, 7, 4096])
@pytest.mark.parametrize(("encoding", "body"), [("gzip", MEMBER * 2), ("deflate", zlib.compress(TEXT * 2))])
def test_a_body_may_arrive_in_any_pieces(encoding, body, step):
    decoder = CONTENT_DECODERS[encoding]()
    pieces = [decoder.feed(body[start : start + step], 10**6) for start in range(0, len(body), step)]
    assert b"".join(pieces) == TEXT * 2
    assert decoder.is_complete()

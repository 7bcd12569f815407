"""The same feed in many encodings, honest and not, must read the same."""

import codecs
import gzip
import zlib

import pytest

from headwater.sources.feeds.feed import NotAFeed
from headwater.sources.feeds.parser import parse_feed

TITLE = "Crème brûlée, “déjà vu” à Łódź"
WESTERN = "Crème brûlée à la façade"
RUSSIAN = "Новости порта: прилив и отлив сегодня утром"
JAPANESE = "港のニュースはこちらでどうぞ"
CHINESE = "港口新闻的今天我们说了不是大的"
KOREAN = "항구 소식을 전해 드립니다"


def document(title: str, declared: str | None = None) -> str:
    declaration = f'<?xml version="1.0" encoding="{declared}"?>' if declared else ""
    return f'{declaration}<rss version="2.0"><channel><title>T</title><item><title>{title}</title></item></channel></rss>'


def title_of(data: bytes, media_type: str | None = None) -> str | None:
    return parse_feed(data, media_type=media_type).entries[0].title


def codes(data: bytes, media_type: str | None = None) -> set[str]:
    return {line.partition(":")[0] for line in parse_feed(data, media_type=media_type).warnings}


@pytest.mark.parametrize(
    ("title", "encoding", "declared"),
    [
        (TITLE, "utf-8", "utf-8"),
        (TITLE, "utf-8", None),
        (TITLE, "utf-8-sig", "utf-8"),
        (TITLE, "utf-16", "utf-16"),
        (TITLE, "utf-16-le", "utf-16"),
        (TITLE, "utf-16-be", None),
        (TITLE, "utf-32", "utf-32"),
        (WESTERN, "latin-1", "iso-8859-1"),
        (WESTERN, "cp1252", "windows-1252"),
        ("Smart “quotes”", "cp1252", "iso-8859-1"),
        ("Łódź", "iso-8859-2", "iso-8859-2"),
        (RUSSIAN, "cp1251", "windows-1251"),
        (RUSSIAN, "koi8-r", "koi8-r"),
        (JAPANESE, "shift_jis", "Shift_JIS"),
        (JAPANESE, "euc-jp", "euc-jp"),
        (JAPANESE, "iso-2022-jp", "iso-2022-jp"),
        (CHINESE, "gb18030", "gb2312"),
        (CHINESE, "gbk", "gbk"),
        (KOREAN, "euc-kr", "ks_c_5601-1987"),
    ],
)
def test_declared_encodings_are_honoured(title, encoding, declared):
    assert title_of(document(title, declared).encode(encoding)) == title


def test_the_header_comes_before_the_declaration():
    data = document("Łódź", "iso-8859-1").encode("iso-8859-2")
    assert title_of(data, "application/xml; charset=iso-8859-2") == "Łódź"


def test_latin_bytes_declared_utf8_are_repaired_and_named():
    data = document(WESTERN, "utf-8").encode("latin-1")
    assert title_of(data) == WESTERN
    assert "encoding_guessed" in codes(data)


def test_utf8_bytes_declared_latin_are_repaired_and_named():
    data = document(TITLE, "iso-8859-1").encode()
    assert title_of(data) == TITLE
    assert "encoding_lie" in codes(data)


def test_utf8_bytes_with_a_lying_header_are_repaired():
    data = document(TITLE).encode()
    assert title_of(data, "text/xml; charset=ISO-8859-1") == TITLE


def test_a_few_foreign_bytes_do_not_spoil_utf8():
    data = document(TITLE + " and caf@", "utf-8").encode().replace(b"@", b"\xe9")
    assert title_of(data) == TITLE + " and café"
    assert "mixed_encoding" in codes(data)


@pytest.mark.parametrize(
    ("title", "encoding"),
    [
        (WESTERN, "latin-1"),
        (RUSSIAN, "cp1251"),
        (RUSSIAN, "koi8-r"),
        (JAPANESE, "shift_jis"),
        (JAPANESE, "euc-jp"),
        (CHINESE, "gb18030"),
        (KOREAN, "euc-kr"),
    ],
)
def test_undeclared_encodings_are_guessed(title, encoding):
    assert title_of(document(title).encode(encoding)) == title


@pytest.mark.parametrize("label", ["no-such-charset", "utf-7", "unicode_escape", "zip", "rot13", "punycode"])
def test_labels_that_are_not_charsets_are_ignored(label):
    data = document("Plain words", label).encode()
    assert title_of(data, f"text/xml; charset={label}") == "Plain words"
    assert "unknown_charset" in codes(data)


def test_a_byte_order_mark_in_the_middle_is_dropped():
    data = document("A", "utf-8").encode().replace(b"<channel>", codecs.BOM_UTF8 + b"<channel>")
    assert title_of(data) == "A"
    assert title_of(codecs.BOM_UTF8 + codecs.BOM_UTF8 + document("B").encode()) == "B"


@pytest.mark.parametrize("pack", [gzip.compress, zlib.compress])
def test_compressed_bodies_are_recognised(pack):
    assert title_of(pack(document(TITLE).encode())) == TITLE


def test_raw_deflate_is_recognised():
    packer = zlib.compressobj(wbits=-15)
    data = packer.compress(document(TITLE).encode()) + packer.flush()
    assert title_of(data) == TITLE


def test_a_truncated_gzip_yields_its_readable_part():
    items = "".join(f"<item><title>Number {number * 7919}</title></item>" for number in range(3000))
    compressed = gzip.compress(f'<rss version="2.0"><channel>{items}</channel></rss>'.encode())
    feed = parse_feed(compressed[: len(compressed) // 2])
    assert 500 < len(feed.entries) < 3000
    assert "truncated_compression" in {line.partition(":")[0] for line in feed.warnings}


def test_a_decompression_bomb_is_refused():
    bomb = gzip.compress(b"<rss>" + b" " * 5_000_000)
    with pytest.raises(NotAFeed) as caught:
        parse_feed(bomb, limit=1_000_000)
    assert caught.value.reason == "too_large"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty"),
        (b" \n\t ", "empty"),
        (codecs.BOM_UTF8, "empty"),
        (b"\x28\xb5\x2f\xfd\x00\x01", "compressed"),
        (b"\x1f\x8b\x08broken", "compressed"),
        (b"\x00\xff\xd8\xff\xe0JFIF", "unknown"),
    ],
)
def test_an_unreadable_body_has_a_reason(data, reason):
    with pytest.raises(NotAFeed) as caught:
        parse_feed(data)
    assert caught.value.reason == reason


@pytest.mark.parametrize(
    ("title", "encoding"),
    [
        ("Τα νέα του λιμανιού σήμερα το πρωί, με άνεμο και βροχή", "cp1253"),
        ("חדשות הנמל הבוקר עם רוח חזקה וגשם קל", "cp1255"),
        ("أخبار الميناء اليوم مع الرياح والأمطار على الساحل", "cp1256"),
        ("ข่าวท่าเรือเช้านี้มีลมแรงและฝนตก", "cp874"),
        ("不归港口的新书系列：专业工作", "gb2312"),
        (RUSSIAN, "cp1251"),
        (RUSSIAN, "koi8-r"),
    ],
)
def test_c15_an_undeclared_charset_is_recognised_by_its_letters(title, encoding):
    data = document(title).encode(encoding)
    assert title_of(data) == title
    assert "encoding_guessed" in codes(data)

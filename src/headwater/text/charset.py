"""Bytes to text: byte-order mark, declared charset, then the bytes themselves.

`decode_text` decodes pages and plain text and says which evidence it used. `to_utf8` turns feeds and crawled pages into
UTF-8: there, valid UTF-8 beyond ASCII is UTF-8 whatever is declared, because other charsets produce such bytes only by a
very unlikely accident, and feeds declare the wrong charset often.
"""

import codecs
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from headwater.model.warning_log import Warn
from headwater.text.legacy_charsets import guess_legacy_charset, guess_page_charset, repair_mixed_utf8
from headwater.text.letters import normalise_text
from headwater.text.mojibake import MOJIBAKE, fix_mojibake

LARGEST_TEXT = 32_000_000
_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# The first characters of a document in encodings that are not supersets of ASCII.
_WIDE_OPENINGS = (
    (b"<\x00\x00\x00", "utf-32-le"),
    (b"\x00\x00\x00<", "utf-32-be"),
    (b"<\x00", "utf-16-le"),
    (b"\x00<", "utf-16-be"),
    (b"{\x00", "utf-16-le"),
    (b"\x00{", "utf-16-be"),
    (b"\x4c\x6f\xa7\x94", "cp037"),
)
# Labels that the web uses and Python does not know.
_WEB_LABELS = {"x-sjis": "shift_jis", "unicode": "utf-8"}
# What a label means on the web: mostly a larger charset of the same family, whose extra characters documents use.
_EFFECTIVE_CODECS = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "big5": "big5hkscs",
}
# Codecs that are programs rather than alphabets are never used because a document says so.
_UNTRUSTED_CODECS = ("utf-7", "unicode", "raw", "idna", "punycode")
_UNICODE_CODECS = ("utf-8", "utf_8", "utf-16", "utf-32")
_STATEFUL_CODECS = ("iso2022", "hz")
_LABEL = r"[A-Za-z0-9._:-]{1,40}"
_HEADER_CHARSET = re.compile(rf"""charset\s*+=\s*+["']?\s*+({_LABEL})""", re.IGNORECASE)
_META_CHARSET = re.compile(
    rf"""<meta[^>]{{0,300}}?charset\s*+=\s*+["']?\s*+({_LABEL})""".encode(), re.IGNORECASE
)
_XML_CHARSET = re.compile(
    rf"""^[^<]{{0,64}}<\?xml[^>]{{0,200}}?encoding\s*+=\s*+["']?\s*+({_LABEL})""".encode(), re.IGNORECASE
)
_DECLARATION_WINDOW = 4096
_CONTROL = bytes([*range(9), 11, *range(14, 32), 127])
_TWO_BYTE_EVIDENCE = 40
_BROKEN_SHARE = (
    0.005  # of the letters; a page has more markup than text, so `decode_text` lets a few broken ones pass
)
# Pairs that UTF-8 read as a Windows code page leaves behind; three of them are no accident.
_MOJIBAKE_EVIDENCE = 3


@dataclass(frozen=True, slots=True)
class DecodedText:
    """`utf8` is the same text as bytes, where it came as such."""

    text: str
    charset: str
    origin: str
    utf8: bytes | None = None


@lru_cache(maxsize=512)
def declared_charset(content_type: str) -> str | None:
    """The charset that a Content-Type header names, in lower case."""
    label = _header_label(content_type)
    return label.lower() if label else None


def _header_label(content_type: str | None) -> str | None:
    charset = _HEADER_CHARSET.search(content_type) if content_type else None
    return charset[1] if charset else None


def meta_charset(page: bytes) -> str | None:
    """The charset that a page names in its first elements."""
    charset = _META_CHARSET.search(page[:_DECLARATION_WINDOW])
    return charset[1].decode("ascii") if charset else None


def _xml_charset(document: bytes) -> str | None:
    charset = _XML_CHARSET.search(document[:_DECLARATION_WINDOW])
    return charset[1].decode("ascii") if charset else None


def _codec(label: str) -> str | None:
    """The name of the codec; None for what is unknown or must not be trusted."""
    try:
        codec = codecs.lookup(label)
    except LookupError:
        return None
    is_text = getattr(codec, "_is_text_encoding", True) and not codec.name.startswith(_UNTRUSTED_CODECS)
    return codec.name if is_text else None


def _byte_order_mark(data: bytes) -> tuple[bytes, str] | None:
    return next((pair for pair in _BYTE_ORDER_MARKS if data.startswith(pair[0])), None)


def decode_text(data: bytes, media_type: str | None, *, is_clean: bool = False) -> DecodedText:
    """The text, and which evidence chose the charset. Never fails: what cannot be decoded is replaced. `is_clean`: the caller knows
    that there are no control bytes but white space."""
    if (marked := _byte_order_mark(data)) is not None:
        mark, codec = marked
        text = data[len(mark) :].decode(codec, "replace").lstrip("\ufeff")
        return DecodedText(text, codec.removesuffix("-le").removesuffix("-be"), "byte-order mark")
    if (wide := wide_codec(data)) is not None:
        return DecodedText(
            data.decode(wide, "replace"), wide.removesuffix("-le").removesuffix("-be"), "detected"
        )
    data = data if is_clean else _without_control(data)
    for label, origin in _declarations(data, media_type):
        charset = _page_codec(label)
        if charset and (decoded := _nearly_strictly(data, charset)) is not None:
            is_whole = charset == "utf-8" and "\ufffd" not in decoded
            return DecodedText(decoded, charset, origin, data if is_whole else None)
    return _detect(data)


def _declarations(data: bytes, media_type: str | None) -> Iterator[tuple[str, str]]:
    candidates = (
        (_header_label(media_type), "header"),
        (meta_charset(data), "meta"),
        (_xml_charset(data), "xml declaration"),
    )
    return ((label, origin) for label, origin in candidates if label)


def _page_codec(label: str) -> str | None:
    codec = _codec(_WEB_LABELS.get(label.lower(), label))
    if codec is None:
        return None
    # A page whose declaration could be read as ASCII is not in a two-byte encoding, whatever it says.
    return "utf-8" if codec.startswith(("utf-16", "utf-32")) else _EFFECTIVE_CODECS.get(codec, codec)


def _nearly_strictly(data: bytes, charset: str) -> str | None:
    """Text when the bytes are in the charset, a few broken ones allowed."""
    try:
        return data.decode(charset)
    except UnicodeDecodeError:
        text = data.decode(charset, "replace")
    return text if text.count("\ufffd") <= 3 + len(text) // 1000 else None


def _detect(data: bytes) -> DecodedText:
    if (text := _nearly_strictly(data, "utf-8")) is not None:
        return DecodedText(text, "utf-8", "detected")
    charset = guess_page_charset(data)
    return DecodedText(data.decode(charset, "replace"), charset, "detected")


def _without_control(data: bytes) -> bytes:
    """Control bytes mean nothing in a page, except to the charsets that are built of them."""
    # One byte is searched for at ten times the speed of two.
    if (b"\x1b" in data and b"\x1b$" in data) or data[:200].count(b"\0") >= _TWO_BYTE_EVIDENCE:
        return data
    return data.translate(None, _CONTROL)


def decode_plain_text(data: bytes, media_type: str | None) -> str:
    """Normalised text: by mark, declaration or evidence; mojibake repaired where it is evident."""
    text = decode_text(data, media_type).text
    if text.count("\ufffd") > _BROKEN_SHARE * len(text) and b"\xef\xbf\xbd" not in data:
        text = data.decode("cp1252", "replace")
    return normalise_text(fix_encoding(text))


def to_utf8(data: bytes, *, media_type: str | None, warn: Warn) -> bytes:
    """The same document in valid UTF-8 without a byte-order mark."""
    marked = _byte_order_mark(data)
    if marked:
        data = data[len(marked[0]) :]
    wide = _wide_codec(data, marked[1] if marked else None)
    if wide:
        return _from_wide(data, wide, warn)
    declared = _declared_codecs(data, media_type, warn)
    stateful = next((codec for codec in declared if codec.startswith(_STATEFUL_CODECS)), None)
    if stateful and b"\x1b" in data:
        return data.decode(stateful, "replace").encode()
    try:
        data.decode()
    except UnicodeDecodeError:
        return _from_legacy(data, declared, warn)
    if declared and declared[0] not in {"utf-8", "ascii"} and not data.isascii():
        warn("encoding_lie", f"declared {declared[0]}, is utf-8")
    return data


def _wide_codec(data: bytes, marked: str | None) -> str | None:
    return marked if marked and marked != "utf-8" else wide_codec(data)


def wide_codec(data: bytes) -> str | None:
    """The charset of a text with two or four bytes per character and without a byte-order mark: by its first character, or
    by the zeros in every other byte."""
    if opening := next((codec for opening, codec in _WIDE_OPENINGS if data.startswith(opening)), None):
        return opening
    sample = data[:200]
    if sample.count(b"\0") < _TWO_BYTE_EVIDENCE:
        return None
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    if min(even, odd) * 10 > max(even, odd):
        return None
    return "utf-16-be" if even > odd else "utf-16-le"


def _from_wide(data: bytes, codec: str, warn: Warn) -> bytes:
    try:
        text = data.decode(codec)
    except UnicodeDecodeError as error:
        warn("encoding_damage", f"{codec}: {error.reason}")
        text = data.decode(codec, "replace")
    return text.encode("utf-8", "replace")


def _declared_codecs(data: bytes, media_type: str | None, warn: Warn) -> list[str]:
    labels = [label for label in (_header_label(media_type), _xml_charset(data)) if label]
    resolved = [(label, _codec(label)) for label in labels]
    for label, codec in resolved:
        if codec is None:
            warn("unknown_charset", label)
    return [codec for _, codec in resolved if codec]


def _from_legacy(data: bytes, declared: list[str], warn: Warn) -> bytes:
    for codec in declared:
        if codec.startswith(_UNICODE_CODECS):
            continue
        try:
            return data.decode(_EFFECTIVE_CODECS.get(codec, codec)).encode()
        except UnicodeDecodeError:
            if _EFFECTIVE_CODECS.get(codec) == "cp1252":
                return data.decode("latin-1").encode()
            warn("encoding_lie", f"not {codec}")
    repaired = repair_mixed_utf8(data)
    if repaired is not None:
        warn("mixed_encoding", "utf-8 with foreign bytes")
        return repaired
    charset = guess_legacy_charset(data)
    warn("encoding_guessed", charset)
    return data.decode(charset, "replace").encode()


def fix_encoding(text: str) -> str:
    """Normal form C; mojibake undone when there is evidence of it."""
    if text.isascii():
        return text
    if len(MOJIBAKE.findall(text, 0, 20_000)) >= _MOJIBAKE_EVIDENCE:
        text, _ = fix_mojibake(text)
    return text if unicodedata.is_normalized("NFC", text) else unicodedata.normalize("NFC", text)

"""Bytes to text: what the server, the byte-order mark and the page itself say about the charset, then detection."""

import codecs
import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from headwater.text.letters import normalise_text

_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# The web's rule: these labels mean the Windows code page, whose extra characters pages really use.
_WEB_ALIASES = {
    "iso-8859-1": "cp1252",
    "latin-1": "cp1252",
    "latin1": "cp1252",
    "ascii": "cp1252",
    "us-ascii": "cp1252",
    "iso-8859-9": "cp1254",
    "iso-8859-11": "cp874",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "shift-jis": "cp932",
    "x-sjis": "cp932",
    "euc-kr": "cp949",
    "ks_c_5601-1987": "cp949",
    "unicode": "utf-8",
}
_HEADER_CHARSET = re.compile(r"charset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
_META_CHARSET = re.compile(rb"<meta[^>]{0,300}?charset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
_XML_CHARSET = re.compile(rb"^\s*<\?xml[^>]{0,100}?encoding\s*=\s*[\"']([\w.:-]+)", re.IGNORECASE)
_DECLARED_CHARSET = re.compile(r"""charset\s*=\s*["']?\s*([A-Za-z0-9_.:+-]+)""", re.IGNORECASE)
_DECLARATION_WINDOW = 4096
_SURROGATE = re.compile("[\ud800-\udfff]")
_CONTROL = bytes([*range(9), 11, *range(14, 32), 127])
# Pairs that UTF-8 read as a Windows code page leaves behind; three of them are no accident.
_MOJIBAKE = re.compile(
    "(?:[ÂÃ][\u0080-\u00bf€\u201aƒ„…†‡\u02c6‰Š\u2039ŒŽ\u2018\u2019“”•\u2013—\u02dc™š\u203aœžŸ]|â€[œ™\u02dc“”¦]|Ð[\u0080-\u00bf]|Ñ[\u0080-\u00bf])"
)
_MOJIBAKE_EVIDENCE = 3
_TWO_BYTE_EVIDENCE = 40


@dataclass(frozen=True, slots=True)
class DecodedText:
    text: str
    charset: str
    origin: str


def decode_text(data: bytes, media_type: str | None) -> DecodedText:
    """The page as text, and which evidence chose the charset. Never fails: what cannot be decoded is replaced."""
    for mark, name in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return DecodedText(data.decode(name, "replace").lstrip("\ufeff"), name, "byte-order mark")
    data = _without_control(data)
    for declared, origin in _declarations(data, media_type):
        charset = _known(declared)
        if charset and (text := _strictly_or_nearly(data, charset)) is not None:
            return DecodedText(text, charset, origin)
    return _detected(data)


@lru_cache(maxsize=512)
def declared_charset(content_type: str) -> str | None:
    """The character set that a Content-Type names, in lower case."""
    charset = _DECLARED_CHARSET.search(content_type)
    return charset[1].lower() if charset else None


def _declarations(data: bytes, media_type: str | None) -> list[tuple[str, str]]:
    found = []
    if media_type and (match := _HEADER_CHARSET.search(media_type)):
        found.append((match[1], "header"))
    window = data[:_DECLARATION_WINDOW]
    for pattern, origin in ((_META_CHARSET, "meta"), (_XML_CHARSET, "xml declaration")):
        if declared := pattern.search(window):
            found.append((declared[1].decode("ascii", "replace"), origin))
    return found


def _known(name: str) -> str | None:
    name = _WEB_ALIASES.get(name.lower(), name.lower())
    try:
        name = codecs.lookup(name).name
    except LookupError:
        return None
    # A page whose declaration could be read as ASCII is not in a two-byte encoding, whatever it says.
    return "utf-8" if name.startswith(("utf-16", "utf-32")) else name


def _strictly_or_nearly(data: bytes, charset: str) -> str | None:
    """Text when the bytes keep the declaration's promise, a few broken ones allowed."""
    try:
        return data.decode(charset)
    except UnicodeDecodeError:
        pass
    text = data.decode(charset, "replace")
    broken = text.count("\ufffd")
    return text if broken <= 3 + len(text) // 1000 else None


def _detected(data: bytes) -> DecodedText:
    for charset in ("utf-8", "utf-16-le", "utf-16-be"):
        if charset != "utf-8" and data[:200].count(b"\0") < _TWO_BYTE_EVIDENCE:
            continue
        if (text := _strictly_or_nearly(data, charset)) is not None:
            return DecodedText(text, charset, "detected")
    for charset in ("cp932", "gb18030", "cp949", "big5", "cp1251"):
        if _plausible(data, charset):
            return DecodedText(data.decode(charset, "replace"), charset, "detected")
    return DecodedText(data.decode("cp1252", "replace"), "cp1252", "detected")


_SCRIPTS = {
    "cp932": re.compile("[\u3040-\u30ff]"),
    "gb18030": re.compile("[的是不了在有这我你为和]"),
    "cp949": re.compile("[\uac00-\ud7a3]"),
    "big5": re.compile("[的是不了在有這我你為和]"),
    "cp1251": re.compile("[\u0430-я]{3}"),
}


def _plausible(data: bytes, charset: str) -> bool:
    """Whether decoding gives the script that the charset is for, often, and hardly anything broken."""
    sample = data[:200_000]
    high = sum(sample.count(bytes([byte])) for byte in range(0x80, 0x100)) if len(sample) else 0
    if high < 20:
        return False
    text = sample.decode(charset, "replace")
    return text.count("\ufffd") * 50 <= high and len(_SCRIPTS[charset].findall(text)) * 15 >= high


def _without_control(data: bytes) -> bytes:
    """Control bytes mean nothing in a page, except to the charsets that are built of them."""
    if b"\x1b$" in data or data[:200].count(b"\0") >= _TWO_BYTE_EVIDENCE:
        return data
    return data.translate(None, _CONTROL)


def replace_surrogates(text: str) -> str:
    """Without lone surrogates, which no encoder accepts."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return _SURROGATE.sub("\ufffd", text)
    return text


def fix_encoding(text: str) -> str:
    """Normal form C; mojibake undone when there is evidence of it."""
    if len(_MOJIBAKE.findall(text, 0, 20_000)) >= _MOJIBAKE_EVIDENCE:
        import ftfy  # noqa: PLC0415  -- slow to import and needed by one page in hundreds

        text = ftfy.fix_encoding(text)
    return text if unicodedata.is_normalized("NFC", text) else unicodedata.normalize("NFC", text)


_TOLERABLE = (
    0.005  # of the letters; a page of markup has many more, so its decoder lets a few broken ones pass
)


LARGEST_TEXT = 32_000_000


def decode_plain_text(data: bytes, media_type: str | None) -> str:
    """Tidy text: by mark, declaration or evidence; mojibake repaired where it is evident."""
    text = decode_text(data, media_type).text
    if text.count("\ufffd") > _TOLERABLE * len(text) and b"\xef\xbf\xbd" not in data:
        text = data.decode("cp1252", "replace")
    return normalise_text(fix_encoding(text))

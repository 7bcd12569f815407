"""Which characters the bytes stand for.

What the header, the byte order mark and the declaration say is tried in that order, but bytes that
are valid UTF-8 and not plain ASCII are UTF-8 whatever anyone says: other encodings produce such
bytes only by a very unlikely accident, and the lie is common.
"""

import codecs
import re
from collections.abc import Callable

from headwater.model.warning_log import Warn

FEWEST = 12
# The twenty commonest letters of Thai are three quarters of it; as halves of Chinese characters they are a fifth.
THAI = frozenset("านรกอเงมยวลทส่้ีัิตด".encode("cp874"))


def is_thai(sample: bytes) -> bool:
    """Told by its commonest letters, because where its bytes lie those of Chinese lie as well."""
    high = [byte for byte in sample if byte >= 0x80]
    return len(high) >= FEWEST and sum(1 for byte in high if byte in THAI) > len(high) * 0.6


def guess_alphabet(sample: bytes) -> str | None:
    """None when the bytes above ASCII look like none of those known."""
    high = [byte for byte in sample if byte >= 0x80]
    if len(high) < FEWEST:
        return None

    def share(first: int, last: int) -> float:
        return sum(1 for byte in high if first <= byte <= last) / len(high)

    return next((name for name, fits in ALPHABETS if fits(share)), None)


Share = Callable[[int, int], float]


def _hebrew(share: Share) -> bool:
    """No capitals, and nothing behind the last letter, where Cyrillic has some of its commonest."""
    return share(0xE0, 0xFA) > 0.95 and share(0xFB, 0xFF) == 0


def _greek(share: Share) -> bool:
    """Accented vowels stand where Cyrillic has its rarest capitals."""
    return share(0xDC, 0xDF) > 0.04 and share(0xDC, 0xFE) > 0.7


def _arabic(share: Share) -> bool:
    """Alef and lam together are a fifth of any text."""
    return share(0xC7, 0xC7) > 0.06 and share(0xE1, 0xE1) > 0.04


def _small_cyrillic_high(share: Share) -> bool:
    return share(0xC0, 0xFF) > 0.5 and share(0xC0, 0xDF) <= share(0xE0, 0xFF)


def _small_cyrillic_low(share: Share) -> bool:
    """Small letters are commoner than capitals, and KOI8 has them the other way round."""
    return share(0xC0, 0xFF) > 0.5


ALPHABETS: tuple[tuple[str, Callable[[Share], bool]], ...] = (
    ("cp1256", _arabic),
    ("cp1255", _hebrew),
    ("cp1253", _greek),
    ("cp1251", _small_cyrillic_high),
    ("koi8_r", _small_cyrillic_low),
)


# Two-byte families, each with the letters that betray it and how much those prove. Ideographs prove
# little, because almost any bytes read as Chinese give some; the frequent ones among them count extra.
FAMILIES = (
    ("euc_jp", re.compile("[\u3041-\u30fe]"), 1.2),
    ("cp932", re.compile("[\u3041-\u30fe]"), 1.2),
    ("cp949", re.compile("[\uac00-\ud7a3]"), 1.0),
    ("gb18030", re.compile("[\u4e00-\u9fa5]"), 0.5),
    ("big5hkscs", re.compile("[\u4e00-\u9fa5]"), 0.5),
)
IDEOGRAPHS = re.compile("[\u4e00-\u9fa5\uf900-\ufaff]")
HIGH = re.compile(rb"[\x80-\xff]+")
INVALID = re.compile("[\udc80-\udcff]")
FOREIGN = re.compile("[^\x00-\x7f]")
SAMPLE = 65536
# The most frequent characters of Chinese prose, to tell mainland bytes from Taiwanese ones.
COMMON = re.compile(
    "[的一是不了人在有我他这個这们来到時大地为為子中你說说生國国年着著就那和要她出也得里裡後后]"
)


def repair_mixed_utf8(data: bytes) -> bytes | None:
    """UTF-8 with a few bytes of windows-1252 among it, mended; None when it is not mostly UTF-8."""
    text = data.decode("utf-8", "surrogateescape")
    wrong = len(INVALID.findall(text))
    right = len(FOREIGN.findall(text)) - wrong
    if right <= wrong:
        return None
    return INVALID.sub(_windows_letter, text).encode()


def _windows_letter(match: re.Match[str]) -> str:
    byte = bytes((ord(match[0]) - 0xDC00,))
    return byte.decode("cp1252", "replace")


def guess_legacy_charset(data: bytes) -> str:
    runs = HIGH.findall(data[: SAMPLE * 4])
    sample = b" ".join(runs)[:SAMPLE]
    longest = max(map(len, runs), default=0)
    # In western text accents stand alone; runs of high bytes mean another script.
    if longest < 3:
        return "cp1252"
    if is_thai(sample):
        return "cp874"
    best = max(FAMILIES, key=lambda family: _score(data, *family))
    if _score(data, *best) > 0.3:
        return best[0]
    return guess_alphabet(sample) or "cp1252"


def _score(data: bytes, name: str, letters: re.Pattern[str], weight: float) -> float:
    try:
        text = data[: SAMPLE * 4].decode(name)
    except UnicodeDecodeError as error:
        if error.start < min(len(data), SAMPLE * 4) - 4:
            return 0.0
        text = data[: error.start].decode(name)
    foreign = sum(1 for character in text if character > "\x7f")
    if not foreign:
        return 0.0
    # Korean is hardly ever written with ideographs now: a mixture of the two is Chinese read as Korean.
    against = len(IDEOGRAPHS.findall(text)) if name == "cp949" else 0
    return (len(letters.findall(text)) * weight + len(COMMON.findall(text)) - against) / foreign


BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# The first characters of a document in encodings that are not supersets of ASCII.
OPENINGS = (
    (b"<\x00\x00\x00", "utf-32-le"),
    (b"\x00\x00\x00<", "utf-32-be"),
    (b"<\x00", "utf-16-le"),
    (b"\x00<", "utf-16-be"),
    (b"{\x00", "utf-16-le"),
    (b"\x00{", "utf-16-be"),
    (b"\x4c\x6f\xa7\x94", "cp037"),
)
# Labels are read as what their users mean by them, mostly a larger set of the same family.
EFFECTIVE_CODECS = {
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
STATEFUL = ("iso2022", "hz")
DECLARED = re.compile(rb"""^[^<]{0,64}<\?xml[^>]{0,200}?encoding\s*=\s*["']?\s*([A-Za-z0-9._:-]{1,40})""")
CHARSET = re.compile(r"""charset\s*=\s*["']?\s*([A-Za-z0-9._:-]{1,40})""", re.IGNORECASE)


def to_utf8(data: bytes, *, media_type: str | None, warn: Warn) -> bytes:
    """The same document in valid UTF-8 without a byte order mark."""
    marked = next((pair for pair in BYTE_ORDER_MARKS if data.startswith(pair[0])), None)
    if marked:
        data = data[len(marked[0]) :]
    wide = _wide(data, marked[1] if marked else None)
    if wide:
        return _from_wide(data, wide, warn)
    labels = _labels(data, media_type, warn)
    stateful = next((label for label in labels if label.startswith(STATEFUL)), None)
    if stateful and b"\x1b" in data:
        return data.decode(stateful, "replace").encode()
    try:
        data.decode()
    except UnicodeDecodeError:
        return _not_utf8(data, labels, warn)
    if labels and labels[0] not in {"utf-8", "ascii"} and not data.isascii():
        warn("encoding_lie", f"declared {labels[0]}, is utf-8")
    return data


def _wide(data: bytes, marked: str | None) -> str | None:
    if marked and marked != "utf-8":
        return marked
    return next((name for opening, name in OPENINGS if data.startswith(opening)), None)


def _from_wide(data: bytes, name: str, warn: Warn) -> bytes:
    try:
        text = data.decode(name)
    except UnicodeDecodeError as error:
        warn("encoding_damage", f"{name}: {error.reason}")
        text = data.decode(name, "replace")
    return text.encode("utf-8", "replace")


def _labels(data: bytes, media_type: str | None, warn: Warn) -> list[str]:
    found: list[str] = []
    charset = CHARSET.search(media_type) if media_type else None
    if charset:
        found.append(charset[1])
    declared = DECLARED.match(data)
    if declared:
        found.append(declared[1].decode("ascii"))
    return [name for label in found if (name := _codec(label, warn))]


def _codec(label: str, warn: Warn) -> str | None:
    try:
        info = codecs.lookup(label)
    except LookupError:
        warn("unknown_charset", label)
        return None
    # Codecs that are programs rather than alphabets (utf-7, unicode_escape, zip) are never taken on trust.
    if not getattr(info, "_is_text_encoding", True) or info.name.startswith(
        ("utf-7", "unicode", "raw", "idna", "punycode")
    ):
        warn("unknown_charset", label)
        return None
    return info.name


def _not_utf8(data: bytes, labels: list[str], warn: Warn) -> bytes:
    for label in labels:
        if label.startswith(("utf-8", "utf_8", "utf-16", "utf-32")):
            continue
        try:
            return data.decode(EFFECTIVE_CODECS.get(label, label)).encode()
        except UnicodeDecodeError:
            if EFFECTIVE_CODECS.get(label) == "cp1252":
                return data.decode("latin-1").encode()
            warn("encoding_lie", f"not {label}")
    mended = repair_mixed_utf8(data)
    if mended is not None:
        warn("mixed_encoding", "utf-8 with foreign bytes")
        return mended
    name = guess_legacy_charset(data)
    warn("encoding_guessed", name)
    return data.decode(name, "replace").encode()

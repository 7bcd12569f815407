"""Which charset bytes are in when nothing declares one and they are not UTF-8: judged by what their letters look like."""

import re
from collections.abc import Callable

# Two-byte charsets, each with the letters that identify it and how much those prove. Ideographs prove little, because
# almost any bytes read as Chinese give some; the frequent ones among them count extra.
_TWO_BYTE_CHARSETS = (
    ("euc_jp", re.compile("[\u3041-\u30fe]"), 1.2),
    ("cp932", re.compile("[\u3041-\u30fe]"), 1.2),
    ("cp949", re.compile("[\uac00-\ud7a3]"), 1.0),
    ("gb18030", re.compile("[\u4e00-\u9fa5]"), 0.5),
    ("big5hkscs", re.compile("[\u4e00-\u9fa5]"), 0.5),
)
_IDEOGRAPHS = re.compile("[\u4e00-\u9fa5\uf900-\ufaff]")
# The most frequent characters of Chinese prose, to distinguish mainland bytes from Taiwanese ones.
_FREQUENT_IDEOGRAPHS = re.compile(
    "[的一是不了人在有我他这個这们来到時大地为為子中你說说生國国年着著就那和要她出也得里裡後后]"
)
_HIGH_RUN = re.compile(rb"[\x80-\xff]+")
_INVALID = re.compile("[\udc80-\udcff]")
_NOT_ASCII = re.compile("[^\x00-\x7f]")
_SAMPLE = 65_536
_FEWEST_LETTERS = 12
_LEAST_SCORE = 0.3
_LONG_RUN = 3
_LEAST_IN_RUNS = 0.5
# The twenty commonest letters of Thai are three quarters of it; as halves of Chinese characters they are a fifth.
_THAI_LETTERS = frozenset("านรกอเงมยวลทส่้ีัิตด".encode("cp874"))
# For pages: the charset, and letters of the script that it is for. Pages have much markup and stray bytes, so a guess needs
# more evidence there than in a feed; in doubt a page is western.
_PAGE_CHARSETS = (
    ("cp932", re.compile("[\u3040-\u30ff]")),
    ("gb18030", re.compile("[的是不了在有这我你为和]")),
    ("cp949", re.compile("[\uac00-\ud7a3]")),
    ("big5", re.compile("[的是不了在有這我你為和]")),
    ("cp1251", re.compile("[\u0430-я]{3}")),
)
_PAGE_SAMPLE = 200_000
_FEWEST_HIGH_BYTES = 20
Share = Callable[[int, int], float]


def guess_page_charset(page: bytes) -> str:
    """The first charset whose script the page shows often, with hardly any broken characters; else windows-1252."""
    sample = page[:_PAGE_SAMPLE]
    high = sum(map(len, _HIGH_RUN.findall(sample)))
    if high < _FEWEST_HIGH_BYTES:
        return "cp1252"
    for charset, letters in _PAGE_CHARSETS:
        text = sample.decode(charset, "replace")
        if text.count("\ufffd") * 50 <= high and len(letters.findall(text)) * 15 >= high:
            return charset
    return "cp1252"


def guess_legacy_charset(data: bytes) -> str:
    runs = _HIGH_RUN.findall(data[: _SAMPLE * 4])
    sample = b" ".join(runs)[:_SAMPLE]
    in_long_runs = sum(len(run) for run in runs if len(run) >= _LONG_RUN) / max(1, sum(map(len, runs)))
    # In western text most accents stand alone; in other scripts nine of ten high bytes stand in runs.
    if in_long_runs < _LEAST_IN_RUNS:
        return "cp1252"
    if _is_thai(sample):
        return "cp874"
    scores = {
        charset: _score(data, charset, letters, weight) for charset, letters, weight in _TWO_BYTE_CHARSETS
    }
    best = max(scores, key=lambda charset: scores[charset])
    return best if scores[best] > _LEAST_SCORE else _guess_alphabet(sample) or "cp1252"


def repair_mixed_utf8(data: bytes) -> bytes | None:
    """UTF-8 with a few bytes of windows-1252 in it, repaired; None when it is not mostly UTF-8."""
    text = data.decode("utf-8", "surrogateescape")
    invalid = len(_INVALID.findall(text))
    valid = len(_NOT_ASCII.findall(text)) - invalid
    return _INVALID.sub(_windows_letter, text).encode() if valid > invalid else None


def _windows_letter(match: re.Match[str]) -> str:
    return bytes((ord(match[0]) - 0xDC00,)).decode("cp1252", "replace")


def _score(data: bytes, charset: str, letters: re.Pattern[str], weight: float) -> float:
    """How much of the text beyond ASCII is what the charset is for; 0 when the bytes are not in it."""
    try:
        text = data[: _SAMPLE * 4].decode(charset)
    except UnicodeDecodeError as error:
        if error.start < min(len(data), _SAMPLE * 4) - 4:
            return 0.0
        text = data[: error.start].decode(charset)
    foreign = sum(1 for character in text if character > "\x7f")
    if not foreign:
        return 0.0
    # Korean is hardly ever written with ideographs now: a mixture of the two is Chinese read as Korean.
    against = len(_IDEOGRAPHS.findall(text)) if charset == "cp949" else 0
    return (len(letters.findall(text)) * weight + len(_FREQUENT_IDEOGRAPHS.findall(text)) - against) / foreign


def _is_thai(sample: bytes) -> bool:
    """Judged by its commonest letters, because its bytes lie where those of Chinese lie as well."""
    high = [byte for byte in sample if byte >= 0x80]
    return len(high) >= _FEWEST_LETTERS and sum(byte in _THAI_LETTERS for byte in high) > len(high) * 0.6


def _guess_alphabet(sample: bytes) -> str | None:
    """A single-byte alphabet, from the shares of the bytes above ASCII: each keeps its letters where the others have
    few or none. None when the bytes look like none of those known."""
    high = [byte for byte in sample if byte >= 0x80]
    if len(high) < _FEWEST_LETTERS:
        return None

    def share(first: int, last: int) -> float:
        return sum(1 for byte in high if first <= byte <= last) / len(high)

    return next((charset for charset, fits in _ALPHABETS if fits(share)), None)


def _arabic(share: Share) -> bool:
    """Alef and lam together are a fifth of any text."""
    return share(0xC7, 0xC7) > 0.06 and share(0xE1, 0xE1) > 0.04


def _hebrew(share: Share) -> bool:
    """No capitals, and nothing after the last letter, where Cyrillic has some of its commonest."""
    return share(0xE0, 0xFA) > 0.95 and share(0xFB, 0xFF) == 0


def _greek(share: Share) -> bool:
    """Accented vowels stand where Cyrillic has its rarest capitals."""
    return share(0xDC, 0xDF) > 0.04 and share(0xDC, 0xFE) > 0.7


def _windows_cyrillic(share: Share) -> bool:
    return share(0xC0, 0xFF) > 0.5 and share(0xC0, 0xDF) <= share(0xE0, 0xFF)


def _koi8_cyrillic(share: Share) -> bool:
    """Small letters are commoner than capitals, and KOI8 has them the other way round."""
    return share(0xC0, 0xFF) > 0.5


_ALPHABETS: tuple[tuple[str, Callable[[Share], bool]], ...] = (
    ("cp1256", _arabic),
    ("cp1255", _hebrew),
    ("cp1253", _greek),
    ("cp1251", _windows_cyrillic),
    ("koi8_r", _koi8_cyrillic),
)

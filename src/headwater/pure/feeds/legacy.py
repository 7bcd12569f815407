"""Guessing an old encoding when nobody said which, from what its letters look like."""

import re

from headwater.pure.feeds.alphabets import alphabet_of, is_thai

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


def undo_invalid_bytes(data: bytes) -> bytes | None:
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


def guess_legacy(data: bytes) -> str:
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
    return alphabet_of(sample) or "cp1252"


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

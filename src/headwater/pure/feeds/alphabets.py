"""Which single-byte alphabet a text was written in, from how often its bytes come.

Each alphabet keeps its letters where the others have few or none: that is told by shares of the bytes above ASCII,
so a few dozen letters are enough and a few must be there.
"""

import re
from collections.abc import Callable

FEWEST = 12
# A mark that stands over no letter, or a leading vowel that leads to none: Thai never has them.
NOT_THAI = re.compile(rb"[^\xa1-\xce\xd1\xd4-\xda\xe7-\xee][\xd1\xd4-\xda\xe7-\xee]|[\xe0-\xe4][^\xa1-\xce]")
THAI_MARK = re.compile(rb"[\xd1\xd4-\xda\xe7-\xee]")


def is_thai(sample: bytes) -> bool:
    """Told by its spelling, because its bytes alone could be those of Chinese as well."""
    high = sum(1 for byte in sample if byte >= 0x80)
    if high < FEWEST or len(THAI_MARK.findall(sample)) < high / 10:
        return False
    return len(NOT_THAI.findall(sample)) < high / 40


def alphabet_of(sample: bytes) -> str | None:
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

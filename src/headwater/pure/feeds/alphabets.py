"""Which single-byte alphabet a text was written in, from how often its bytes come.

Each alphabet keeps its letters where the others have few or none: that is told by shares of the bytes above ASCII,
so a few dozen letters are enough and a few must be there.
"""

from collections.abc import Callable

FEWEST = 12
# The twenty commonest letters of Thai are three quarters of it; as halves of Chinese characters they are a fifth.
THAI = frozenset("านรกอเงมยวลทส่้ีัิตด".encode("cp874"))


def is_thai(sample: bytes) -> bool:
    """Told by its commonest letters, because where its bytes lie those of Chinese lie as well."""
    high = [byte for byte in sample if byte >= 0x80]
    return len(high) >= FEWEST and sum(1 for byte in high if byte in THAI) > len(high) * 0.6


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

"""Scripts that write words without spaces between them: one table of their letters, for everything that splits text."""

import re
from collections.abc import Iterable

CodePoints = tuple[int, int]
"""The first and the last code point of a range."""

EAST_ASIAN: tuple[CodePoints, ...] = (
    (0x2E80, 0x2FFF),  # Han radicals
    (0x3005, 0x3007),  # Han iteration mark, closing mark and zero
    (0x3021, 0x3029),  # Han numerals
    (0x3031, 0x3035),  # kana repeat marks
    (0x3038, 0x312F),  # Han numerals, kana, bopomofo
    (0x3190, 0x9FFF),  # kana extensions, Han
    (0xF900, 0xFAFF),  # Han compatibility
    (0xFF66, 0xFF9F),  # half-width kana
    (0x20000, 0x3FFFF),  # Han extensions
)
"""About two characters make a word."""
SOUTHEAST_ASIAN: tuple[CodePoints, ...] = (
    (0x0E00, 0x0E4E),  # Thai
    (0x0E80, 0x0ECE),  # Lao
    (0x0EDC, 0x0EDF),  # Lao, letters of Khmu
    (0x1000, 0x1049),  # Myanmar
    (0x1050, 0x109F),  # Myanmar, letters of other languages
    (0x1780, 0x17D3),  # Khmer
)
"""About five characters make a word. Digits and punctuation are left out."""
UNSPACED = (*SOUTHEAST_ASIAN, *EAST_ASIAN)
HANGUL: tuple[CodePoints, ...] = ((0xAC00, 0xD7AF),)
"""Korean has spaces, but a syllable per character: few characters say much."""
WIDE_PUNCTUATION: tuple[CodePoints, ...] = ((0x3000, 0x303F), (0xFF00, 0xFFEF))
"""The punctuation and the letters of other scripts that East Asian text writes as wide as its own."""


def character_class(ranges: Iterable[CodePoints]) -> str:
    """The ranges as they stand inside the brackets of a regular expression."""
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in ranges)


UNSPACED_LETTER = re.compile(f"[{character_class(UNSPACED)}]")


def is_unspaced(character: str) -> bool:
    """Whether it is a letter of such a script."""
    return UNSPACED_LETTER.match(character) is not None

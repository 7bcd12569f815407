"""Text folded for matching, one character for one: an offset into the folded text is an offset into the text.

`str.casefold` turns ß into ss and İ into two characters, which would shift every later offset.
"""

import unicodedata
from collections.abc import Callable
from functools import cache

import numpy as np

from headwater.text.scripts import is_unspaced

SPACE = " "
ONE_FOR_ONE = {"İ": "i", "ς": "σ", "ſ": "s", "ẞ": "ß", "\u1fbe": "ι"}


def is_word(character: str) -> bool:
    """Whether the character is part of a word: letters, combining marks and digits; not the underscore, which is emphasis."""
    return unicodedata.category(character)[0] in "LMN"


def lower_one(character: str) -> str:
    """Lower case as exactly one character."""
    lowered = ONE_FOR_ONE.get(character) or character.lower()
    return lowered if len(lowered) == 1 else character


class FoldTable(dict[int, str]):
    """A table for `str.translate` that fills itself. Characters outside words become spaces."""

    def __init__(self, *, lower: bool, unspaced: bool) -> None:
        super().__init__()
        self._lower = lower
        self._unspaced = unspaced

    def __missing__(self, code: int) -> str:
        character = chr(code)
        is_kept = is_word(character) and (self._unspaced or not is_unspaced(character))
        folded = (lower_one(character) if self._lower else character) if is_kept else SPACE
        self[code] = folded
        return folded


class LiteralTable(dict[int, str]):
    """A table that keeps punctuation and unifies typography: every dash is a hyphen, every apostrophe is straight."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        if character.isspace():
            folded = SPACE
        elif unicodedata.category(character) == "Pd":
            folded = "-"
        elif character in "’‘ʼ＇":
            folded = "'"
        else:
            folded = lower_one(character)
        self[code] = folded
        return folded


WORDS = FoldTable(lower=True, unspaced=False)
CASED_WORDS = FoldTable(lower=False, unspaced=False)
ALL_SCRIPTS = FoldTable(lower=True, unspaced=True)
LITERAL = LiteralTable()

Fold = Callable[[str], str]
Codes = np.ndarray[tuple[int], np.dtype[np.uint32]]
PLANE = 0x10000


def fold_with(table: FoldTable) -> Fold:
    """A faster `text.translate(table)`: the built-in one is fast for ASCII only."""

    @cache
    def plane() -> Codes:
        return np.array([ord(table[code]) for code in range(PLANE)], dtype=np.uint32)

    def fold(text: str) -> str:
        if text.isascii():
            return text.translate(table)
        codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
        if int(codes.max()) >= PLANE:
            return text.translate(table)
        return plane()[codes].tobytes().decode("utf-32-le")

    return fold


fold_words = fold_with(WORDS)
fold_cased_words = fold_with(CASED_WORDS)
fold_all_scripts = fold_with(ALL_SCRIPTS)

"""Kinds of characters, counted over all blocks of a page at once."""

from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from headwater.extract.html.classifier.arrays import Array, number_rows
from headwater.extract.html.flatten import FlatPage
from headwater.text.scripts import UNSPACED

_SPACE, _LOWER, _DIGIT, _UPPER, _SYMBOL, _DENSE, _MARK, _CURRENCY = (1 << bit for bit in range(8))
_COUNTED = (_DIGIT, _UPPER, _SYMBOL, _DENSE, _MARK, _CURRENCY)
_ENDS = frozenset(".!?:;…。\uff01\uff1f؟।")
_MARKS = ".,!?;:…،。、\uff0c\uff01\uff1f\uff1b\uff1a؟।\u2013—"
_SYMBOLS = "|•·»«\u203a\u2039©®™→←▼▲►◄★☆✓✔/\\#@_=+*<>{}[]~^"
_CURRENCIES = "$€£¥₹₽₩%"


@dataclass(frozen=True, slots=True)
class CharacterTable:
    """Shares are of the block's characters or words, 0..1."""

    length: Array
    words: Array
    link_density: Array
    digits: Array
    uppers: Array
    dense_script: Array
    symbols: Array
    currency: Array
    marks: Array
    lower_starts: Array
    short_words: Array
    ends_sentence: list[bool]
    first_kinds: npt.NDArray[np.uint8]

    def starts_lower(self) -> npt.NDArray[np.bool_]:
        return (self.first_kinds & _LOWER) > 0

    def starts_digit(self) -> npt.NDArray[np.bool_]:
        return (self.first_kinds & _DIGIT) > 0


@cache
def _kinds() -> npt.NDArray[np.uint8]:
    """Kind bits by code point of the basic plane."""
    table = np.zeros(0x10000, np.uint8)
    letters = np.arange(0x10000, dtype=np.uint32).view("U1")
    is_dense = np.zeros(0x10000, bool)
    for first, last in UNSPACED:
        is_dense[first : last + 1] = True
    is_digit = np.strings.isdigit(letters)
    is_upper = (np.strings.isupper(letters) | np.strings.istitle(letters)) & ~is_digit
    is_lower = np.strings.isalpha(letters) & ~(is_digit | is_upper | is_dense)
    kinds = ((_DIGIT, is_digit), (_UPPER, is_upper), (_LOWER, is_lower), (_DENSE, is_dense))
    for bit, letters_of_kind in (*kinds, (_SPACE, np.strings.isspace(letters))):
        table[letters_of_kind] |= bit
    for bit, marked in ((_MARK, _MARKS), (_SYMBOL, _SYMBOLS), (_CURRENCY, _CURRENCIES)):
        table[list(map(ord, marked))] |= bit
    return table


@cache
def _byte_kinds() -> bytes:
    return _kinds()[:256].tobytes()


def _kinds_in(text: str) -> npt.NDArray[np.uint8]:
    """The kind bits of each character."""
    if text.isascii():
        return np.frombuffer(text.encode().translate(_byte_kinds()), np.uint8)
    codes = np.frombuffer(text.encode("utf-32-le", "replace"), np.uint32)
    return _kinds().take(np.minimum(codes, 0xFFFF))


def character_table(page: FlatPage) -> CharacterTable:
    texts = page.texts
    kinds = _kinds_in(" ".join(texts))
    count = len(kinds)
    numbers = number_rows(list(map(len, texts)), page.words, page.link_characters)
    size, spaced, linked = numbers.astype(np.float32)
    starts = np.add.accumulate(numbers[0]) - numbers[0] + np.arange(len(texts))
    # Around each character, whether there is a space; so there is before the first and after the last one.
    space = np.full(count + 5, _SPACE, np.uint8)
    np.bitwise_and(kinds, _SPACE, out=space[1 : count + 1])
    # The bit of a space, the lowest, and one of a letter that begins a word in lower case.
    lower_begins = space[:count] & (kinds >> 1 | kinds >> 5)
    # A word is short when one of the three places after its first letter is the space that follows it.
    short = lower_begins & (space[2 : count + 2] | space[3 : count + 3] | space[4 : count + 4])
    counts = np.empty((len(_COUNTED) + 2, len(texts)), np.int32)
    for row, bit in enumerate(_COUNTED):
        np.add.reduceat(kinds & bit, starts, dtype=np.int32, out=counts[row])
        counts[row] //= bit
    np.add.reduceat(lower_begins, starts, dtype=np.int32, out=counts[-2])
    np.add.reduceat(short, starts, dtype=np.int32, out=counts[-1])
    amounts = counts.astype(np.float32)
    digits, uppers, symbols, dense_share = amounts[:4] / size
    dense, marks, currency = amounts[3:6]
    lower_starts, short_words = amounts[6:] / spaced
    return CharacterTable(
        length=size,
        words=np.maximum(spaced, dense / 2),
        link_density=linked / size,
        digits=digits,
        uppers=uppers,
        dense_script=dense_share,
        symbols=symbols,
        currency=np.minimum(currency, 3),
        marks=marks,
        lower_starts=np.maximum(lower_starts, np.minimum(1, 1.5 * dense / size)),
        short_words=short_words,
        ends_sentence=[text[-1] in _ENDS for text in texts],
        first_kinds=kinds.take(starts),
    )

"""Kinds of characters, counted over all blocks of a page at once."""

from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from headwater.extract.html.flatten import FlatPage
from headwater.text.scripts import is_unspaced

Array = npt.NDArray[np.float32]

_DIGIT, _UPPER, _LOWER, _MARK, _DENSE, _SPACE, _SYMBOL, _CURRENCY = (1 << bit for bit in range(8))
_ENDS = ".!?:;…。\uff01\uff1f؟।"
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
    ends_sentence: Array
    starts_lower: Array
    starts_digit: Array


@cache
def _kinds() -> npt.NDArray[np.uint8]:
    """Kind bits by code point of the basic plane."""
    table = np.zeros(0x10000, np.uint8)
    for code in range(0x10000):
        letter = chr(code)
        if letter.isdigit():
            table[code] |= _DIGIT
        elif letter.isupper() or letter.istitle():
            table[code] |= _UPPER
        elif letter.isalpha() and not is_unspaced(letter):
            table[code] |= _LOWER
        if letter.isspace():
            table[code] |= _SPACE
        if is_unspaced(letter):
            table[code] |= _DENSE
    for letters, bit in ((_MARKS, _MARK), (_SYMBOLS, _SYMBOL), (_CURRENCIES, _CURRENCY)):
        for letter in letters:
            table[ord(letter)] |= bit
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
    length = np.array([len(text) for text in texts])
    starts = np.zeros(len(texts), np.int64)
    np.cumsum(length[:-1] + 1, out=starts[1:])

    def counted(flags: npt.NDArray[np.bool_]) -> Array:
        return np.add.reduceat(flags, starts, dtype=np.int32).astype(np.float32)

    size = length.astype(np.float32)
    dense = counted((kinds & _DENSE) > 0)
    begins = np.empty(len(kinds), bool)
    begins[0] = True
    np.greater(kinds[:-1] & _SPACE, 0, out=begins[1:])
    spaced = np.array(page.words, np.float32)
    words = np.maximum(spaced, dense / 2)
    # A word is short when one of the three places after its first letter is the space that follows it.
    padded = np.concatenate([kinds, np.full(4, _SPACE, np.uint8)])
    count = len(kinds)
    near = (padded[1 : count + 1] | padded[2 : count + 2] | padded[3 : count + 3]) & _SPACE
    lower_begins = begins & ((kinds & (_LOWER | _DENSE)) > 0)
    first = kinds.take(starts)
    return CharacterTable(
        length=size,
        words=words,
        link_density=np.array(page.link_characters, np.float32) / size,
        digits=counted((kinds & _DIGIT) > 0) / size,
        uppers=counted((kinds & _UPPER) > 0) / size,
        dense_script=dense / size,
        symbols=counted((kinds & _SYMBOL) > 0) / size,
        currency=np.minimum(counted((kinds & _CURRENCY) > 0), 3),
        marks=counted((kinds & _MARK) > 0),
        lower_starts=np.maximum(counted(lower_begins) / spaced, np.minimum(1, 1.5 * dense / size)),
        short_words=counted(lower_begins & (near > 0)) / spaced,
        ends_sentence=np.array([text[-1] in _ENDS for text in texts], np.float32),
        starts_lower=((first & _LOWER) > 0).astype(np.float32),
        starts_digit=((first & _DIGIT) > 0).astype(np.float32),
    )

"""Tokens and sentences of a text, all in NumPy: a 64-bit hash per word with its offsets, without a Python loop.

A word is a run of letters and digits after folding case and accents. A point between two digits belongs to the number
and a comma between two digits is dropped, so that `1,993.7` is one token and equals `1993.7`. Scripts without spaces
yield one token per character. Sentences are runs of tokens with a hash each, so that repetitions can be counted.
"""

import re
import unicodedata
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headwater.text.scripts import EAST_ASIAN, SOUTHEAST_ASIAN

CHARACTER_LIMIT = 40_000
"""Characters read per page, so that the slowest page takes milliseconds."""

STEM = 5
"""Letters of a word that are compared where its form does not matter."""

_SEPARATOR, _SKIP = 0, 1
TITLE_LIMIT = 1000
_NEWLINE = ord("\n")
_POINT = "\x1f"
"""Replaces a point inside a number while words are split."""
_DIGIT_POINT = re.compile(r"\.(?<=[0-9]\.)(?=[0-9])")
_ONE_LINE = {_NEWLINE: " "}
_DIGIT_COMMA = re.compile(r",(?<=[0-9],)(?=[0-9])")
# From the first East Asian letter on, Hangul included, each character is a token.
_SPACELESS, _PICTOGRAPHS, _END = EAST_ASIAN[0][0], 0x1F000, 0x110000
_BASE = 0x9E3779B97F4A7C15
_MIX_1, _MIX_2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_SHIFT_1, _SHIFT_2, _SHIFT_3 = np.uint64(30), np.uint64(27), np.uint64(31)

Hashes = NDArray[np.uint64]
Places = NDArray[np.int64]
Flags = NDArray[np.bool_]
Codes = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Tokens:
    """`starts` and `ends` are offsets into `codes`, the code points of the normalised text. `stems` are hashes of the first
    letters of each word, which its other forms mostly share."""

    codes: Codes
    hashes: Hashes
    stems: Hashes
    starts: Places
    ends: Places

    def __len__(self) -> int:
        return len(self.hashes)

    def part(self, codes: tuple[int, int], words: tuple[int, int]) -> "Tokens":
        """The words of a stretch of the text, from one boundary to another."""
        start, stop = words
        return Tokens(
            self.codes[slice(*codes)],
            self.hashes[start:stop],
            self.stems[start:stop],
            self.starts[start:stop] - codes[0],
            self.ends[start:stop] - codes[0],
        )

    def word(self, position: int) -> str:
        return _text(self.codes[self.starts[position] : self.ends[position]])

    def text_between(self, first: int, last: int) -> str:
        """From one word to another, with what stands between them."""
        return _text(self.codes[self.starts[first] : self.ends[last]])

    def text(self) -> str:
        return _text(self.codes)

    def is_capital(self) -> Flags:
        return _upper_table()[np.minimum(self.codes[self.starts].astype(np.int64), _SPACELESS)]

    def is_number(self) -> Flags:
        """True where a word is a number: digits and points, and at most one letter."""
        is_letter = ((self.codes < 48) | (self.codes > 57)) & (self.codes != ord(_POINT))
        totals = np.zeros(len(is_letter) + 1, dtype=np.int64)
        np.cumsum(is_letter, out=totals[1:])
        letters = totals[self.ends] - totals[self.starts]
        numbers: Flags = (letters == 0) | ((letters == 1) & (self.ends - self.starts > 2))
        return numbers


def _text(codes: Codes) -> str:
    return codes.tobytes().decode("ascii" if codes.dtype == np.uint8 else "utf-32-le").replace(_POINT, ".")


def tokenise(text: str) -> Tokens:
    return hash_words(*fold_codes(text))


def fold_codes(text: str) -> tuple[Codes, Codes]:
    """The code points of the normalised text, and the same folded; what separates words is 0."""
    return _fold(_DIGIT_POINT.sub(_POINT, _DIGIT_COMMA.sub("", text[:CHARACTER_LIMIT])))


def hash_words(codes: Codes, folded: Codes) -> Tokens:
    """The words of at most `CHARACTER_LIMIT` code points."""
    starts, ends = _words(codes, folded)
    powers, inverse = _powers()
    sums = np.zeros(len(folded) + 1, dtype=np.uint64)
    np.cumsum(folded * powers[: len(folded)], out=sums[1:])
    words = (sums[ends] - sums[starts]) * inverse[starts]
    stems = (sums[np.minimum(ends, starts + STEM)] - sums[starts]) * inverse[starts]
    return Tokens(codes, mix_bits(words), stems, starts, ends)


def tokenise_pair(title: str, body: str) -> tuple[Tokens, Tokens]:
    """Tokenise title and body in one pass; the hash of a word does not depend on its position."""
    if not body:
        return tokenise(title[:TITLE_LIMIT]), tokenise("")
    joined = tokenise(join_pair(title, body))
    boundary = int(np.argmax(joined.codes == _NEWLINE)) + 1
    first_of_body, words, end = int(np.searchsorted(joined.starts, boundary)), len(joined), len(joined.codes)
    return joined.part((0, boundary), (0, first_of_body)), joined.part(
        (boundary, end), (first_of_body, words)
    )


def join_pair(title: str, body: str) -> str:
    """The first line is the title."""
    return f"{title[:TITLE_LIMIT].translate(_ONE_LINE)}\n{body}"


def mix_bits(values: Hashes) -> Hashes:
    """Spread every input bit over the whole word, so that any part of it can be sampled."""
    values = values ^ (values >> _SHIFT_1)
    values *= _MIX_1
    values ^= values >> _SHIFT_2
    values *= _MIX_2
    values ^= values >> _SHIFT_3
    return values


def _fold(text: str) -> tuple[Codes, Codes]:
    if text.isascii():
        data = text.encode("ascii")
        return np.frombuffer(data, np.uint8), np.frombuffer(data.translate(_ascii_table()), np.uint8)
    if not unicodedata.is_normalized("NFKC", text):
        text = unicodedata.normalize("NFKC", text)[:CHARACTER_LIMIT]
    codes = np.frombuffer(text.encode("utf-32-le", "replace"), dtype=np.uint32)
    folded = _fold_table()[codes]
    skipped = folded == _SKIP
    return (codes[~skipped], folded[~skipped]) if skipped.any() else (codes, folded)


def _words(codes: Codes, folded: Codes) -> tuple[Places, Places]:
    padded = np.zeros(len(folded) + 2, dtype=bool)
    np.not_equal(folded, _SEPARATOR, out=padded[1:-1])
    is_spaceless = _spaceless_table()[codes] & padded[1:-1] if codes.dtype != np.uint8 else None
    if is_spaceless is None or not is_spaceless.any():
        edges = np.flatnonzero(padded[1:] != padded[:-1])
        return edges[::2], edges[1::2]
    rises = padded[1:-1] & ~padded[:-2]
    falls = padded[1:-1] & ~padded[2:]
    rises[1:] |= padded[1:-2] & (is_spaceless[1:] | is_spaceless[:-1]) & padded[2:-1]
    falls[:-1] |= padded[1:-2] & (is_spaceless[1:] | is_spaceless[:-1]) & padded[2:-1]
    return np.flatnonzero(rises), np.flatnonzero(falls) + 1


@cache
def _powers() -> tuple[Hashes, Hashes]:
    return _power_series(_BASE), _power_series(pow(_BASE, -1, 1 << 64))


def _power_series(factor: int) -> Hashes:
    series = np.full(CHARACTER_LIMIT + 1, factor, dtype=np.uint64)
    series[0] = 1
    return np.cumprod(series, dtype=np.uint64)


@cache
def _ascii_table() -> bytes:
    return bytes(_fold_character(chr(code)) if code < 128 else _SEPARATOR for code in range(256))


@cache
def _fold_table() -> NDArray[np.uint32]:
    """Letters of alphabets are folded, characters of scripts without spaces stay, pictures separate words."""
    table = np.arange(_END, dtype=np.uint32)
    table[:_SPACELESS] = [_fold_character(chr(code)) for code in range(_SPACELESS)]
    table[_PICTOGRAPHS:] = _SEPARATOR
    table[0x3000:0x3040] = _SEPARATOR
    return table


@cache
def _spaceless_table() -> Flags:
    table = np.zeros(_END, dtype=bool)
    table[_SPACELESS:] = True
    for first, last in SOUTHEAST_ASIAN:
        table[first : last + 1] = True
    return table


@cache
def _upper_table() -> Flags:
    return np.array([chr(code).isupper() for code in range(_SPACELESS)] + [False], dtype=bool)


def _fold_character(character: str) -> int:
    if unicodedata.combining(character) or character == "\u00ad":
        return _SKIP
    if not character.isalnum():
        return ord(".") if character == _POINT else _SEPARATOR
    return ord(unicodedata.normalize("NFKD", character.casefold())[0])


_LINE_FEED, _SPACE, _QUOTE = 10, 32, 34
_STOPS = (ord("."), ord("!"), ord("?"))


@dataclass(frozen=True, slots=True)
class SentenceRuns:
    """`starts` are token positions; `hashes` are signed 64-bit integers."""

    starts: Places
    lengths: Places
    hashes: tuple[int, ...]


def sentence_runs(tokens: Tokens) -> SentenceRuns:
    if not len(tokens):
        empty = np.zeros(0, dtype=np.int64)
        return SentenceRuns(empty, empty, ())
    after_end = np.searchsorted(tokens.starts, np.flatnonzero(_ends(tokens)))
    bounds = np.concatenate(([0], after_end, [len(tokens)]))
    bounds = bounds[np.flatnonzero(bounds[1:] != bounds[:-1]) + 1]
    starts = np.concatenate(([0], bounds[:-1]))
    lengths = bounds - starts
    hashes = np.add.reduceat(tokens.hashes, starts).view(np.int64)
    return SentenceRuns(starts, lengths, tuple(hashes.tolist()))


def _ends(tokens: Tokens) -> Places:
    codes = tokens.codes
    stops = (codes == _STOPS[0]) | (codes == _STOPS[1]) | (codes == _STOPS[2])
    following = np.append(codes[1:], _LINE_FEED)
    spaced = (following == _SPACE) | (following == _LINE_FEED) | (following == _QUOTE)
    ends: Places = (codes == _LINE_FEED) | (stops & spaced)
    return ends

"""The words of a story as arrays, and what is measured of each word and sentence to choose a summary.

Nothing here depends on what a word means: frequency, place, capitals, relatives. So it holds in any language.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from operator import ne
from typing import Any

import numpy as np
import numpy.typing as npt

from headwater.stories.terms import ASCII_GAPS, DENSE_WORD, STOP_TERMS, WORD

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Integers = npt.NDArray[np.int64]

FADING, FAST_FADING = 0.06, 0.5
"""How fast a sentence counts less with its place: 1 / (1 + fading x place)."""
STEM = 5
"""Words with the same first letters count as relatives."""
LONGEST_WORD = 12
UNKNOWN_CAPITALS = 0.5
"""Of a word that only begins sentences."""
QUOTE = re.compile(r"[\"“”«»„「」]")
DIGIT = re.compile(r"\d")


@dataclass(frozen=True)
class StoryWords:
    """`texts` are sentences, `places` their numbers within their documents. A pair is a word and a sentence that has it."""

    texts: Sequence[str]
    places: Integers
    documents: int
    words: Sequence[str]
    lengths: Integers
    occurrences: Integers
    """The word of each token."""
    capitals: Flags
    """Whether each token has a capital letter; the first of a sentence has none."""
    inner: Flags
    """Whether each token is not the first of its sentence."""
    has_word: Flags
    """One row per sentence, one column per word."""
    pair_words: Integers
    pair_sentences: Integers

    @classmethod
    def read(cls, texts: Sequence[str], places: Sequence[int], documents: int) -> "StoryWords":
        spelt = [split_words(text) for text in texts]
        tokens = list(chain.from_iterable(spelt))
        lower = _lower(tokens)
        folded = lower if all(map(str.isascii, texts)) else list(map(str.casefold, tokens))
        words = list(dict.fromkeys(folded))
        number_of = dict(zip(words, range(len(words)), strict=True))
        lengths = np.fromiter(map(len, spelt), np.int64, len(spelt))
        occurrences = np.fromiter(map(number_of.__getitem__, folded), np.int64, len(folded))
        inner = np.ones(len(tokens), dtype=np.bool_)
        inner[(lengths.cumsum() - lengths)[lengths > 0]] = False
        has_word = np.zeros((len(texts), len(words)), dtype=np.bool_)
        has_word[np.repeat(np.arange(len(texts)), lengths), occurrences] = True
        pair_sentences, pair_words = np.nonzero(has_word)
        return cls(
            texts,
            np.array(places, dtype=np.int64),
            documents,
            words,
            lengths,
            occurrences,
            np.fromiter(map(ne, tokens, lower), np.bool_, len(tokens)) & inner,
            inner,
            has_word,
            pair_words,
            pair_sentences,
        )

    @cached_property
    def is_function_word(self) -> Flags:
        is_listed = np.fromiter(map(STOP_TERMS.__contains__, self.words), np.bool_, len(self.words))
        return is_listed | (self.word_lengths < 2)

    @cached_property
    def word_lengths(self) -> Integers:
        return np.fromiter(map(len, self.words), np.int64, len(self.words))

    def of_words(self, values: Floats) -> Floats:
        """For each word the sum of a value of the sentences that have it."""
        return _sums(self.pair_words, values[self.pair_sentences], len(self.words))

    def of_sentences(self, values: Floats) -> Floats:
        """For each sentence the sum of a value of its different words."""
        return _sums(self.pair_sentences, values[self.pair_words], len(self.texts))

    def word_features(self) -> Floats:
        """One row per word."""
        total = len(self.texts)
        frequency = np.bincount(self.pair_words, minlength=len(self.words)).astype(np.float64)
        weight = self.of_words(1 / (1 + FADING * self.places)) / self.documents
        first = np.full(len(self.words), total)
        np.minimum.at(first, self.pair_words, self.places[self.pair_sentences])
        log_weight = np.log(weight)
        is_quote = np.array([QUOTE.search(text) is not None for text in self.texts], dtype=np.float64)
        columns: tuple[npt.NDArray[Any], ...] = (
            self.is_function_word,
            log_weight,
            np.log1p(first),
            first == 0,
            np.log1p(self._first_token()),
            self._capital_share(),
            np.fromiter(map(str.isdigit, self.words), np.bool_, len(self.words)),
            np.minimum(self.word_lengths, LONGEST_WORD) / 10,
            np.log(np.bincount(self.occurrences, minlength=len(self.words)) / self.documents),
            np.log(frequency / total),
            np.log1p(self.of_words(1 / (1 + FAST_FADING * self.places)) / self.documents),
            np.log(self._weight_of_relatives(weight)) - log_weight,
            self.of_words(is_quote) / frequency,
            np.full(len(self.words), np.log(total / self.documents)),
        )
        return as_columns(columns)

    def sentence_features(self) -> Floats:
        """One row per sentence: its place, its likeness to the whole, whether it has a figure, its capital letters."""
        counts = np.bincount(self.occurrences, minlength=len(self.words)).astype(np.float64)
        different = np.bincount(self.pair_sentences, minlength=len(self.texts))
        length = np.sqrt(np.maximum(different, 1) * max((counts * counts).sum(), 1.0))
        sentence_of = np.repeat(np.arange(len(self.texts)), self.lengths)
        capitals = np.bincount(sentence_of, self.capitals, len(self.texts))
        columns = (
            np.log1p(self.places),
            self.of_sentences(counts) / length,
            np.array([DIGIT.search(text) is not None for text in self.texts]),
            capitals / np.maximum(self.lengths - 1, 1),
        )
        return as_columns(columns)

    def _capital_share(self) -> Floats:
        inner = np.bincount(self.occurrences, self.inner, len(self.words))
        capitals = np.bincount(self.occurrences, self.capitals, len(self.words))
        return np.where(inner > 0, capitals / np.maximum(inner, 1), UNKNOWN_CAPITALS)

    def _first_token(self) -> Integers:
        """How many tokens precede the first occurrence of each word in its document."""
        starts = self.lengths.cumsum() - self.lengths
        document_starts = np.maximum.accumulate(np.where(self.places == 0, starts, 0))
        offsets = np.arange(len(self.occurrences)) - np.repeat(document_starts, self.lengths)
        first = np.full(len(self.words), len(self.occurrences))
        np.minimum.at(first, self.occurrences, offsets)
        return first

    def _weight_of_relatives(self, weight: Floats) -> Floats:
        stems = [word[:STEM] for word in self.words]
        numbers = dict(zip(dict.fromkeys(stems), range(len(stems)), strict=False))
        stem_of = np.fromiter(map(numbers.__getitem__, stems), np.int64, len(stems))
        return _sums(stem_of, weight, len(numbers))[stem_of]


def as_columns(columns: Sequence[npt.NDArray[Any]]) -> Floats:
    """One column per array: faster than `np.column_stack` for few short ones."""
    matrix = np.empty((len(columns), len(columns[0])))
    for row, column in zip(matrix, columns, strict=True):
        row[:] = column
    return matrix.T


def _sums(places: Integers, values: Floats, size: int) -> Floats:
    return np.bincount(places, values, size).astype(np.float64, copy=False)


def _lower(words: Sequence[str]) -> list[str]:
    """All words at once, in half the time of one after another: no word contains the end of a line."""
    return "\n".join(words).lower().split("\n") if words else []


def split_words(text: str) -> list[str]:
    """Words as they are written, function words included. Scripts without spaces are split into pairs of characters."""
    if text.isascii():
        return text.translate(ASCII_GAPS).split()
    words = WORD.findall(text)
    return list(chain.from_iterable(map(_pairs, words))) if DENSE_WORD.search(text) else words


def _pairs(word: str) -> list[str]:
    return [word[n : n + 2] for n in range(len(word) - 1)] if DENSE_WORD.fullmatch(word) else [word]

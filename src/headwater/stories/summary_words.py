"""The words of stories as arrays, and what is measured of each word and sentence to choose a summary.

Nothing here depends on what a word means: frequency, place, capitals, relatives. So it holds in any language. Many stories are
read together, because an operation on a short array takes as long as on a long one.
"""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, count
from operator import ne
from typing import Any

import numpy as np
import numpy.typing as npt

from headwater.stories.terms import ASCII_GAPS, DENSE_WORD, STOP_TERMS, WORD
from headwater.text.typography import space_marks

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
ASCII_LINES = ASCII_GAPS[:10] + "\n" + ASCII_GAPS[11:]
"""What is no word becomes a space, but for the end of a line."""


@dataclass(frozen=True, slots=True)
class StoryText:
    """The sentences of a story, each on one line; `places` are their numbers within their documents."""

    texts: Sequence[str]
    places: Sequence[int]
    documents: int


@dataclass(frozen=True)
class Vocabulary:
    """The different words of all stories, folded, with what does not depend on the story."""

    words: Sequence[str]

    @cached_property
    def is_function_word(self) -> Flags:
        is_listed = np.fromiter(map(STOP_TERMS.__contains__, self.words), np.bool_, len(self.words))
        return is_listed | (self.lengths < 2)

    @cached_property
    def is_number(self) -> Flags:
        return np.fromiter(map(str.isdigit, self.words), np.bool_, len(self.words))

    @cached_property
    def lengths(self) -> Integers:
        return np.fromiter(map(len, self.words), np.int64, len(self.words))

    @cached_property
    def stems(self) -> Integers:
        """The number of each word's stem."""
        numbers = _numbers()
        stems = [word[:STEM] for word in self.words]
        return np.fromiter(map(numbers.__getitem__, stems), np.int64, len(stems))


@dataclass(frozen=True)
class StoryWords:
    """Sentences, words and tokens of all stories, story after story. A word that two stories have is there twice. A pair is a word
    and a sentence that has it."""

    texts: Sequence[str]
    places: Integers
    stories: Integers
    """The story of each sentence."""
    documents: Integers
    """The number of documents of each story."""
    vocabulary: Vocabulary
    word_stories: Integers
    """The story of each word."""
    spelt_as: Integers
    """The word of the vocabulary that each word is."""
    lengths: Integers
    """The number of tokens of each sentence."""
    occurrences: Integers
    """The word of each token."""
    capitals: Flags
    """Whether each token has a capital letter; the first of a sentence has none."""
    inner: Flags
    """Whether each token is not the first of its sentence."""
    pair_words: Integers
    pair_sentences: Integers

    @classmethod
    def read(cls, story_texts: Sequence[StoryText]) -> "StoryWords":
        texts = list(chain.from_iterable(story.texts for story in story_texts))
        stories = np.repeat(np.arange(len(story_texts)), [len(story.texts) for story in story_texts])
        tokens = _split_texts(texts)
        lengths = np.fromiter(map(len, tokens), np.int64, len(tokens))
        vocabulary, terms, has_capital = _fold_tokens(list(chain.from_iterable(tokens)))
        sentence_of = np.repeat(np.arange(len(texts)), lengths)
        occurrences, word_stories, spelt_as = _number_words(
            stories[sentence_of], terms, len(story_texts), len(vocabulary.words)
        )
        inner = np.ones(len(terms), dtype=np.bool_)
        inner[(lengths.cumsum() - lengths)[lengths > 0]] = False
        pair_words, pair_sentences = _pairs_of(occurrences, sentence_of, word_stories, stories)
        return cls(
            texts,
            np.fromiter(chain.from_iterable(story.places for story in story_texts), np.int64, len(texts)),
            stories,
            np.array([story.documents for story in story_texts], dtype=np.int64),
            vocabulary,
            word_stories,
            spelt_as,
            lengths,
            occurrences,
            has_capital & inner,
            inner,
            pair_words,
            pair_sentences,
        )

    @property
    def words(self) -> list[str]:
        return [self.vocabulary.words[number] for number in self.spelt_as.tolist()]

    @cached_property
    def is_function_word(self) -> Flags:
        return self.vocabulary.is_function_word[self.spelt_as]

    @cached_property
    def counts(self) -> Floats:
        """How often each word occurs."""
        return np.bincount(self.occurrences, minlength=len(self.spelt_as)).astype(np.float64)

    def of_words(self, values: Floats) -> Floats:
        """For each word the sum of a value of the sentences that have it."""
        return _sums(self.pair_words, values[self.pair_sentences], len(self.spelt_as))

    def of_sentences(self, values: Floats) -> Floats:
        """For each sentence the sum of a value of its different words."""
        return _sums(self.pair_sentences, values[self.pair_words], len(self.texts))

    def word_features(self) -> Floats:
        """One row per word."""
        story_sizes = np.bincount(self.stories, minlength=len(self.documents))
        total, documents = story_sizes[self.word_stories], self.documents[self.word_stories]
        frequency = np.bincount(self.pair_words, minlength=len(self.spelt_as)).astype(np.float64)
        weight = self.of_words(1 / (1 + FADING * self.places)) / documents
        first = total.copy()
        np.minimum.at(first, self.pair_words, self.places[self.pair_sentences])
        log_weight = np.log(weight)
        columns: tuple[npt.NDArray[Any], ...] = (
            self.is_function_word,
            log_weight,
            np.log1p(first),
            first == 0,
            np.log1p(self._first_token()),
            self._capital_share(),
            self.vocabulary.is_number[self.spelt_as],
            np.minimum(self.vocabulary.lengths, LONGEST_WORD)[self.spelt_as] / 10,
            np.log(self.counts / documents),
            np.log(frequency / total),
            np.log1p(self.of_words(1 / (1 + FAST_FADING * self.places)) / documents),
            np.log(self._weight_of_relatives(weight)) - log_weight,
            self.of_words(np.array(list(map(_has_quote, self.texts)), dtype=np.float64)) / frequency,
            np.log(story_sizes / self.documents)[self.word_stories],
        )
        return as_columns(columns)

    def sentence_features(self) -> Floats:
        """One row per sentence: its place, its likeness to the whole, whether it has a figure, its capital letters."""
        squares = _sums(self.word_stories, self.counts * self.counts, len(self.documents))
        different = np.bincount(self.pair_sentences, minlength=len(self.texts))
        length = np.sqrt(np.maximum(different, 1) * np.maximum(squares, 1.0)[self.stories])
        sentence_of = np.repeat(np.arange(len(self.texts)), self.lengths)
        capitals = np.bincount(sentence_of, self.capitals, len(self.texts))
        columns = (
            np.log1p(self.places),
            self.of_sentences(self.counts) / length,
            np.array([DIGIT.search(text) is not None for text in self.texts]),
            capitals / np.maximum(self.lengths - 1, 1),
        )
        return as_columns(columns)

    def _capital_share(self) -> Floats:
        inner = np.bincount(self.occurrences, self.inner, len(self.spelt_as))
        capitals = np.bincount(self.occurrences, self.capitals, len(self.spelt_as))
        return np.where(inner > 0, capitals / np.maximum(inner, 1), UNKNOWN_CAPITALS)

    def _first_token(self) -> Integers:
        """How many tokens precede the first occurrence of each word in its document."""
        starts = self.lengths.cumsum() - self.lengths
        begins = self.places == 0
        begins[np.searchsorted(self.stories, np.arange(len(self.documents)))] = True
        document_starts = np.maximum.accumulate(np.where(begins, starts, 0))
        offsets = np.arange(len(self.occurrences)) - np.repeat(document_starts, self.lengths)
        first = np.full(len(self.spelt_as), len(self.occurrences))
        np.minimum.at(first, self.occurrences, offsets)
        return first

    def _weight_of_relatives(self, weight: Floats) -> Floats:
        stems = self.vocabulary.stems
        relatives = self.word_stories * (stems.max(initial=0) + 1) + stems[self.spelt_as]
        sums: Floats = _sums(relatives, weight, 0)[relatives]
        return sums


def _number_words(
    story_of: Integers, terms: Integers, stories: int, size: int
) -> tuple[Integers, Integers, Integers]:
    """The word of each token, and story and term of each word. A table of all pairs of story and term takes less time than
    sorting the tokens."""
    keys = story_of * size + terms
    occurs = np.zeros(stories * size, dtype=np.bool_)
    occurs[keys] = True
    words = np.flatnonzero(occurs)
    numbers = np.empty(stories * size, dtype=np.int64)
    numbers[words] = np.arange(len(words))
    return numbers[keys], *np.divmod(words, max(1, size))


def _pairs_of(
    occurrences: Integers, sentence_of: Integers, word_stories: Integers, stories: Integers
) -> tuple[Integers, Integers]:
    """Words and sentences of the pairs, in the order of the sentences: each sentence has a row with a flag for every word of its
    story."""
    bounds = np.searchsorted(word_stories, np.arange(stories.max(initial=-1) + 2))
    first_words, widths = bounds[:-1][stories], np.diff(bounds)[stories]
    rows = widths.cumsum() - widths
    shift = rows - first_words
    has_word = np.zeros(int(widths.sum()), dtype=np.bool_)
    has_word[occurrences + shift[sentence_of]] = True
    places = np.flatnonzero(has_word)
    sizes = np.diff(np.searchsorted(places, rows), append=len(places))
    return places - np.repeat(shift, sizes), np.repeat(np.arange(len(stories)), sizes)


def as_columns(columns: Sequence[npt.NDArray[Any]]) -> Floats:
    """One column per array: faster than `np.column_stack` for few short ones."""
    matrix = np.empty((len(columns), len(columns[0])))
    for row, column in zip(matrix, columns, strict=True):
        row[:] = column
    return matrix.T


def _sums(places: Integers, values: Floats, size: int) -> Floats:
    return np.bincount(places, values, size).astype(np.float64, copy=False)


def _numbers() -> defaultdict[str, int]:
    """Numbers words in the order in which they are looked up."""
    return defaultdict(count().__next__)


def _fold_tokens(tokens: Sequence[str]) -> tuple[Vocabulary, Integers, Flags]:
    """The different words, which of them each token is, and whether it has a capital letter. Every spelling is folded once."""
    numbers = _numbers()
    spellings = np.fromiter(map(numbers.__getitem__, tokens), np.int64, len(tokens))
    lines = "\n".join(numbers)  # no word contains the end of a line
    lower = lines.lower().split("\n") if numbers else []
    folded = lower if lines.isascii() else lines.casefold().split("\n")
    terms = _numbers()
    term_of_spelling = np.fromiter(map(terms.__getitem__, folded), np.int64, len(folded))
    has_capital = np.fromiter(map(ne, numbers, lower), np.bool_, len(lower))
    return Vocabulary(list(terms)), term_of_spelling[spellings], has_capital[spellings]


def _has_quote(text: str) -> bool:
    return '"' in text if text.isascii() else QUOTE.search(text) is not None


def _split_texts(texts: Sequence[str]) -> list[list[str]]:
    """The words of each text as they are written, function words included; all texts that are ASCII but for the marks of printed
    text at once."""
    plain = space_marks("\n".join(texts)).split("\n")
    lines = "\n".join(filter(str.isascii, plain)).translate(ASCII_LINES).split("\n")
    of_ascii = map(str.split, lines)
    return [next(of_ascii) if text.isascii() else _split_words(text) for text in plain[: len(texts)]]


def _split_words(text: str) -> list[str]:
    """Scripts without spaces are split into pairs of characters."""
    words = WORD.findall(text)
    return list(chain.from_iterable(map(_pairs, words))) if DENSE_WORD.search(text) else words


def _pairs(word: str) -> list[str]:
    return [word[n : n + 2] for n in range(len(word) - 1)] if DENSE_WORD.fullmatch(word) else [word]

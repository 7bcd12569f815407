"""Which sentences a summary has: chosen one after another, as long as the choice becomes better (`summary_model`).

Several choices are followed at once (a beam), for all stories together. The first dimension of an array is the story; a story with
fewer sentences, words or choices than another is padded.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from headwater.stories.summary_model import Choices, SummaryModel
from headwater.stories.summary_words import Flags, Floats, Integers, StoryText, StoryWords

SHORTLIST, SHORTLIST_WORDS = 4, 40
"""For each sentence that is wanted so many are compared: those of which most words are expected, for their length and so many
words more."""
SHORTEST = 3
"""Sentences with fewer terms are left out, unless there are no others."""
MOST_WORDS = 25
"""A summary of several sentences has at most so many words for each sentence that is wanted."""
BEAM = 4
"""So many choices of each size are tried with one sentence more."""
SAME_STATEMENT = 0.7
"""From this similarity on, two sentences count as the same statement, and both documents are cited."""


def choose_in_stories(
    stories: Sequence[StoryText], count: int, fewest: Sequence[int], model: SummaryModel
) -> list[list[int]]:
    """For each story the positions of at most `count` sentences: `fewest` where there are so many that say something else, and
    more while they make the summary better. A single one may have any length. Every story has a sentence."""
    if not stories:
        return []
    candidates = Candidates.among(StoryWords.read(stories), count, model)
    beam = candidates.nothing_chosen()
    least = np.array(fewest)
    best, best_values = beam.member[:, 0], np.full(len(stories), -np.inf)
    for size in range(1, count + 1):
        values = candidates.longer_choices(beam, size).features(count) @ model.choice
        values = values.reshape(len(stories), -1)
        values[~candidates.is_possible(beam, size, count * MOST_WORDS)] = -np.inf
        order = np.argsort(-values, axis=1, kind="stable")[:, : BEAM * count]
        values = values[np.arange(len(order))[:, None], order]
        beam = candidates.extend(beam, order, values > -np.inf)
        is_better = beam.is_choice[:, 0] & ((size <= least) | (values[:, 0] > best_values))
        if not beam.is_choice.any():
            break
        best = np.where(is_better[:, None], beam.member[:, 0], best)
        best_values = np.where(is_better, values[:, 0], best_values)
    return [positions[chosen].tolist() for positions, chosen in zip(candidates.positions, best, strict=True)]


@dataclass(frozen=True)
class Beam:
    """The best choices of some sentences, and which of them are none but padding (not `is_choice`). One row each: which
    sentences it has (`member`), a number for these (`keys`), which words they have (`covered`), and the sums of the `amounts` of
    its sentences."""

    is_choice: Flags
    member: Flags
    keys: npt.NDArray[np.uint64]
    covered: Floats
    amounts: Floats


@dataclass(frozen=True)
class Candidates:
    """The sentences that the summary of each story is chosen from: their `positions` in the story, the best first, and which of
    them are none but padding (not `is_sentence`); what words they have (`has_word`, one row each), how likely an editor is to use
    each of these, which sentences say the same, and the `amounts` that add up in a choice, before the story: the words of a sentence,
    those that an editor would use, and its features. `keys` are random numbers: those of a choice are added to tell it from
    others."""

    positions: Integers
    is_sentence: Flags
    has_word: Floats
    probabilities: Floats
    say_same: Floats
    amounts: Floats
    keys: npt.NDArray[np.uint64]

    @classmethod
    def among(cls, words: StoryWords, count: int, model: SummaryModel) -> "Candidates":
        probabilities = model.word_probabilities(words.word_features())
        listed = [place for places in shortlist(words, probabilities, count) for place in places]
        sentences = np.array(listed, dtype=np.int64)
        stories = words.stories[sentences]
        columns = _columns(stories, len(words.documents))
        shape = len(words.documents), int(columns.max()) + 1
        candidate_of = np.full(len(words.texts), -1)
        candidate_of[sentences] = columns
        has_word, word_probabilities, is_term = _words_of_candidates(
            words, probabilities, candidate_of, shape
        )
        amounts = np.zeros((6, *shape))
        amounts[0, stories, columns] = words.lengths[sentences]
        amounts[1] = (has_word @ word_probabilities[:, :, None])[:, :, 0]
        amounts[2:, stories, columns] = words.sentence_features()[sentences].T
        positions, is_sentence = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.bool_)
        first = np.searchsorted(words.stories, np.arange(shape[0]))
        positions[stories, columns] = sentences - first[stories]
        is_sentence[stories, columns] = True
        return cls(
            positions,
            is_sentence,
            has_word,
            word_probabilities,
            _same_statements(has_word * is_term[:, None, :]),
            amounts,
            _random_numbers(shape[1]),
        )

    def nothing_chosen(self) -> Beam:
        stories, sentences, words = self.has_word.shape
        return Beam(
            np.ones((stories, 1), dtype=np.bool_),
            np.zeros((stories, 1, sentences), dtype=np.bool_),
            np.zeros((stories, 1), dtype=np.uint64),
            np.zeros((stories, 1, words)),
            np.zeros((len(self.amounts), stories, 1)),
        )

    def is_possible(self, beam: Beam, size: int, most_words: int) -> Flags:
        """Whether a choice may have a sentence more: one that says something else, and is not too long. One row per story."""
        says_same = beam.member @ self.say_same > 0
        is_new = beam.is_choice[:, :, None] & self.is_sentence[:, None, :] & ~(beam.member | says_same)
        if size > 1:
            is_new &= beam.amounts[0][:, :, None] + self.amounts[0][:, None, :] <= most_words
        return is_new.reshape(len(is_new), -1)

    def longer_choices(self, beam: Beam, size: int) -> Choices:
        """Each choice with each sentence more. A word that the choice has already is not expected twice."""
        amounts = (beam.amounts[:, :, :, None] + self.amounts[:, :, None, :]).reshape(len(self.amounts), -1)
        expected = beam.covered @ self.probabilities[:, :, None]
        added = ((1 - beam.covered) * self.probabilities[:, None, :]) @ self.has_word.transpose(0, 2, 1)
        return Choices((expected + added).ravel(), amounts[1], amounts[0], size, amounts[2:])

    def extend(self, beam: Beam, order: Integers, is_possible: Flags) -> Beam:
        """The best of the longer choices, every one once."""
        stories = np.arange(len(order))[:, None]
        rows, added = np.divmod(order, self.has_word.shape[1])
        keys = beam.keys[stories, rows] + self.keys[added]
        is_first = is_possible & ~_is_repeated(keys)
        places = np.argsort(~is_first, axis=1, kind="stable")[:, :BEAM]
        rows, added = rows[stories, places], added[stories, places]
        member = beam.member[stories, rows]
        member[stories, np.arange(places.shape[1]), added] = True
        return Beam(
            is_first[stories, places],
            member,
            keys[stories, places],
            np.maximum(beam.covered[stories, rows], self.has_word[stories, added]),
            beam.amounts[:, stories, rows] + self.amounts[:, stories, added],
        )


def shortlist(words: StoryWords, probabilities: Floats, count: int) -> list[list[int]]:
    """For each story the sentences that are worth comparing, the best first; of equal ones the first."""
    terms = words.of_sentences((~words.is_function_word).astype(np.float64))
    values = words.of_sentences(probabilities) / (words.lengths + SHORTLIST_WORDS)
    is_long = terms >= SHORTEST
    has_long = np.bincount(words.stories, is_long, len(words.documents)) > 0
    order = np.lexsort((words.places, -values, words.stories))
    order = order[(is_long | ~has_long[words.stories])[order]]
    sentence_of: list[dict[str, int]] = [{} for _ in words.documents]
    for story, sentence in zip(words.stories[order].tolist(), order.tolist(), strict=True):
        sentence_of[story].setdefault(words.texts[sentence], sentence)
    return [list(sentences.values())[: SHORTLIST * count] for sentences in sentence_of]


def _words_of_candidates(
    words: StoryWords, probabilities: Floats, candidate_of: Integers, shape: tuple[int, int]
) -> tuple[Floats, Floats, Flags]:
    """Which words each candidate has, and of each word how likely an editor is to use it and whether it is no function word.
    Words without a candidate are left out."""
    candidates = candidate_of[words.pair_sentences]
    pair_words, candidates = words.pair_words[candidates >= 0], candidates[candidates >= 0]
    is_used = np.zeros(len(words.spelt_as), dtype=np.bool_)
    is_used[pair_words] = True
    used = np.flatnonzero(is_used)
    stories = words.word_stories[used]
    column_of = np.zeros(len(words.spelt_as), dtype=np.int64)
    column_of[used] = _columns(stories, shape[0])
    width = int(column_of.max(initial=0)) + 1
    has_word, used_probabilities = np.zeros((*shape, width)), np.zeros((shape[0], width))
    has_word[words.word_stories[pair_words], candidates, column_of[pair_words]] = 1.0
    used_probabilities[stories, column_of[used]] = probabilities[used]
    is_term = np.zeros((shape[0], width), dtype=np.bool_)
    is_term[stories, column_of[used]] = ~words.is_function_word[used]
    return has_word, used_probabilities, is_term


def _columns(stories: Integers, count: int) -> Integers:
    """The number of each item within its story, given the stories in order."""
    return np.arange(len(stories)) - np.searchsorted(stories, np.arange(count))[stories]


@cache
def _random_numbers(size: int) -> npt.NDArray[np.uint64]:
    return np.random.default_rng(0).integers(2**63, size=size, dtype=np.uint64)


def _is_repeated(keys: npt.NDArray[np.uint64]) -> Flags:
    """Whether a key stands in its row before."""
    is_same = keys[:, :, None] == keys[:, None, :]
    repeated: Flags = (is_same & np.tri(keys.shape[1], k=-1, dtype=np.bool_)).any(axis=2)
    return repeated


def _same_statements(has_term: Floats) -> Floats:
    """Which sentences (rows and columns) say the same, by the cosine of their terms."""
    common = has_term @ has_term.transpose(0, 2, 1)
    lengths = np.sqrt(np.diagonal(common, axis1=1, axis2=2))
    return (common > SAME_STATEMENT * lengths[:, :, None] * lengths[:, None, :]).astype(np.float64)

"""An extractive summary: a few sentences of the story, those whose words an editor would use.

Sentences are chosen one after another, as long as the choice becomes better (`summary_model`); a word counts once. Every sentence carries
the ids of the documents that contain it.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice
from math import log, log1p, sqrt

import numpy as np

from headwater.stories.story_prose import story_prose
from headwater.stories.summary_model import Choices, SummaryModel, load_summary_model
from headwater.stories.summary_words import Flags, Floats, Integers, StoryWords
from headwater.stories.terms import list_terms
from headwater.text.sentences import split_sentences

MAX_SENTENCES = 40
MAX_DOCUMENTS = 50
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


@dataclass(frozen=True, slots=True)
class SummarySource:
    """A document to summarise."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class CitedSentence:
    """A sentence of a summary with the ids of its documents."""

    text: str
    documents: tuple[str, ...]


@dataclass(frozen=True)
class TermFrequency:
    """In how many of the sentences each term occurs. Computed when needed: a story of one document compares none."""

    texts: Sequence[str]

    @cached_property
    def terms(self) -> Mapping[str, Sequence[str]]:
        """Of each text, as they follow each other."""
        return {text: list_terms(text) for text in self.texts}

    @cached_property
    def of_term(self) -> Mapping[str, int]:
        return Counter(chain.from_iterable(set(self.terms[text]) for text in self.texts))


@dataclass(frozen=True)
class StorySentence:
    """A sentence of a document; `place` is its number there."""

    text: str
    document: str
    place: int
    frequency: TermFrequency

    @cached_property
    def bag(self) -> Mapping[str, float]:
        """Weighted terms at unit length. Computed when needed: most sentences are never compared with another."""
        total, frequency = len(self.frequency.texts), self.frequency.of_term
        weighted = {
            term: (1 + log(count)) * log1p(total / frequency[term])
            for term, count in Counter(self.frequency.terms[self.text]).items()
        }
        length = sqrt(sum(weight * weight for weight in weighted.values())) or 1.0
        return {term: weight / length for term, weight in weighted.items()}


def summarise(documents: Sequence[SummarySource], count: int = 3) -> tuple[CitedSentence, ...]:
    """At most `count` sentences, in reading order. One document has as few as its editor would write; several say more than one
    does, and have `count`. The result does not depend on the order of the documents."""
    sentences = read_sentences(sorted(documents, key=lambda document: document.id)[:MAX_DOCUMENTS])
    fewest = 1 if len({sentence.document for sentence in sentences}) <= 1 else count
    chosen = choose_sentences(sentences, count, fewest)
    in_order = sorted((sentences[index] for index in chosen), key=_identity)
    return tuple(CitedSentence(sentence.text, _sources_of(sentence, sentences)) for sentence in in_order)


def read_sentences(documents: Sequence[SummarySource]) -> list[StorySentence]:
    rows = [
        (text, document.id, place)
        for document in documents
        for place, text in enumerate(islice(split_sentences(story_prose(document.text)), MAX_SENTENCES))
    ]
    frequency = TermFrequency([text for text, *_ in rows])
    return [StorySentence(*row, frequency) for row in rows]


def bag_similarity(first: Mapping[str, float], second: Mapping[str, float]) -> float:
    return sum([weight * second[term] for term, weight in first.items() if term in second])


def choose_sentences(
    sentences: Sequence[StorySentence], count: int, fewest: int = 1, model: SummaryModel | None = None
) -> list[int]:
    """The positions of at most `count` sentences: `fewest` where there are so many that say something else, and more while they
    make the summary better. A single one may have any length."""
    if not sentences or count < 1:
        return []
    model = model or load_summary_model()
    candidates = Candidates.among(sentences, count, model)
    beam = candidates.nothing_chosen()
    best, best_value = beam.choices[0], -np.inf
    for size in range(1, count + 1):
        values = candidates.longer_choices(beam, size).features(count) @ model.choice
        values[~candidates.is_possible(beam, count * MOST_WORDS).ravel()] = -np.inf
        order = np.argsort(-values, kind="stable")[: BEAM * count]
        order = order[values[order] > -np.inf]
        if not len(order):
            break
        beam = candidates.extend(beam, order)
        if size <= fewest or values[order[0]] > best_value:
            best, best_value = beam.choices[0], values[order[0]]
    return [position for n, position in enumerate(candidates.positions.tolist()) if best >> n & 1]


@dataclass(frozen=True)
class Beam:
    """The best `choices` of some sentences: the bits of each say which. One row each: which sentences it has (`member`), which
    words these have (`covered`), and the sums of the `amounts` of its sentences."""

    choices: Sequence[int]
    member: Flags
    covered: Floats
    amounts: Floats


@dataclass(frozen=True)
class Candidates:
    """The sentences that a summary is chosen from: their `positions` in the story, the best first, what words they have
    (`has_word`, one row each), how likely an editor is to use each of these, which sentences say the same, and the `amounts` that
    add up in a choice, one row each: the words of a sentence, those that an editor would use, and its features."""

    positions: Integers
    has_word: Floats
    probabilities: Floats
    say_same: Flags
    amounts: Floats

    @classmethod
    def among(cls, sentences: Sequence[StorySentence], count: int, model: SummaryModel) -> "Candidates":
        texts, places = [s.text for s in sentences], [s.place for s in sentences]
        words = StoryWords.read(texts, places, len({sentence.document for sentence in sentences}))
        probabilities = model.word_probabilities(words.word_features())
        positions = shortlist(words, probabilities, count)
        has_word = words.has_word[positions]
        is_used: Flags = np.logical_or.reduce(has_word, axis=0)
        has_used: Floats = has_word[:, is_used].astype(np.float64)
        features = words.sentence_features()[positions]
        return cls(
            positions,
            has_used,
            probabilities[is_used],
            _same_statements(has_used[:, ~words.is_function_word[is_used]]),
            np.vstack((words.lengths[positions], has_used @ probabilities[is_used], features.T)),
        )

    def nothing_chosen(self) -> Beam:
        sentences, words = self.has_word.shape
        return Beam(
            [0],
            np.zeros((1, sentences), dtype=np.bool_),
            np.zeros((1, words)),
            np.zeros((len(self.amounts), 1)),
        )

    def is_possible(self, beam: Beam, most_words: int) -> Flags:
        """Whether a choice (row) may have a sentence (column) more: one that says something else, and is not too long."""
        is_new: Flags = ~(beam.member | beam.member @ self.say_same)
        return (
            is_new & (beam.amounts[0][:, None] + self.amounts[0] <= most_words) if beam.choices[0] else is_new
        )

    def longer_choices(self, beam: Beam, size: int) -> Choices:
        """Each choice with each sentence more. A word that the choice has already is not expected twice."""
        amounts = (beam.amounts[:, :, None] + self.amounts[:, None, :]).reshape(len(self.amounts), -1)
        expected = beam.covered @ self.probabilities
        added = ((1 - beam.covered) * self.probabilities) @ self.has_word.T
        return Choices((expected[:, None] + added).ravel(), amounts[1], amounts[0], size, amounts[2:])

    def extend(self, beam: Beam, order: Integers) -> Beam:
        """The best of the longer choices, every one once."""
        rows, added = np.divmod(order, len(self.positions))
        places: dict[int, int] = {}
        for place, (row, sentence) in enumerate(zip(rows.tolist(), added.tolist(), strict=True)):
            places.setdefault(beam.choices[row] | 1 << sentence, place)
        first = list(places.values())[:BEAM]
        rows, added = rows[first], added[first]
        member = beam.member[rows]
        member[np.arange(len(first)), added] = True
        return Beam(
            list(places)[:BEAM],
            member,
            np.maximum(beam.covered[rows], self.has_word[added]),
            beam.amounts[:, rows] + self.amounts[:, added],
        )


def shortlist(words: StoryWords, probabilities: Floats, count: int) -> Integers:
    """The positions of the sentences that are worth comparing, the best first; of equal ones the first."""
    terms = words.of_sentences((~words.is_function_word).astype(np.float64))
    values = words.of_sentences(probabilities) / (words.lengths + SHORTLIST_WORDS)
    if (terms >= SHORTEST).any():
        values[terms < SHORTEST] = -1.0
    order = np.lexsort((words.places, -values))
    position_of: dict[str, int] = {}
    for position in order[values[order] >= 0].tolist():
        position_of.setdefault(words.texts[position], position)
    return np.array(list(position_of.values())[: SHORTLIST * count], dtype=np.int64)


def _same_statements(has_term: Floats) -> Flags:
    """Which sentences (rows and columns) say the same, by the cosine of their terms."""
    common = has_term @ has_term.T
    lengths = np.sqrt(np.diagonal(common))
    same: Flags = common > SAME_STATEMENT * lengths[:, None] * lengths
    return same


def _identity(sentence: StorySentence) -> tuple[int, str]:
    return sentence.place, sentence.document


def _sources_of(sentence: StorySentence, sentences: Sequence[StorySentence]) -> tuple[str, ...]:
    if sentences[0].document == sentences[-1].document:  # sorted by document: there is only one
        return (sentence.document,)
    documents = {
        other.document
        for other in sentences
        if other is sentence or bag_similarity(other.bag, sentence.bag) >= SAME_STATEMENT
    }
    return tuple(sorted(documents))

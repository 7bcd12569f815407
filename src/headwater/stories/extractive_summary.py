"""An extractive summary: a few sentences of the story that cover what many of its sentences speak about.

A term weighs as much as the sentences that use it, early ones more; squared, so that the few terms of the story itself
count. Sentences are chosen one after another by the weight of their terms for their length; terms that a chosen sentence
has count less from then on. Every sentence carries the ids of the documents that contain it.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice
from math import log, log1p, sqrt

from headwater.stories.story_prose import story_prose
from headwater.stories.terms import list_terms
from headwater.text.sentences import split_sentences

MAX_SENTENCES = 40
MAX_DOCUMENTS = 50
SHORTLIST = 24
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


@dataclass(frozen=True, slots=True)
class SummaryWeights:
    """How fast terms (`fading`) and sentences (`early`) count less with their place in the text, how much the length of a
    sentence costs, and what a term still counts once it was said. Sentences shorter than `shortest` terms are left out. A
    sentence is passed over if with it the summary would have more than `words` words for each of its sentences."""

    fading: float = 0.06
    early: float = 0.1
    cost: float = 0.5
    said: float = 0.3
    shortest: int = 3
    words: int = 20


@dataclass(frozen=True)
class TermFrequency:
    """In how many of the sentences each term occurs. Computed when needed: a story of few sentences compares none."""

    sentences: Sequence[Collection[str]]

    @cached_property
    def of_term(self) -> Mapping[str, int]:
        return Counter(chain.from_iterable(self.sentences))


@dataclass(frozen=True)
class ScoredSentence:
    """`words` are its terms as they follow each other, `terms` the different ones."""

    text: str
    document: str
    place: int
    words: Sequence[str]
    terms: Mapping[str, None]
    frequency: TermFrequency

    @cached_property
    def bag(self) -> Mapping[str, float]:
        """Weighted terms at unit length. Computed when needed: most sentences are never compared with another."""
        total, frequency = len(self.frequency.sentences), self.frequency.of_term
        weighted = {
            term: (1 + log(count)) * log1p(total / frequency[term])
            for term, count in Counter(self.words).items()
        }
        length = sqrt(sum(weight * weight for weight in weighted.values())) or 1.0
        return {term: weight / length for term, weight in weighted.items()}


DEFAULT = SummaryWeights()


def summarise(
    documents: Sequence[SummarySource], count: int = 3, weights: SummaryWeights = DEFAULT
) -> tuple[CitedSentence, ...]:
    """At most `count` sentences, in reading order. The result does not depend on the order of the documents."""
    sentences = read_sentences(sorted(documents, key=lambda document: document.id)[:MAX_DOCUMENTS])
    candidates = [sentence for sentence in sentences if len(sentence.terms) >= weights.shortest] or sentences
    chosen = choose_sentences(candidates, count, weights)
    in_order = sorted(
        (candidates[index] for index in chosen), key=lambda sentence: (sentence.place, sentence.document)
    )
    return tuple(CitedSentence(sentence.text, _sources_of(sentence, candidates)) for sentence in in_order)


def read_sentences(documents: Sequence[SummarySource]) -> list[ScoredSentence]:
    rows = [
        (text, document.id, place, words, dict.fromkeys(words))
        for document in documents
        for place, text in enumerate(islice(split_sentences(story_prose(document.text)), MAX_SENTENCES))
        for words in [list_terms(text)]
    ]
    frequency = TermFrequency([terms for *_, terms in rows])
    return [ScoredSentence(*row, frequency) for row in rows]


def _term_weights(sentences: Sequence[ScoredSentence], fading: float) -> dict[str, float]:
    weights: dict[str, float] = {}
    for sentence in sentences:
        share = 1 / (1 + fading * sentence.place)
        for term in sentence.terms:
            weights[term] = weights.get(term, 0.0) + share
    return {term: weight * weight for term, weight in weights.items()}


def bag_similarity(first: Mapping[str, float], second: Mapping[str, float]) -> float:
    return sum([weight * second[term] for term, weight in first.items() if term in second])


def choose_sentences(
    sentences: Sequence[ScoredSentence], count: int, weights: SummaryWeights = DEFAULT
) -> list[int]:
    """The positions of at most `count` sentences, the best first. The first may have any length."""
    terms = _term_weights(sentences, weights.fading)
    divisors: list[float] = [
        (len(sentence.terms) + 2) ** weights.cost * (1 + weights.early * sentence.place)
        for sentence in sentences
    ]

    def value(index: int) -> float:
        total: float = sum(map(terms.__getitem__, sentences[index].terms))
        return total / divisors[index]

    values = [value(index) for index in range(len(sentences))]
    order = sorted(range(len(sentences)), key=lambda index: (-values[index], *_identity(sentences[index])))
    shortlist = order[:SHORTLIST]
    words_left = count * weights.words
    chosen: list[int] = []
    while shortlist and len(chosen) < count:
        best = max(shortlist, key=values.__getitem__)
        shortlist.remove(best)
        length = sentences[best].text.count(" ") + 1
        if chosen and (length > words_left or _is_said(sentences[best], [sentences[i] for i in chosen])):
            continue
        chosen.append(best)
        words_left -= length
        said_terms = sentences[best].terms.keys()
        for term in said_terms:
            terms[term] *= weights.said
        for index in shortlist:
            if not said_terms.isdisjoint(sentences[index].terms):
                values[index] = value(index)
    return chosen


def _is_said(sentence: ScoredSentence, chosen: Sequence[ScoredSentence]) -> bool:
    return any(bag_similarity(sentence.bag, other.bag) >= SAME_STATEMENT for other in chosen)


def _identity(sentence: ScoredSentence) -> tuple[int, str]:
    return sentence.place, sentence.document


def _sources_of(sentence: ScoredSentence, sentences: Sequence[ScoredSentence]) -> tuple[str, ...]:
    if sentences[0].document == sentences[-1].document:  # sorted by document: there is only one
        return (sentence.document,)
    documents = {
        other.document
        for other in sentences
        if other is sentence or bag_similarity(other.bag, sentence.bag) >= SAME_STATEMENT
    }
    return tuple(sorted(documents))

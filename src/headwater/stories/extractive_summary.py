"""An extractive summary: a few sentences of the story that are central, early and different from each other.

Sentences are bags of weighted terms; the centroid is their sum. A sentence scores by its similarity to the centroid and
its position; then the best are chosen one after another by maximal marginal relevance. Every sentence carries the ids of
the documents that contain it.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from math import log, log1p, sqrt

from headwater.stories.story_prose import story_prose
from headwater.stories.terms import count_terms
from headwater.text.sentences import split_sentences

MAX_SENTENCES = 40
MAX_DOCUMENTS = 50
SHORTLIST = 16
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
    """How much an early position and novelty count; sentences shorter than `shortest` terms are left out, those longer
    than `longest` words score less."""

    early: float = 0.1
    new: float = 0.6
    shortest: int = 3
    longest: int = 30


@dataclass(frozen=True, slots=True)
class ScoredSentence:
    text: str
    document: str
    place: int
    bag: Mapping[str, float]


DEFAULT = SummaryWeights()


def summarise(
    documents: Sequence[SummarySource], count: int = 3, weights: SummaryWeights = DEFAULT
) -> tuple[CitedSentence, ...]:
    """At most `count` sentences, in reading order. The result does not depend on the order of the documents."""
    sentences = _read(sorted(documents, key=lambda document: document.id)[:MAX_DOCUMENTS])
    candidates = [sentence for sentence in sentences if len(sentence.bag) >= weights.shortest] or sentences
    scores = _scores(candidates, weights)
    ranked = sorted(
        range(len(candidates)),
        key=lambda index: (-scores[index], candidates[index].place, candidates[index].document),
    )
    chosen = _choose(candidates, scores, ranked[:SHORTLIST], count, weights)
    in_order = sorted(
        (candidates[index] for index in chosen), key=lambda sentence: (sentence.place, sentence.document)
    )
    return tuple(CitedSentence(sentence.text, _sources_of(sentence, candidates)) for sentence in in_order)


def _read(documents: Sequence[SummarySource]) -> list[ScoredSentence]:
    rows = [
        (document.id, place, text, count_terms(text))
        for document in documents
        for place, text in enumerate(islice(split_sentences(story_prose(document.text)), MAX_SENTENCES))
    ]
    document_frequency: Counter[str] = Counter()
    for *_, terms in rows:
        document_frequency.update(terms.keys())
    weights = {term: log1p(len(rows) / count) for term, count in document_frequency.items()}
    return [
        ScoredSentence(text, document, place, _bag(terms, weights)) for document, place, text, terms in rows
    ]


def _bag(terms: Counter[str], weights: Mapping[str, float]) -> Mapping[str, float]:
    """Weighted terms at unit length."""
    weighted = {term: (1 + log(count)) * weights[term] for term, count in terms.items()}
    length = sqrt(sum(weight * weight for weight in weighted.values())) or 1.0
    return {term: weight / length for term, weight in weighted.items()}


def _scores(sentences: Sequence[ScoredSentence], weights: SummaryWeights) -> list[float]:
    centre: Counter[str] = Counter()
    for sentence in sentences:
        centre.update(sentence.bag)
    length = sqrt(sum(weight * weight for weight in centre.values())) or 1.0
    return [
        _similarity(sentence.bag, centre)
        / length
        / (1 + weights.early * sentence.place)
        * _length_factor(sentence, weights)
        for sentence in sentences
    ]


def _length_factor(sentence: ScoredSentence, settings: SummaryWeights) -> float:
    return min(1.0, settings.longest / max(1, sentence.text.count(" ") + 1))


def _similarity(first: Mapping[str, float], second: Mapping[str, float]) -> float:
    return sum([weight * second[term] for term, weight in first.items() if term in second])


def _choose(
    sentences: Sequence[ScoredSentence],
    scores: Sequence[float],
    ranked: Sequence[int],
    count: int,
    weights: SummaryWeights,
) -> list[int]:
    """Maximal marginal relevance: each further sentence scores well and is unlike those chosen."""
    chosen: list[int] = []
    overlap = dict.fromkeys(ranked, 0.0)
    while len(chosen) < count and overlap:
        best = max(
            overlap,
            key=lambda index: ((1 - weights.new * overlap[index]) * scores[index], -ranked.index(index)),
        )
        del overlap[best]
        chosen.append(best)
        for other in overlap:
            overlap[other] = max(overlap[other], _similarity(sentences[best].bag, sentences[other].bag))
    return chosen


def _sources_of(sentence: ScoredSentence, sentences: Sequence[ScoredSentence]) -> tuple[str, ...]:
    if sentences[0].document == sentences[-1].document:  # sorted by document: there is only one
        return (sentence.document,)
    documents = {
        other.document
        for other in sentences
        if other is sentence or _similarity(other.bag, sentence.bag) >= SAME_STATEMENT
    }
    return tuple(sorted(documents))

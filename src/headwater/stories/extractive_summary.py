"""A story in a few of its own sentences: central, early, and each saying something else.

Sentences are bags of weighted words; the centre is the sum of them all. A sentence scores by how near it is to the centre
and how early it stands in its document; then the best are taken one after another, less what they repeat. Every sentence
carries the ids of the documents that say it.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from math import log, log1p, sqrt

from headwater.stories.terms import count_terms
from headwater.text.sentences import split_sentences

PER_DOCUMENT = 40
MOST_DOCUMENTS = 50
SHORTLIST = 16
SAME = 0.7
"""So alike, two sentences of two documents say the same thing, and both documents are named."""


@dataclass(frozen=True, slots=True)
class SummarySource:
    """A document to be summarised."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class CitedSentence:
    """A sentence of a summary and the documents it came from."""

    text: str
    documents: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SummaryWeights:
    """How much being early and being new count; and the words below which a sentence is a scrap, above which a ramble."""

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
    """At most `count` sentences, in the order in which they stand. The order of the documents changes nothing."""
    known = _read(sorted(documents, key=lambda document: document.id)[:MOST_DOCUMENTS])
    fit = [s for s in known if len(s.bag) >= weights.shortest] or known
    scores = _scores(fit, weights)
    ranked = sorted(range(len(fit)), key=lambda n: (-scores[n], fit[n].place, fit[n].document))
    chosen = _varied(fit, scores, ranked[:SHORTLIST], count, weights)
    told = sorted((fit[n] for n in chosen), key=lambda s: (s.place, s.document))
    return tuple(CitedSentence(sentence.text, _sources_of(sentence, fit)) for sentence in told)


def _read(documents: Sequence[SummarySource]) -> list[ScoredSentence]:
    counted = [
        (document.id, place, text, count_terms(text))
        for document in documents
        for place, text in enumerate(islice(split_sentences(document.text), PER_DOCUMENT))
    ]
    held: Counter[str] = Counter()
    for *_, found in counted:
        held.update(found.keys())
    worth = {term: log1p(len(counted) / many) for term, many in held.items()}
    return [
        ScoredSentence(text, document, place, _bag(found, worth)) for document, place, text, found in counted
    ]


def _bag(found: Counter[str], worth: Mapping[str, float]) -> Mapping[str, float]:
    """Unit length."""
    weighed = {term: (1 + log(many)) * worth[term] for term, many in found.items()}
    length = sqrt(sum(weight * weight for weight in weighed.values())) or 1.0
    return {term: weight / length for term, weight in weighed.items()}


def _scores(known: Sequence[ScoredSentence], weights: SummaryWeights) -> list[float]:
    centre: Counter[str] = Counter()
    for sentence in known:
        centre.update(sentence.bag)
    length = sqrt(sum(weight * weight for weight in centre.values())) or 1.0
    return [
        _likeness(sentence.bag, centre)
        / length
        / (1 + weights.early * sentence.place)
        * _bearable(sentence, weights)
        for sentence in known
    ]


def _bearable(sentence: ScoredSentence, weights: SummaryWeights) -> float:
    return min(1.0, weights.longest / max(1, sentence.text.count(" ") + 1))


def _likeness(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    return sum(weight * other[term] for term, weight in one.items() if term in other)


def _varied(
    known: Sequence[ScoredSentence],
    scores: Sequence[float],
    ranked: Sequence[int],
    count: int,
    weights: SummaryWeights,
) -> list[int]:
    """Maximal marginal relevance: each next one is good and unlike those taken."""
    chosen: list[int] = []
    repeated = dict.fromkeys(ranked, 0.0)
    while len(chosen) < count and repeated:
        best = max(repeated, key=lambda n: ((1 - weights.new * repeated[n]) * scores[n], -ranked.index(n)))
        del repeated[best]
        chosen.append(best)
        for other in repeated:
            repeated[other] = max(repeated[other], _likeness(known[best].bag, known[other].bag))
    return chosen


def _sources_of(sentence: ScoredSentence, known: Sequence[ScoredSentence]) -> tuple[str, ...]:
    same = {s.document for s in known if s is sentence or _likeness(s.bag, sentence.bag) >= SAME}
    return tuple(sorted(same))

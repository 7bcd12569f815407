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

from headwater.pure.stories.sentences import sentences
from headwater.pure.stories.terms import terms

PER_DOCUMENT = 40
MOST_DOCUMENTS = 50
SHORTLIST = 16
SAME = 0.7
"""So alike, two sentences of two documents say the same thing, and both documents are named."""


@dataclass(frozen=True, slots=True)
class Source:
    """A document to be summarised."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence of a summary and the documents it came from."""

    text: str
    documents: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Taste:
    """How much being early and being new count; and the words below which a sentence is a scrap, above which a ramble."""

    early: float = 0.1
    new: float = 0.6
    shortest: int = 3
    longest: int = 30


@dataclass(frozen=True, slots=True)
class Sentence:
    text: str
    document: str
    place: int
    bag: Mapping[str, float]


DEFAULT = Taste()


def summarise(documents: Sequence[Source], count: int = 3, taste: Taste = DEFAULT) -> tuple[Claim, ...]:
    """At most `count` sentences, in the order in which they stand. The order of the documents changes nothing."""
    known = _read(sorted(documents, key=lambda document: document.id)[:MOST_DOCUMENTS])
    fit = [s for s in known if len(s.bag) >= taste.shortest] or known
    scores = _scores(fit, taste)
    ranked = sorted(range(len(fit)), key=lambda n: (-scores[n], fit[n].place, fit[n].document))
    chosen = _varied(fit, scores, ranked[:SHORTLIST], count, taste)
    told = sorted((fit[n] for n in chosen), key=lambda s: (s.place, s.document))
    return tuple(Claim(sentence.text, _tellers(sentence, fit)) for sentence in told)


def _read(documents: Sequence[Source]) -> list[Sentence]:
    counted = [
        (document.id, place, text, terms(text))
        for document in documents
        for place, text in enumerate(islice(sentences(document.text), PER_DOCUMENT))
    ]
    held: Counter[str] = Counter()
    for *_, found in counted:
        held.update(found.keys())
    worth = {term: log1p(len(counted) / many) for term, many in held.items()}
    return [Sentence(text, document, place, _bag(found, worth)) for document, place, text, found in counted]


def _bag(found: Counter[str], worth: Mapping[str, float]) -> Mapping[str, float]:
    """Unit length."""
    weighed = {term: (1 + log(many)) * worth[term] for term, many in found.items()}
    length = sqrt(sum(weight * weight for weight in weighed.values())) or 1.0
    return {term: weight / length for term, weight in weighed.items()}


def _scores(known: Sequence[Sentence], taste: Taste) -> list[float]:
    centre: Counter[str] = Counter()
    for sentence in known:
        centre.update(sentence.bag)
    length = sqrt(sum(weight * weight for weight in centre.values())) or 1.0
    return [
        _likeness(sentence.bag, centre)
        / length
        / (1 + taste.early * sentence.place)
        * _bearable(sentence, taste)
        for sentence in known
    ]


def _bearable(sentence: Sentence, taste: Taste) -> float:
    return min(1.0, taste.longest / max(1, sentence.text.count(" ") + 1))


def _likeness(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    return sum(weight * other[term] for term, weight in one.items() if term in other)


def _varied(
    known: Sequence[Sentence], scores: Sequence[float], ranked: Sequence[int], count: int, taste: Taste
) -> list[int]:
    """Maximal marginal relevance: each next one is good and unlike those taken."""
    chosen: list[int] = []
    repeated = dict.fromkeys(ranked, 0.0)
    while len(chosen) < count and repeated:
        best = max(repeated, key=lambda n: ((1 - taste.new * repeated[n]) * scores[n], -ranked.index(n)))
        del repeated[best]
        chosen.append(best)
        for other in repeated:
            repeated[other] = max(repeated[other], _likeness(known[best].bag, known[other].bag))
    return chosen


def _tellers(sentence: Sentence, known: Sequence[Sentence]) -> tuple[str, ...]:
    same = {s.document for s in known if s is sentence or _likeness(s.bag, sentence.bag) >= SAME}
    return tuple(sorted(same))

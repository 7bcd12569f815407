"""What the head for topics reads: an encoder's vector beside hashed words. No vocabulary is kept."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log

import numpy as np
import numpy.typing as npt
from xxhash import xxh64_intdigest

from headwater.stories.clustering.similarity import Matrix, normalise_rows
from headwater.stories.terms import count_terms
from headwater.stories.topics.media_topics import TOPIC_NAMES, UNKNOWN_TOPIC

BUCKETS = 3072
SCHEME = f"terms-xxh64-{BUCKETS}"


def hashed_words(texts: Sequence[str]) -> Matrix:
    """A row per text: its terms in signed buckets, at unit length."""
    made = np.zeros((len(texts), BUCKETS), dtype=np.float32)
    for row, text in enumerate(texts):
        for term, many in count_terms(text).items():
            hashed = xxh64_intdigest(term.encode("utf-8", "surrogatepass"))
            made[row, (hashed >> 1) % BUCKETS] += (1 + log(many)) * (1 if hashed & 1 else -1)
    return normalise_rows(made)


def topic_features(texts: Sequence[str], meanings: npt.NDArray[np.float32]) -> Matrix:
    return np.hstack([meanings, hashed_words(texts)]).astype(np.float32)


@dataclass(frozen=True, slots=True)
class Topic:
    """A top level of the media topics; `code` is UNKNOWN where the head abstains, and `confidence` says how sure it was."""

    code: str
    confidence: float

    @property
    def name(self) -> str:
        return TOPIC_NAMES.get(self.code, "unclassified")


@dataclass(frozen=True, slots=True)
class TopicClassifier:
    """`weights` has a column per code; `least` is the confidence below which the answer is withheld."""

    codes: tuple[str, ...]
    weights: Matrix
    bias: Matrix
    least: float

    def probabilities(self, features: Matrix) -> npt.NDArray[np.float64]:
        raised = (features @ self.weights + self.bias).astype(np.float64)
        raised = np.exp(raised - raised.max(axis=1, keepdims=True))
        return np.asarray(raised / raised.sum(axis=1, keepdims=True))

    def __call__(self, features: Matrix) -> list[Topic]:
        """One topic per row."""
        found = self.probabilities(features)
        best = found.argmax(axis=1)
        sure = found[np.arange(len(found)), best]
        return [
            Topic(self.codes[place] if value >= self.least else UNKNOWN_TOPIC, round(float(value), 4))
            for place, value in zip(best.tolist(), sure.tolist(), strict=True)
        ]


def main_topic(topics: Sequence[Topic]) -> Topic:
    """Of a story: the code that its documents' confidences add up to most, and its share of them all."""
    sums: dict[str, float] = {}
    for topic in topics:
        sums[topic.code] = sums.get(topic.code, 0.0) + topic.confidence
    known = {code: total for code, total in sums.items() if code != UNKNOWN_TOPIC}
    if not known:
        return Topic(UNKNOWN_TOPIC, 0.0)
    best = min(known, key=lambda code: (-known[code], code))
    return Topic(best, round(known[best] / sum(sums.values()), 4))

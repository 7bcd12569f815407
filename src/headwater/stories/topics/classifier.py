"""The topic classifier: a linear layer over an encoder vector and hashed words, with an abstention threshold."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log

import numpy as np
import numpy.typing as npt
from xxhash import xxh64_intdigest

from headwater.stories.clustering.similarity import Matrix, finite_rows, normalise_rows
from headwater.stories.terms import count_terms
from headwater.stories.topics.media_topics import TOPIC_NAMES, UNKNOWN_TOPIC

BUCKETS = 8192
ENGLISH = "en"
SCHEME = f"terms-xxh64-{BUCKETS}"


def hashed_words(texts: Sequence[str]) -> Matrix:
    """One unit-length row per text: its terms in signed hash buckets, so no vocabulary is stored."""
    rows = np.zeros((len(texts), BUCKETS), dtype=np.float32)
    for row, text in enumerate(texts):
        for term, count in count_terms(text).items():
            hashed = xxh64_intdigest(term.encode("utf-8", "surrogatepass"))
            rows[row, (hashed >> 1) % BUCKETS] += (1 + log(count)) * (1 if hashed & 1 else -1)
    return normalise_rows(rows)


def topic_features(
    texts: Sequence[str], embeddings: npt.NDArray[np.float32], languages: Sequence[str]
) -> Matrix:
    """The embedding beside the words. The words were learnt from English texts, so they count in these only. A
    vector that is not finite counts as none."""
    words = hashed_words(texts)
    words[[language != ENGLISH for language in languages]] = 0
    return np.hstack([finite_rows(embeddings), words]).astype(np.float32)


@dataclass(frozen=True, slots=True)
class Topic:
    """A top-level media topic with its confidence, and the next likely one; `code` is UNKNOWN_TOPIC where the classifier
    abstains."""

    code: str
    confidence: float
    second: str = ""

    @property
    def name(self) -> str:
        return TOPIC_NAMES.get(self.code, "unclassified")


@dataclass(frozen=True, slots=True)
class TopicClassifier:
    """`weights` has a column per code; below the confidence `threshold` the classifier abstains."""

    codes: tuple[str, ...]
    weights: Matrix
    bias: Matrix
    threshold: float

    def probabilities(self, features: Matrix) -> npt.NDArray[np.float64]:
        logits = (features @ self.weights + self.bias).astype(np.float64)
        exponentials = np.exp(logits - logits.max(axis=1, keepdims=True))
        return np.asarray(exponentials / exponentials.sum(axis=1, keepdims=True))

    def __call__(self, features: Matrix) -> list[Topic]:
        """One topic per row."""
        probabilities = self.probabilities(features)
        ranked = np.argsort(-probabilities, axis=1, kind="stable")[:, :2]
        confidences = np.take_along_axis(probabilities, ranked, axis=1)[:, 0]
        return [
            Topic(
                self.codes[first] if confidence >= self.threshold else UNKNOWN_TOPIC,
                round(float(confidence), 4),
                self.codes[second],
            )
            for (first, second), confidence in zip(ranked.tolist(), confidences.tolist(), strict=True)
        ]

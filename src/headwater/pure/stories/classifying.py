"""Topics by a linear head: probabilities over the top levels, and no answer where none stands out."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from headwater.pure.stories.topics import NAMES, UNKNOWN
from headwater.pure.stories.vectors import Matrix


@dataclass(frozen=True, slots=True)
class Topic:
    """A top level of the media topics; `code` is UNKNOWN where the head abstains, and `confidence` says how sure it was."""

    code: str
    confidence: float

    @property
    def name(self) -> str:
        return NAMES.get(self.code, "unclassified")


@dataclass(frozen=True, slots=True)
class Head:
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
            Topic(self.codes[place] if value >= self.least else UNKNOWN, round(float(value), 4))
            for place, value in zip(best.tolist(), sure.tolist(), strict=True)
        ]


def main_topic(topics: Sequence[Topic]) -> Topic:
    """Of a story: the code that its documents' confidences add up to most, and its share of them all."""
    sums: dict[str, float] = {}
    for topic in topics:
        sums[topic.code] = sums.get(topic.code, 0.0) + topic.confidence
    known = {code: total for code, total in sums.items() if code != UNKNOWN}
    if not known:
        return Topic(UNKNOWN, 0.0)
    best = min(known, key=lambda code: (-known[code], code))
    return Topic(best, round(known[best] / sum(sums.values()), 4))

"""The similarity threshold of a corpus: a guess from the neighbours, and the threshold with the best silhouette.

The guess: two documents of a large story share less than two of a small one, and the number of companions of a document
is known before clustering. Long texts of one story share more than its headlines. Of many thresholds the one with the best
silhouette is chosen, less a penalty for its distance from the guess.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import log2

import numpy as np
import numpy.typing as npt

from headwater.stories.clustering.neighbours import Neighbours
from headwater.stories.clustering.silhouette import SilhouetteInput, SingletonFit, silhouettes

NEIGHBOURS_USED = 20
THRESHOLDS = 32
SMALL_CORPUS = 64
PENALTY = 0.02
"""The penalty of a threshold that is e times the guess, in a large corpus."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ThresholdModel:
    """From the similarity `companion` on, two documents are companions. The guess is `without_companions` if no document
    has one, falls by `per_doubling` with each doubling of the companions, and rises by `when_long` for long texts and by
    `per_size_doubling` with each doubling of a corpus beyond `SMALL_CORPUS`: in a larger one more texts agree by chance.
    Thresholds from `lowest` to `highest` are tried. Clusters without links need `unlinked` more similarity. Each vector is
    smoothed with `smoothing` neighbours; with `smoothed_heights`, thresholds apply to the smoothed vectors. The penalty for
    leaving the guess grows by `penalty_of_few` over the number of documents."""

    companion: float
    without_companions: float
    per_doubling: float
    when_long: float
    unlinked: float
    lowest: float
    highest: float
    singleton: SingletonFit
    smoothing: int = 10
    smoothed_heights: bool = False
    penalty_of_few: float = 0.3
    per_size_doubling: float = 0.0


HYBRID = ThresholdModel(
    companion=0.25,
    without_companions=0.335,
    per_doubling=0.053,
    when_long=0.07,
    unlinked=0.25,
    lowest=0.04,
    highest=0.5,
    singleton=SingletonFit(0.4, 0.37, outside=0.15),
)
WORDS_ALONE = ThresholdModel(
    companion=0.1,
    without_companions=0.19,
    per_doubling=0.039,
    when_long=0.06,
    unlinked=0.12,
    lowest=0.02,
    highest=0.45,
    singleton=SingletonFit(0.2, 0.15),
)


ARTICLES = ThresholdModel(
    companion=0.05,
    without_companions=0.3,
    per_doubling=0.0,
    when_long=0.0,
    unlinked=0.0,
    lowest=0.12,
    highest=0.75,
    singleton=SingletonFit(0.2, 0.08),
    smoothing=5,
    smoothed_heights=True,
    penalty_of_few=10.0,
    per_size_doubling=0.04,
)
"""For vectors of words of whole articles. Their smoothed similarities are alike in every corpus, so that the guess
depends on the size alone; the silhouette counts only where there are many documents."""


def companion_doublings(neighbours: Neighbours, companion: float) -> float:
    """The mean over all documents of log2(1 + companions)."""
    if not neighbours.similarities.size:
        return 0.0
    companions = (neighbours.similarities[:, :NEIGHBOURS_USED] >= companion).sum(axis=1)
    return float(np.log2(1 + companions).mean())


def guess_threshold(neighbours: Neighbours, model: ThresholdModel, length: float = 0.0) -> float:
    """A first threshold; `length` is 0 for headlines, 1 for whole articles."""
    guess = (
        model.without_companions
        - model.per_doubling * companion_doublings(neighbours, model.companion)
        + model.when_long * length
        + model.per_size_doubling * max(0.0, log2(max(1, len(neighbours.positions)) / SMALL_CORPUS))
    )
    return min(max(guess, model.lowest), model.highest)


def best_threshold(
    documents: SilhouetteInput,
    labels_at: Callable[[float], npt.NDArray[np.int64]],
    model: ThresholdModel,
    guess: float,
) -> float:
    """`labels_at` returns the clusters at a threshold; those at a lower one are unions of them."""
    thresholds = np.geomspace(model.highest, model.lowest, THRESHOLDS)
    fits = np.array(
        silhouettes(documents, [labels_at(height) for height in thresholds.tolist()], model.singleton)
    )
    penalty = (PENALTY + model.penalty_of_few / len(documents.rows)) * np.square(np.log(thresholds / guess))
    return float(thresholds[np.argmax(fits - penalty)])

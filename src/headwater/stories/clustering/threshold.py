"""How near is near enough: a guess from what can be seen beforehand, and the bar that fits the corpus at hand best.

The guess: large stories are wide, so that two of their documents, taken at random, share less than two of a small one, and
how many companions a document has can be seen before anything is clustered. Long texts of one story share more than two
headlines of it do. The guess is then put to the proof: of many bars the one is taken under which documents are nearest to
their own story and farthest from the next, unless it is far from the guess and hardly better.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from headwater.stories.clustering.neighbours import Neighbours
from headwater.stories.clustering.silhouette import Documents, SingletonFit, silhouettes

NEIGHBOURS_USED = 20
THRESHOLDS = 32
PULL, PULL_OF_FEW = 0.02, 0.3
"""What a bar loses that is e times the guess or a part of it: in a large corpus, and more among few documents."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ThresholdModel:
    """`companion`: a similarity that is no accident. The guess is `lonely` where nobody has a companion, falls by
    `per_doubling` with every doubling of the company, and is higher by `when_long` for texts that are long. Bars are
    tried from `lowest` to `highest`. Two bodies without a link between them have to be nearer by `unlinked`."""

    companion: float
    lonely: float
    per_doubling: float
    when_long: float
    unlinked: float
    lowest: float
    highest: float
    alone: SingletonFit


HYBRID = ThresholdModel(
    companion=0.25,
    lonely=0.335,
    per_doubling=0.053,
    when_long=0.07,
    unlinked=0.25,
    lowest=0.04,
    highest=0.5,
    alone=SingletonFit(0.4, 0.37),
)
WORDS_ALONE = ThresholdModel(
    companion=0.1,
    lonely=0.19,
    per_doubling=0.039,
    when_long=0.06,
    unlinked=0.12,
    lowest=0.02,
    highest=0.45,
    alone=SingletonFit(0.2, 0.15),
)


def companion_doublings(near: Neighbours, companion: float) -> float:
    """Doublings of company: the mean over all documents of log2(1 + companions)."""
    if not near.similarities.size:
        return 0.0
    many = (near.similarities[:, :NEIGHBOURS_USED] >= companion).sum(axis=1)
    return float(np.log2(1 + many).mean())


def guess_threshold(near: Neighbours, threshold: ThresholdModel, length: float = 0.0) -> float:
    """`length` is 0 for headlines, 1 for whole articles."""
    found = (
        threshold.lonely
        - threshold.per_doubling * companion_doublings(near, threshold.companion)
        + threshold.when_long * length
    )
    return min(max(found, threshold.lowest), threshold.highest)


def best_threshold(
    documents: Documents,
    at: Callable[[float], npt.NDArray[np.int64]],
    threshold: ThresholdModel,
    guess: float,
) -> float:
    """`at` gives the clusters under a bar; those under a lower one are made of them."""
    thresholds = np.geomspace(threshold.highest, threshold.lowest, THRESHOLDS)
    found = np.array(silhouettes(documents, [at(height) for height in thresholds.tolist()], threshold.alone))
    pull = (PULL + PULL_OF_FEW / len(documents.vectors)) * np.square(np.log(thresholds / guess))
    return float(thresholds[np.argmax(found - pull)])

"""How near is near enough: the bar falls where documents have many companions.

Large stories are wide: two of their documents, taken at random, share less than two documents of a small one. How many
companions a document has can be seen before anything is clustered, and it is what best thresholds follow, for headlines
and for long texts alike.
"""

from dataclasses import dataclass

import numpy as np

from headwater.pure.stories.neighbours import Neighbours

LOOKED_AT = 20


@dataclass(frozen=True, slots=True)
class Bar:
    """`companion`: a similarity that is no accident. The bar is `alone` where nobody has a companion, falls by
    `per_doubling` with every doubling of the company, and stays between `lowest` and `highest`."""

    companion: float
    alone: float
    per_doubling: float
    lowest: float
    highest: float


HYBRID = Bar(companion=0.25, alone=1.3, per_doubling=1 / 3, lowest=0.24, highest=0.76)
WORDS_ALONE = Bar(companion=0.1, alone=1.7, per_doubling=0.45, lowest=0.15, highest=0.76)


def company(near: Neighbours, companion: float) -> float:
    """Doublings of company: the mean over all documents of log2(1 + companions)."""
    if not near.similarities.size:
        return 0.0
    many = (near.similarities[:, :LOOKED_AT] >= companion).sum(axis=1)
    return float(np.log2(1 + many).mean())


def bar_for(near: Neighbours, bar: Bar) -> float:
    found = bar.alone - bar.per_doubling * company(near, bar.companion)
    return min(max(found, bar.lowest), bar.highest)

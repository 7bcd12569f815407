"""How near is near enough: the bar falls where documents have many companions and rises where texts are long.

Large stories are wide: two of their documents, taken at random, share less than two documents of a small one. How many
companions a document has can be seen before anything is clustered. Long texts of one story share more than two
headlines of it do. Best thresholds follow both, for headlines and for whole articles.
"""

from dataclasses import dataclass

import numpy as np

from headwater.pure.stories.neighbours import Neighbours

LOOKED_AT = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """`companion`: a similarity that is no accident. The bar is `alone` where nobody has a companion, falls by
    `per_doubling` with every doubling of the company, is higher by `when_long` for texts that are long, and stays
    between `lowest` and `highest`. Two bodies without a link between them have to be nearer by `unlinked`."""

    companion: float
    alone: float
    per_doubling: float
    when_long: float
    unlinked: float
    lowest: float
    highest: float


HYBRID = Bar(
    companion=0.25,
    alone=0.335,
    per_doubling=0.053,
    when_long=0.07,
    unlinked=0.18,
    lowest=0.1,
    highest=0.45,
)
WORDS_ALONE = Bar(
    companion=0.1, alone=0.19, per_doubling=0.039, when_long=0.06, unlinked=0.12, lowest=0.03, highest=0.45
)


def company(near: Neighbours, companion: float) -> float:
    """Doublings of company: the mean over all documents of log2(1 + companions)."""
    if not near.similarities.size:
        return 0.0
    many = (near.similarities[:, :LOOKED_AT] >= companion).sum(axis=1)
    return float(np.log2(1 + many).mean())


def bar_for(near: Neighbours, bar: Bar, length: float = 0.0) -> float:
    """`length` is 0 for headlines, 1 for whole articles."""
    found = bar.alone - bar.per_doubling * company(near, bar.companion) + bar.when_long * length
    return min(max(found, bar.lowest), bar.highest)

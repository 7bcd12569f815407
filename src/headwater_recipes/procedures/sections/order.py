"""The order of sections: which field usually follows which on a page. A section that no rule knows is judged together with its
neighbours: the list before the papers is mostly who may apply."""

from collections.abc import Sequence
from typing import Any

import numpy as np

SMOOTHING, STRENGTH, STRONGEST = 8.0, 0.8, 6.0
"""The text of a section must be able to overrule its neighbours."""


def order_lifts(pages: Sequence[Sequence[int]], classes: int) -> Any:
    """How much more often than by chance a class follows another. The last row is the beginning of a page, the last column its end."""
    counts = np.zeros((classes + 1, classes + 1))
    for page in pages:
        for before, after in zip([classes, *page], [*page, classes], strict=True):
            counts[before, after] += 1
    share = counts.sum(0) / counts.sum()
    expected = np.maximum(share, 1e-6)[None, :]
    rows = (counts + SMOOTHING * expected) / (counts.sum(1, keepdims=True) + SMOOTHING)
    return np.clip(rows / expected, 1 / STRONGEST, STRONGEST)


def shares_in_order(shares: Any, lifts: Any) -> Any:
    """The shares of the classes for each section of a page (rows), given those of the sections before and after it."""
    edges = lifts**STRENGTH
    inner, start, end = edges[:-1, :-1], edges[-1, :-1], edges[:-1, -1]
    forward, backward = np.array(shares, dtype=float), np.ones_like(shares, dtype=float)
    forward[0] = shares[0] * start
    forward[0] /= forward[0].sum()
    for place in range(1, len(shares)):
        forward[place] = shares[place] * (forward[place - 1] @ inner)
        forward[place] /= forward[place].sum()
    backward[-1] = end
    for place in range(len(shares) - 2, -1, -1):
        backward[place] = inner @ (shares[place + 1] * backward[place + 1])
        backward[place] /= backward[place].sum()
    result = forward * backward
    return result / result.sum(1, keepdims=True)

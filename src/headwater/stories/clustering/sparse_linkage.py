"""Average linkage of bodies of documents over candidate pairs: for what no window holds.

The mean similarity between two bodies is the product of their sums over that of their sizes, so it costs the same for any two
sizes and is exact. In each round all those pairs are joined that are nearly the nearest for both, which needs few rounds and
differs from one pair at a time by little; a body at most doubles in a round, so that what it has become is looked at again.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from headwater.stories.clustering.dendrogram import MeanDays
from headwater.stories.clustering.linkage import Join
from headwater.stories.clustering.similarity import Days, Matrix

Numbers = npt.NDArray[np.int64]
Means = npt.NDArray[np.float64]

NEARLY = 0.9
"""A pair is joined that has so much of the similarity of the nearest that either has."""

BLOCK = 1024


class ClusterPairs(NamedTuple):
    """Two names each, the smaller in `low`; no pair twice."""

    low: Numbers
    high: Numbers


def distinct_pairs(one: Numbers, other: Numbers) -> ClusterPairs:
    """The pairs of names without order, repetition, or a name beside itself."""
    low, high = np.minimum(one, other), np.maximum(one, other)
    apart = low < high
    span = int(high.max(initial=0)) + 1
    low, high = np.divmod(np.unique(low[apart] * span + high[apart]), span)
    return ClusterPairs(low, high)


@dataclass(frozen=True, slots=True)
class ClusterSums:
    """Each is called by its first row, at which its sum and its size are found. `home` is the body of every row."""

    sums: Matrix
    sizes: npt.NDArray[np.float64]
    days: MeanDays
    home: Numbers
    done: list[Join] = field(default_factory=list)

    @classmethod
    def of(cls, vectors: Matrix, days: Days) -> "ClusterSums":
        """Every row by itself. The sums are kept in the place of the vectors: there is no second copy."""
        return cls(vectors, np.ones(len(vectors)), MeanDays.of(days), np.arange(len(vectors)))

    def names(self) -> Numbers:
        """Of the bodies that there are."""
        return np.flatnonzero(self.home == np.arange(len(self.home)))

    def join(self, one: int, other: int) -> int:
        """The name of both together. Rows have to be called home afterwards."""
        kept, gone = min(one, other), max(one, other)
        self.sums[kept] += self.sums[gone]
        self.sizes[kept] += self.sizes[gone]
        self.days.join(kept, gone)
        self.home[gone] = kept
        self.done.append(Join(kept, gone))
        return kept

    def resolve_clusters(self) -> None:
        """Every row to the body that its own went into."""
        while not np.array_equal(further := self.home[self.home], self.home):
            self.home[:] = further

    def means(self, pairs: ClusterPairs) -> Means:
        """The mean similarity between the two bodies of each pair, less what the days between them take away."""
        found = np.empty(len(pairs.low))
        for start in range(0, len(found), BLOCK):
            low, high = (names[start : start + BLOCK] for names in pairs)
            products = np.einsum("pd,pd->p", self.sums[low], self.sums[high])
            found[start : start + BLOCK] = products / (self.sizes[low] * self.sizes[high])
        return found * self.days.between(pairs.low, pairs.high)


def link_clusters(clusters: ClusterSums, pairs: ClusterPairs, least: float) -> None:
    """Join bodies while the mean similarity of a pair is at least `least`; who is in no pair is not looked at."""
    near = clusters.means(pairs)
    while True:
        joining = _joining(clusters, pairs, near, least)
        if not len(joining.hubs):
            return
        _join_all(clusters, joining)
        pairs, near = _followed(clusters, pairs, near, np.concatenate(joining))
        held = near >= least
        pairs, near = ClusterPairs(pairs.low[held], pairs.high[held]), near[held]


class _Joining(NamedTuple):
    """The body at each place of `spokes` goes into the one of `hubs`, which goes nowhere in this round."""

    hubs: Numbers
    spokes: Numbers


def _joining(clusters: ClusterSums, pairs: ClusterPairs, near: Means, least: float) -> _Joining:
    """Of the pairs that are good for both, the smaller body of each to the nearest of the larger ones."""
    good = _good(pairs, near, least, len(clusters.home))
    low, high, near = pairs.low[good], pairs.high[good], near[good]
    # Low comes first in the order of rows: of two that are equally large it is the hub.
    larger = clusters.sizes[low] >= clusters.sizes[high]
    hubs, spokes = np.where(larger, low, high), np.where(larger, high, low)
    order = np.lexsort((hubs, spokes, -near))
    chosen = order[np.sort(np.unique(spokes[order], return_index=True)[1])]
    return _stars(_Joining(hubs[chosen], spokes[chosen]), clusters.sizes)


def _stars(wished: _Joining, sizes: Means) -> _Joining:
    """Those of the joins, the nearest first, that leave every hub where it is and do not more than double it."""
    room: dict[int, float] = {}
    kept: dict[int, int] = {}
    for hub, spoke in zip(wished.hubs.tolist(), wished.spokes.tolist(), strict=True):
        left = room.get(hub, float(sizes[hub])) - float(sizes[spoke])
        if left >= 0 and hub not in kept and spoke not in room:
            room[hub] = left
            kept[spoke] = hub
    return _Joining(np.array([*kept.values()], dtype=np.int64), np.array([*kept], dtype=np.int64))


def _good(pairs: ClusterPairs, near: Means, least: float, rows: int) -> npt.NDArray[np.bool_]:
    """Which pairs are nearly as near as the nearest pair that either has."""
    best = np.full(rows, -np.inf)
    np.maximum.at(best, pairs.low, near)
    np.maximum.at(best, pairs.high, near)
    found: npt.NDArray[np.bool_] = near >= np.maximum(
        least, NEARLY * np.maximum(best[pairs.low], best[pairs.high])
    )
    return found


def _join_all(clusters: ClusterSums, joining: _Joining) -> None:
    names: dict[int, int] = {}
    for hub, spoke in zip(joining.hubs.tolist(), joining.spokes.tolist(), strict=True):
        names[hub] = clusters.join(names.get(hub, hub), spoke)
    clusters.resolve_clusters()


def _followed(
    clusters: ClusterSums, pairs: ClusterPairs, near: Means, changed: Numbers
) -> tuple[ClusterPairs, Means]:
    """The pairs after a round, and their means: those of which neither has changed are as they were."""
    touched = np.zeros(len(clusters.home), dtype=np.bool_)
    touched[changed] = True
    other = touched[pairs.low] | touched[pairs.high]
    fresh = distinct_pairs(clusters.home[pairs.low[other]], clusters.home[pairs.high[other]])
    found = ClusterPairs(
        np.concatenate([pairs.low[~other], fresh.low]), np.concatenate([pairs.high[~other], fresh.high])
    )
    return found, np.concatenate([near[~other], clusters.means(fresh)])

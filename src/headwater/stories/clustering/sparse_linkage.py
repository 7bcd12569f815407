"""Average linkage of clusters over candidate pairs, for corpora that do not fit into one window.

The mean similarity of two clusters is the product of their sums divided by that of their sizes: exact, at the same cost
for any size. Each round joins all pairs that are nearly the nearest for both, which needs few rounds and differs little
from one pair at a time; a cluster at most doubles in a round, so that it is compared again after each change.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from headwater.stories.clustering.dendrogram import MeanDays
from headwater.stories.clustering.linkage import Join
from headwater.stories.clustering.similarity import Days, Matrix, Numbers

Means = npt.NDArray[np.float64]

GOOD_SHARE = 0.9
"""A pair is joined if it has this share of the highest similarity of either cluster."""

BLOCK = 1024


class ClusterPairs(NamedTuple):
    """Distinct pairs of cluster names, the smaller name in `low`."""

    low: Numbers
    high: Numbers


def distinct_pairs(first: Numbers, second: Numbers) -> ClusterPairs:
    """The distinct unordered pairs, without pairs of equal names."""
    low, high = np.minimum(first, second), np.maximum(first, second)
    differ = low < high
    span = int(high.max(initial=0)) + 1
    low, high = np.divmod(np.unique(low[differ] * span + high[differ]), span)
    return ClusterPairs(low, high)


@dataclass(frozen=True, slots=True)
class ClusterSums:
    """Clusters by the name of their first row, with sum, size and mean day; `cluster_of` is the cluster of every row."""

    sums: Matrix
    sizes: npt.NDArray[np.float64]
    days: MeanDays
    cluster_of: Numbers
    joins: list[Join] = field(default_factory=list)

    @classmethod
    def of(cls, vectors: Matrix, days: Days) -> "ClusterSums":
        """Every row as a cluster. The sums overwrite the vectors, to avoid a second copy."""
        return cls(vectors, np.ones(len(vectors)), MeanDays.of(days), np.arange(len(vectors)))

    def names(self) -> Numbers:
        """The names of the present clusters."""
        return np.flatnonzero(self.cluster_of == np.arange(len(self.cluster_of)))

    def join(self, first: int, second: int) -> int:
        """Join two clusters and return the name of the result. Call `resolve_clusters` afterwards."""
        target, absorbed = min(first, second), max(first, second)
        self.sums[target] += self.sums[absorbed]
        self.sizes[target] += self.sizes[absorbed]
        self.days.join(target, absorbed)
        self.cluster_of[absorbed] = target
        self.joins.append(Join(target, absorbed))
        return target

    def resolve_clusters(self) -> None:
        """Point every row to the cluster that its own went into."""
        while not np.array_equal(next_clusters := self.cluster_of[self.cluster_of], self.cluster_of):
            self.cluster_of[:] = next_clusters

    def means(self, pairs: ClusterPairs) -> Means:
        """The mean similarity of each pair of clusters, with time decay."""
        similarities = np.empty(len(pairs.low))
        for start in range(0, len(similarities), BLOCK):
            low, high = (names[start : start + BLOCK] for names in pairs)
            products = np.einsum("pd,pd->p", self.sums[low], self.sums[high])
            similarities[start : start + BLOCK] = products / (self.sizes[low] * self.sizes[high])
        return similarities * self.days.between(pairs.low, pairs.high)


def link_clusters(clusters: ClusterSums, pairs: ClusterPairs, minimum: float) -> None:
    """Join clusters while the mean similarity of a pair is at least `minimum`; only the given pairs are compared."""
    similarities = clusters.means(pairs)
    while True:
        stars = _choose_joins(clusters, pairs, similarities, minimum)
        if not len(stars.hubs):
            return
        _join_all(clusters, stars)
        pairs, similarities = _update_pairs(clusters, pairs, similarities, np.concatenate(stars))
        is_near = similarities >= minimum
        pairs, similarities = ClusterPairs(pairs.low[is_near], pairs.high[is_near]), similarities[is_near]


class _Stars(NamedTuple):
    """Joins of one round: each cluster in `spokes` goes into the one in `hubs`, which itself stays."""

    hubs: Numbers
    spokes: Numbers


def _choose_joins(clusters: ClusterSums, pairs: ClusterPairs, similarities: Means, minimum: float) -> _Stars:
    """Of the pairs that are good for both, join each smaller cluster to its nearest larger one."""
    is_good = _is_good(pairs, similarities, minimum, len(clusters.cluster_of))
    low, high, similarities = pairs.low[is_good], pairs.high[is_good], similarities[is_good]
    # Of two equally large clusters the first one is the hub.
    larger = clusters.sizes[low] >= clusters.sizes[high]
    hubs, spokes = np.where(larger, low, high), np.where(larger, high, low)
    order = np.lexsort((hubs, spokes, -similarities))
    nearest_hub = order[np.sort(np.unique(spokes[order], return_index=True)[1])]
    return _limit_growth(_Stars(hubs[nearest_hub], spokes[nearest_hub]), clusters.sizes)


def _limit_growth(candidates: _Stars, sizes: Means) -> _Stars:
    """The joins, nearest first, in which every hub stays and at most doubles."""
    room: dict[int, float] = {}
    hub_of_spoke: dict[int, int] = {}
    for hub, spoke in zip(candidates.hubs.tolist(), candidates.spokes.tolist(), strict=True):
        remaining = room.get(hub, float(sizes[hub])) - float(sizes[spoke])
        if remaining >= 0 and hub not in hub_of_spoke and spoke not in room:
            room[hub] = remaining
            hub_of_spoke[spoke] = hub
    return _Stars(
        np.array([*hub_of_spoke.values()], dtype=np.int64), np.array([*hub_of_spoke], dtype=np.int64)
    )


def _is_good(pairs: ClusterPairs, similarities: Means, minimum: float, rows: int) -> npt.NDArray[np.bool_]:
    """Which pairs are nearly as similar as the best pair of either cluster."""
    highest = np.full(rows, -np.inf)
    np.maximum.at(highest, pairs.low, similarities)
    np.maximum.at(highest, pairs.high, similarities)
    is_good: npt.NDArray[np.bool_] = similarities >= np.maximum(
        minimum, GOOD_SHARE * np.maximum(highest[pairs.low], highest[pairs.high])
    )
    return is_good


def _join_all(clusters: ClusterSums, stars: _Stars) -> None:
    current_names: dict[int, int] = {}
    for hub, spoke in zip(stars.hubs.tolist(), stars.spokes.tolist(), strict=True):
        current_names[hub] = clusters.join(current_names.get(hub, hub), spoke)
    clusters.resolve_clusters()


def _update_pairs(
    clusters: ClusterSums, pairs: ClusterPairs, similarities: Means, changed_clusters: Numbers
) -> tuple[ClusterPairs, Means]:
    """The pairs after a round with their similarities; pairs of unchanged clusters stay as they are."""
    is_changed = np.zeros(len(clusters.cluster_of), dtype=np.bool_)
    is_changed[changed_clusters] = True
    affected = is_changed[pairs.low] | is_changed[pairs.high]
    new_pairs = distinct_pairs(
        clusters.cluster_of[pairs.low[affected]], clusters.cluster_of[pairs.high[affected]]
    )
    updated = ClusterPairs(
        np.concatenate([pairs.low[~affected], new_pairs.low]),
        np.concatenate([pairs.high[~affected], new_pairs.high]),
    )
    return updated, np.concatenate([similarities[~affected], clusters.means(new_pairs)])

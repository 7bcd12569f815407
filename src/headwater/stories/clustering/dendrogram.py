"""The dendrogram of the joins: up to which threshold each join holds.

The linkage works on smoothed vectors, which find the right pairs but make near documents look alike, the more so in a
large corpus. The height of a join is therefore computed from the original vectors. Two clusters whose documents are not
among the nearest neighbours of each other need a higher similarity: two affairs of one company share a name and little
else.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from headwater.stories.clustering.linkage import Join
from headwater.stories.clustering.similarity import Days, Matrix, Numbers, time_decay

Heights = npt.NDArray[np.float64]

MIN_LINK_SHARE = 0.2
"""Clusters count as linked with this share of the links that two halves of one cluster would have."""


@dataclass(frozen=True, slots=True)
class DocumentRows:
    """Documents with vectors, days and the positions of their nearest neighbours, -1 for none."""

    vectors: Matrix
    days: Days
    neighbours: Numbers


@dataclass(frozen=True, slots=True)
class Dendrogram:
    """Joins and the threshold up to which each holds. A part is never lower than the whole that contains it."""

    targets: Numbers
    absorbed: Numbers
    heights: Heights
    rows: int

    def at(self, threshold: float) -> Numbers:
        """The cluster of each row, named by its first row."""
        labels = np.arange(self.rows)
        applies = self.heights >= threshold
        labels[self.absorbed[applies]] = self.targets[applies]
        while True:
            next_labels = labels[labels]
            if np.array_equal(next_labels, labels):
                return labels
            labels = next_labels


def build_dendrogram(joins: Sequence[Join], documents: DocumentRows, unlinked: float) -> Dendrogram:
    """`joins` has parts before wholes; clusters without links between them lose `unlinked` of their similarity."""
    rows = len(documents.vectors)
    similarities = np.fromiter(
        _join_similarities(joins, documents, unlinked), dtype=np.float64, count=len(joins)
    )
    pairs = np.array(joins, dtype=np.int64).reshape(-1, 2)
    return Dendrogram(pairs[:, 0], pairs[:, 1], _monotonic_heights(joins, similarities, rows), rows)


def _join_similarities(joins: Sequence[Join], documents: DocumentRows, unlinked: float) -> Iterable[float]:
    sums, days = documents.vectors.copy(), MeanDays.of(documents.days)
    cluster_of = np.append(np.arange(len(sums)), -1)
    members = [[row] for row in range(len(sums))]
    for target, absorbed in joins:
        similarity = float(sums[target] @ sums[absorbed]) / (len(members[target]) * len(members[absorbed]))
        smaller, larger = sorted((absorbed, target), key=lambda name: len(members[name]))
        link_share = _link_share(documents.neighbours, cluster_of, members[smaller], members[larger])
        yield similarity * days.decay(target, absorbed) - unlinked * max(0.0, 1 - link_share / MIN_LINK_SHARE)
        days.join(target, absorbed)
        sums[target] += sums[absorbed]
        cluster_of[members[smaller]] = cluster_of[members[larger][0]]
        members[larger].extend(members[smaller])
        members[target] = members[larger]


def _link_share(
    neighbours: Numbers, cluster_of: Numbers, smaller: Sequence[int], larger: Sequence[int]
) -> float:
    """The share of neighbours of the smaller cluster that are in the larger one, relative to two halves of one cluster."""
    observed = float((cluster_of[neighbours[smaller]] == cluster_of[larger[0]]).mean())
    total = len(smaller) + len(larger)
    expected = len(larger) / total * min(1.0, (total - 1) / int(neighbours.shape[1]))
    return observed / expected


@dataclass(frozen=True, slots=True)
class MeanDays:
    """The mean day of each cluster, over the documents with a known day."""

    sums: npt.NDArray[np.float64]
    counts: npt.NDArray[np.float64]

    @classmethod
    def of(cls, days: Days) -> "MeanDays":
        is_known = ~np.isnan(days)
        return cls(np.where(is_known, days, 0).astype(np.float64), is_known.astype(np.float64))

    def decay(self, first: int, second: int) -> float:
        if not (self.counts[first] and self.counts[second]):
            return 1.0
        means = [self.sums[name] / self.counts[name] for name in (first, second)]
        return float(time_decay(*np.array(means, dtype=np.float32)[:, None])[0])

    def between(self, first: Numbers, second: Numbers) -> Days:
        """The time decay between each pair of clusters."""
        means = np.full(len(self.sums), np.nan, dtype=np.float32)
        np.divide(self.sums, self.counts, out=means, where=self.counts > 0, casting="same_kind")
        return time_decay(means[first], means[second])

    def join(self, target: int, absorbed: int) -> None:
        self.sums[target] += self.sums[absorbed]
        self.counts[target] += self.counts[absorbed]


def _monotonic_heights(joins: Sequence[Join], similarities: Heights, rows: int) -> Heights:
    """Raise each join to at least the height of the joins that contain it."""
    heights, latest_join = similarities.tolist(), [-1] * rows
    enclosing = list(range(len(joins)))
    for number, (target, absorbed) in enumerate(joins):
        for part in (latest_join[target], latest_join[absorbed]):
            if part >= 0:
                enclosing[part] = number
        latest_join[target] = number
    for number in range(len(joins) - 1, -1, -1):
        heights[number] = max(heights[number], heights[enclosing[number]])
    return np.array(heights, dtype=np.float64)

"""How near the two bodies of every join are: judged from the documents as they are, from the whole down to its parts.

The linkage works on smoothed vectors, which find the right pairs but make all that is near look alike, and the more so the
larger the corpus. What is joined is therefore judged by the vectors as they were. Two bodies of documents that do not find
each other among their nearest neighbours have to be nearer still: one company's two affairs share a name and little else.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from headwater.stories.clustering.linkage import Join
from headwater.stories.clustering.similarity import Days, Matrix, time_decay

Numbers = npt.NDArray[np.int64]
Heights = npt.NDArray[np.float64]

LINKED = 0.2
"""A fifth of the links that two halves of one body would have is enough."""


@dataclass(frozen=True, slots=True)
class DocumentRows:
    """Rows of a window: vectors, days, and per row the nearest others, -1 where they are outside."""

    vectors: Matrix
    days: Days
    around: Numbers


@dataclass(frozen=True, slots=True)
class Dendrogram:
    """Joins of rows and the bar up to which each holds. What holds as one holds with all its parts, so no part's height
    is under that of the whole."""

    kept: Numbers
    gone: Numbers
    heights: Heights
    rows: int

    def at(self, threshold: float) -> Numbers:
        """A cluster number per row: the first row of its cluster."""
        names = np.arange(self.rows)
        holds = self.heights >= threshold
        names[self.gone[holds]] = self.kept[holds]
        while True:
            further = names[names]
            if np.array_equal(further, names):
                return names
            names = further


def build_dendrogram(done: Sequence[Join], documents: DocumentRows, unlinked: float) -> Dendrogram:
    """`done` has parts before the whole; bodies without a link between them count as farther apart by `unlinked`."""
    rows = len(documents.vectors)
    own = np.fromiter(_nearness(done, documents, unlinked), dtype=np.float64, count=len(done))
    pairs = np.array(done, dtype=np.int64).reshape(-1, 2)
    return Dendrogram(pairs[:, 0], pairs[:, 1], _from_the_whole_down(done, own, rows), rows)


def _nearness(done: Sequence[Join], documents: DocumentRows, unlinked: float) -> Iterable[float]:
    sums, days = documents.vectors.copy(), MeanDays.of(documents.days)
    home = np.append(np.arange(len(sums)), -1)
    inside = [[row] for row in range(len(sums))]
    for kept, gone in done:
        likeness = float(sums[kept] @ sums[gone]) / (len(inside[kept]) * len(inside[gone]))
        small, large = sorted((gone, kept), key=lambda name: len(inside[name]))
        links = _links(documents.around, home, inside[small], inside[large])
        yield likeness * days.near(kept, gone) - unlinked * max(0.0, 1 - links / LINKED)
        days.join(kept, gone)
        sums[kept] += sums[gone]
        home[inside[small]] = home[inside[large][0]]
        inside[large].extend(inside[small])
        inside[kept] = inside[large]


def _links(around: Numbers, home: Numbers, small: Sequence[int], large: Sequence[int]) -> float:
    """How often the smaller body's neighbours are in the larger one, against what halves of one body would show."""
    found = float((home[around[small]] == home[large[0]]).mean())
    both = len(small) + len(large)
    expected = len(large) / both * min(1.0, (both - 1) / int(around.shape[1]))
    return found / expected


@dataclass(frozen=True, slots=True)
class MeanDays:
    """The mean day of each body, of those documents whose day is known."""

    sums: npt.NDArray[np.float64]
    known: npt.NDArray[np.float64]

    @classmethod
    def of(cls, days: Days) -> "MeanDays":
        known = ~np.isnan(days)
        return cls(np.where(known, days, 0).astype(np.float64), known.astype(np.float64))

    def near(self, one: int, other: int) -> float:
        if not (self.known[one] and self.known[other]):
            return 1.0
        means = [self.sums[name] / self.known[name] for name in (one, other)]
        return float(time_decay(*np.array(means, dtype=np.float32)[:, None])[0])

    def between(self, ones: Numbers, others: Numbers) -> Days:
        """What days leave of the similarity of each two bodies."""
        means = np.full(len(self.sums), np.nan, dtype=np.float32)
        np.divide(self.sums, self.known, out=means, where=self.known > 0, casting="same_kind")
        return time_decay(means[ones], means[others])

    def join(self, kept: int, gone: int) -> None:
        self.sums[kept] += self.sums[gone]
        self.known[kept] += self.known[gone]


def _from_the_whole_down(done: Sequence[Join], own: Heights, rows: int) -> Heights:
    """Each join is as high as the highest of itself and of those that hold it."""
    heights, latest = own.tolist(), [-1] * rows
    whole = list(range(len(done)))
    for number, (kept, gone) in enumerate(done):
        for part in (latest[kept], latest[gone]):
            if part >= 0:
                whole[part] = number
        latest[kept] = number
    for number in range(len(done) - 1, -1, -1):
        heights[number] = max(heights[number], heights[whole[number]])
    return np.array(heights, dtype=np.float64)

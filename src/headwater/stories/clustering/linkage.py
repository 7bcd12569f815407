"""Average linkage by the chain of nearest neighbours: quadratic in time and memory, exact, and for a window only."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Square = npt.NDArray[np.float32]
Numbers = npt.NDArray[np.int64]


class Join(NamedTuple):
    """The cluster called `gone` went into the one called `kept`; both are called by their first row."""

    kept: int
    gone: int


def average_linkage(similarity: Square, least: float) -> Numbers:
    """A cluster number per row: clusters are joined while the mean similarity between them is at least `least`."""
    return cluster_labels(linkage_joins(similarity, least), len(similarity))


def linkage_joins(similarity: Square, least: float) -> list[Join]:
    """What is joined, parts before the whole. Uses up the matrix; rows that are equally near are taken in order."""
    np.fill_diagonal(similarity, -np.inf)
    joining = LinkageState(similarity, np.ones(len(similarity)))
    for start in range(len(similarity)):
        joining.follow(start, least)
    return joining.done


def cluster_labels(done: Sequence[Join], rows: int) -> Numbers:
    """The first row of the cluster that each row ends up in."""
    labels = np.arange(rows)
    for kept, gone in reversed(done):
        labels[gone] = labels[kept]
    return labels


@dataclass(frozen=True, slots=True)
class LinkageState:
    similarity: Square
    sizes: npt.NDArray[np.float64]
    done: list[Join] = field(default_factory=list)

    def follow(self, start: int, least: float) -> None:
        """Walk to ever nearer neighbours and join those who are nearest to each other, until `start` is finished.

        Average linkage is reducible: a pair that is mutually nearest is joined sooner or later, whatever comes
        between. A cluster whose nearest is too far will never have a nearer one.
        """
        chain = [start]
        while chain:
            nearest = int(np.argmax(self.similarity[chain[-1]]))
            near = self.similarity[chain[-1], nearest]
            if near < least:
                self._finish(chain.pop())
            elif len(chain) > 1 and near <= self.similarity[chain[-1], chain[-2]]:
                joined = self._join(chain.pop(), chain.pop())
                chain = chain or [joined]
            else:
                chain.append(nearest)

    def _finish(self, row: int) -> None:
        self.similarity[row, :] = -np.inf
        self.similarity[:, row] = -np.inf

    def _join(self, one: int, other: int) -> int:
        kept, gone = min(one, other), max(one, other)
        a, b = self.sizes[kept], self.sizes[gone]
        merged = (a * self.similarity[kept] + b * self.similarity[gone]) / (a + b)
        merged[[kept, gone]] = -np.inf
        self.similarity[kept, :] = merged
        self.similarity[:, kept] = merged
        self._finish(gone)
        self.sizes[kept] = a + b
        self.done.append(Join(kept, gone))
        return kept

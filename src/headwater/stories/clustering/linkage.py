"""Average linkage by the nearest-neighbour chain: exact, quadratic in time and memory, so for one window only."""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Square = npt.NDArray[np.float32]


class Join(NamedTuple):
    """The cluster `absorbed` went into the cluster `target`; a cluster is named by its first row."""

    target: int
    absorbed: int


def linkage_joins(similarity: Square, minimum: float) -> list[Join]:
    """The joins of clusters whose mean similarity is at least `minimum`, parts before wholes. Overwrites the matrix; ties
    are ordered by row."""
    np.fill_diagonal(similarity, -np.inf)
    state = LinkageState(similarity, np.ones(len(similarity)))
    for start in range(len(similarity)):
        state.follow(start, minimum)
    return state.joins


@dataclass(frozen=True, slots=True)
class LinkageState:
    similarity: Square
    sizes: npt.NDArray[np.float64]
    joins: list[Join] = field(default_factory=list)

    def follow(self, start: int, minimum: float) -> None:
        """Follow nearest neighbours and join each mutually nearest pair, until `start` is finished.

        Average linkage is reducible: a mutually nearest pair is joined sooner or later, whatever happens between. A
        cluster whose nearest neighbour is too far never gets a nearer one.
        """
        chain = [start]
        while chain:
            nearest = int(np.argmax(self.similarity[chain[-1]]))
            highest = self.similarity[chain[-1], nearest]
            if highest < minimum:
                self._finish(chain.pop())
            elif len(chain) > 1 and highest <= self.similarity[chain[-1], chain[-2]]:
                target = self._join(chain.pop(), chain.pop())
                chain = chain or [target]
            else:
                chain.append(nearest)

    def _finish(self, row: int) -> None:
        self.similarity[row, :] = -np.inf
        self.similarity[:, row] = -np.inf

    def _join(self, first: int, second: int) -> int:
        target, absorbed = min(first, second), max(first, second)
        a, b = self.sizes[target], self.sizes[absorbed]
        mean_row = (a * self.similarity[target] + b * self.similarity[absorbed]) / (a + b)
        mean_row[[target, absorbed]] = -np.inf
        self.similarity[target, :] = mean_row
        self.similarity[:, target] = mean_row
        self._finish(absorbed)
        self.sizes[target] = a + b
        self.joins.append(Join(target, absorbed))
        return target

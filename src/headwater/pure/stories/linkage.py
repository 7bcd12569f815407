"""Average linkage by the chain of nearest neighbours: quadratic in time and memory, exact, and for a window only."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Square = npt.NDArray[np.float32]
Numbers = npt.NDArray[np.int64]


def average_linkage(similarity: Square, least: float) -> Numbers:
    """A cluster number per row: clusters are joined while the mean similarity between them is at least `least`.

    Uses up the matrix it is given. Rows that are equally near are taken in their order.
    """
    np.fill_diagonal(similarity, -np.inf)
    joining = Joining(similarity, np.ones(len(similarity)), np.arange(len(similarity)))
    for start in range(len(similarity)):
        joining.follow(start, least)
    return np.array([joining.root(row) for row in range(len(similarity))], dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Joining:
    similarity: Square
    sizes: npt.NDArray[np.float64]
    parents: Numbers

    def follow(self, start: int, least: float) -> None:
        """Walk to ever nearer neighbours and join those who are nearest to each other, until `start` is finished.

        Average linkage is reducible: a pair that is mutually nearest is joined sooner or later, whatever comes
        between. A cluster whose nearest is too far will never have a nearer one.
        """
        chain = [start] if self.parents[start] == start else []
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
        self.parents[gone] = kept
        return kept

    def root(self, row: int) -> int:
        while self.parents[row] != row:
            self.parents[row] = self.parents[self.parents[row]]
            row = int(self.parents[row])
        return row

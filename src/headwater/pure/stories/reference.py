"""The seed's clusters: whoever is among somebody's ten nearest at a cosine of 0.65 is in the same story as he is."""

import numpy as np
import numpy.typing as npt

from headwater.pure.stories.neighbours import nearest
from headwater.pure.stories.vectors import Matrix

NEIGHBOURS = 10
COSINE = 0.65


def chained(meanings: Matrix, neighbours: int = NEIGHBOURS, cosine: float = COSINE) -> npt.NDArray[np.int64]:
    """Union-find over the neighbour graph; a cluster is called by its first row."""
    near = nearest(meanings, neighbours)
    parents = list(range(len(meanings)))

    def root(row: int) -> int:
        while parents[row] != row:
            parents[row] = parents[parents[row]]
            row = parents[row]
        return row

    rows, columns = np.nonzero((near.similarities >= cosine) & (near.positions >= 0))
    for row, other in zip(rows.tolist(), near.positions[rows, columns].tolist(), strict=True):
        low, high = sorted((root(row), root(other)))
        parents[high] = low
    return np.array([root(row) for row in range(len(meanings))], dtype=np.int64)

"""Each vector moved towards its neighbours: what a short text leaves out, the texts around it say."""

import numpy as np

from headwater.pure.stories.neighbours import Neighbours
from headwater.pure.stories.vectors import Matrix, normalised

REACH = 10
BLOCK = 1024


def smoothed(vectors: Matrix, near: Neighbours) -> Matrix:
    """The vector plus the mean of its nearest, each counting by the square of its similarity."""
    positions = near.positions[:, :REACH]
    weights = np.square(np.clip(near.similarities[:, :REACH], 0, None))
    weights /= np.maximum(weights.sum(axis=1, keepdims=True), 1e-9)
    made = vectors.copy()
    for start in range(0, len(vectors), BLOCK):
        part = slice(start, start + BLOCK)
        made[part] += np.einsum("rk,rkd->rd", weights[part], vectors[positions[part]], optimize=True)
    return normalised(made)

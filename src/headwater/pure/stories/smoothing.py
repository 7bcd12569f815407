"""Each vector moved towards its neighbours: what a short text leaves out, the texts around it say."""

import numpy as np

from headwater.pure.stories.neighbours import Neighbours
from headwater.pure.stories.vectors import Matrix, normalised

REACH = 10
BLOCK = 1024


def smoothed(vectors: Matrix, near: Neighbours, companion: float) -> Matrix:
    """The vector plus the mean of its nearest, each counting by the square of its similarity; strangers do not count."""
    positions, alike = near.positions[:, :REACH], near.similarities[:, :REACH]
    weights = np.where(alike >= companion, np.square(alike), 0)
    weights /= np.maximum(weights.sum(axis=1, keepdims=True), 1e-9)
    made = np.empty_like(vectors)
    for start in range(0, len(vectors), BLOCK):
        part = slice(start, start + BLOCK)
        around = np.einsum("rk,rkd->rd", weights[part], vectors[positions[part]], optimize=True)
        made[part] = normalised(vectors[part] + around)
    return made

"""The nearest neighbours of every vector: exactly while there are few, by cells of a coarse division beyond."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from headwater.stories.clustering.similarity import Matrix, normalise_rows

Numbers = npt.NDArray[np.int64]

EXACT = 8192
BLOCK = 512
PER_CELL = 256
PROBES = 12
ROUNDS = 4
SEED = 20


class Neighbours(NamedTuple):
    """Per row the positions of its neighbours, nearest first, and their similarities; -1 where there is none."""

    positions: Numbers
    similarities: Matrix


def nearest_neighbours(vectors: Matrix, count: int, probes: int = PROBES) -> Neighbours:
    """The `count` nearest other rows of every row. Beyond `EXACT` rows nearly all of them are found, not each one."""
    count = max(0, min(count, len(vectors) - 1))
    if len(vectors) <= EXACT:
        return _everywhere(vectors, count)
    return _in_cells(vectors, count, build_cells(vectors, len(vectors) // PER_CELL), probes)


def _everywhere(vectors: Matrix, count: int) -> Neighbours:
    found = _none(len(vectors), count)
    rows = np.arange(len(vectors))
    for start in range(0, len(vectors), BLOCK):
        block = rows[start : start + BLOCK]
        _take(found, block, vectors[block] @ vectors.T, rows, block)
    return found


@dataclass(frozen=True, slots=True)
class VectorCells:
    centres: Matrix
    members: tuple[Numbers, ...]


def build_cells(vectors: Matrix, cells: int) -> VectorCells:
    """Spherical k-means over a sample: a handful of rounds, the same cells each time."""
    chance = np.random.Generator(np.random.PCG64(SEED))
    sample = vectors[np.sort(chance.permutation(len(vectors))[: cells * 40])]
    centres = sample[np.sort(chance.permutation(len(sample))[:cells])]
    for _ in range(ROUNDS):
        centres = _moved(sample, centres)
    home = nearest_centre(vectors, centres)
    order = np.argsort(home, kind="stable")
    edges = np.searchsorted(home[order], np.arange(cells + 1))
    return VectorCells(centres, tuple(order[a:b] for a, b in pairwise(edges.tolist())))


def _moved(sample: Matrix, centres: Matrix) -> Matrix:
    sums = np.zeros_like(centres)
    np.add.at(sums, nearest_centre(sample, centres), sample)
    empty = ~sums.any(axis=1)
    sums[empty] = centres[empty]
    return normalise_rows(sums)


def nearest_centre(vectors: Matrix, centres: Matrix) -> Numbers:
    blocks = range(0, len(vectors), BLOCK)
    return np.concatenate([np.argmax(vectors[at : at + BLOCK] @ centres.T, axis=1) for at in blocks])


def _in_cells(vectors: Matrix, count: int, cells: VectorCells, probes: int) -> Neighbours:
    """Rows of one cell look together: one product of matrices serves them all."""
    found = _none(len(vectors), count)
    near = np.argsort(-(cells.centres @ cells.centres.T), axis=1, kind="stable")[:, :probes]
    for number, (members, around) in enumerate(zip(cells.members, near, strict=True)):
        if len(members):
            candidates, own = _candidates(cells, number, around)
            held = vectors[candidates]
            for block in _blocks(np.arange(len(members))):
                rows = members[block]
                _take(found, rows, vectors[rows] @ held.T, candidates, own + block)
    return found


def _candidates(cells: VectorCells, number: int, around: Numbers) -> tuple[Numbers, int]:
    """The rows of the cells around, those of the cell itself among them, and where those begin."""
    others = [cells.members[cell] for cell in around if cell != number]
    found = np.concatenate([*others, cells.members[number]])
    return found, len(found) - len(cells.members[number])


def _blocks(rows: Numbers) -> Iterator[Numbers]:
    for start in range(0, len(rows), BLOCK):
        yield rows[start : start + BLOCK]


def _none(rows: int, count: int) -> Neighbours:
    return Neighbours(
        np.full((rows, count), -1, dtype=np.int64), np.full((rows, count), -np.inf, dtype=np.float32)
    )


def _take(found: Neighbours, rows: Numbers, similarity: Matrix, candidates: Numbers, own: Numbers) -> None:
    """Keep the best candidates of these rows, never the row itself, which is the candidate at `own`."""
    count = min(found.positions.shape[1], len(candidates) - 1)
    if count <= 0:
        return
    similarity[np.arange(len(rows)), own] = -np.inf
    best = np.argpartition(similarity, -count, axis=1)[:, -count:]
    kept = np.take_along_axis(similarity, best, axis=1)
    # Equal similarities in the order of the rows, so that the answer is one and the same.
    order = np.lexsort((candidates[best], -kept))
    found.positions[rows, :count] = np.take_along_axis(candidates[best], order, axis=1)
    found.similarities[rows, :count] = np.take_along_axis(kept, order, axis=1)


REACH = 10
SMOOTHING_BLOCK = 1024


def smooth_vectors(vectors: Matrix, near: Neighbours, companion: float) -> Matrix:
    """The vector plus the mean of its nearest, each counting by the square of its similarity; strangers do not count."""
    positions, alike = near.positions[:, :REACH], near.similarities[:, :REACH]
    weights = np.where(alike >= companion, np.square(alike), 0)
    weights /= np.maximum(weights.sum(axis=1, keepdims=True), 1e-9)
    made = np.empty_like(vectors)
    for start in range(0, len(vectors), SMOOTHING_BLOCK):
        part = slice(start, start + SMOOTHING_BLOCK)
        around = np.einsum("rk,rkd->rd", weights[part], vectors[positions[part]], optimize=True)
        made[part] = normalise_rows(vectors[part] + around)
    return made

"""The nearest neighbours of every vector, exact for small corpora and by k-means cells for large ones; smoothing."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from headwater.stories.clustering.similarity import Matrix, Numbers, normalise_rows

EXACT = 8192
BLOCK = 512
PER_CELL = 256
PROBES = 12
ROUNDS = 4
SEED = 20


class Neighbours(NamedTuple):
    """The positions of the neighbours of each row, nearest first, and their similarities; -1 for none."""

    positions: Numbers
    similarities: Matrix


def nearest_neighbours(vectors: Matrix, count: int, probes: int = PROBES) -> Neighbours:
    """The `count` nearest other rows of every row. Beyond `EXACT` rows the result is approximate."""
    count = max(0, min(count, len(vectors) - 1))
    if len(vectors) <= EXACT:
        return _search_all(vectors, count)
    return _search_cells(vectors, count, build_cells(vectors, len(vectors) // PER_CELL), probes)


def _search_all(vectors: Matrix, count: int) -> Neighbours:
    neighbours = _no_neighbours(len(vectors), count)
    rows = np.arange(len(vectors))
    for start in range(0, len(vectors), BLOCK):
        block = rows[start : start + BLOCK]
        _keep_best(neighbours, block, vectors[block] @ vectors.T, rows, block)
    return neighbours


@dataclass(frozen=True, slots=True)
class VectorCells:
    centres: Matrix
    members: tuple[Numbers, ...]


def build_cells(vectors: Matrix, cells: int) -> VectorCells:
    """Spherical k-means over a sample: a few rounds with a fixed seed."""
    generator = np.random.Generator(np.random.PCG64(SEED))
    sample = vectors[np.sort(generator.permutation(len(vectors))[: cells * 40])]
    centres = sample[np.sort(generator.permutation(len(sample))[:cells])]
    for _ in range(ROUNDS):
        centres = _moved_centres(sample, centres)
    cell_of_row = nearest_centre(vectors, centres)
    order = np.argsort(cell_of_row, kind="stable")
    edges = np.searchsorted(cell_of_row[order], np.arange(cells + 1))
    return VectorCells(centres, tuple(order[a:b] for a, b in pairwise(edges.tolist())))


def _moved_centres(sample: Matrix, centres: Matrix) -> Matrix:
    sums = np.zeros_like(centres)
    np.add.at(sums, nearest_centre(sample, centres), sample)
    empty = ~sums.any(axis=1)
    sums[empty] = centres[empty]
    return normalise_rows(sums)


def nearest_centre(vectors: Matrix, centres: Matrix) -> Numbers:
    blocks = range(0, len(vectors), BLOCK)
    return np.concatenate([np.argmax(vectors[at : at + BLOCK] @ centres.T, axis=1) for at in blocks])


def _search_cells(vectors: Matrix, count: int, cells: VectorCells, probes: int) -> Neighbours:
    """Search by cell: one matrix product serves all rows of a cell."""
    neighbours = _no_neighbours(len(vectors), count)
    cells_by_distance = np.argsort(-(cells.centres @ cells.centres.T), axis=1, kind="stable")[:, :probes]
    for number, (members, near_cells) in enumerate(zip(cells.members, cells_by_distance, strict=True)):
        if len(members):
            candidates, own_position = _candidates(cells, number, near_cells)
            candidate_vectors = vectors[candidates]
            for block in _blocks(np.arange(len(members))):
                rows = members[block]
                _keep_best(
                    neighbours, rows, vectors[rows] @ candidate_vectors.T, candidates, own_position + block
                )
    return neighbours


def _candidates(cells: VectorCells, number: int, near_cells: Numbers) -> tuple[Numbers, int]:
    """The rows of the near cells, with those of the cell itself at the end, and where these begin."""
    other_cells = [cells.members[cell] for cell in near_cells if cell != number]
    rows = np.concatenate([*other_cells, cells.members[number]])
    return rows, len(rows) - len(cells.members[number])


def _blocks(rows: Numbers) -> Iterator[Numbers]:
    for start in range(0, len(rows), BLOCK):
        yield rows[start : start + BLOCK]


def _no_neighbours(rows: int, count: int) -> Neighbours:
    return Neighbours(
        np.full((rows, count), -1, dtype=np.int64), np.full((rows, count), -np.inf, dtype=np.float32)
    )


def _keep_best(
    neighbours: Neighbours, rows: Numbers, similarity: Matrix, candidates: Numbers, own_positions: Numbers
) -> None:
    """Keep the best candidates of these rows, never the row itself (the candidate at `own_positions`)."""
    count = min(neighbours.positions.shape[1], len(candidates) - 1)
    if count <= 0:
        return
    similarity[np.arange(len(rows)), own_positions] = -np.inf
    best = np.argpartition(similarity, -count, axis=1)[:, -count:]
    best_similarities = np.take_along_axis(similarity, best, axis=1)
    # Ties are ordered by row, so that the result is deterministic.
    order = np.lexsort((candidates[best], -best_similarities))
    neighbours.positions[rows, :count] = np.take_along_axis(candidates[best], order, axis=1)
    neighbours.similarities[rows, :count] = np.take_along_axis(best_similarities, order, axis=1)


SMOOTHING_BLOCK = 1024


def smooth_vectors(vectors: Matrix, neighbours: Neighbours, companion: float, count: int) -> Matrix:
    """Each vector plus the mean of its `count` neighbours, weighted by the square of their similarity: what a short text leaves
    out, the texts around it say. Neighbours below the similarity `companion` do not count."""
    positions, similarities = (
        neighbours.positions[:, :count],
        neighbours.similarities[:, :count],
    )
    weights = np.where(similarities >= companion, np.square(similarities), 0)
    weights /= np.maximum(weights.sum(axis=1, keepdims=True), 1e-9)
    smoothed = np.empty_like(vectors)
    for start in range(0, len(vectors), SMOOTHING_BLOCK):
        block = slice(start, start + SMOOTHING_BLOCK)
        total = vectors[block].copy()
        for column in range(positions.shape[1]):
            total += weights[block, column, None] * vectors[positions[block, column]]
        smoothed[block] = normalise_rows(total)
    return smoothed

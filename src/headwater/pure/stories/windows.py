"""Average linkage where a square matrix fits; beyond, communities of the neighbour graph are linked one by one.

The communities are coarse on purpose: they only say which documents need not be compared. What is a story is decided by
the same linkage and the same bar, however large the corpus is, and memory grows with the window, not with the corpus.
"""

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from headwater.pure.stories import fitting
from headwater.pure.stories.cutting import LOOKED_AT, Bar, best_bar, guessed
from headwater.pure.stories.judging import Documents, judged, together
from headwater.pure.stories.linkage import joins
from headwater.pure.stories.louvain import Graph, communities, graph_of
from headwater.pure.stories.neighbours import Neighbours, nearest
from headwater.pure.stories.smoothing import smoothed
from headwater.pure.stories.timing import Days, nearness
from headwater.pure.stories.vectors import Matrix

Numbers = npt.NDArray[np.int64]

WINDOW = 8192
PIECE = 2048
"""What is divided is divided into parts no larger than this: linkage costs the square of each."""

BLOCK = 512
AROUND = 10
GRAPH_REACH = 10
KNOWN = 8192
"""Up to so many rows communities are those of plain modularity. It would find ever larger ones in larger corpora, and a
linkage costs the square of each: beyond, they are looked for more finely as the corpus grows."""

FINER = 4.0
FINEST = 5


def clustered(vectors: Matrix, days: Days, bar: Bar, window: int = WINDOW, length: float = 0.0) -> Numbers:
    """A cluster number per row. `length` says how long the texts are: 0 for headlines, 1 for whole articles."""
    if len(vectors) < 2:
        return np.arange(len(vectors))
    near = nearest(vectors, LOOKED_AT)
    soft = smoothed(vectors, near, bar.companion)
    around = near.positions[:, :AROUND]
    places, forests = _windows(near, days, window), []
    for rows in places:
        done = joins(_similarity(soft[rows], days[rows]), bar.lowest)
        inside = Documents(vectors[rows], days[rows], _within_rows(around, rows))
        forests.append(judged(done, inside, bar.unlinked))
    forest = together(forests, places)
    documents = fitting.Documents(vectors, days, length)
    return forest.at(best_bar(documents, forest.at, bar, guessed(near, bar, length)))


def _similarity(vectors: Matrix, days: Days) -> Matrix:
    """Every pair of one window."""
    similarity = np.empty((len(vectors), len(vectors)), dtype=np.float32)
    for start in range(0, len(vectors), BLOCK):
        part = slice(start, start + BLOCK)
        similarity[part] = vectors[part] @ vectors.T
        similarity[part] *= nearness(days[part, None], days[None, :])
    return similarity


def _within_rows(around: Numbers, rows: Numbers) -> Numbers:
    """Neighbours by their place among these rows; -1 for those elsewhere."""
    place = np.full(len(around) + 1, -1)
    place[rows] = np.arange(len(rows))
    return place[around[rows]]


def _windows(near: Neighbours, days: Days, window: int) -> list[Numbers]:
    if len(near.positions) <= window:
        return [np.arange(len(near.positions))]
    around = near.positions[:, :GRAPH_REACH]
    fading = nearness(days[:, None], days[around])
    graph = graph_of(Neighbours(around, near.similarities[:, :GRAPH_REACH] * fading))
    return _parts(graph, min(window, PIECE))


def _parts(graph: Graph, window: int) -> list[Numbers]:
    """Communities that fit a window; one that does not is divided more finely, at last by mere order."""
    waiting, done = [(np.arange(graph.size), 0)], []
    while waiting:
        rows, depth = waiting.pop()
        if len(rows) <= window:
            done.append(rows)
        elif depth == FINEST:
            done.extend(np.array_split(rows, -(-len(rows) // window)))
        else:
            labels = communities(_within(graph, rows), max(1.0, len(rows) / KNOWN) * FINER**depth)
            waiting.extend((rows[labels == label], depth + 1) for label in range(labels.max() + 1))
    return done


def _within(graph: Graph, rows: Numbers) -> Graph:
    """The part of the graph between these nodes."""
    if len(rows) == graph.size:
        return graph
    place = np.full(graph.size, -1)
    place[rows] = np.arange(len(rows))
    sources = place[np.repeat(np.arange(graph.size), np.diff(graph.starts))]
    targets = place[graph.targets]
    kept = (sources >= 0) & (targets >= 0)
    starts = np.searchsorted(sources[kept], np.arange(len(rows) + 1))
    return replace(
        graph, starts=starts, targets=targets[kept], weights=graph.weights[kept], inside=graph.inside[rows]
    )

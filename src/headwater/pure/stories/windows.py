"""Average linkage where a square matrix fits; beyond, in parts of the corpus first and then across them.

The parts are communities of the neighbour graph, coarse on purpose: they only say which documents are compared first. In each
only that is joined which is as near as the highest bar. The bodies so made are linked across all parts down to the lowest, by
the mean similarity between those that are neighbours, and what is joined is judged as it is within one window. Memory grows
with the window and the corpus, not with its square.
"""

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from headwater.pure.stories import fitting
from headwater.pure.stories.bodies import Bodies, Pairs, distinct, link
from headwater.pure.stories.cutting import LOOKED_AT, Bar, best_bar, guessed
from headwater.pure.stories.judging import Documents, judged
from headwater.pure.stories.linkage import Join, joins
from headwater.pure.stories.louvain import Graph, communities, graph_of
from headwater.pure.stories.neighbours import Neighbours, nearest
from headwater.pure.stories.smoothing import smoothed
from headwater.pure.stories.timing import Days, nearness
from headwater.pure.stories.vectors import Matrix, normalised

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
    done = _joined(vectors, days, near, bar, window)
    forest = judged(done, Documents(vectors, days, near.positions[:, :AROUND]), bar.unlinked)
    documents = fitting.Documents(vectors, days, length)
    return forest.at(best_bar(documents, forest.at, bar, guessed(near, bar, length)))


def _joined(vectors: Matrix, days: Days, near: Neighbours, bar: Bar, window: int) -> list[Join]:
    """What is joined down to the lowest bar, by the smoothed vectors."""
    soft = smoothed(vectors, near, bar.companion)
    if len(vectors) <= window:
        return joins(_similarity(soft, days), bar.lowest)
    bodies = Bodies.of(soft, days)
    for rows in _windows(near, days, window):
        for kept, gone in joins(_similarity(soft[rows], days[rows]), bar.highest):
            bodies.join(int(rows[kept]), int(rows[gone]))
    bodies.call_home()
    _link_across(bodies, near.positions[:, :GRAPH_REACH], bar)
    return bodies.done


def _link_across(bodies: Bodies, around: Numbers, bar: Bar) -> None:
    """Bodies of all windows: first down to the highest bar, then to the lowest, until nothing is near enough to anything."""
    rows = np.arange(len(around))
    link(bodies, _between(bodies.home, rows, around), bar.highest)
    linked = _between(bodies.home, rows, around)
    before = -1
    while before < len(bodies.done):
        before, beside = len(bodies.done), _beside(bodies)
        link(bodies, distinct(*map(np.concatenate, zip(linked, beside, strict=True))), bar.lowest)
        linked = Pairs(*(bodies.home[names] for names in linked))


def _beside(bodies: Bodies) -> Pairs:
    """Bodies whose centres are neighbours: documents that have copies enough see no others among their own."""
    names = bodies.names()
    centres = normalised(bodies.sums[names])
    return _between(names, np.arange(len(names)), nearest(centres, GRAPH_REACH).positions)


def _between(home: Numbers, rows: Numbers, around: Numbers) -> Pairs:
    """The pairs of homes that are linked by a row and one of its neighbours."""
    ones, others = np.repeat(rows, around.shape[1]), around.ravel()
    real = others >= 0
    return distinct(home[ones[real]], home[others[real]])


def _similarity(vectors: Matrix, days: Days) -> Matrix:
    """Every pair of one window."""
    similarity = np.empty((len(vectors), len(vectors)), dtype=np.float32)
    for start in range(0, len(vectors), BLOCK):
        part = slice(start, start + BLOCK)
        similarity[part] = vectors[part] @ vectors.T
        similarity[part] *= nearness(days[part, None], days[None, :])
    return similarity


def _windows(near: Neighbours, days: Days, window: int) -> list[Numbers]:
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

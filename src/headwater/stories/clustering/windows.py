"""Average linkage where a square matrix fits; beyond, in parts of the corpus first and then across them.

The parts are communities of the neighbour graph, coarse on purpose: they only say which documents are compared first. In each
only that is joined which is as near as the highest bar. The bodies so made are linked across all parts down to the lowest, by
the mean similarity between those that are neighbours, and what is joined is judged as it is within one window. Memory grows
with the window and the corpus, not with its square.
"""

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from headwater.stories.clustering import silhouette as fitting
from headwater.stories.clustering.dendrogram import DocumentRows, build_dendrogram
from headwater.stories.clustering.linkage import Join, linkage_joins
from headwater.stories.clustering.louvain import Graph, build_graph, find_communities
from headwater.stories.clustering.neighbours import Neighbours, nearest_neighbours, smooth_vectors
from headwater.stories.clustering.similarity import Days, Matrix, normalise_rows, time_decay
from headwater.stories.clustering.sparse_linkage import (
    ClusterPairs,
    ClusterSums,
    distinct_pairs,
    link_clusters,
)
from headwater.stories.clustering.threshold import (
    NEIGHBOURS_USED,
    ThresholdModel,
    best_threshold,
    guess_threshold,
)

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


def cluster_vectors(
    vectors: Matrix, days: Days, threshold: ThresholdModel, window: int = WINDOW, length: float = 0.0
) -> Numbers:
    """A cluster number per row. `length` says how long the texts are: 0 for headlines, 1 for whole articles."""
    if len(vectors) < 2:
        return np.arange(len(vectors))
    near = nearest_neighbours(vectors, NEIGHBOURS_USED)
    done = _joined(vectors, days, near, threshold, window)
    forest = build_dendrogram(
        done, DocumentRows(vectors, days, near.positions[:, :AROUND]), threshold.unlinked
    )
    documents = fitting.Documents(vectors, days, length)
    return forest.at(
        best_threshold(documents, forest.at, threshold, guess_threshold(near, threshold, length))
    )


def _joined(
    vectors: Matrix, days: Days, near: Neighbours, threshold: ThresholdModel, window: int
) -> list[Join]:
    """What is joined down to the lowest bar, by the smoothed vectors."""
    soft = smooth_vectors(vectors, near, threshold.companion)
    if len(vectors) <= window:
        return linkage_joins(_similarity(soft, days), threshold.lowest)
    clusters = ClusterSums.of(soft, days)
    for rows in _windows(near, days, window):
        for kept, gone in linkage_joins(_similarity(soft[rows], days[rows]), threshold.highest):
            clusters.join(int(rows[kept]), int(rows[gone]))
    clusters.resolve_clusters()
    _link_across(clusters, near.positions[:, :GRAPH_REACH], threshold)
    return clusters.done


def _link_across(clusters: ClusterSums, around: Numbers, threshold: ThresholdModel) -> None:
    """Bodies of all windows: first down to the highest bar, then to the lowest, until nothing is near enough to anything."""
    rows = np.arange(len(around))
    link_clusters(clusters, _between(clusters.home, rows, around), threshold.highest)
    linked = _between(clusters.home, rows, around)
    before = -1
    while before < len(clusters.done):
        before, beside = len(clusters.done), _beside(clusters)
        link_clusters(
            clusters, distinct_pairs(*map(np.concatenate, zip(linked, beside, strict=True))), threshold.lowest
        )
        linked = ClusterPairs(*(clusters.home[names] for names in linked))


def _beside(clusters: ClusterSums) -> ClusterPairs:
    """Bodies whose centres are neighbours: documents that have copies enough see no others among their own."""
    names = clusters.names()
    centres = normalise_rows(clusters.sums[names])
    return _between(names, np.arange(len(names)), nearest_neighbours(centres, GRAPH_REACH).positions)


def _between(home: Numbers, rows: Numbers, around: Numbers) -> ClusterPairs:
    """The pairs of homes that are linked by a row and one of its neighbours."""
    ones, others = np.repeat(rows, around.shape[1]), around.ravel()
    real = others >= 0
    return distinct_pairs(home[ones[real]], home[others[real]])


def _similarity(vectors: Matrix, days: Days) -> Matrix:
    """Every pair of one window."""
    similarity = np.empty((len(vectors), len(vectors)), dtype=np.float32)
    for start in range(0, len(vectors), BLOCK):
        part = slice(start, start + BLOCK)
        similarity[part] = vectors[part] @ vectors.T
        similarity[part] *= time_decay(days[part, None], days[None, :])
    return similarity


def _windows(near: Neighbours, days: Days, window: int) -> list[Numbers]:
    around = near.positions[:, :GRAPH_REACH]
    fading = time_decay(days[:, None], days[around])
    graph = build_graph(Neighbours(around, near.similarities[:, :GRAPH_REACH] * fading))
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
            labels = find_communities(_within(graph, rows), max(1.0, len(rows) / KNOWN) * FINER**depth)
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

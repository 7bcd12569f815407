"""Clusters of any number of vectors: exact average linkage within a window, then sparse linkage across windows.

The windows are communities of the neighbour graph, coarse on purpose: they only say which documents are compared first.
Within a window clusters are joined down to the highest threshold, then across windows down to the lowest, by the mean
similarity of neighbouring clusters. Memory grows with the corpus and the square of the window, not of the corpus.
"""

from dataclasses import dataclass, replace

import numpy as np

from headwater.stories.clustering.dendrogram import DocumentRows, build_dendrogram
from headwater.stories.clustering.linkage import Join, linkage_joins
from headwater.stories.clustering.louvain import Graph, build_graph, find_communities
from headwater.stories.clustering.neighbours import Neighbours, nearest_neighbours, smooth_vectors
from headwater.stories.clustering.silhouette import SilhouetteInput
from headwater.stories.clustering.similarity import Days, Matrix, Numbers, normalise_rows, time_decay
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

WINDOW = 8192
MAX_PART = 2048
"""A large corpus is divided into parts of at most this size, because linkage costs the square of each."""

BLOCK = 512
LINK_NEIGHBOURS = 10
GRAPH_NEIGHBOURS = 10
PLAIN_MODULARITY_ROWS = 8192
"""Up to this size communities are those of plain modularity. In larger corpora they would grow, and linkage costs the
square of each, so the resolution rises with the size."""

RESOLUTION_STEP = 4.0
MAX_DEPTH = 5


COPY_SIMILARITY = 0.75
"""From this similarity on, two texts of one language are copies of each other, at least in part."""


@dataclass(frozen=True, slots=True)
class CorpusTexts:
    """`length` is 0 if all are headlines, 1 if all are whole articles. `languages` are those of the texts, as numbers, negative
    for a headline alone; None if no item has a text."""

    length: float = 0.0
    languages: Numbers | None = None


HEADLINES = CorpusTexts()


def cluster_vectors(
    vectors: Matrix,
    days: Days,
    model: ThresholdModel,
    window: int = WINDOW,
    texts: CorpusTexts = HEADLINES,
) -> Numbers:
    """A cluster number per row."""
    if len(vectors) < 2:
        return np.arange(len(vectors))
    neighbours = nearest_neighbours(vectors, NEIGHBOURS_USED)
    smoothed = smooth_vectors(vectors, neighbours, model.companion, model.smoothing)
    heights = smoothed.copy() if model.smoothed_heights else vectors
    joins = _linkage(smoothed, days, neighbours, model, window)
    dendrogram = build_dendrogram(
        joins, DocumentRows(heights, days, neighbours.positions[:, :LINK_NEIGHBOURS]), model.unlinked
    )
    documents = SilhouetteInput(vectors, days, texts.length, _distinct_wordings(neighbours, texts.languages))
    return dendrogram.at(
        best_threshold(documents, dendrogram.at, model, guess_threshold(neighbours, model, texts.length))
    )


def _distinct_wordings(neighbours: Neighbours, languages: Numbers | None) -> Numbers:
    """The rows whose text is no copy of an earlier one. A text and its copies would be a perfect story at any threshold, so
    that one with many copies, corrected or shortened, would be best divided into its wordings."""
    rows = np.arange(len(neighbours.positions))
    if languages is None:
        return rows
    others = neighbours.positions
    is_copy = (
        (neighbours.similarities >= COPY_SIMILARITY)
        & (others >= 0)
        & (others < rows[:, None])
        & (languages[others] == languages[:, None])
        & (languages[:, None] >= 0)
    ).any(axis=1)
    return np.flatnonzero(~is_copy)


def _linkage(
    smoothed: Matrix, days: Days, neighbours: Neighbours, model: ThresholdModel, window: int
) -> list[Join]:
    """The joins of the smoothed vectors down to the lowest threshold. Overwrites them."""
    if len(smoothed) <= window:
        return linkage_joins(_similarity(smoothed, days), model.lowest)
    clusters = ClusterSums.of(smoothed, days)
    for rows in _windows(neighbours, days, window):
        for target, absorbed in linkage_joins(_similarity(smoothed[rows], days[rows]), model.highest):
            clusters.join(int(rows[target]), int(rows[absorbed]))
    clusters.resolve_clusters()
    _link_across(clusters, neighbours.positions[:, :GRAPH_NEIGHBOURS], model)
    return clusters.joins


def _link_across(clusters: ClusterSums, neighbours: Numbers, model: ThresholdModel) -> None:
    """Link clusters of all windows: first down to the highest threshold, then to the lowest, until nothing changes."""
    rows = np.arange(len(neighbours))
    link_clusters(clusters, _linked_pairs(clusters.cluster_of, rows, neighbours), model.highest)
    linked = _linked_pairs(clusters.cluster_of, rows, neighbours)
    joins_before = -1
    while joins_before < len(clusters.joins):
        joins_before, near_centres = len(clusters.joins), _near_centres(clusters)
        link_clusters(
            clusters,
            distinct_pairs(*map(np.concatenate, zip(linked, near_centres, strict=True))),
            model.lowest,
        )
        linked = ClusterPairs(*(clusters.cluster_of[clusters_of_side] for clusters_of_side in linked))


def _near_centres(clusters: ClusterSums) -> ClusterPairs:
    """Clusters whose centres are neighbours: the neighbours of documents with many copies are all in their own cluster."""
    names = clusters.names()
    centres = normalise_rows(clusters.sums[names])
    return _linked_pairs(
        names, np.arange(len(names)), nearest_neighbours(centres, GRAPH_NEIGHBOURS).positions
    )


def _linked_pairs(cluster_of: Numbers, rows: Numbers, neighbours: Numbers) -> ClusterPairs:
    """The pairs of clusters that a row and one of its neighbours link."""
    first, second = np.repeat(rows, neighbours.shape[1]), neighbours.ravel()
    exists = second >= 0
    return distinct_pairs(cluster_of[first[exists]], cluster_of[second[exists]])


def _similarity(vectors: Matrix, days: Days) -> Matrix:
    """The similarity matrix of one window, with time decay."""
    similarity = np.empty((len(vectors), len(vectors)), dtype=np.float32)
    for start in range(0, len(vectors), BLOCK):
        block = slice(start, start + BLOCK)
        similarity[block] = vectors[block] @ vectors.T
        similarity[block] *= time_decay(days[block, None], days[None, :])
    return similarity


def _windows(neighbours: Neighbours, days: Days, window: int) -> list[Numbers]:
    positions = neighbours.positions[:, :GRAPH_NEIGHBOURS]
    decay = time_decay(days[:, None], days[positions])
    graph = build_graph(Neighbours(positions, neighbours.similarities[:, :GRAPH_NEIGHBOURS] * decay))
    return _parts(graph, min(window, MAX_PART))


def _parts(graph: Graph, window: int) -> list[Numbers]:
    """Communities that fit into a window; larger ones are divided at a higher resolution, finally by order alone."""
    pending, parts = [(np.arange(graph.size), 0)], []
    while pending:
        rows, depth = pending.pop()
        if len(rows) <= window:
            parts.append(rows)
        elif depth == MAX_DEPTH:
            parts.extend(np.array_split(rows, -(-len(rows) // window)))
        else:
            labels = find_communities(
                _subgraph(graph, rows), max(1.0, len(rows) / PLAIN_MODULARITY_ROWS) * RESOLUTION_STEP**depth
            )
            pending.extend((rows[labels == label], depth + 1) for label in range(labels.max() + 1))
    return parts


def _subgraph(graph: Graph, rows: Numbers) -> Graph:
    """The subgraph of these rows."""
    if len(rows) == graph.size:
        return graph
    new_position = np.full(graph.size, -1)
    new_position[rows] = np.arange(len(rows))
    sources = new_position[np.repeat(np.arange(graph.size), np.diff(graph.starts))]
    targets = new_position[graph.targets]
    is_inside = (sources >= 0) & (targets >= 0)
    starts = np.searchsorted(sources[is_inside], np.arange(len(rows) + 1))
    return replace(
        graph,
        starts=starts,
        targets=targets[is_inside],
        weights=graph.weights[is_inside],
        inside=graph.inside[rows],
    )

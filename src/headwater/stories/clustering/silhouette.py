"""The silhouette of a partition: how much nearer documents are to their own story than to the next one.

Computed on a sample. Headlines are compared with the centre of a story, which contains what each of them leaves out; long
texts with the mean over its members, because a centre favours large stories. Time decay applies between a document and
the mean day of a story.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from headwater.stories.clustering.similarity import Days, Matrix, Numbers, time_decay

SAMPLE = 1024
BLOCK = 256
CLUSTERS_PER_BLOCK = 1024


@dataclass(frozen=True, slots=True)
class SingletonFit:
    """The assumed similarity of a single document to a story of its own: to the centre, and to the members. `outside` is
    that of an article to the members of a story that is not in the corpus: without it, a corpus about one war would best be one
    story, because there is nothing else to compare with."""

    centre: float
    mean: float
    outside: float = 0.0


@dataclass(frozen=True, slots=True)
class Partition:
    """One partition: the cluster of each row; size, norm of the sum and mean day of each cluster; and for each cluster of
    the finer partition before it the cluster that it went into."""

    labels: Numbers
    sizes: Numbers
    norms: Matrix
    days: Days
    merged_into: Numbers


@dataclass(frozen=True, slots=True)
class SilhouetteInput:
    """Documents to compare, those at `rows`; `length` is 0 if all are headlines, 1 if all are whole articles."""

    vectors: Matrix
    days: Days
    length: float
    rows: Numbers


@dataclass(frozen=True, slots=True)
class SilhouetteSample:
    """A sample of the documents, and their products with the sum of each cluster."""

    rows: Numbers
    days: Days
    products: Matrix


def silhouettes(
    documents: SilhouetteInput, labels: Sequence[Numbers], singleton: SingletonFit
) -> list[float]:
    """The silhouette of each partition, between -1 and 1. The clusters of each are unions of those of the one before."""
    rows, days = documents.rows, documents.days[documents.rows]
    partition_labels, numbers = _different([_consecutive(partition[rows]) for partition in labels])
    sums = _cluster_sums(documents.vectors, partition_labels[0], rows)
    partitions = list(_partitions(sums, partition_labels, days))
    sampled = np.unique(np.linspace(0, len(rows) - 1, SAMPLE).astype(np.int64))
    totals = np.zeros(len(partitions))
    for start in range(0, len(sampled), BLOCK):
        block = sampled[start : start + BLOCK]
        sample = SilhouetteSample(block, days[block], documents.vectors[rows[block]] @ sums.T)
        totals += list(_sample_totals(sample, partitions, documents.length, singleton))
    return [float(value) for value in (totals / len(sampled))[numbers]]


def _different(partition_labels: Sequence[Numbers]) -> tuple[list[Numbers], list[int]]:
    """The partitions without repetitions, and for each the position of its equal: neighbouring thresholds often cut alike."""
    different: list[Numbers] = []
    positions = []
    for labels in partition_labels:
        if not different or not np.array_equal(different[-1], labels):
            different.append(labels)
        positions.append(len(different) - 1)
    return different, positions


def _consecutive(labels: Numbers) -> Numbers:
    return np.unique(labels, return_inverse=True)[1]


def _cluster_sums(values: Matrix, labels: Numbers, rows: Numbers | None = None) -> Matrix:
    """The sum of the rows of each cluster, block by block, to avoid a second copy of all vectors. `labels` are those of
    `rows`, or of all."""
    order = np.argsort(labels, kind="stable")
    edges = np.searchsorted(labels[order], np.arange(labels.max() + 2))
    if rows is not None:
        order = rows[order]
    sums = np.empty((len(edges) - 1, values.shape[1]), dtype=values.dtype)
    for start in range(0, len(sums), CLUSTERS_PER_BLOCK):
        block_edges = edges[start : start + CLUSTERS_PER_BLOCK + 1]
        sums[start : start + CLUSTERS_PER_BLOCK] = np.add.reduceat(
            values[order[block_edges[0] : block_edges[-1]]], block_edges[:-1] - block_edges[0]
        )
    return sums


def _partitions(sums: Matrix, partition_labels: Sequence[Numbers], days: Days) -> Iterator[Partition]:
    previous, merged_into = partition_labels[0], np.arange(len(sums))
    for labels in partition_labels:
        if labels is not previous:
            merged_into = np.empty(len(sums), dtype=np.int64)
            merged_into[previous] = labels
            sums = _cluster_sums(sums, merged_into)
        yield Partition(
            labels, np.bincount(labels), np.linalg.norm(sums, axis=1), _mean_days(labels, days), merged_into
        )
        previous = labels


def _mean_days(labels: Numbers, days: Days) -> Days:
    is_known = ~np.isnan(days)
    counts = np.bincount(labels, is_known)
    total = np.bincount(labels, np.where(is_known, days, 0).astype(np.float64))
    means: Days = np.where(counts > 0, total / np.maximum(counts, 1), np.nan).astype(np.float32)
    return means


def _sample_totals(
    sample: SilhouetteSample, partitions: Iterable[Partition], length: float, singleton: SingletonFit
) -> Iterator[float]:
    """The total silhouette of the sample for each partition."""
    for partition in partitions:
        if len(partition.sizes) < sample.products.shape[1]:
            sample = replace(sample, products=_cluster_sums(sample.products.T, partition.merged_into).T)
        yield float(_sample_silhouettes(sample, partition, length, singleton).sum())


def _sample_silhouettes(
    sample: SilhouetteSample, partition: Partition, length: float, singleton: SingletonFit
) -> Matrix:
    own_cluster, all_rows = partition.labels[sample.rows], np.arange(len(sample.rows))
    is_single = partition.sizes[own_cluster] == 1
    own_product = sample.products[all_rows, own_cluster] - 1
    decay = time_decay(sample.days, partition.days[own_cluster])
    squares = np.square(partition.norms[own_cluster]) - 2 * own_product - 1
    centre_similarity = np.where(
        is_single, singleton.centre, decay * own_product / np.sqrt(np.maximum(squares, 1e-9))
    )
    mean_similarity = np.where(
        is_single, singleton.mean, decay * own_product / np.maximum(partition.sizes[own_cluster] - 1, 1)
    )
    other_products = _decayed_products(sample, partition)
    other_products[all_rows, own_cluster] = 0
    next_centre_similarity = (other_products / np.maximum(partition.norms, 1e-9)).max(axis=1, initial=0)
    next_mean_similarity = (other_products / partition.sizes).max(axis=1, initial=singleton.outside)
    fit: Matrix = (1 - length) * _silhouette(
        centre_similarity, next_centre_similarity
    ) + length * _silhouette(mean_similarity, next_mean_similarity)
    return fit


def _decayed_products(sample: SilhouetteSample, partition: Partition) -> Matrix:
    if np.isnan(sample.days).all():
        return sample.products.copy()
    return sample.products * time_decay(sample.days[:, None], partition.days[None, :])


def _silhouette(own: Matrix, nearest_other: Matrix) -> Matrix:
    values: Matrix = (own - nearest_other) / np.maximum(1 - np.minimum(own, nearest_other), 1e-6)
    return values

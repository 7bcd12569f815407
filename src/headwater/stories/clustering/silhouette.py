"""How well a division fits the documents: each should be nearer to its own story than to the next one.

This is the silhouette, measured on some of the documents. Headlines are nearest to the centre of their story, which says
what each of them leaves out; long texts are measured against the mean of its members, as a centre favours large stories.
Days between a document and the mean day of a story make them less alike, as they do everywhere.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from headwater.stories.clustering.similarity import Days, Matrix, time_decay

Numbers = npt.NDArray[np.int64]

SAMPLE = 1024
BLOCK = 256
CLUSTERS = 1024


@dataclass(frozen=True, slots=True)
class SingletonFit:
    """A document alone fits as if it were so near to a story of its own: to its centre, and to its members."""

    central: float
    mean: float


@dataclass(frozen=True, slots=True)
class Partition:
    """Clusters of one division: per row its number, per cluster the number of documents, the length of their sum and
    their mean day, and per cluster of the finer division before the number of the cluster that it went into."""

    home: Numbers
    sizes: Numbers
    lengths: Matrix
    days: Days
    into: Numbers


@dataclass(frozen=True, slots=True)
class Documents:
    """`length` is 0 where all are headlines, 1 where all are whole articles."""

    vectors: Matrix
    days: Days
    length: float


@dataclass(frozen=True, slots=True)
class SilhouetteSample:
    """Some of the documents, and their products with the sum of each cluster."""

    rows: Numbers
    days: Days
    products: Matrix


def silhouettes(documents: Documents, labels: Sequence[Numbers], alone: SingletonFit) -> list[float]:
    """Per division between -1 and 1. Each division's clusters are made of those of the one before."""
    homes = [_numbered(each) for each in labels]
    vectors, sums = documents.vectors, _gathered(documents.vectors, homes[0])
    divisions = list(_divisions(sums, homes, documents.days))
    rows = np.unique(np.linspace(0, len(vectors) - 1, SAMPLE).astype(np.int64))
    found = np.zeros(len(labels))
    for start in range(0, len(rows), BLOCK):
        block = rows[start : start + BLOCK]
        sample = SilhouetteSample(block, documents.days[block], vectors[block] @ sums.T)
        found += list(_fitting(sample, divisions, documents.length, alone))
    return [float(value) for value in found / len(rows)]


def _numbered(labels: Numbers) -> Numbers:
    return np.unique(labels, return_inverse=True)[1]


def _gathered(values: Matrix, home: Numbers) -> Matrix:
    """The sum of the rows of each cluster, some clusters at a time: a second copy of all vectors is not needed."""
    order = np.argsort(home, kind="stable")
    edges = np.searchsorted(home[order], np.arange(home.max() + 2))
    made = np.empty((len(edges) - 1, values.shape[1]), dtype=values.dtype)
    for start in range(0, len(made), CLUSTERS):
        held = edges[start : start + CLUSTERS + 1]
        made[start : start + CLUSTERS] = np.add.reduceat(
            values[order[held[0] : held[-1]]], held[:-1] - held[0]
        )
    return made


def _divisions(sums: Matrix, homes: Sequence[Numbers], days: Days) -> Iterator[Partition]:
    before, into = homes[0], np.arange(len(sums))
    for home in homes:
        if home is not before:
            into = np.empty(len(sums), dtype=np.int64)
            into[before] = home
            sums = _gathered(sums, into)
        yield Partition(home, np.bincount(home), np.linalg.norm(sums, axis=1), _mean_days(home, days), into)
        before = home


def _mean_days(home: Numbers, days: Days) -> Days:
    known = ~np.isnan(days)
    many = np.bincount(home, known)
    total = np.bincount(home, np.where(known, days, 0).astype(np.float64))
    found: Days = np.where(many > 0, total / np.maximum(many, 1), np.nan).astype(np.float32)
    return found


def _fitting(
    sample: SilhouetteSample, divisions: Iterable[Partition], length: float, alone: SingletonFit
) -> Iterator[float]:
    """Of each division what the fits of the sample add up to."""
    for division in divisions:
        if len(division.sizes) < sample.products.shape[1]:
            sample = replace(sample, products=_gathered(sample.products.T, division.into).T)
        yield float(_fit(sample, division, length, alone).sum())


def _fit(sample: SilhouetteSample, division: Partition, length: float, alone: SingletonFit) -> Matrix:
    home, each = division.home[sample.rows], np.arange(len(sample.rows))
    single = division.sizes[home] == 1
    own = sample.products[each, home] - 1
    left = time_decay(sample.days, division.days[home])
    squares = np.square(division.lengths[home]) - 2 * own - 1
    central = np.where(single, alone.central, left * own / np.sqrt(np.maximum(squares, 1e-9)))
    mean = np.where(single, alone.mean, left * own / np.maximum(division.sizes[home] - 1, 1))
    others = _faded(sample, division)
    others[each, home] = 0
    next_central = (others / np.maximum(division.lengths, 1e-9)).max(axis=1, initial=0)
    next_mean = (others / division.sizes).max(axis=1, initial=0)
    found: Matrix = (1 - length) * _silhouette(central, next_central) + length * _silhouette(mean, next_mean)
    return found


def _faded(sample: SilhouetteSample, division: Partition) -> Matrix:
    if np.isnan(sample.days).all():
        return sample.products.copy()
    return sample.products * time_decay(sample.days[:, None], division.days[None, :])


def _silhouette(own: Matrix, other: Matrix) -> Matrix:
    found: Matrix = (own - other) / np.maximum(1 - np.minimum(own, other), 1e-6)
    return found

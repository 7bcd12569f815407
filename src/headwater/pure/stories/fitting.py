"""How well a division fits the documents: each should be nearer to its own story than to the next one.

This is the silhouette, measured on some of the documents. Headlines are nearest to the centre of their story, which says
what each of them leaves out; long texts are measured against the mean of its members, as a centre favours large stories.
Days do not count here: what is looked for is one bar for the whole corpus.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from headwater.pure.stories.vectors import Matrix

Numbers = npt.NDArray[np.int64]

SAMPLE = 1024
BLOCK = 256
CLUSTERS = 1024


@dataclass(frozen=True, slots=True)
class Alone:
    """A document alone fits as if it were so near to a story of its own: to its centre, and to its members."""

    central: float
    mean: float


@dataclass(frozen=True, slots=True)
class Division:
    """Clusters of one division: per row its number, per cluster the number of documents and the length of their sum,
    and per cluster of the finer division before the number of the cluster that it went into."""

    home: Numbers
    sizes: Numbers
    lengths: Matrix
    into: Numbers


def fits(vectors: Matrix, labels: Sequence[Numbers], length: float, alone: Alone) -> list[float]:
    """Per division between -1 and 1. Each division's clusters are made of those of the one before."""
    first = _numbered(labels[0])
    sums = _gathered(vectors, first)
    divisions = list(_divisions(sums, [first, *map(_numbered, labels[1:])]))
    rows = np.unique(np.linspace(0, len(vectors) - 1, SAMPLE).astype(np.int64))
    found = np.zeros(len(labels))
    for start in range(0, len(rows), BLOCK):
        block = rows[start : start + BLOCK]
        found += list(_fitting(vectors[block] @ sums.T, block, divisions, length, alone))
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


def _divisions(sums: Matrix, homes: Sequence[Numbers]) -> Iterator[Division]:
    before, into = homes[0], np.arange(len(sums))
    for home in homes:
        if home is not before:
            into = np.empty(len(sums), dtype=np.int64)
            into[before] = home
            sums = _gathered(sums, into)
        yield Division(home, np.bincount(home), np.linalg.norm(sums, axis=1), into)
        before = home


def _fitting(
    products: Matrix, rows: Numbers, divisions: Iterable[Division], length: float, alone: Alone
) -> Iterator[float]:
    """Of each division what the fits of these rows add up to; `products` are those with the sums of its clusters."""
    for division in divisions:
        if len(division.sizes) < products.shape[1]:
            products = _gathered(products.T, division.into).T
        yield float(_fit(products, division, rows, length, alone).sum())


def _fit(products: Matrix, division: Division, rows: Numbers, length: float, alone: Alone) -> Matrix:
    home, each = division.home[rows], np.arange(len(rows))
    single = division.sizes[home] == 1
    own = products[each, home] - 1
    squares = np.square(division.lengths[home]) - 2 * own - 1
    central = np.where(single, alone.central, own / np.sqrt(np.maximum(squares, 1e-9)))
    mean = np.where(single, alone.mean, own / np.maximum(division.sizes[home] - 1, 1))
    others = products.copy()
    others[each, home] = 0
    next_central = (others / np.maximum(division.lengths, 1e-9)).max(axis=1, initial=0)
    next_mean = (others / division.sizes).max(axis=1, initial=0)
    found: Matrix = (1 - length) * _silhouette(central, next_central) + length * _silhouette(mean, next_mean)
    return found


def _silhouette(own: Matrix, other: Matrix) -> Matrix:
    found: Matrix = (own - other) / np.maximum(1 - np.minimum(own, other), 1e-6)
    return found

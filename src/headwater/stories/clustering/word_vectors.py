"""Vectors of words: terms weighted by their rarity in the corpus, one dimension per term where the corpus is small enough.

Projected to a few hundred dimensions, texts without a common word look alike by chance, as much as two reports of one event
in a war that every text is about. So a small corpus has a dimension for each term that several of its texts have, and one
per text for the terms that no other has.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import log, log1p

import numpy as np
import numpy.typing as npt
from xxhash import xxh64

Matrix = npt.NDArray[np.float32]
Numbers = npt.NDArray[np.int64]

HASHES_PER_TERM = 4
"""Dimensions per term where terms are projected: two terms that collide in one of them still differ in the others."""

MAX_TERMS = 96
BACKGROUND_DOCUMENTS = 50
"""A small corpus counts as if it had this many further documents, because two texts are not a background."""

MAX_VALUES = 2**23
"""Rows times dimensions of the words, 32 MB: comparing all texts costs no more than with few dimensions in a large corpus."""


def word_vectors(term_counts: Sequence[Counter[str]], min_width: int) -> Matrix:
    """A unit row per text, zero for a text without terms. Terms that do not fit are projected by hashing, to at least
    `min_width` dimensions, so that no vocabulary is stored."""
    document_frequency: Counter[str] = Counter()
    for counts in term_counts:
        document_frequency.update(counts.keys())
    idf = {
        term: log1p((len(term_counts) + BACKGROUND_DOCUMENTS) / (count + 0.5))
        for term, count in document_frequency.items()
    }
    space = _term_space(document_frequency, len(term_counts), min_width)
    vectors = np.zeros((len(term_counts), space.width), dtype=np.float32)
    for row, counts in enumerate(term_counts):
        heaviest = sorted(((1 + log(count)) * idf[term], term) for term, count in counts.items())[-MAX_TERMS:]
        _fill_row(vectors[row], row, heaviest, space)
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors /= np.maximum(norms, 1e-9)
    return vectors


ORDINARY_SIMILARITY = 0.05
"""The mean similarity of articles about one war. What all articles of a corpus have in common beyond it is subtracted."""

ORDINARY_DOCUMENTS = 100
"""A corpus counts as if it had this many ordinary documents, because a story may be most of its corpus."""


def subtract_background(vectors: Matrix) -> Matrix:
    """Unit rows without what makes all of them alike: a common template, or the subject of a group."""
    in_common = mean_similarity(vectors)
    if in_common <= ORDINARY_SIMILARITY:
        return vectors
    share = (1 - ORDINARY_SIMILARITY / in_common) / (len(vectors) + ORDINARY_DOCUMENTS)
    rest: Matrix = (vectors - share * vectors.sum(axis=0)) * vectors.any(axis=1, keepdims=True)
    rest /= np.maximum(np.linalg.norm(rest, axis=1, keepdims=True), 1e-9)
    return rest


def mean_similarity(vectors: Matrix) -> float:
    """The mean over all pairs of unit rows."""
    rows, total = len(vectors), vectors.sum(axis=0)
    return (float(total @ total) - rows) / max(1, rows * (rows - 1))


@dataclass(frozen=True, slots=True)
class TermSpace:
    """The dimensions and signs of each term. A term without `columns` belongs to one text alone: its dimension is that of
    the text, the first of which is `private_from`."""

    columns: dict[str, int]
    dimensions: Numbers
    signs: Matrix
    width: int
    private_from: int


def _term_space(document_frequency: Counter[str], rows: int, min_width: int) -> TermSpace:
    shared = sorted(term for term, count in document_frequency.items() if count > 1)
    width = max(min_width, MAX_VALUES // max(1, rows))
    if len(shared) + rows <= width:
        own = np.arange(len(shared), dtype=np.int64)[:, None]
        signs = np.ones(own.shape, dtype=np.float32)
        return TermSpace(_numbered(shared), own, signs, len(shared) + rows, len(shared))
    terms = sorted(document_frequency)
    dimensions, signs = _hashed_directions(terms, width)
    return TermSpace(_numbered(terms), dimensions, signs, width, width)


def _numbered(terms: Sequence[str]) -> dict[str, int]:
    return {term: number for number, term in enumerate(terms)}


def _fill_row(values: Matrix, row: int, weights: Sequence[tuple[float, str]], space: TermSpace) -> None:
    positions = [space.columns[term] for _, term in weights if term in space.columns]
    shared = np.array([weight for weight, term in weights if term in space.columns], dtype=np.float32)
    np.add.at(values, space.dimensions[positions], space.signs[positions] * shared[:, None])
    private = sum(weight * weight for weight, term in weights if term not in space.columns)
    if private:
        values[space.private_from + row] = private**0.5


def _hashed_directions(terms: Sequence[str], width: int) -> tuple[Numbers, Matrix]:
    digests = b"".join(xxh64(term.encode("utf-8", "surrogatepass")).digest() for term in terms)
    hashed = np.frombuffer(digests, dtype=np.uint16).reshape(-1, HASHES_PER_TERM)
    signs = np.where(hashed & 1, 1.0, -1.0).astype(np.float32)
    return (hashed >> 1).astype(np.int64) % width, signs

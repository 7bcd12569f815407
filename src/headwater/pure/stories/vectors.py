"""Items as vectors: meaning beside words, so that one dot product is the hybrid similarity.

Words are weighted by how rare they are in the corpus and projected on a few hundred directions; an encoder's vectors,
where there are any, lose what the whole corpus has in common. Both are the corpus background: without it a threshold
that suits headlines of one month suits nothing else.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import log, log1p

import numpy as np
import numpy.typing as npt
from xxhash import xxh64

from headwater.pure.stories.items import Item
from headwater.pure.stories.terms import terms

Matrix = npt.NDArray[np.float32]

WIDTH = 1024
"""Of every vector: what an encoder leaves of it belongs to the words."""

FEWEST_DIRECTIONS = 256
SIGNS = 4
"""Each term lies on four directions: two terms that meet on one of them are still far from the same."""

MOST_TERMS = 96
UNSEEN = 50
"""A small corpus is judged as if so many other documents stood beside it: two texts alone are no background."""

MEANING_OF_HEADLINES = 0.65
MEANING_OF_ARTICLES = 0.5
"""Meaning's part of a vector. The few words of a headline agree by accident or not at all; an article's say more."""

FEW_TERMS, MANY_TERMS = 12, 96
SHARED = 0.5
"""Half of what all have in common is taken off: all of it would tear a story apart that is most of its corpus."""


@dataclass(frozen=True, slots=True)
class Described:
    """`length` is 0 where all are headlines, 1 where all are whole articles."""

    vectors: Matrix
    length: float


def described(items: Sequence[Item], meanings: Matrix | None) -> Described:
    """One unit vector per item. `meanings` are an encoder's unit vectors, in the same order; None: words alone."""
    counted = [terms(f"{item.title}. {item.text}") for item in items]
    lengths = _lengths(counted)
    length = float(lengths.mean()) if len(items) else 0.0
    if meanings is None:
        return Described(word_vectors(counted, WIDTH), length)
    words = word_vectors(counted, max(FEWEST_DIRECTIONS, WIDTH - meanings.shape[1]))
    meaning = MEANING_OF_HEADLINES + (MEANING_OF_ARTICLES - MEANING_OF_HEADLINES) * lengths[:, None]
    parts = (np.sqrt(meaning) * centred(meanings), np.sqrt(1 - meaning) * words)
    return Described(normalised(np.hstack(parts).astype(np.float32)), length)


def item_vectors(items: Sequence[Item], meanings: Matrix | None) -> Matrix:
    return described(items, meanings).vectors


def _lengths(counted: Sequence[Counter[str]]) -> Matrix:
    """Per text between 0 and 1, by the doublings of its terms."""
    many = np.clip([len(found) for found in counted], FEW_TERMS, MANY_TERMS)
    found: Matrix = (np.log(many / FEW_TERMS) / np.log(MANY_TERMS / FEW_TERMS)).astype(np.float32)
    return found


def centred(meanings: Matrix) -> Matrix:
    """Less some of what all have in common. What has no meaning gets none: two of the kind would seem alike."""
    background = meanings.sum(axis=0) / (len(meanings) + UNSEEN)
    return normalised((meanings - SHARED * background) * meanings.any(axis=1, keepdims=True))


def word_vectors(counted: Sequence[Counter[str]], width: int) -> Matrix:
    """TF-IDF, projected. A term's directions come from its letters alone: no vocabulary is kept."""
    held: Counter[str] = Counter()
    for found in counted:
        held.update(found.keys())
    worth = {term: log1p((len(counted) + UNSEEN) / (count + 0.5)) for term, count in held.items()}
    known = sorted(held)
    places = {term: number for number, term in enumerate(known)}
    directions, signs = _directions(known, width)
    made = np.zeros((len(counted), width), dtype=np.float32)
    for row, found in enumerate(counted):
        weighed = sorted(((1 + log(many)) * worth[term], term) for term, many in found.items())[-MOST_TERMS:]
        at = [places[term] for _, term in weighed]
        weights = np.array([weight for weight, _ in weighed], dtype=np.float32)
        np.add.at(made[row], directions[at], signs[at] * weights[:, None])
    return normalised(made)


def _directions(words: Sequence[str], width: int) -> tuple[npt.NDArray[np.int64], Matrix]:
    hashed = np.frombuffer(b"".join(_digest(word) for word in words), dtype=np.uint16).reshape(-1, SIGNS)
    signs = np.where(hashed & 1, 1.0, -1.0).astype(np.float32)
    return (hashed >> 1).astype(np.int64) % width, signs


def _digest(word: str) -> bytes:
    return xxh64(word.encode("utf-8", "surrogatepass")).digest()


def normalised(rows: Matrix) -> Matrix:
    """Unit length; what has no direction stays zero."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    made: Matrix = (rows / np.maximum(lengths, 1e-9)).astype(np.float32)
    return made

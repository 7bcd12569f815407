"""Items as vectors: meaning beside words, so that one dot product is the hybrid similarity.

Words are weighted by how rare they are in the corpus and projected on a few hundred directions; an encoder's vectors,
where there are any, lose what the whole corpus has in common. Both are the corpus background: without it a threshold
that suits headlines of one month suits nothing else.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from math import log, log1p

import numpy as np
import numpy.typing as npt
from xxhash import xxh64

from headwater.stories.terms import count_terms, outline

LEAD, WORDS, PIECES = 2000, 80, 128
"""So many characters of a text are read for its meaning, so many words of them, and so many pieces of words: news says first
what it is about. Small words are left out, because they cost an encoder half of its time and tell no story from another."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryItem:
    """What is put into stories. `group` (a flashpoint, a desk, a day) is never crossed by a story."""

    id: str
    title: str = ""
    text: str = ""
    published_at: datetime | None = None
    group: str = ""

    @property
    def encoder_text(self) -> str:
        """What an encoder reads."""
        return f"{self.title}. {outline(self.text[:LEAD], WORDS)}" if self.text else self.title


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
class ItemVectors:
    """`length` is 0 where all are headlines, 1 where all are whole articles."""

    vectors: Matrix
    length: float


def vectorise(items: Sequence[StoryItem], meanings: Matrix | None) -> ItemVectors:
    """One unit vector per item. `meanings` are an encoder's unit vectors, in the same order; None: words alone."""
    counted = [count_terms(f"{item.title}. {item.text}") for item in items]
    lengths = _lengths(counted)
    length = float(lengths.mean()) if len(items) else 0.0
    if meanings is None:
        return ItemVectors(word_vectors(counted, WIDTH), length)
    words = word_vectors(counted, max(FEWEST_DIRECTIONS, WIDTH - meanings.shape[1]))
    meaning = MEANING_OF_HEADLINES + (MEANING_OF_ARTICLES - MEANING_OF_HEADLINES) * lengths[:, None]
    parts = (np.sqrt(meaning) * centre_vectors(meanings), np.sqrt(1 - meaning) * words)
    return ItemVectors(normalise_rows(np.hstack(parts).astype(np.float32)), length)


def item_vectors(items: Sequence[StoryItem], meanings: Matrix | None) -> Matrix:
    return vectorise(items, meanings).vectors


def _lengths(counted: Sequence[Counter[str]]) -> Matrix:
    """Per text between 0 and 1, by the doublings of its terms."""
    many = np.clip([len(found) for found in counted], FEW_TERMS, MANY_TERMS)
    found: Matrix = (np.log(many / FEW_TERMS) / np.log(MANY_TERMS / FEW_TERMS)).astype(np.float32)
    return found


def centre_vectors(meanings: Matrix) -> Matrix:
    """Less some of what all have in common. What has no meaning gets none: two of the kind would seem alike."""
    background = meanings.sum(axis=0) / (len(meanings) + UNSEEN)
    return normalise_rows((meanings - SHARED * background) * meanings.any(axis=1, keepdims=True))


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
    return normalise_rows(made)


def _directions(words: Sequence[str], width: int) -> tuple[npt.NDArray[np.int64], Matrix]:
    hashed = np.frombuffer(b"".join(_digest(word) for word in words), dtype=np.uint16).reshape(-1, SIGNS)
    signs = np.where(hashed & 1, 1.0, -1.0).astype(np.float32)
    return (hashed >> 1).astype(np.int64) % width, signs


def _digest(word: str) -> bytes:
    return xxh64(word.encode("utf-8", "surrogatepass")).digest()


def normalise_rows(rows: Matrix) -> Matrix:
    """Unit length; what has no direction stays zero."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    made: Matrix = (rows / np.maximum(lengths, 1e-9)).astype(np.float32)
    return made


Days = npt.NDArray[np.float32]

GRACE_DAYS = 3.0
HALVING_DAYS = 21.0
LEAST_DECAY = 0.5


def to_days(moments: Sequence[datetime | None]) -> Days:
    """As days, from wherever; not a number where the moment is unknown."""
    return np.array(
        [np.nan if m is None else m.timestamp() / 86400 for m in moments], dtype=np.float64
    ).astype(np.float32)


def time_decay(one: Days, other: Days) -> Days:
    """What is left of a similarity, by the days between: 1 at first and for unknown moments, never under a half."""
    apart = np.nan_to_num(np.abs(one - other), nan=0.0)
    fading = np.exp2(-np.maximum(apart - GRACE_DAYS, 0) / HALVING_DAYS)
    left: Days = np.maximum(fading, LEAST_DECAY).astype(np.float32)
    return left

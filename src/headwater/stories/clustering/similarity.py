"""Items as vectors whose dot product is the hybrid similarity of words and embeddings; and its decay with time.

Terms are weighted by their rarity in the corpus and projected to a few hundred dimensions; embeddings have the mean of
the corpus partly subtracted. Both correct for the background of the corpus: without it a threshold that suits the
headlines of one month suits no other corpus.
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

ENCODER_CHARACTERS, ENCODER_WORDS, ENCODER_TOKENS = 2000, 80, 128
"""How much of a text the encoder reads: news says first what it is about. Stopwords are left out, because they take half
of the time of an encoder and do not distinguish stories."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryItem:
    """A document to cluster. A story never crosses its `group` (a subject, a section, a day). Words count among items of one
    `language`."""

    id: str
    title: str = ""
    text: str = ""
    published_at: datetime | None = None
    group: str = ""
    language: str = ""

    @property
    def encoder_text(self) -> str:
        """What the encoder reads."""
        return (
            f"{self.title}. {outline(self.text[:ENCODER_CHARACTERS], ENCODER_WORDS)}"
            if self.text
            else self.title
        )


Matrix = npt.NDArray[np.float32]
Numbers = npt.NDArray[np.int64]

WIDTH = 1024
"""Dimensions of a vector; those that the embedding does not take belong to the words."""

MIN_WORD_DIMENSIONS = 256
HASHES_PER_TERM = 4
"""Dimensions per term: two terms that collide in one of them still differ in the others."""

MAX_TERMS = 96
BACKGROUND_DOCUMENTS = 50
"""A small corpus counts as if it had this many further documents, because two texts are not a background."""

EMBEDDING_SHARE_OF_HEADLINES = 0.65
EMBEDDING_SHARE_OF_ARTICLES = 0.5
"""The share of the embedding in a vector: larger for headlines, whose few words rarely agree."""

FEW_TERMS, MANY_TERMS = 12, 96
CENTRING_OF_HEADLINES, CENTRING_OF_ARTICLES = 0.5, 0.8
"""The part of the mean to subtract: all of it would split a story that is most of its corpus. Of articles, most of it: those
of one war have much in common, and what they report is the rest."""


@dataclass(frozen=True, slots=True)
class ItemVectors:
    """`length` is 0 if all items are headlines, 1 if all are whole articles."""

    vectors: Matrix
    length: float


def vectorise(items: Sequence[StoryItem], embeddings: Matrix | None) -> ItemVectors:
    """One unit vector per item. `embeddings` are unit vectors of an encoder in the same order; None: words only."""
    term_counts = [count_terms(f"{item.title}. {item.text}") for item in items]
    lengths = _lengths(term_counts)
    length = float(lengths.mean()) if len(items) else 0.0
    if embeddings is None:
        return ItemVectors(word_vectors(term_counts, WIDTH), length)
    word_part = word_vectors(term_counts, max(MIN_WORD_DIMENSIONS, WIDTH - embeddings.shape[1]))
    encoder_share = (
        EMBEDDING_SHARE_OF_HEADLINES
        + (EMBEDDING_SHARE_OF_ARTICLES - EMBEDDING_SHARE_OF_HEADLINES) * lengths[:, None]
    )
    encoder_share = 1 - (1 - encoder_share) * _language_shares(items)[:, None]
    weighted_parts = (
        np.sqrt(encoder_share) * centre_vectors(embeddings, lengths[:, None]),
        np.sqrt(1 - encoder_share) * word_part,
    )
    return ItemVectors(normalise_rows(np.hstack(weighted_parts).astype(np.float32)), length)


def _language_shares(items: Sequence[StoryItem]) -> Matrix:
    """The share of the items that are in the language of each. Between languages only names and numbers can agree, so in a
    corpus of many the embedding decides. Items of unknown language count as of the most frequent one."""
    counts = Counter(item.language for item in items if item.language)
    if not counts:
        return np.ones(len(items), dtype=np.float32)
    ((most_frequent, _),) = counts.most_common(1)
    counts[most_frequent] += sum(1 for item in items if not item.language)
    return np.array([counts[item.language or most_frequent] / len(items) for item in items], dtype=np.float32)


def _lengths(term_counts: Sequence[Counter[str]]) -> Matrix:
    """The length of each text between 0 and 1, on a logarithmic scale."""
    distinct_terms = np.clip([len(counts) for counts in term_counts], FEW_TERMS, MANY_TERMS)
    lengths: Matrix = (np.log(distinct_terms / FEW_TERMS) / np.log(MANY_TERMS / FEW_TERMS)).astype(np.float32)
    return lengths


def centre_vectors(embeddings: Matrix, lengths: Matrix) -> Matrix:
    """Subtract a part of the mean. Zero rows stay zero, or any two of them would look alike."""
    background = embeddings.sum(axis=0) / (len(embeddings) + BACKGROUND_DOCUMENTS)
    centring = CENTRING_OF_HEADLINES + (CENTRING_OF_ARTICLES - CENTRING_OF_HEADLINES) * lengths
    return normalise_rows((embeddings - centring * background) * embeddings.any(axis=1, keepdims=True))


def word_vectors(term_counts: Sequence[Counter[str]], width: int) -> Matrix:
    """TF-IDF vectors, projected by hashing the terms, so that no vocabulary is stored."""
    document_frequency: Counter[str] = Counter()
    for counts in term_counts:
        document_frequency.update(counts.keys())
    idf = {
        term: log1p((len(term_counts) + BACKGROUND_DOCUMENTS) / (count + 0.5))
        for term, count in document_frequency.items()
    }
    terms = sorted(document_frequency)
    columns = {term: number for number, term in enumerate(terms)}
    directions, signs = _directions(terms, width)
    vectors = np.zeros((len(term_counts), width), dtype=np.float32)
    for row, counts in enumerate(term_counts):
        heaviest = sorted(((1 + log(count)) * idf[term], term) for term, count in counts.items())[-MAX_TERMS:]
        positions = [columns[term] for _, term in heaviest]
        weights = np.array([weight for weight, _ in heaviest], dtype=np.float32)
        np.add.at(vectors[row], directions[positions], signs[positions] * weights[:, None])
    return normalise_rows(vectors)


def _directions(words: Sequence[str], width: int) -> tuple[npt.NDArray[np.int64], Matrix]:
    hashed = np.frombuffer(b"".join(_digest(word) for word in words), dtype=np.uint16).reshape(
        -1, HASHES_PER_TERM
    )
    signs = np.where(hashed & 1, 1.0, -1.0).astype(np.float32)
    return (hashed >> 1).astype(np.int64) % width, signs


def _digest(word: str) -> bytes:
    return xxh64(word.encode("utf-8", "surrogatepass")).digest()


def normalise_rows(rows: Matrix) -> Matrix:
    """Rows at unit length; zero rows stay zero."""
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    unit_rows: Matrix = (rows / np.maximum(norms, 1e-9)).astype(np.float32)
    return unit_rows


Days = npt.NDArray[np.float32]

GRACE_DAYS = 3.0
HALF_LIFE_DAYS = 21.0
MIN_DECAY = 0.5


def to_days(moments: Sequence[datetime | None]) -> Days:
    """Times in days; NaN where the time is unknown."""
    return np.array(
        [np.nan if moment is None else moment.timestamp() / 86400 for moment in moments], dtype=np.float64
    ).astype(np.float32)


def time_decay(first: Days, second: Days) -> Days:
    """The factor for a similarity over the days between: 1 for the first days and unknown times, at least a half."""
    days_between = np.nan_to_num(np.abs(first - second), nan=0.0)
    decay = np.exp2(-np.maximum(days_between - GRACE_DAYS, 0) / HALF_LIFE_DAYS)
    factor: Days = np.maximum(decay, MIN_DECAY).astype(np.float32)
    return factor

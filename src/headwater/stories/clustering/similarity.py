"""Items as vectors whose dot product is the hybrid similarity of words and embeddings; and its decay with time.

Terms are weighted by their rarity in the corpus; embeddings have the mean of the corpus partly subtracted. Both correct for
the background of the corpus: without it a threshold that suits the headlines of one month suits no other corpus.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
import numpy.typing as npt

from headwater.model.document import Document
from headwater.stories.clustering.word_vectors import (
    BACKGROUND_DOCUMENTS,
    mean_similarity,
    subtract_background,
    word_vectors,
)
from headwater.stories.terms import count_terms, outline

ENCODER_CHARACTERS, ENCODER_WORDS, ENCODER_TOKENS = 2000, 80, 128
"""How much of a text the encoder reads: news says first what it is about. Stopwords are left out, because they take half
of the time of an encoder and do not distinguish stories."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryItem:
    """A document to cluster. A story never crosses its `group` (a subject, a section, a day). Words count among items of one
    `language`. `is_bare`: its page could not be read, and its headline is nearly all that is known of it."""

    id: str
    title: str = ""
    text: str = ""
    published_at: datetime | None = None
    group: str = ""
    language: str = ""
    is_bare: bool = False

    @property
    def has_words(self) -> bool:
        return any(map(str.isalnum, self.title)) or any(map(str.isalnum, self.text))

    @property
    def encoder_text(self) -> str:
        """What the encoder reads."""
        return (
            f"{self.title}. {outline(self.text[:ENCODER_CHARACTERS], ENCODER_WORDS)}"
            if self.text
            else self.title
        )


def as_document(item: StoryItem) -> Document:
    """For what is computed from documents."""
    return Document(
        id=item.id, recipe="", source="", lead="", url="", title=item.title, text=item.text,
        language=item.language, published=item.published_at,
    )  # fmt: skip


Matrix = npt.NDArray[np.float32]
Numbers = npt.NDArray[np.int64]

WIDTH = 1024
"""Dimensions of a vector in a large corpus; those that the embedding does not take belong to the words."""

MIN_WORD_DIMENSIONS = 256
EMBEDDING_SHARE_OF_HEADLINES = 0.65
EMBEDDING_SHARE_OF_ARTICLES = 0.5
"""The share of the embedding in a vector: larger for headlines, whose few words rarely agree."""

MIN_ARTICLE_LENGTH, MIN_LANGUAGE_SHARE, ONE_SUBJECT = 0.6, 0.8, 0.2
"""From this mean length on, in a corpus that is mostly in one language and about one subject, words decide alone. An embedding
captures what a text is about, which is the same in all reports of a war; which event of it, the names, places and figures say.
Embeddings of articles about one subject have a mean similarity of .37 to .57, those of unrelated ones of .09 to .25."""

FEW_TERMS, MANY_TERMS = 12, 96
CENTRING_OF_HEADLINES, CENTRING_OF_ARTICLES = 0.5, 0.8
"""The part of the mean to subtract: all of it would split a story that is most of its corpus. Of articles, most of it: those
of one war have much in common, and what they report is the rest."""


@dataclass(frozen=True, slots=True)
class ItemVectors:
    """`length` is 0 if all items are headlines, 1 if all are whole articles. `by_words`: the vectors are those of words, but
    for a few items in other languages."""

    vectors: Matrix
    length: float
    by_words: bool


def language_numbers(items: Sequence[StoryItem]) -> Numbers:
    """The language of each text as a number; -1 for an item without a text."""
    numbers = {language: number for number, language in enumerate(sorted({item.language for item in items}))}
    return np.array([numbers[item.language] if item.text else -1 for item in items], dtype=np.int64)


def vectorise(items: Sequence[StoryItem], embeddings: Matrix | None) -> ItemVectors:
    """One unit vector per item. `embeddings` are unit vectors of an encoder in the same order; None: words only."""
    term_counts = [count_terms(f"{item.title}. {item.text}") for item in items]
    lengths = _lengths(term_counts)
    length = float(lengths.mean()) if len(items) else 0.0
    if embeddings is None:
        words = word_vectors(term_counts, WIDTH)
        are_articles = length >= MIN_ARTICLE_LENGTH
        return ItemVectors(subtract_background(words) if are_articles else words, length, by_words=True)
    language_shares = _language_shares(items)
    by_words = (
        length >= MIN_ARTICLE_LENGTH
        and float(language_shares.mean()) >= MIN_LANGUAGE_SHARE
        and mean_similarity(embeddings) >= ONE_SUBJECT
    )
    word_part = word_vectors(term_counts, max(MIN_WORD_DIMENSIONS, WIDTH - embeddings.shape[1]))
    if by_words:
        word_part = subtract_background(word_part)
    encoder_share = _encoder_shares(lengths, language_shares, by_words=by_words)[:, None]
    weighted_parts = (
        np.sqrt(encoder_share) * centre_vectors(embeddings, lengths[:, None]),
        np.sqrt(1 - encoder_share) * word_part,
    )
    return ItemVectors(normalise_rows(np.hstack(weighted_parts).astype(np.float32)), length, by_words)


def _encoder_shares(lengths: Matrix, language_shares: Matrix, *, by_words: bool) -> Matrix:
    """The share of the embedding in each vector. Between languages only names and numbers can agree, so an item in a
    language of few is placed by its embedding."""
    change = EMBEDDING_SHARE_OF_ARTICLES - EMBEDDING_SHARE_OF_HEADLINES
    shares = np.zeros_like(lengths) if by_words else EMBEDDING_SHARE_OF_HEADLINES + change * lengths
    encoder_shares: Matrix = 1 - (1 - shares) * language_shares
    return encoder_shares


def _language_shares(items: Sequence[StoryItem]) -> Matrix:
    """The share of the items that are in the language of each. Items of unknown language count as of the most frequent
    one."""
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


def finite_rows(embeddings: Matrix) -> Matrix:
    """Zero rows instead of rows with NaN or infinite values, which would spoil every comparison."""
    with np.errstate(over="ignore", invalid="ignore"):
        is_finite = np.isfinite(np.einsum("rd,rd->r", embeddings, embeddings))
    return embeddings if is_finite.all() else np.where(is_finite[:, None], embeddings, np.float32(0))


def normalise_rows(rows: Matrix) -> Matrix:
    """Rows at unit length; zero rows stay zero."""
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    unit_rows: Matrix = (rows / np.maximum(norms, 1e-9)).astype(np.float32)
    return unit_rows


Days = npt.NDArray[np.float32]

GRACE_DAYS = 3.0
HALF_LIFE_DAYS = 21.0
MIN_DECAY = 0.1
"""Reports that are months apart report two episodes, however alike they are."""


def to_days(moments: Sequence[datetime | None]) -> Days:
    """Times in days; NaN where the time is unknown."""
    return np.array(
        [np.nan if moment is None else moment.timestamp() / 86400 for moment in moments], dtype=np.float64
    ).astype(np.float32)


def time_decay(first: Days, second: Days) -> Days:
    """The factor for a similarity over the days between: 1 for the first days and unknown times."""
    days_between = np.nan_to_num(np.abs(first - second), nan=0.0)
    decay = np.exp2(-np.maximum(days_between - GRACE_DAYS, 0) / HALF_LIFE_DAYS)
    factor: Days = np.maximum(decay, MIN_DECAY).astype(np.float32)
    return factor

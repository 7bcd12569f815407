"""Words and vectors as one score, weighted by how well an encoder knows the languages of the query and of the document."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from headwater.documents.language.codes import primary_code

Values = npt.NDArray[np.float32]

POOL = 200
"""Candidates by words, and as many by vectors, that are fused; the last of them has a similarity of 0."""
MIN_SIMILARITY = 0.15
"""Texts that are less similar have nothing in common."""

PairWeights = tuple[float, float]
"""What words count and what vectors count, for a pair of languages."""
NO_VECTORS: PairWeights = (1.0, 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class EncoderWeights:
    """What words and vectors count.

    `languages` are those that the encoder was trained on; none means that nothing is known of it. `same` is for a query and
    a document in one of them, `across` for two of them, and `strange` where one is another language."""

    languages: frozenset[str] = frozenset()
    same: PairWeights
    across: PairWeights
    strange: PairWeights

    def weights(self, query: str, document: str) -> PairWeights:
        """An unknown language of the query is taken for that of the document."""
        document = primary_code(document) or "en"
        query = primary_code(query) or document
        if self.languages and not {query, document} <= self.languages:
            return self.strange
        return self.same if query == document else self.across


ENGLISH = EncoderWeights(
    languages=frozenset({"en"}), same=(0.55, 0.45), across=NO_VECTORS, strange=NO_VECTORS
)
"""MiniLM: the best for English, and useless for anything else."""
MULTILINGUAL = EncoderWeights(
    languages=frozenset(
        {"ar", "de", "en", "es", "fr", "it", "ja", "ko", "nl", "pl", "pt", "ru", "th", "tr", "zh"}
    ),
    same=(0.6, 0.4),
    across=(0.15, 0.45),
    strange=(0.75, 0.25),
)
"""The Universal Sentence Encoder. Words of different languages rarely meet, so its vectors decide across languages."""
UNKNOWN_ENCODER = EncoderWeights(same=(0.6, 0.4), across=(0.3, 0.4), strange=(0.6, 0.4))


def scaled(similarities: Values, pool: int = POOL) -> Values:
    """0 for the last of the best candidates and everything below, 1 for the best. Few candidates are compared with no
    similarity at all."""
    if not len(similarities):
        return similarities
    best = np.sort(similarities)[::-1]
    floor, top = float(best[pool - 1]) if len(best) >= pool else 0.0, float(best[0])
    if top <= MIN_SIMILARITY:
        return np.zeros_like(similarities)
    result: Values = np.clip((similarities - floor) / max(top - floor, 1e-9), 0.0, 1.0)
    return np.where(similarities >= MIN_SIMILARITY, result, np.float32(0.0))


@dataclass(frozen=True, slots=True)
class VectorScores:
    """Scaled similarities of candidates by one encoder, and what words and vectors count for each of them."""

    similarities: Values
    word_weights: Values
    vector_weights: Values


def fuse(words: Values, best: float, vectors: Sequence[VectorScores]) -> Values:
    """The scores of candidates: `words` relative to the `best` score by words. For each candidate at most one encoder counts;
    where none does, its words do."""
    shares = words / best if best > 0 else np.zeros_like(words)
    total, weight = np.zeros_like(words), np.ones_like(words)
    for part in vectors:
        counts = part.vector_weights > 0
        total += part.vector_weights * part.similarities
        weight[counts] = part.word_weights[counts]
    result: Values = weight * shares + total
    return result

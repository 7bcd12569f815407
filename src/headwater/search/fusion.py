"""Words and vectors as one score, weighted by how well an encoder knows the languages of the query and of the document."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from headwater.documents.language.codes import primary_code

Values = npt.NDArray[np.float32]

POOL = 200
"""Candidates by words, and as many by vectors, that are fused; the last of them has a similarity of 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EncoderWeights:
    """What a vector counts beside the words, 0 to 1.

    `languages` are those that the encoder was trained on; none means that it is not known. `same` is for a query and a
    document in one of them, `across` for two of them, and `strange` where one is another language. `only` says that no
    other pair of languages is compared by this encoder."""

    languages: frozenset[str] = frozenset()
    same: float
    across: float
    strange: float
    only: bool = False

    def weight(self, query: str, document: str) -> float:
        """An unknown language of the query is taken for that of the document."""
        known = self.languages
        document = primary_code(document) or "en"
        query = primary_code(query) or document
        if not known:
            return self.same if query == document else self.across
        if query not in known or document not in known:
            return 0.0 if self.only else self.strange
        return self.same if query == document else self.across


ENGLISH = EncoderWeights(languages=frozenset({"en"}), same=0.45, across=0.0, strange=0.0, only=True)
"""MiniLM: the best for English, and useless for anything else."""
MULTILINGUAL = EncoderWeights(
    languages=frozenset("ar zh en fr de it ja ko nl pl pt es th tr ru".split()),  # noqa: SIM905
    same=0.4,
    across=0.75,
    strange=0.25,
)
"""The Universal Sentence Encoder. Words of different languages rarely meet, so its vectors decide across languages."""
UNKNOWN_ENCODER = EncoderWeights(same=0.4, across=0.6, strange=0.4)


@dataclass(frozen=True, slots=True)
class VectorScores:
    """Similarities of candidates by one encoder, and what they count for each."""

    similarities: Values
    weights: Values


def scaled(similarities: Values, pool: int = POOL) -> Values:
    """0 for the last of the best candidates and everything below, 1 for the best."""
    if not len(similarities):
        return similarities
    best = np.sort(similarities)[::-1]
    floor, top = best[min(pool, len(best)) - 1], best[0]
    result: Values = np.clip((similarities - floor) / max(float(top - floor), 1e-9), 0.0, 1.0)
    return result


def fuse(words: Values, best: float, vectors: Sequence[VectorScores]) -> Values:
    """The scores of candidates: `words` relative to the `best` score by words. A candidate has a vector of at most one
    encoder that counts; one without a vector has the score of its words alone, as far as words count for its language."""
    shares = words / best if best > 0 else np.zeros_like(words)
    total = np.zeros_like(words)
    weight = np.zeros_like(words)
    for part in vectors:
        total += part.weights * part.similarities
        weight += part.weights
    result: Values = (1 - weight) * shares + total
    return result

"""Which results of a search are best: by the words they contain, or by the similarity of their vectors."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from headwater.search.snippets import snippet
from headwater.search.word_query import QueryTerm, term_coverage

Matrix = npt.NDArray[np.float32]
SEARCHED_FIELDS = ("text", "description", "keywords")
"""Read for the coverage and the snippet; not part of a result."""


def word_result(row: dict[str, Any], terms: Sequence[QueryTerm], *, every: bool) -> dict[str, Any]:
    """A result with its score, the share of the query's content words it contains, and the matching passage. `every`: it
    contains every word of the query."""
    text, description, keywords = (row[name] for name in SEARCHED_FIELDS)
    share = term_coverage(terms, " ".join([row["title"], text, description, *map(str, keywords or ())]))
    return {name: value for name, value in row.items() if name not in SEARCHED_FIELDS} | {
        "score": round(float(row["score"]), 6),
        "every_word": every,
        "coverage": round(share, 3),
        "snippet": snippet(text, terms),
    }


def rank_by_words(results: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Best first: results with every word come before those with some of the words or other forms of them."""
    return sorted(
        results, key=lambda row: (not row["every_word"], -row["coverage"], -row["score"], row["id"])
    )


def rank_by_similarity(results: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(results, key=lambda row: -row["similarity"])


def nearest(
    blocks: Iterable[tuple[Sequence[str], Matrix]], query_vector: Matrix, limit: int
) -> list[tuple[float, str]]:
    """The similarities and ids of the vectors nearest to the query's, best first. Vectors of a block need no unit length."""
    best: list[tuple[float, str]] = []
    for ids, vectors in blocks:
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        similarities = (vectors / np.maximum(lengths, 1e-12)) @ query_vector
        best += [
            (float(similarities[position]), ids[position]) for position in np.argsort(-similarities)[:limit]
        ]
        best = sorted(best, key=lambda pair: (-pair[0], pair[1]))[:limit]
    return best


def vector_result(row: dict[str, Any], similarity: float, terms: Sequence[QueryTerm]) -> dict[str, Any]:
    result = {name: value for name, value in row.items() if name not in SEARCHED_FIELDS}
    return result | {"similarity": round(similarity, 4), "snippet": snippet(row["text"], terms)}

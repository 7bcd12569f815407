"""Search over the stored documents of one recipe or several, by words and by meaning."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, Row

from headwater.documents.embedding.encoder import Encoder, open_encoder
from headwater.documents.embedding.models import nlp_installed
from headwater.model.errors import MovedAway
from headwater.search.ranking import Matrix, rank_by_similarity, rank_by_words
from headwater.search.word_query import WordQuery
from headwater.store.search.full_text import search_text
from headwater.store.search.vectors import add_vectors, has_vectors, search_by_vector
from headwater.stories.clustering.similarity import StoryItem


@dataclass(frozen=True, slots=True)
class DocumentSearch:
    """`folder` holds downloaded encoders; `model` names one, or is empty for the default."""

    engine: Engine
    folder: Path
    model: str = ""

    def by_words(self, queries: Sequence[WordQuery]) -> list[dict[str, Any]]:
        """The results of all queries, best first."""
        return rank_by_words(row for query in queries for row in search_text(self.engine, query))

    def by_meaning(self, queries: Sequence[WordQuery]) -> list[dict[str, Any]]:
        """The results of all queries, most similar first. Documents without a vector get one before the search."""
        encoder = _open_encoder(self.folder, self.model)
        rows: list[dict[str, Any]] = []
        for query in queries:
            with suppress(
                MovedAway
            ):  # an environment that was moved away is read-only: search the vectors it has
                add_vectors(self.engine, query.recipe, encoder.name, _row_encoder(encoder))
            rows += search_by_vector(self.engine, query, encoder.name, encoder([query.query])[0])
        return rank_by_similarity(rows)

    def pages(self, recipe: str, text: str, language: str, limit: int = 10) -> list[dict[str, Any]]:
        """For a retriever: by words, then by meaning if the documents of the recipe have vectors."""
        query = WordQuery(query=text, recipe=recipe, language=language, limit=limit)
        rows = self.by_words([query])
        if nlp_installed() and has_vectors(self.engine, recipe):
            rows += self.by_meaning([query])
        return rows


@cache
def _open_encoder(folder: Path, model: str) -> Encoder:
    """Cached, because opening an encoder takes longer than a search."""
    return open_encoder(folder, model or None)


def _row_encoder(encoder: Encoder) -> Callable[[Sequence[Row[Any]]], Matrix]:
    def encode(rows: Sequence[Row[Any]]) -> Matrix:
        return encoder([StoryItem(id=row.id, title=row.title, text=row.text).encoder_text for row in rows])

    return encode

"""Search by words and by meaning, over one recipe or several, for verbs and for retrievers."""

from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from sqlalchemy import Row

from headwater.app import App
from headwater.documents.embedding.encoder import Encoder, open_encoder
from headwater.documents.embedding.models import nlp_installed
from headwater.model.errors import MovedAway
from headwater.store.search.full_text import SearchQuery, rank_key, search_text
from headwater.store.search.nearest_vectors import Matrix
from headwater.store.search.vectors import add_vectors, has_vectors, search_by_vector
from headwater.stories.clustering.similarity import StoryItem

Record = dict[str, Any]


def search_by_words(opened: App, wishes: Sequence[SearchQuery]) -> list[Record]:
    """The best of all recipes."""
    found = [row for wish in wishes for row in search_text(opened.store.engine, wish)]
    return sorted(found, key=rank_key)


def search_by_meaning(opened: App, wishes: Sequence[SearchQuery]) -> list[Record]:
    """Documents that have no vector yet get one first, where the installation lives."""
    encoder = _encoder(opened.settings.folder, opened.settings.encoder)
    found: list[Record] = []
    for wish in wishes:
        with suppress(MovedAway):  # what was left behind is searched as it is
            add_vectors(opened.store.engine, wish.recipe, encoder.name, _encoding(encoder))
        found += search_by_vector(opened.store.engine, wish, encoder.name, encoder([wish.query])[0])
    return sorted(found, key=lambda row: -row["similarity"])


def search_pages(opened: App, recipe: str, query: str, language: str, limit: int = 10) -> list[Record]:
    """For a retriever: by words, then by meaning where the recipe's documents have vectors already."""
    wish = SearchQuery(query=query, recipe=recipe, language=language, limit=limit)
    found = search_by_words(opened, [wish])
    if nlp_installed() and has_vectors(opened.store.engine, recipe):
        found += search_by_meaning(opened, [wish])
    return found


@cache
def _encoder(folder: Path, model: str) -> Encoder:
    """Opening one takes longer than a search."""
    return open_encoder(folder, model or None)


def _encoding(encoder: Encoder) -> Any:
    def encode(rows: Sequence[Row[Any]]) -> Matrix:
        return encoder([StoryItem(id=row.id, title=row.title, text=row.text).encoder_text for row in rows])

    return encode

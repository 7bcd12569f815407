"""Search by words and by meaning, over one recipe or several, for verbs and for retrievers."""

from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from sqlalchemy import Row

from headwater.app import App
from headwater.backends.sql.meaning import add_vectors, has_vectors, search_meaning
from headwater.backends.sql.nearness import Matrix
from headwater.backends.sql.searching import Wish, search, standing
from headwater.model.errors import MovedAway
from headwater.pure.stories import Item
from headwater.stories.embedding import Encoder, installed, open_encoder

Record = dict[str, Any]


def by_words(opened: App, wishes: Sequence[Wish]) -> list[Record]:
    """The best of all recipes."""
    found = [row for wish in wishes for row in search(opened.store.engine, wish)]
    return sorted(found, key=standing)


def by_meaning(opened: App, wishes: Sequence[Wish]) -> list[Record]:
    """Documents that have no vector yet get one first, where the installation lives."""
    encoder = _encoder(opened.settings.folder, opened.settings.encoder)
    found: list[Record] = []
    for wish in wishes:
        with suppress(MovedAway):  # what was left behind is searched as it is
            add_vectors(opened.store.engine, wish.recipe, encoder.name, _encoding(encoder))
        found += search_meaning(opened.store.engine, wish, encoder.name, encoder([wish.query])[0])
    return sorted(found, key=lambda row: -row["similarity"])


def pages_of(opened: App, recipe: str, query: str, language: str, limit: int = 10) -> list[Record]:
    """For a retriever: by words, then by meaning where the recipe's documents have vectors already."""
    wish = Wish(query=query, recipe=recipe, language=language, limit=limit)
    found = by_words(opened, [wish])
    if installed() and has_vectors(opened.store.engine, recipe):
        found += by_meaning(opened, [wish])
    return found


@cache
def _encoder(folder: Path, model: str) -> Encoder:
    """Opening one takes longer than a search."""
    return open_encoder(folder, model or None)


def _encoding(encoder: Encoder) -> Any:
    def encode(rows: Sequence[Row[Any]]) -> Matrix:
        return encoder([Item(id=row.id, title=row.title, text=row.text).lead for row in rows])

    return encode

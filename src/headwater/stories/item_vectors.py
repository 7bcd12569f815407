"""Vectors of items that come without a store: their languages, the encoder that suits them, and one vector each."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from headwater.documents.embedding.encoder import Encoder, open_encoder
from headwater.documents.embedding.language_tables import ENGLISH, text_language
from headwater.documents.language.codes import primary_code
from headwater.stories.clustering.similarity import ENCODER_TOKENS, Matrix, StoryItem

MAX_OTHER_SHARE = 0.02
"""A corpus with at most this share of items in other languages counts as English."""


def with_languages(items: Sequence[StoryItem]) -> list[StoryItem]:
    """The items with their languages, detected where they are not given; empty where the text is too short."""
    return [
        replace(item, language=primary_code(item.language or text_language(item.encoder_text)))
        for item in items
    ]


def suitable_encoder(items: Sequence[StoryItem]) -> str:
    """The name of the built-in encoder for a corpus: the English one separates English stories a little better, and
    captures no other language."""
    others = sum(item.language not in {"", ENGLISH} for item in items)
    return "multilingual" if others > MAX_OTHER_SHARE * len(items) else "english"


def open_item_encoder(
    items: Sequence[StoryItem], folder: Path, model: str | Path | None, *, threads: int = 1
) -> Encoder:
    """The named encoder, or the one that suits these items."""
    return open_encoder(folder, model or suitable_encoder(items), threads=threads, max_tokens=ENCODER_TOKENS)


class TextEncoder(Protocol):
    @property
    def name(self) -> str: ...
    def __call__(self, texts: Sequence[str], languages: Sequence[str] | None = None) -> Matrix: ...


def item_vectors(items: Sequence[StoryItem], encoder: TextEncoder) -> Matrix:
    return encoder([item.encoder_text for item in items], [item.language for item in items])

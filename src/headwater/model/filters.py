"""Filters: conditions that a document or a story meets, as settings write them."""

from typing import Annotated

import msgspec
from msgspec import Meta

Texts = str | list[str]
Share = Annotated[float, Meta(ge=0, le=1)]
Count = Annotated[int, Meta(ge=0)]


class DocumentFilter(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A document meets the filter when it meets every condition that is set.

    `words`: its title or text has at least one of them, as whole words; `wind*` also finds windmill. `without`: it has none
    of them. `subjects`: it mentions
    or belongs to one of them. `language`: its language is one of them. `source`: it comes from a source of this name or
    id, or from this site. `quality`, `min_words`: it has at least that much.
    """

    words: Texts = []
    without: Texts = []
    subjects: Texts = []
    language: Texts = []
    source: Texts = []
    quality: Share | None = None
    min_words: Count = 0


class StoryFilter(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A story meets the filter when it meets every condition that is set: `words` and `without` in its title or summary,
    `min_documents`, and `score`."""

    words: Texts = []
    without: Texts = []
    min_documents: Count = 0
    score: float | None = None

"""Filters: conditions that a document or a story meets, as settings write them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Annotated

import msgspec
from msgspec import Meta

from headwater.documents.mentions.folding import is_unspaced
from headwater.model.document import Document
from headwater.model.outcomes import Drop
from headwater.model.recipe import Outcome, StepContext
from headwater.model.story import Story
from headwater.text.folding import fold_text
from headwater.text.urls import host_of

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


def as_list(texts: Texts) -> Sequence[str]:
    return [texts] if isinstance(texts, str) else texts


def unmet_condition(
    conditions: DocumentFilter, document: Document, source_names: Mapping[str, str] | None = None
) -> str | None:
    """The first condition that the document does not meet; None when it meets all. `source_names` maps source ids to
    their names."""
    return next(_unmet_by_document(conditions, document, source_names or {}), None)


def _unmet_by_document(
    conditions: DocumentFilter, document: Document, source_names: Mapping[str, str]
) -> Iterator[str]:
    yield from _unmet_words(conditions, f"{document.title}\n{document.text}")
    subjects = {*document.subjects, *(mention.subject for mention in document.mentions)}
    if conditions.subjects and not subjects.intersection(as_list(conditions.subjects)):
        yield "subjects"
    if conditions.language and document.language not in as_list(conditions.language):
        yield "language"
    if conditions.source and not _is_from(document, as_list(conditions.source), source_names):
        yield "source"
    if conditions.quality is not None and (document.quality or 0.0) < conditions.quality:
        yield "quality"
    if len(document.text.split()) < conditions.min_words:
        yield "min_words"


def _unmet_words(conditions: DocumentFilter | StoryFilter, text: str) -> Iterator[str]:
    if not conditions.words and not conditions.without:
        return
    folded = f" {fold_text(text)} "
    if conditions.words and not any(_has_word(folded, word) for word in as_list(conditions.words)):
        yield "words"
    if any(_has_word(folded, word) for word in as_list(conditions.without)):
        yield "without"


def _has_word(folded: str, word: str) -> bool:
    """A script without spaces has no word boundaries."""
    folded_word = fold_text(word)
    if not folded_word:
        return False
    if any(map(is_unspaced, folded_word)):
        return folded_word in folded
    return f" {folded_word}" in folded if word.endswith("*") else f" {folded_word} " in folded


def _is_from(document: Document, places: Sequence[str], source_names: Mapping[str, str]) -> bool:
    name, host = fold_text(source_names.get(document.source, "")), host_of(document.url)
    return any(
        place == document.source
        or (name and fold_text(place) == name)
        or (host and (host == place or host.endswith(f".{place}")))
        for place in places
    )


def meets(
    conditions: DocumentFilter, document: Document, source_names: Mapping[str, str] | None = None
) -> bool:
    return unmet_condition(conditions, document, source_names) is None


def story_meets(conditions: StoryFilter, story: Story) -> bool:
    if any(_unmet_words(conditions, f"{story.title}\n{story.summary}")):
        return False
    if len(story.members) < conditions.min_documents:
        return False
    return conditions.score is None or (story.score or 0.0) >= conditions.score


@dataclass(frozen=True)
class KeepMatching:
    """Drops the documents that do not meet the filter; the reason names the condition."""

    conditions: DocumentFilter
    source_names: Mapping[str, str] = field(default_factory=dict)
    name: str = "keep"

    @property
    def version(self) -> str:
        return sha256(msgspec.json.encode(self.conditions)).hexdigest()[:8]

    def __call__(self, batch: Sequence[Document], context: StepContext) -> Sequence[Outcome]:
        del context
        return [self._decide(document) for document in batch]

    def _decide(self, document: Document) -> Outcome:
        condition = unmet_condition(self.conditions, document, self.source_names)
        return document if condition is None else Drop(f"filtered:{condition}")

"""Whether a document or a story meets the conditions of a filter, and which one it does not meet."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

import msgspec

from headwater.model.document import Document
from headwater.model.filters import DocumentFilter, StoryFilter, Texts
from headwater.model.outcomes import Drop
from headwater.model.recipe import Outcome, StepContext
from headwater.model.story import Story
from headwater.text.folding import fold_text
from headwater.text.scripts import is_unspaced
from headwater.text.urls import host_of


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

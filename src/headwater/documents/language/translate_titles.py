"""Titles in another language, kept beside the original, by whatever translates."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from headwater.model.document import Document
from headwater.model.errors import HeadwaterError
from headwater.model.recipe import Outcome, StepContext

UNDETERMINED = "und"
Translate = Callable[[Sequence[tuple[str, str]], str], Sequence[str | None]]
"""(language, title) of each, and the language wanted: a translation of each, or None."""


@dataclass(frozen=True)
class TranslateTitles:
    """Sets `attributes.title_en` (or of another language) where the title is in another one, with its origin. Whatever is
    wrong with the translator, documents go on without."""

    translate: Translate = field(compare=False)
    by: str
    into: str = "en"
    name: str = "translate_titles"
    version: str = "1"

    def __call__(self, batch: Sequence[Document], context: StepContext) -> Sequence[Outcome]:
        del context
        foreign = [document for document in batch if self._is_foreign(document)]
        if not foreign:
            return list(batch)
        try:
            found = self.translate([(document.language, document.title) for document in foreign], self.into)
        except HeadwaterError as trouble:
            left = {document.id for document in foreign}
            return [
                document.with_notes(untranslated=trouble.reason) if document.id in left else document
                for document in batch
            ]
        told = {document.id: title for document, title in zip(foreign, found, strict=True)}
        return [self._beside(document, told.get(document.id)) for document in batch]

    @property
    def place(self) -> str:
        return f"title_{self.into}"

    def _is_foreign(self, document: Document) -> bool:
        language = document.language.partition("-")[0]
        known = document.title and language not in {"", UNDETERMINED, self.into}
        return bool(known and not document.attributes.get(self.place))

    def _beside(self, document: Document, title: str | None) -> Document:
        if title is None:
            return document
        attributes = {**document.attributes, self.place: title}
        origins = {**document.origins, self.place: f"translated from {document.language} by {self.by}"}
        return document.with_changes(attributes=attributes, origins=origins).with_notes(by=self.by)

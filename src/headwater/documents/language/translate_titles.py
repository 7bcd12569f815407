"""The translating step: titles in another language, stored next to the original."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from headwater.documents.language.codes import UNDETERMINED
from headwater.model.document import Document
from headwater.model.errors import HeadwaterError
from headwater.model.recipe import Outcome, StepContext

Translate = Callable[[Sequence[tuple[str, str]], str], Sequence[str | None]]
"""Takes (language, title) pairs and the target language; returns a translation of each, or None."""


@dataclass(frozen=True)
class TranslateTitles:
    """Sets `attributes.title_en` (or another target language) for titles in other languages, with its origin. When the
    translator fails, documents continue without."""

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
            translations = self.translate(
                [(document.language, document.title) for document in foreign], self.into
            )
        except HeadwaterError as error:
            untranslated = {document.id for document in foreign}
            return [
                document.with_notes(untranslated=error.reason) if document.id in untranslated else document
                for document in batch
            ]
        titles = {document.id: title for document, title in zip(foreign, translations, strict=True)}
        return [self._with_translation(document, titles.get(document.id)) for document in batch]

    @property
    def attribute(self) -> str:
        return f"title_{self.into}"

    def _is_foreign(self, document: Document) -> bool:
        language = document.language.partition("-")[0]
        has_language = document.title and language not in {"", UNDETERMINED, self.into}
        return bool(has_language and not document.attributes.get(self.attribute))

    def _with_translation(self, document: Document, title: str | None) -> Document:
        if title is None:
            return document
        attributes = {**document.attributes, self.attribute: title}
        origins = {**document.origins, self.attribute: f"translated from {document.language} by {self.by}"}
        return document.with_changes(attributes=attributes, origins=origins).with_notes(by=self.by)

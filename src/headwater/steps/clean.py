"""Text without mojibake, entities, prompts, orphans and repetitions."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from headwater.model.document import Document
from headwater.model.recipe import Context, Outcome
from headwater.pure.cleaning import CleaningRules, clean, repair


@dataclass(frozen=True)
class Clean:
    """Cleans the text by the rules; title and description only get their characters repaired."""

    rules: CleaningRules = field(default_factory=CleaningRules)
    name: str = "clean"
    version: str = "1"

    def __call__(self, batch: Sequence[Document], context: Context) -> Sequence[Outcome]:
        del context
        return [self._clean(document) for document in batch]

    def _clean(self, document: Document) -> Document:
        cleaned = clean(document.text, self.rules)
        title, _ = repair(document.title)
        description, _ = repair(document.description)
        return replace(
            document, text=cleaned.text, title=" ".join(title.split()), description=description
        ).noting(**cleaned.changes)

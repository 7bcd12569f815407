"""A step: documents with too few words end here, with the count as evidence."""

from collections.abc import Sequence
from dataclasses import dataclass

from headwater.model.document import Document
from headwater.model.outcomes import Drop
from headwater.model.recipe import Outcome, StepContext


@dataclass(frozen=True)
class MinimumLength:
    """Drops documents of fewer than `words` words; notes the count of the others in their trail."""

    words: int = 40
    name: str = "minimum-length"
    version: str = "1"

    def __call__(self, batch: Sequence[Document], context: StepContext) -> Sequence[Outcome]:
        del context
        return [self._decide(document) for document in batch]

    def _decide(self, document: Document) -> Outcome:
        count = len(document.text.split())
        if count < self.words:
            return Drop("too_short", evidence={"words": count, "wanted": self.words})
        return document.with_notes(words=count)

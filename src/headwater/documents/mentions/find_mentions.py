"""The mentions step: which subjects a document names, and where."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from headwater.documents.mentions.matcher import Matcher
from headwater.model.document import Document, Mention
from headwater.model.recipe import Outcome, StepContext

RULES = "1"


@dataclass(frozen=True)
class FindMentions:
    """Replaces `mentions`. Offsets point into `text`; a subject that only the title names has none.

    The version includes that of the matcher: changed aliases change the step.
    """

    matcher: Matcher
    title: bool = True
    name: str = "mentions"

    @property
    def version(self) -> str:
        return f"{RULES}+{self.matcher.version}"

    def __call__(self, batch: Sequence[Document], context: StepContext) -> Sequence[Outcome]:
        del context
        return [self._find(document) for document in batch]

    def _find(self, document: Document) -> Document:
        in_text = self.matcher.find(document.text)
        subjects_in_text = {mention.subject for mention in in_text}
        in_title = (
            [
                mention
                for mention in self.matcher.find(document.title)
                if mention.subject not in subjects_in_text
            ]
            if self.title
            else []
        )
        mentions = (*in_text, *(_without_offsets(mention) for mention in in_title))
        return document.with_changes(mentions=mentions).with_notes(
            subjects=len(mentions), places=sum(mention.count for mention in mentions)
        )


def _without_offsets(mention: Mention) -> Mention:
    return replace(mention, offsets=())

"""Which subjects a document names, and where."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from headwater.documents.mentions.matcher import Matcher
from headwater.model.document import Document, Mention
from headwater.model.recipe import Outcome, StepContext

RULES = "1"


@dataclass(frozen=True)
class FindMentions:
    """Sets `mentions`, anew each time. Offsets point into `text`; a subject that only the title names has none.

    The version holds the matcher's: changed aliases are a changed step.
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
        told = {mention.subject for mention in in_text}
        in_title = (
            [m for m in self.matcher.find(document.title) if m.subject not in told] if self.title else []
        )
        mentions = (*in_text, *(_without_places(mention) for mention in in_title))
        return replace(document, mentions=mentions).with_notes(
            subjects=len(mentions), places=sum(mention.count for mention in mentions)
        )


def _without_places(mention: Mention) -> Mention:
    return replace(mention, offsets=())

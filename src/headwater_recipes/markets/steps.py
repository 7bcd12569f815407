"""What this recipe does beyond what everybody does."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from headwater.model.document import Document, Mention
from headwater.model.recipe import Context, Outcome
from headwater.pure.mentions import CONFIDENCE


@dataclass(frozen=True)
class MentionListed:
    """Companies under which the source itself lists a document are mentioned by it, also where its text does not name
    them."""

    subjects: Mapping[str, str]
    name: str = "listed"
    version: str = "1"

    def __call__(self, batch: Sequence[Document], context: Context) -> Sequence[Outcome]:
        del context
        return [self._add(document) for document in batch]

    def _add(self, document: Document) -> Document:
        listed = [document.attributes.get("ticker"), *document.attributes.get("tickers", ())]
        wanted = dict.fromkeys(self.subjects[ticker] for ticker in listed if ticker in self.subjects)
        named = {mention.subject for mention in document.mentions}
        added = tuple(
            Mention(subject, "listed", CONFIDENCE["ticker"], 0) for subject in wanted if subject not in named
        )
        subjects = tuple(dict.fromkeys((*document.subjects, *wanted)))
        return document.but(mentions=(*document.mentions, *added), subjects=subjects).noting(
            listed=len(wanted)
        )

"""What this recipe does beyond what everybody does."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from headwater.model.document import Document, Mention
from headwater.model.recipe import Context, Outcome
from headwater.pure.mentions import CONFIDENCE
from headwater.steps.duplicates import DropDuplicates


@dataclass(frozen=True)
class DropCopies:
    """Ends copies of articles, with the evidence. A filing is never a copy: an amendment repeats most of what it amends,
    and each accession number is a record of its own."""

    ladder: DropDuplicates = field(default_factory=DropDuplicates)
    name: str = "duplicates"

    @property
    def version(self) -> str:
        return f"{self.ladder.version}+filings"

    def __call__(self, batch: Sequence[Document], context: Context) -> Sequence[Outcome]:
        articles = [document for document in batch if not _is_filing(document)]
        outcomes = iter(self.ladder(articles, context) if articles else ())
        return [document if _is_filing(document) else next(outcomes) for document in batch]


def _is_filing(document: Document) -> bool:
    return document.attributes.get("document_type") == "filing"


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

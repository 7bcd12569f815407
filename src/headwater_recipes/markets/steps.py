"""Steps of this recipe: duplicates of articles only, companies listed by the source, and the parser output."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from headwater.documents.dedupe.drop_duplicates import DropDuplicates
from headwater.model.document import Document, FactKey, Mention
from headwater.model.errors import Permanent
from headwater.model.outcomes import Extract, ExtractHints, Reading, Unreadable
from headwater.model.recipe import BatchExtract, Outcome, StepContext
from headwater.model.subject import CONFIDENCE_BY_KIND

PARSER_OUTPUT: FactKey[dict[str, Any]] = FactKey("parser_output", dict)
MOST_LINKS = 200
WARNINGS = ("lost", "repeated", "orphans", "prompts", "mojibake")


@dataclass(frozen=True)
class DropArticleDuplicates:
    """Drops duplicate articles. A filing is never a duplicate: an amendment repeats most of what it amends, and each
    accession number is its own record."""

    drop_duplicates: DropDuplicates = field(default_factory=DropDuplicates)
    name: str = "duplicates"

    @property
    def version(self) -> str:
        return f"{self.drop_duplicates.version}+filings"

    def __call__(self, batch: Sequence[Document], context: StepContext) -> Sequence[Outcome]:
        articles = [document for document in batch if not _is_filing(document)]
        outcomes = iter(self.drop_duplicates(articles, context) if articles else ())
        return [document if _is_filing(document) else next(outcomes) for document in batch]


def _is_filing(document: Document) -> bool:
    return document.attributes.get("document_type") == "filing"


@dataclass(frozen=True)
class AddListedMentions:
    """Adds mentions of the companies under which the source lists a document, even if its text does not name them: by ticker,
    and the registrants of a filing by CIK."""

    subjects: Mapping[str, str]
    subjects_by_cik: Mapping[str, str] = field(default_factory=dict)
    name: str = "listed"
    version: str = "2"

    def __call__(self, batch: Sequence[Document], context: StepContext) -> Sequence[Outcome]:
        del context
        return [self._add(document) for document in batch]

    def _add(self, document: Document) -> Document:
        tickers = [document.attributes.get("ticker"), *document.attributes.get("tickers", ())]
        registrants = document.attributes.get("ciks", ())
        listed = dict.fromkeys(
            (
                *(self.subjects[ticker] for ticker in tickers if ticker in self.subjects),
                *(self.subjects_by_cik[cik] for cik in registrants if cik in self.subjects_by_cik),
            )
        )
        mentioned = {mention.subject for mention in document.mentions}
        added = tuple(
            Mention(subject, "listed", CONFIDENCE_BY_KIND["identifier"], 0)
            for subject in listed
            if subject not in mentioned
        )
        subjects = tuple(dict.fromkeys((*document.subjects, *listed)))
        return document.with_changes(mentions=(*document.mentions, *added), subjects=subjects).with_notes(
            listed=len(listed)
        )


def with_links(readers: Mapping[str, BatchExtract]) -> dict[str, Extract]:
    """The same readers, with the outbound links of each document in its attributes."""
    return {media_type: ReaderWithLinks(extract) for media_type, extract in readers.items()}


@dataclass(frozen=True)
class ReaderWithLinks:
    extract: BatchExtract

    def __call__(self, data: bytes, hints: ExtractHints) -> Reading | Unreadable:
        return _with_links(self.extract(data, hints))

    def read_batch(
        self, items: Sequence[tuple[bytes, ExtractHints]]
    ) -> Iterator[Reading | Unreadable | Permanent]:
        for result in self.extract.read_batch(items):
            yield result if isinstance(result, Permanent) else _with_links(result)


def _with_links(reading: Reading | Unreadable) -> Reading | Unreadable:
    if isinstance(reading, Unreadable) or not reading.links:
        return reading
    return replace(reading, attributes={**reading.attributes, "links": list(reading.links[:MOST_LINKS])})


@dataclass(frozen=True)
class KeepParserOutput:
    """Sets the fact `parser_output`: metadata, quality signals, warnings, outbound links, tags and mentions."""

    name: str = "parser-output"
    version: str = "1"

    def __call__(self, batch: Sequence[Document], context: StepContext) -> Sequence[Outcome]:
        del context
        return [document.with_fact(PARSER_OUTPUT, parser_output(document)) for document in batch]


def parser_output(document: Document) -> dict[str, Any]:
    notes = {entry.step: entry.notes for entry in document.trail}
    quality = notes.get("quality", {})
    return {
        "document_id": document.id,
        "metadata": {
            "title": document.title,
            "authors": list(document.authors),
            "publisher": document.publisher,
            "published_at": document.published.isoformat() if document.published else None,
            "canonical_url": document.canonical_url or document.url,
            "language": document.language,
            "description": document.description,
            "origins": dict(document.origins),
        },
        "quality": {
            "score": document.quality,
            "label": quality.get("label"),
            "signals": dict(quality.get("components", {})),
            "reasons": list(quality.get("reasons", ())),
        },
        "warnings": _warnings(document, notes),
        "outbound_links": list(document.attributes.get("links", ())),
        "tags": list(document.keywords),
        "mentions": [
            {
                "company_id": mention.subject,
                "type": mention.kind,
                "confidence": mention.confidence,
                "count": mention.count,
            }
            for mention in document.mentions
        ],
        "document_type": document.attributes.get("document_type"),
        "ticker": document.attributes.get("ticker"),
    }


def _warnings(document: Document, notes: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Reasons to doubt the text."""
    warnings = [f"clean:{name}" for name in WARNINGS if notes.get("clean", {}).get(name)]
    if document.origins.get("text") == "payload":
        warnings.append("text_from_payload")
    warnings += [
        f"missing:{name}" for name in ("title", "authors", "published") if not getattr(document, name)
    ]
    return warnings

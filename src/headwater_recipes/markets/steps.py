"""What this recipe does beyond what everybody does."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from headwater.documents.dedupe.drop_duplicates import DropDuplicates
from headwater.model.document import Document, FactKey, Mention
from headwater.model.outcomes import ExtractHints, Reading, Unreadable
from headwater.model.recipe import Extract, Outcome, StepContext
from headwater.model.subject import CONFIDENCE_BY_KIND


@dataclass(frozen=True)
class DropArticleDuplicates:
    """Ends copies of articles, with the evidence. A filing is never a copy: an amendment repeats most of what it amends,
    and each accession number is a record of its own."""

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
    """Companies under which the source itself lists a document are mentioned by it, also where its text does not name
    them."""

    subjects: Mapping[str, str]
    name: str = "listed"
    version: str = "1"

    def __call__(self, batch: Sequence[Document], context: StepContext) -> Sequence[Outcome]:
        del context
        return [self._add(document) for document in batch]

    def _add(self, document: Document) -> Document:
        listed = [document.attributes.get("ticker"), *document.attributes.get("tickers", ())]
        wanted = dict.fromkeys(self.subjects[ticker] for ticker in listed if ticker in self.subjects)
        named = {mention.subject for mention in document.mentions}
        added = tuple(
            Mention(subject, "listed", CONFIDENCE_BY_KIND["ticker"], 0)
            for subject in wanted
            if subject not in named
        )
        subjects = tuple(dict.fromkeys((*document.subjects, *wanted)))
        return document.with_changes(mentions=(*document.mentions, *added), subjects=subjects).with_notes(
            listed=len(wanted)
        )


PARSER_OUTPUT: FactKey[dict[str, Any]] = FactKey("parser_output", dict)
MOST_LINKS = 200
WARNINGS = ("lost", "repeated", "orphans", "prompts", "mojibake")


def with_links(readers: Mapping[str, Extract]) -> dict[str, Extract]:
    """The same readers; what they read carries the addresses it links to."""
    return {media_type: _linking(read) for media_type, read in readers.items()}


def _linking(read: Extract) -> Extract:
    def reader(data: bytes, hints: ExtractHints) -> Reading | Unreadable:
        reading = read(data, hints)
        if isinstance(reading, Unreadable) or not reading.links:
            return reading
        return replace(reading, attributes={**reading.attributes, "links": list(reading.links[:MOST_LINKS])})

    return reader


@dataclass(frozen=True)
class KeepParserOutput:
    """Sets the fact `parser_output`: metadata, quality signals, warnings, outbound links, tags and mentions."""

    name: str = "parser-output"
    version: str = "1"

    def __call__(self, batch: Sequence[Document], context: StepContext) -> Sequence[Outcome]:
        del context
        return [document.with_fact(PARSER_OUTPUT, parser_output(document)) for document in batch]


def parser_output(document: Document) -> dict[str, Any]:
    notes = {mark.step: mark.notes for mark in document.trail}
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
            {"company_id": m.subject, "type": m.kind, "confidence": m.confidence, "count": m.count}
            for m in document.mentions
        ],
        "document_type": document.attributes.get("document_type"),
        "ticker": document.attributes.get("ticker"),
    }


def _warnings(document: Document, notes: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """What a reader should know before trusting the text."""
    found = [f"clean:{name}" for name in WARNINGS if notes.get("clean", {}).get(name)]
    if document.origins.get("text") == "payload":
        found.append("text_from_payload")
    found += [f"missing:{name}" for name in ("title", "authors", "published") if not getattr(document, name)]
    return found

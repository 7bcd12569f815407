"""What was found out about a document while it was read, in one record for the next system."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from headwater.model.document import Document
from headwater.model.fact import Fact
from headwater.model.reading import Hints, Reading, Unreadable
from headwater.model.recipe import Context, Extract, Outcome

PARSER_OUTPUT: Fact[dict[str, Any]] = Fact("parser_output", dict)
MOST_LINKS = 200
WARNINGS = ("lost", "repeated", "orphans", "prompts", "mojibake")


def with_links(readers: Mapping[str, Extract]) -> dict[str, Extract]:
    """The same readers; what they read carries the addresses it links to."""
    return {media_type: _linking(read) for media_type, read in readers.items()}


def _linking(read: Extract) -> Extract:
    def reader(data: bytes, hints: Hints) -> Reading | Unreadable:
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

    def __call__(self, batch: Sequence[Document], context: Context) -> Sequence[Outcome]:
        del context
        return [document.having(PARSER_OUTPUT, parser_output(document)) for document in batch]


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

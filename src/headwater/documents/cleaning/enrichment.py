"""The enriching step: a body that is too short is extended by what its source says about the item."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from headwater.model.document import Document
from headwater.model.recipe import Outcome, StepContext
from headwater.text.folding import fold_text
from headwater.text.markup import text_of_markup

PAYLOAD = "payload"
SHORT_BELOW = 500  # characters, R-71

SENTENCES = re.compile(r"(?<=[.!?…。！？])\s+")
CUT_OFF = re.compile(r"\s*(?:…|\.{3}|\[…\]|\[\.{3}\]|\(…\))\s*$")


@dataclass(frozen=True, slots=True)
class SourcePayload:
    """What a source says about an item, besides the item itself."""

    description: str = ""
    keywords: tuple[str, ...] = ()
    authors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EnrichedText:
    """The extended text; `added_text` is the new part, empty when nothing was missing."""

    text: str
    added_text: str = ""


def enrich_text(text: str, payload: SourcePayload, short_below: int = SHORT_BELOW) -> EnrichedText:
    """Append the sentences of the description that the text lacks, as a paragraph. A text that is only the cut-off
    start of the description is replaced by it."""
    description = text_of_markup(payload.description)
    if len(text) >= short_below or not description:
        return EnrichedText(text)
    text_words, description_words = fold_text(CUT_OFF.sub("", text)), fold_text(description)
    if not description_words or description_words in text_words:
        return EnrichedText(text)
    if text_words and description_words.startswith(text_words):
        return EnrichedText(description, description)
    missing = " ".join(sentence for sentence in SENTENCES.split(description) if _is_new(sentence, text_words))
    return EnrichedText(f"{text.rstrip()}\n\n{missing}".strip(), missing) if missing else EnrichedText(text)


def _is_new(sentence: str, text_words: str) -> bool:
    words = fold_text(CUT_OFF.sub("", sentence))
    return bool(words) and words not in text_words


def payload_of(item: Mapping[str, Any]) -> SourcePayload:
    """Read from the hints of a lead, by the field names that sources use."""
    return SourcePayload(
        description=_first_text(
            item, ("description", "summary", "abstract", "excerpt", "snippet", "content")
        ),
        keywords=_texts(item, ("keywords", "categories", "tags")),
        authors=_texts(item, ("authors", "author", "creator", "byline")),
    )


def _first_text(item: Mapping[str, Any], names: Sequence[str]) -> str:
    values = (item.get(name) for name in names)
    return next((value.strip() for value in values if isinstance(value, str) and value.strip()), "")


def _texts(item: Mapping[str, Any], names: Sequence[str]) -> tuple[str, ...]:
    """A list of strings, a list of named things, or one string with commas."""
    value = next((item[name] for name in names if item.get(name)), ())
    if isinstance(value, str):
        value = value.split(",")
    if not isinstance(value, list | tuple):
        value = [value]
    texts = (entry.get("name", "") if isinstance(entry, Mapping) else entry for entry in value)
    return tuple(dict.fromkeys(text.strip() for text in texts if isinstance(text, str) and text.strip()))


ReadPayloads = Callable[[Sequence[Document], StepContext], Mapping[str, SourcePayload]]
"""Reads what the sources say, by document id; a document without an entry stays as it is."""


def stored_payloads(batch: Sequence[Document], context: StepContext) -> Mapping[str, SourcePayload]:
    """What is stored of the feed entries and API items that led to the document, merged with its own fields. The
    description of a page may be cut off, so the longest description counts."""
    source_hints = context.knowledge.source_hints([document.id for document in batch])
    return {document.id: _merge(document, source_hints.get(document.id, ())) for document in batch}


def _merge(document: Document, source_hints: Sequence[Mapping[str, Any]]) -> SourcePayload:
    payloads = [
        SourcePayload(document.description, document.keywords, document.authors),
        *(payload_of(hints) for hints in source_hints),
    ]
    return SourcePayload(
        description=max(
            (payload.description for payload in payloads), key=lambda text: len(text_of_markup(text))
        ),
        keywords=next((payload.keywords for payload in payloads if payload.keywords), ()),
        authors=next((payload.authors for payload in payloads if payload.authors), ()),
    )


@dataclass(frozen=True)
class EnrichShortBodies:
    """R-71: text below `short_below` characters is extended by the description; empty keywords and authors are filled."""

    short_below: int = SHORT_BELOW
    payloads: ReadPayloads = stored_payloads
    name: str = "enrich"
    version: str = "2"

    def __call__(self, batch: Sequence[Document], context: StepContext) -> Sequence[Outcome]:
        short = [document for document in batch if len(document.text) < self.short_below]
        payloads = self.payloads(short, context) if short else {}
        return [self._fill(document, payloads.get(document.id)) for document in batch]

    def _fill(self, document: Document, payload: SourcePayload | None) -> Document:
        if payload is None or len(document.text) >= self.short_below:
            return document
        changes: dict[str, Any] = {}
        origins = dict(document.origins)
        enriched = enrich_text(document.text, payload, self.short_below)
        if enriched.added_text:
            changes["text"] = enriched.text
            origins["text"] = _origin(origins.get("text", ""), replaced=enriched.text == enriched.added_text)
        for field in ("keywords", "authors", "description"):
            if getattr(payload, field) and not getattr(document, field):
                changes[field] = getattr(payload, field)
                origins[field] = PAYLOAD
        if not changes:
            return document
        return replace(document, **changes, origins=origins).with_notes(
            added=len(enriched.added_text), filled=sorted(changes)
        )


def _origin(origin: str, *, replaced: bool) -> str:
    if replaced or not origin or origin == PAYLOAD:
        return PAYLOAD
    return origin if origin.endswith(f" + {PAYLOAD}") else f"{origin} + {PAYLOAD}"

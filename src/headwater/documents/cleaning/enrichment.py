"""A body that is too short, made fuller by what the source itself said about the item."""

import html
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from headwater.model.document import Document
from headwater.model.recipe import Outcome, StepContext
from headwater.text.urls import canonical_url

PAYLOAD = "payload"
SHORT_BELOW = 500  # characters, R-71

TAGS = re.compile(r"<[^<>]{0,2000}>")
NOT_WORDS = re.compile(r"[\W_]+")
SENTENCES = re.compile(r"(?<=[.!?…。！？])\s+")
CUT_OFF = re.compile(r"\s*(?:…|\.{3}|\[…\]|\[\.{3}\]|\(…\))\s*$")


@dataclass(frozen=True, slots=True)
class SourcePayload:
    """What a source said about an item, besides the item itself."""

    description: str = ""
    keywords: tuple[str, ...] = ()
    authors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EnrichedText:
    """The fuller text; `added` is what came in, empty when nothing was missing."""

    text: str
    added: str = ""


def enrich_text(text: str, payload: SourcePayload, short_below: int = SHORT_BELOW) -> EnrichedText:
    """The sentences of the description that the text does not have yet, as a paragraph after it. A text that is only
    the cut-off beginning of the description gives way to it."""
    said = strip_tags(payload.description)
    if len(text) >= short_below or not said:
        return EnrichedText(text)
    bare, whole = compare_form(CUT_OFF.sub("", text)), compare_form(said)
    if not whole or whole in bare:
        return EnrichedText(text)
    if bare and whole.startswith(bare):
        return EnrichedText(said, said)
    new = " ".join(sentence for sentence in SENTENCES.split(said) if _is_new(sentence, bare))
    return EnrichedText(f"{text.rstrip()}\n\n{new}".strip(), new) if new else EnrichedText(text)


def _is_new(sentence: str, bare: str) -> bool:
    words = compare_form(CUT_OFF.sub("", sentence))
    return bool(words) and words not in bare


def strip_tags(text: str) -> str:
    """Without tags, entities and line breaks."""
    return " ".join(html.unescape(TAGS.sub(" ", text)).split())


def compare_form(text: str) -> str:
    """The words alone, for comparing."""
    return NOT_WORDS.sub(" ", text.casefold()).strip()


def payload_of(item: Mapping[str, Any]) -> SourcePayload:
    """Out of a lead's hints or an item of a raw payload, by the names that sources use."""
    return SourcePayload(
        description=_first_text(
            item, ("description", "summary", "abstract", "excerpt", "snippet", "content")
        ),
        keywords=_texts(item, ("keywords", "categories", "tags")),
        authors=_texts(item, ("authors", "author", "creator", "byline")),
    )


def matching_item(items: Iterable[Mapping[str, Any]], url: str, title: str = "") -> Mapping[str, Any] | None:
    """The item of a stored payload that speaks of this address or, failing that, has this very title."""
    wanted, named = canonical_url(url) if url else "", compare_form(title)
    by_title = None
    for item in items:
        address = _first_text(item, ("url", "link", "href"))
        if wanted and address and canonical_url(address) == wanted:
            return item
        if by_title is None and named and compare_form(_first_text(item, ("title", "headline"))) == named:
            by_title = item
    return by_title


def _first_text(item: Mapping[str, Any], names: Sequence[str]) -> str:
    found = (item.get(name) for name in names)
    return next((value.strip() for value in found if isinstance(value, str) and value.strip()), "")


def _texts(item: Mapping[str, Any], names: Sequence[str]) -> tuple[str, ...]:
    """A list of strings, a list of named things, or one string with commas."""
    value = next((item[name] for name in names if item.get(name)), ())
    if isinstance(value, str):
        value = value.split(",")
    if not isinstance(value, list | tuple):
        value = [value]
    texts = (one.get("name", "") if isinstance(one, Mapping) else one for one in value)
    return tuple(dict.fromkeys(text.strip() for text in texts if isinstance(text, str) and text.strip()))


ReadPayloads = Callable[[Sequence[Document], StepContext], Mapping[str, SourcePayload]]
"""What the sources said, by document id; a document without an entry stays as it is."""


def stored_payloads(batch: Sequence[Document], context: StepContext) -> Mapping[str, SourcePayload]:
    """What is stored of the feed entries and API items that told of the document, and its own description. The page's
    word on a field may have won over the source's, or be a cut-off one: of the descriptions the longest is taken."""
    source_hints = context.knowledge.source_hints([document.id for document in batch])
    return {document.id: _merged(document, source_hints.get(document.id, ())) for document in batch}


def _merged(document: Document, source_hints: Sequence[Mapping[str, Any]]) -> SourcePayload:
    said = [
        SourcePayload(document.description, document.keywords, document.authors),
        *(payload_of(hints) for hints in source_hints),
    ]
    return SourcePayload(
        description=max((one.description for one in said), key=lambda text: len(strip_tags(text))),
        keywords=next((one.keywords for one in said if one.keywords), ()),
        authors=next((one.authors for one in said if one.authors), ()),
    )


@dataclass(frozen=True)
class EnrichShortBodies:
    """R-71: text below `short_below` characters gets the description; empty keywords and authors are filled in."""

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
        if enriched.added:
            changes["text"] = enriched.text
            origins["text"] = _origin(origins.get("text", ""), whole=enriched.text == enriched.added)
        for field in ("keywords", "authors", "description"):
            if getattr(payload, field) and not getattr(document, field):
                changes[field] = getattr(payload, field)
                origins[field] = PAYLOAD
        if not changes:
            return document
        return replace(document, **changes, origins=origins).with_notes(
            added=len(enriched.added), filled=sorted(changes)
        )


def _origin(before: str, *, whole: bool) -> str:
    if whole or not before or before == PAYLOAD:
        return PAYLOAD
    return before if before.endswith(f" + {PAYLOAD}") else f"{before} + {PAYLOAD}"

"""Short bodies, made fuller from the stored payload."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from headwater.model.document import Document
from headwater.model.recipe import Context, Outcome
from headwater.pure.enrichment import PAYLOAD, SHORT_BELOW, Payload, enrich, payload_of, plain

Payloads = Callable[[Sequence[Document], Context], Mapping[str, Payload]]
"""What the sources said, by document id; a document without an entry stays as it is."""


def as_told(batch: Sequence[Document], context: Context) -> Mapping[str, Payload]:
    """What is stored of the feed entries and API items that told of the document, and its own description. The page's
    word on a field may have won over the source's, or be a cut-off one: of the descriptions the longest is taken."""
    told = context.knowledge.told([document.id for document in batch])
    return {document.id: _merged(document, told.get(document.id, ())) for document in batch}


def _merged(document: Document, told: Sequence[Mapping[str, Any]]) -> Payload:
    said = [
        Payload(document.description, document.keywords, document.authors),
        *(payload_of(hints) for hints in told),
    ]
    return Payload(
        description=max((one.description for one in said), key=lambda text: len(plain(text))),
        keywords=next((one.keywords for one in said if one.keywords), ()),
        authors=next((one.authors for one in said if one.authors), ()),
    )


@dataclass(frozen=True)
class EnrichShortBodies:
    """R-71: text below `short_below` characters gets the description; empty keywords and authors are filled in."""

    short_below: int = SHORT_BELOW
    payloads: Payloads = as_told
    name: str = "enrich"
    version: str = "2"

    def __call__(self, batch: Sequence[Document], context: Context) -> Sequence[Outcome]:
        short = [document for document in batch if len(document.text) < self.short_below]
        payloads = self.payloads(short, context) if short else {}
        return [self._fill(document, payloads.get(document.id)) for document in batch]

    def _fill(self, document: Document, payload: Payload | None) -> Document:
        if payload is None or len(document.text) >= self.short_below:
            return document
        changes: dict[str, Any] = {}
        origins = dict(document.origins)
        enriched = enrich(document.text, payload, self.short_below)
        if enriched.added:
            changes["text"] = enriched.text
            origins["text"] = _origin(origins.get("text", ""), whole=enriched.text == enriched.added)
        for field in ("keywords", "authors", "description"):
            if getattr(payload, field) and not getattr(document, field):
                changes[field] = getattr(payload, field)
                origins[field] = PAYLOAD
        if not changes:
            return document
        return replace(document, **changes, origins=origins).noting(
            added=len(enriched.added), filled=sorted(changes)
        )


def _origin(before: str, *, whole: bool) -> str:
    if whole or not before or before == PAYLOAD:
        return PAYLOAD
    return before if before.endswith(f" + {PAYLOAD}") else f"{before} + {PAYLOAD}"

"""Short bodies, made fuller from the stored payload."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from headwater.model.document import Document
from headwater.model.recipe import Context, Outcome
from headwater.pure.enrichment import PAYLOAD, SHORT_BELOW, Payload, enrich

Payloads = Callable[[Sequence[Document]], Mapping[str, Payload]]
"""What the sources said, by document id; a document without an entry has only itself."""


def own_words(batch: Sequence[Document]) -> Mapping[str, Payload]:
    """The fields that the document carries from its lead: the source's summary, categories and authors."""
    return {
        document.id: Payload(document.description, document.keywords, document.authors) for document in batch
    }


@dataclass(frozen=True)
class EnrichShortBodies:
    """R-71: text below `short_below` characters gets the description; empty keywords and authors are filled in."""

    short_below: int = SHORT_BELOW
    payloads: Payloads = own_words
    name: str = "enrich"
    version: str = "1"

    def __call__(self, batch: Sequence[Document], context: Context) -> Sequence[Outcome]:
        del context
        short = [document for document in batch if len(document.text) < self.short_below]
        payloads = self.payloads(short) if short else {}
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

"""Exact duplicates: the same address, the same identifier of the same publisher, the same words."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256

from headwater.model.document import Document, Fingerprint
from headwater.model.outcomes import Drop
from headwater.model.recipe import Outcome, StepContext
from headwater.text.urls import canonical_url

BETWEEN_WORDS = re.compile(r"\W+")
# The same for ASCII, a byte at a time.
ONLY_WORDS = bytes(
    byte if byte < 128 and (chr(byte).isalnum() or byte == ord("_")) else 32 for byte in range(256)
)
LATEST = datetime.max.replace(tzinfo=UTC)


def exact_fingerprints(document: Document, min_words: int) -> tuple[Fingerprint, ...]:
    """Every way to recognise this very document, in the order in which they are asked."""
    marks = [Fingerprint("url", canonical_url(document.url))]
    if document.canonical_url:
        marks.append(Fingerprint("url", canonical_url(document.canonical_url)))
    if document.guid:
        marks.append(Fingerprint("guid", f"{document.source} {document.guid}"))
    words = _words(document.text)
    if words.count(b" ") + 1 >= min_words:
        marks.append(Fingerprint("text", sha256(words).hexdigest()))
    return tuple(dict.fromkeys(marks))


def _words(text: str) -> bytes:
    """The words alone, in small letters, with one space between them."""
    if text.isascii():
        return b" ".join(text.lower().encode().translate(ONLY_WORDS).split())
    folded = unicodedata.normalize("NFKC", text).casefold()
    return BETWEEN_WORDS.sub(" ", folded).strip().encode("utf-8", "replace")


@dataclass(frozen=True)
class DropExactDuplicates:
    """Ends a document that is stored already. Within a batch the earliest published one stays, whatever the order.

    Text shorter than `least_words` says too little to be recognised by.
    """

    min_words: int = 20
    name: str = "exact-duplicates"
    version: str = "1"

    def __call__(self, batch: Sequence[Document], context: StepContext) -> Sequence[Outcome]:
        marks = {document.id: exact_fingerprints(document, self.min_words) for document in batch}
        wanted = sorted({mark for some in marks.values() for mark in some}, key=lambda m: (m.kind, m.value))
        owners = dict(context.knowledge.fingerprint_owners(context.recipe, wanted))
        outcomes: dict[str, Outcome] = {}
        for document in sorted(batch, key=lambda d: (d.published or LATEST, d.id)):
            outcomes[document.id] = self._decide(document, marks[document.id], owners)
        return [outcomes[document.id] for document in batch]

    def _decide(
        self, document: Document, marks: tuple[Fingerprint, ...], owners: dict[Fingerprint, str]
    ) -> Outcome:
        for mark in marks:
            owner = owners.get(mark)
            if owner is not None and owner != document.id:
                return Drop(f"duplicate:{mark.kind}", of=owner, score=1.0, evidence={mark.kind: mark.value})
        owners.update(dict.fromkeys(marks, document.id))
        return document.with_changes(fingerprints=(*document.fingerprints, *marks))

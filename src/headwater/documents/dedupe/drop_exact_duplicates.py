"""The exact duplicates step: the same address, the same identifier of the same source, or the same words."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

from headwater.documents.dedupe.articles import UNDATED
from headwater.model.document import Document, Fingerprint
from headwater.model.outcomes import Drop
from headwater.model.recipe import Outcome, StepContext
from headwater.text.folding import fold_text
from headwater.text.urls import canonical_url


def exact_fingerprints(document: Document, min_words: int) -> tuple[Fingerprint, ...]:
    """The fingerprints of a document, in the order in which they are checked."""
    fingerprints = [Fingerprint("url", canonical_url(document.url))]
    if document.canonical_url:
        fingerprints.append(Fingerprint("url", canonical_url(document.canonical_url)))
    if document.guid:
        fingerprints.append(Fingerprint("guid", f"{document.source} {document.guid}"))
    words = fold_text(document.text)
    if words.count(" ") + 1 >= min_words:
        fingerprints.append(Fingerprint("text", sha256(words.encode("utf-8", "replace")).hexdigest()))
    return tuple(dict.fromkeys(fingerprints))


@dataclass(frozen=True)
class DropExactDuplicates:
    """Drops a document that is stored already. Within a batch the earliest published one stays, whatever the order.

    The text counts only from `min_words` words on.
    """

    min_words: int = 20
    name: str = "exact-duplicates"
    version: str = "1"

    def __call__(self, batch: Sequence[Document], context: StepContext) -> Sequence[Outcome]:
        fingerprints = {document.id: exact_fingerprints(document, self.min_words) for document in batch}
        distinct = sorted(
            {fingerprint for of_document in fingerprints.values() for fingerprint in of_document},
            key=lambda fingerprint: (fingerprint.kind, fingerprint.value),
        )
        owners = dict(context.knowledge.fingerprint_owners(context.recipe, distinct))
        outcomes: dict[str, Outcome] = {}
        for document in sorted(batch, key=lambda document: (document.published or UNDATED, document.id)):
            outcomes[document.id] = self._decide(document, fingerprints[document.id], owners)
        return [outcomes[document.id] for document in batch]

    def _decide(
        self, document: Document, fingerprints: tuple[Fingerprint, ...], owners: dict[Fingerprint, str]
    ) -> Outcome:
        for fingerprint in fingerprints:
            owner = owners.get(fingerprint)
            if owner is not None and owner != document.id:
                return Drop(
                    f"duplicate:{fingerprint.kind}",
                    of=owner,
                    score=1.0,
                    evidence={fingerprint.kind: fingerprint.value},
                )
        owners.update(dict.fromkeys(fingerprints, document.id))
        return document.with_changes(fingerprints=(*document.fingerprints, *fingerprints))

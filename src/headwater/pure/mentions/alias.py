"""The names by which subjects are known."""

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass

# how surely a name of each kind means its subject.
CONFIDENCE: Mapping[str, float] = {"ticker": 0.9, "legal_name": 0.85, "alias": 0.7, "brand": 0.6}


@dataclass(frozen=True, slots=True, order=True)
class Alias:
    """One name of one subject. `kind` is ticker (any identifier), legal_name, alias or brand; a `confidence` of its
    own overrides that of its kind."""

    text: str
    subject: str
    kind: str = "alias"
    confidence: float = 0.0

    def sureness(self) -> float:
        return self.confidence or CONFIDENCE.get(self.kind, CONFIDENCE["alias"])


def trimmed(alias: Alias) -> Alias:
    """In the form in which documents are kept: NFC, single spaces."""
    text = " ".join(unicodedata.normalize("NFC", alias.text).split())
    return Alias(text, alias.subject, alias.kind, alias.confidence)

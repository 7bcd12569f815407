"""The names by which subjects are known, in the form in which they are looked for."""

import unicodedata

from headwater.model.subject import CONFIDENCE, Alias

__all__ = ["CONFIDENCE", "Alias", "trimmed"]


def trimmed(alias: Alias) -> Alias:
    """In the form in which documents are kept: NFC, single spaces."""
    text = " ".join(unicodedata.normalize("NFC", alias.text).split())
    return Alias(text, alias.subject, alias.kind, alias.confidence)

"""Fingerprints of stored records, announced to other programs after a commit."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

FingerprintKind = Literal["url", "payload", "digest", "text"]

NormalizeUrl = Callable[[str], str]

TEXT_FINGERPRINT_PREFIX = "text-sha256-"
"""Prefix of the fingerprint kinds that are a hash of an article's words."""


@dataclass(frozen=True, slots=True)
class StoredFingerprint:
    """A fingerprint and the row that proves it.

    url: a normalized address, of a document; payload: the SHA-256 of bytes, in a capture; digest: the SHA-256 of a
    response in canonical form, at a source; text: the SHA-256 of an article's words, in a document.
    """

    kind: FingerprintKind
    value: str
    row: str

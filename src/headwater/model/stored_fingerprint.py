"""What is in the rows and may be asked about where asking is cheaper."""

from dataclasses import dataclass
from typing import Literal

FingerprintKind = Literal["url", "payload", "digest", "text"]


@dataclass(frozen=True, slots=True)
class StoredFingerprint:
    """Something that was stored, and the row that proves it.

    url: a normal address, of a document; payload: the SHA-256 of bytes, in a capture; digest: that of an answer in
    canonical form, at a source; text: that of an article's words, in a document.
    """

    kind: FingerprintKind
    value: str
    row: str

"""Fingerprints of stored records, announced to other programs after a commit, and the Redis keys they are stored under."""

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
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


def dedupe_key(namespace: str, fingerprint: StoredFingerprint) -> str:
    """Returns `{namespace}:dedupe:{hash}`, or `{namespace}:dedupe:url:{hash}` for addresses."""
    if fingerprint.kind == "url":
        return f"{namespace}:dedupe:url:{sha256(fingerprint.value.encode('utf-8', 'replace')).hexdigest()}"
    return f"{namespace}:dedupe:{fingerprint.value}"


def rate_limit_key(namespace: str, kind: str, now: float) -> str:
    """Returns `{namespace}:ratelimit:{source kind}:{window}`; the window is the second in which the minute began."""
    return f"{namespace}:ratelimit:{kind}:{int(now) // 60 * 60}"

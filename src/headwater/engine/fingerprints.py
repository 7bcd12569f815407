"""What a committed job has seen, and under which names it is marked for others."""

from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256

from headwater.model.http import Capture
from headwater.model.jobs import FetchResult, PollResult, RefineResult
from headwater.model.source import StoredLead
from headwater.model.stored_fingerprint import StoredFingerprint
from headwater.text.urls import canonical_url

TEXT_FINGERPRINT_PREFIX = "text-sha256-"
"""How the kinds of fingerprints begin that are a hash of an article's words."""

NormalizeUrl = Callable[[str], str]


def dedupe_key(namespace: str, seen: StoredFingerprint) -> str:
    """`{ns}:dedupe:{hash}`, and `{ns}:dedupe:url:{hash}` for addresses."""
    if seen.kind == "url":
        return f"{namespace}:dedupe:url:{sha256(seen.value.encode('utf-8', 'replace')).hexdigest()}"
    return f"{namespace}:dedupe:{seen.value}"


def rate_limit_key(namespace: str, kind: str, now: float) -> str:
    """`{ns}:ratelimit:{source_type}:{window}`: the window is the second in which its minute began."""
    return f"{namespace}:ratelimit:{kind}:{int(now) // 60 * 60}"


def fingerprints_of_leads(
    leads: Sequence[StoredLead], captures: Sequence[Capture], normal: NormalizeUrl | None = None
) -> list[StoredFingerprint]:
    """Of what a source named, known before or not: whatever the rows recognised is marked again."""
    name = normal or canonical_url
    addresses = [StoredFingerprint("url", name(one.lead.url), one.document) for one in leads if one.lead.url]
    return addresses + [StoredFingerprint("payload", capture.sha256, capture.id) for capture in captures]


def fingerprints_of_polls(
    polled: Iterable[PollResult], normal: NormalizeUrl | None = None
) -> list[StoredFingerprint]:
    found: list[StoredFingerprint] = []
    for one in polled:
        if one.error is None:
            found += fingerprints_of_leads(one.leads, one.captures, normal)
            digest = (one.watermark or {}).get("digest")
            found += [StoredFingerprint("digest", digest, one.source)] if isinstance(digest, str) else []
    return found


def fingerprints_of_fetches(fetched: Iterable[FetchResult]) -> list[StoredFingerprint]:
    captures = (one.result for one in fetched if isinstance(one.result, Capture))
    return [StoredFingerprint("payload", capture.sha256, capture.id) for capture in captures]


def fingerprints_of_documents(refined: Iterable[RefineResult]) -> list[StoredFingerprint]:
    return [
        StoredFingerprint("text", value, one.id)
        for one in refined
        if one.later is None and one.trace is not None
        for kind, value in one.trace.prints
        if kind.startswith(TEXT_FINGERPRINT_PREFIX)
    ]

"""What a committed job has seen, and under which names it is marked for others."""

from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256

from headwater.model.capture import Capture
from headwater.model.lead import StoredLead
from headwater.model.seen import Seen
from headwater.model.work import Fetched, Polled, Refined
from headwater.pure.urls import canonical

TEXT_PRINTS = "text-sha256-"
"""How the kinds of fingerprints begin that are a hash of an article's words."""

Normal = Callable[[str], str]


def marker(namespace: str, seen: Seen) -> str:
    """`{ns}:dedupe:{hash}`, and `{ns}:dedupe:url:{hash}` for addresses."""
    if seen.kind == "url":
        return f"{namespace}:dedupe:url:{sha256(seen.value.encode('utf-8', 'replace')).hexdigest()}"
    return f"{namespace}:dedupe:{seen.value}"


def counter(namespace: str, kind: str, now: float) -> str:
    """`{ns}:ratelimit:{source_type}:{window}`: the window is the second in which its minute began."""
    return f"{namespace}:ratelimit:{kind}:{int(now) // 60 * 60}"


def of_leads(
    leads: Sequence[StoredLead], captures: Sequence[Capture], normal: Normal | None = None
) -> list[Seen]:
    """Of what a source named, known before or not: whatever the rows recognised is marked again."""
    name = normal or canonical
    addresses = [Seen("url", name(one.lead.url), one.document) for one in leads if one.lead.url]
    return addresses + [Seen("payload", capture.sha256, capture.id) for capture in captures]


def of_polled(polled: Iterable[Polled], normal: Normal | None = None) -> list[Seen]:
    found: list[Seen] = []
    for one in polled:
        if one.error is None:
            found += of_leads(one.leads, one.captures, normal)
            digest = (one.watermark or {}).get("digest")
            found += [Seen("digest", digest, one.source)] if isinstance(digest, str) else []
    return found


def of_fetched(fetched: Iterable[Fetched]) -> list[Seen]:
    captures = (one.result for one in fetched if isinstance(one.result, Capture))
    return [Seen("payload", capture.sha256, capture.id) for capture in captures]


def of_refined(refined: Iterable[Refined]) -> list[Seen]:
    return [
        Seen("text", value, one.id)
        for one in refined
        if one.later is None and one.trace is not None
        for kind, value in one.trace.prints
        if kind.startswith(TEXT_PRINTS)
    ]

"""The fingerprints that a committed job stored, for the commit listener."""

from collections.abc import Iterable, Sequence

from headwater.model.http import Capture
from headwater.model.jobs import FetchResult, PollResult, RefineResult
from headwater.model.source import StoredLead
from headwater.model.stored_fingerprint import TEXT_FINGERPRINT_PREFIX, NormalizeUrl, StoredFingerprint
from headwater.text.urls import canonical_url


def fingerprints_of_leads(
    leads: Sequence[StoredLead], captures: Sequence[Capture], normalize: NormalizeUrl | None = None
) -> list[StoredFingerprint]:
    """Covers new and known leads alike: a listener may have forgotten the known ones."""
    normalize = normalize or canonical_url
    addresses = [
        StoredFingerprint("url", normalize(stored.lead.url), stored.document)
        for stored in leads
        if stored.lead.url
    ]
    return addresses + [_payload(capture) for capture in captures]


def fingerprints_of_polls(
    results: Iterable[PollResult], normalize: NormalizeUrl | None = None
) -> list[StoredFingerprint]:
    fingerprints: list[StoredFingerprint] = []
    for result in results:
        if result.error is None:
            fingerprints += fingerprints_of_leads(result.leads, result.captures, normalize)
            digest = (result.watermark or {}).get("digest")
            if isinstance(digest, str):
                fingerprints.append(StoredFingerprint("digest", digest, result.source))
    return fingerprints


def fingerprints_of_fetches(results: Iterable[FetchResult]) -> list[StoredFingerprint]:
    return [_payload(result.result) for result in results if isinstance(result.result, Capture)]


def fingerprints_of_documents(results: Iterable[RefineResult]) -> list[StoredFingerprint]:
    return [
        StoredFingerprint("text", value, result.id)
        for result in results
        if result.later is None and result.dedupe_record is not None
        for kind, value in result.dedupe_record.fingerprints
        if kind.startswith(TEXT_FINGERPRINT_PREFIX)
    ]


def _payload(capture: Capture) -> StoredFingerprint:
    return StoredFingerprint("payload", capture.sha256, capture.id)

"""Two leads with the same page: one request serves both, and each keeps a capture of its own.

A capture that is reused has its own row, and shares the bytes in the archive. `policy["same_as"]` names the capture whose
request it was.
"""

from dataclasses import replace
from datetime import datetime, timedelta

from headwater.fetch.responses import conditional_headers, header_value
from headwater.model.http import Capture
from headwater.model.jobs import Postponement
from headwater.model.keys import capture_key
from headwater.model.source import StoredLead

REUSE_WINDOW = timedelta(minutes=10)
IN_FLIGHT = "in_flight"
IN_FLIGHT_PAUSE = timedelta(seconds=5)


def wait_for_other(now: datetime) -> Postponement:
    """The page is being fetched for another lead."""
    return Postponement(at=now + IN_FLIGHT_PAUSE, reason=IN_FLIGHT, counts=False)


def is_reusable(stored: StoredLead, now: datetime) -> bool:
    """Whether the capture of the other lead serves this one without a request. A lead that was fetched before is due
    because its source reported a change: then only a capture that is newer than the report counts."""
    other = stored.same_page
    if other is None or stored.render or other.fetched_at < now - REUSE_WINDOW:
        return False
    is_first_fetch = stored.sha256 is None
    return is_first_fetch or (stored.updated_at is not None and other.fetched_at >= stored.updated_at)


def validator_headers(stored: StoredLead) -> dict[str, str]:
    """The lead's own validators; without them, those of the other lead's capture. A rendered page may differ although
    the page that it starts from is unchanged: it has none."""
    if stored.render:
        return {}
    if own := conditional_headers(stored.etag, stored.last_modified):
        return own
    other = stored.same_page
    if other is None:
        return {}
    return conditional_headers(
        header_value(other.headers, "etag"), header_value(other.headers, "last-modified")
    )


def unchanged_capture(stored: StoredLead) -> Capture | None:
    """The other lead's capture, if the validators of the request were those."""
    is_own = bool(conditional_headers(stored.etag, stored.last_modified))
    return None if is_own or stored.render else stored.same_page


def copied_capture(other: Capture, lead: str) -> Capture:
    """The record of the same bytes for this lead."""
    source = str(other.policy.get("same_as") or other.id)
    return replace(
        other,
        id=capture_key(lead, other.sha256),
        lead=lead,
        elapsed_ms=0,
        policy={**other.policy, "same_as": source},
    )


def with_same_bytes(capture: Capture, other: Capture) -> Capture:
    """A page was sent again with the same bytes: they are stored once."""
    return replace(
        other,
        id=capture.id,
        lead=capture.lead,
        url=capture.url,
        final_url=capture.final_url,
        headers=capture.headers,
        media_type=capture.media_type,
        fetched_at=capture.fetched_at,
        elapsed_ms=capture.elapsed_ms,
        policy=capture.policy,
    )

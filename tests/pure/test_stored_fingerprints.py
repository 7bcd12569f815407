"""The fingerprints of a commit, and the Redis keys they are stored under."""

from datetime import UTC, datetime
from hashlib import sha256

from hypothesis import given
from hypothesis import strategies as st

from headwater.engine.fingerprints import (
    fingerprints_of_documents,
    fingerprints_of_fetches,
    fingerprints_of_polls,
)
from headwater.fetch.politeness.rate_limiter_redis import rate_limit_key
from headwater.model.document import DedupeRecord
from headwater.model.http import Capture
from headwater.model.jobs import FetchResult, PollResult, Postponement, Quarantine, RefineResult, State
from headwater.model.source import Lead, StoredLead
from headwater.model.stored_fingerprint import StoredFingerprint
from headwater.store.redis.markers import dedupe_key

NOW = datetime(2025, 3, 1, tzinfo=UTC)
RECORD = DedupeRecord(
    scheme="s", fingerprints=(("url-identity-1", "u"), ("text-sha256-1", "t")), keys=(), sentences=(), publisher="",
    original="d1", epoch=0,
)  # fmt: skip


def capture(digest: str) -> Capture:
    return Capture(
        id=f"c-{digest}", lead="", url="", final_url="", status=200, headers={}, media_type="", sha256=digest,
        size=1, fetched_at=NOW, elapsed_ms=1, policy="",
    )  # fmt: skip


def stored(url: str) -> StoredLead:
    return StoredLead(id="l", recipe="r", source="s", document="d", lead=Lead(identity="i", url=url))


def test_r54_keys_are_those_that_other_programs_query():
    address = "https://wire.example/a"
    assert dedupe_key("news", StoredFingerprint("text", "ab12", "d")) == "news:dedupe:ab12"
    assert (
        dedupe_key("news", StoredFingerprint("url", address, "d"))
        == f"news:dedupe:url:{sha256(address.encode()).hexdigest()}"
    )


def test_r33_the_window_is_a_minute():
    assert rate_limit_key("news", "news_api", 1_736_899_261.9) == "news:ratelimit:news_api:1736899260"


@given(st.floats(0, 4e9), st.floats(0, 59))
def test_r33_a_window_starts_at_a_full_minute_and_lasts_one(now, later):
    start = int(rate_limit_key("n", "k", now).rpartition(":")[2])
    assert start % 60 == 0
    assert start <= now < start + 60
    assert int(rate_limit_key("n", "k", now + later).rpartition(":")[2]) - start in (0, 60)


def test_r51_a_poll_announces_its_urls_payloads_and_digest():
    poll = PollResult(
        source="s", poll_id="r", leads=(stored("HTTPS://Wire.example/a?utm_source=x"), stored("")),
        captures=(capture("p"),), watermark={"digest": "g"}, due_at=None,
    )  # fmt: skip
    assert fingerprints_of_polls([poll]) == [
        StoredFingerprint("url", "https://wire.example/a", "d"), StoredFingerprint("payload", "p", "c-p"), StoredFingerprint("digest", "g", "s"),
    ]  # fmt: skip


def test_r52_a_failed_poll_announces_nothing():
    failed = PollResult(
        source="s", poll_id="r", leads=(stored("https://wire.example/a"),), due_at=None, error="gone"
    )
    assert fingerprints_of_polls([failed]) == []


def test_only_stored_results_are_announced():
    fetches = [
        FetchResult(lead="a", version="", result=capture("x")),
        FetchResult(lead="b", version="", result=None),
        FetchResult(lead="c", version="", result=Quarantine(reason="broken")),
    ]
    assert fingerprints_of_fetches(fetches) == [StoredFingerprint("payload", "x", "c-x")]
    postponement = Postponement(at=NOW, reason="busy")
    documents = [
        RefineResult(id="d1", state=State.KEPT, capture=None, revision=1, dedupe_record=RECORD),
        RefineResult(id="d2", state=State.DUPLICATE, capture=None, revision=1, dedupe_record=RECORD, of="d1"),
        RefineResult(
            id="d3", state=State.WAITING, capture=None, revision=1, dedupe_record=RECORD, later=postponement
        ),
        RefineResult(id="d4", state=State.KEPT, capture=None, revision=1),
    ]
    assert fingerprints_of_documents(documents) == [
        StoredFingerprint("text", "t", "d1"),
        StoredFingerprint("text", "t", "d2"),
    ]

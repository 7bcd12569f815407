"""The names under which others find what was seen."""

from datetime import UTC, datetime
from hashlib import sha256

from hypothesis import given
from hypothesis import strategies as st

from headwater.engine.fingerprints import (
    fingerprints_of_documents,
    fingerprints_of_fetches,
    fingerprints_of_polls,
)
from headwater.model.document import Trace
from headwater.model.http import Capture
from headwater.model.jobs import FetchResult, PollResult, Postponement, Quarantine, RefineResult, State
from headwater.model.source import Lead, StoredLead
from headwater.model.stored_fingerprint import StoredFingerprint, dedupe_key, rate_limit_key

NOW = datetime(2025, 3, 1, tzinfo=UTC)
TRACE = Trace(
    scheme="s", prints=(("url-identity-1", "u"), ("text-sha256-1", "t")), keys=(), sentences=(), publisher="",
    original="d1", epoch=0,
)  # fmt: skip


def capture(digest: str) -> Capture:
    return Capture(
        id=f"c-{digest}", lead="", url="", final_url="", status=200, headers={}, media_type="", sha256=digest,
        size=1, fetched_at=NOW, elapsed_ms=1, policy="",
    )  # fmt: skip


def stored(url: str) -> StoredLead:
    return StoredLead(id="l", recipe="r", source="s", document="d", lead=Lead(identity="i", url=url))


def test_r54_keys_are_those_that_others_ask_for():
    address = "https://wire.example/a"
    assert dedupe_key("desk", StoredFingerprint("text", "ab12", "d")) == "desk:dedupe:ab12"
    assert (
        dedupe_key("desk", StoredFingerprint("url", address, "d"))
        == f"desk:dedupe:url:{sha256(address.encode()).hexdigest()}"
    )


def test_r33_the_window_is_a_minute():
    assert rate_limit_key("desk", "news_api", 1_736_899_261.9) == "desk:ratelimit:news_api:1736899260"


@given(st.floats(0, 4e9), st.floats(0, 59))
def test_r33_a_window_begins_before_its_moments_and_lasts_a_minute(now, later):
    began = int(rate_limit_key("n", "k", now).rpartition(":")[2])
    assert began % 60 == 0
    assert began <= now < began + 60
    assert int(rate_limit_key("n", "k", now + later).rpartition(":")[2]) - began in (0, 60)


def test_r51_a_look_tells_its_addresses_payloads_and_digest():
    look = PollResult(
        source="s", run="r", leads=(stored("HTTPS://Wire.example/a?utm_source=x"), stored("")),
        captures=(capture("p"),), watermark={"digest": "g"}, due_at=None,
    )  # fmt: skip
    assert fingerprints_of_polls([look]) == [
        StoredFingerprint("url", "https://wire.example/a", "d"), StoredFingerprint("payload", "p", "c-p"), StoredFingerprint("digest", "g", "s"),
    ]  # fmt: skip


def test_r52_a_look_that_failed_tells_nothing():
    failed = PollResult(
        source="s", run="r", leads=(stored("https://wire.example/a"),), due_at=None, error="gone"
    )
    assert fingerprints_of_polls([failed]) == []


def test_only_what_came_of_it_is_told():
    fetched = [
        FetchResult(lead="a", version="", result=capture("x")),
        FetchResult(lead="b", version="", result=None),
        FetchResult(lead="c", version="", result=Quarantine(reason="broken")),
    ]
    assert fingerprints_of_fetches(fetched) == [StoredFingerprint("payload", "x", "c-x")]
    later = Postponement(at=NOW, reason="busy")
    refined = [
        RefineResult(id="d1", state=State.KEPT, capture=None, revision=1, trace=TRACE),
        RefineResult(id="d2", state=State.DUPLICATE, capture=None, revision=1, trace=TRACE, of="d1"),
        RefineResult(id="d3", state=State.WAITING, capture=None, revision=1, trace=TRACE, later=later),
        RefineResult(id="d4", state=State.KEPT, capture=None, revision=1),
    ]
    assert fingerprints_of_documents(refined) == [
        StoredFingerprint("text", "t", "d1"),
        StoredFingerprint("text", "t", "d2"),
    ]

"""When the capture of another lead serves: without a request, by its validators, or as the same bytes."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st
from tests.support.scene import make_capture, make_lead, make_source

from headwater.engine.same_page import (
    REUSE_WINDOW,
    copied_capture,
    is_reusable,
    unchanged_capture,
    validator_headers,
    wait_for_other,
    with_same_bytes,
)
from headwater.model.source import StoredLead

NOW = datetime(2026, 11, 13, 9, 0, tzinfo=UTC)
OTHER = make_capture("other", "page", lead="other", fetched_at=NOW - timedelta(minutes=3))
OWN_VALIDATOR = {"If-None-Match": '"own"'}


def stored(**fields: object) -> StoredLead:
    lead = make_lead("a", source=make_source())
    values = {name: getattr(lead, name) for name in ("id", "recipe", "source", "document", "lead")}
    return StoredLead(**({**values, "same_page": OTHER} | fields))  # type: ignore[arg-type]


@given(st.integers(0, 3_600))
def test_a_first_fetch_reuses_a_capture_of_the_last_ten_minutes(seconds: int):
    now = OTHER.fetched_at + timedelta(seconds=seconds)
    assert is_reusable(stored(), now) == (seconds <= REUSE_WINDOW.total_seconds())


def test_a_reported_change_needs_a_capture_that_is_newer_than_the_report():
    before, after = (OTHER.fetched_at + timedelta(seconds=s) for s in (-1, 1))
    assert is_reusable(stored(sha256="old", updated_at=before), NOW)
    assert not is_reusable(stored(sha256="old", updated_at=after), NOW)
    assert not is_reusable(stored(sha256="old"), NOW)


def test_nothing_is_reused_for_a_browser_or_without_another_capture():
    assert not is_reusable(stored(render=True), NOW)
    assert not is_reusable(stored(same_page=None), NOW)
    assert validator_headers(stored(render=True)) == validator_headers(stored(same_page=None)) == {}


def test_own_validators_come_first_and_then_those_of_the_other_lead():
    assert validator_headers(stored(etag='"own"')) == OWN_VALIDATOR
    assert unchanged_capture(stored(etag='"own"')) is None
    headers = {"If-None-Match": OTHER.headers["ETag"], "If-Modified-Since": OTHER.headers["Last-Modified"]}
    assert validator_headers(stored()) == headers
    assert unchanged_capture(stored()) == OTHER


def test_a_reused_capture_is_the_leads_own_and_names_the_request_it_came_from():
    first = copied_capture(OTHER, "mine")
    assert (first.lead, first.sha256, first.pack, first.fetched_at) == (
        "mine",
        OTHER.sha256,
        OTHER.pack,
        OTHER.fetched_at,
    )
    assert first.id != OTHER.id
    assert first.policy["same_as"] == OTHER.id
    assert copied_capture(first, "third").policy["same_as"] == OTHER.id


def test_the_same_bytes_are_stored_once_with_the_headers_of_the_new_answer():
    again = make_capture("mine", "page", lead="mine", headers={"ETag": '"new"'}, pack="", fetched_at=NOW)
    result = with_same_bytes(again, OTHER)
    assert (result.id, result.lead, result.headers, result.fetched_at) == (
        again.id,
        "mine",
        again.headers,
        NOW,
    )
    assert (result.pack, result.start, result.sha256) == (OTHER.pack, OTHER.start, OTHER.sha256)


def test_waiting_for_another_lead_is_no_attempt():
    postponement = wait_for_other(NOW)
    assert (postponement.counts, postponement.at > NOW) == (False, True)

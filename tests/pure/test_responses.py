from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.fetch.responses import (
    GiveUp,
    Proceed,
    Retry,
    Unchanged,
    conditional_headers,
    freshness,
    judge_response,
    retry_after,
)
from headwater.model.http import Failure, Response

NOW = datetime(2026, 11, 13, 9, 0, tzinfo=UTC)
SECOND = timedelta(seconds=1)


def answer(
    status: int = 200, body: bytes = b"text", headers=None, hops=(), media_type="text/html"
) -> Response:
    return Response(
        url="https://ledgerlane.example/new",
        status=status,
        headers=headers or {},
        body=body,
        hops=hops,
        media_type=media_type,
    )


def verdict(response, attempts=0, **options):
    return judge_response(response, attempts=attempts, now=NOW, **options)


def test_p11_a_200_proceeds():
    assert verdict(answer()) == Proceed()


def test_p11_p12_a_304_is_unchanged():
    assert verdict(answer(304, b"")) == Unchanged()


def test_p11_a_403_is_retried_once_after_a_minute():
    assert verdict(answer(403)) == Retry(60 * SECOND, "http_403")
    assert verdict(answer(403), 1) == GiveUp("http_403")


def test_p11_a_429_is_retried_three_times_after_the_delay_of_the_server():
    slow_down = answer(429, headers={"retry-after": "7"})
    assert [verdict(slow_down, n) for n in range(3)] == [Retry(7 * SECOND, "http_429")] * 3
    assert verdict(slow_down, 3) == GiveUp("http_429")
    assert verdict(answer(429)) == Retry(60 * SECOND, "http_429")


@pytest.mark.parametrize("status", [500, 502, 503, 504, 520])
def test_p11_p9_c12_a_5xx_is_retried_after_2_4_and_8_seconds(status):
    delays = [verdict(answer(status), n) for n in range(4)]
    assert delays == [*(Retry(s * SECOND, f"http_{status}") for s in (2, 4, 8)), GiveUp(f"http_{status}")]


def test_a_503_that_names_a_time_is_left_alone_until_then():
    later = format_datetime(NOW + timedelta(minutes=5), usegmt=True)
    assert verdict(answer(503, headers={"Retry-After": later})) == Retry(timedelta(minutes=5), "http_503")


def test_p11_a_timeout_is_tried_once_with_double_time():
    assert verdict(Failure("timeout")) == Retry(2 * SECOND, "timeout", stretch=2)
    assert verdict(Failure("timeout"), 1) == GiveUp("timeout")


def test_a_404_ends_the_attempts_and_a_410_says_that_the_page_is_gone():
    assert verdict(answer(404)) == GiveUp("http_404")
    assert verdict(answer(410)) == GiveUp("http_410", is_gone=True)


@pytest.mark.parametrize("reason", ["dns", "refused", "reset", "truncated", "protocol"])
def test_c12_failures_of_the_moment_are_tried_again(reason):
    assert verdict(Failure(reason)) == Retry(2 * SECOND, reason)
    assert verdict(Failure(reason), 3) == GiveUp(reason)


@pytest.mark.parametrize(
    "reason", ["tls", "too_large", "forbidden_address", "bad_url", "redirects", "robots", "undeclared_agent"]
)
def test_permanent_failures_are_not_tried_again(reason):
    assert verdict(Failure(reason, temporary=False)) == GiveUp(reason)


@pytest.mark.parametrize("reason", ["rate_limited", "breaker_open"])
def test_r34_waiting_for_admission_is_not_an_attempt(reason):
    assert verdict(Failure(reason, delay=9 * SECOND), 99) == Retry(9 * SECOND, reason, counts_attempt=False)


def test_an_empty_200_is_tried_once_more():
    assert verdict(answer(body=b" \n")) == Retry(60 * SECOND, "empty")
    assert verdict(answer(body=b""), 1) == GiveUp("empty")


def test_an_html_page_is_not_accepted_as_a_feed():
    assert verdict(answer(), purpose="feed") == GiveUp("html_instead")
    assert verdict(answer(media_type="application/rss+xml"), purpose="feed") == Proceed()


def test_statuses_that_the_request_accepts_go_through():
    assert verdict(answer(404), accept=frozenset({404})) == Proceed()


def test_r64_the_two_refusals_of_the_regulator_are_distinguished():
    undeclared = answer(403, b"<h1>Your Request Originates from an Undeclared Automated Tool</h1>")
    too_fast = answer(403, b"<h1>Request Rate Threshold Exceeded</h1>")
    assert verdict(undeclared) == GiveUp("undeclared_agent")
    assert verdict(too_fast) == Retry(timedelta(minutes=10), "http_403")


def test_a_request_does_not_wait_for_a_quota_that_is_used_up():
    assert verdict(answer(429, b'{"error":{"code":"insufficient_quota"}}')) == GiveUp("quota_exhausted")


@pytest.mark.parametrize(
    ("statuses", "moved"),
    [
        ((), None),
        ((301,), "https://ledgerlane.example/new"),
        ((308, 301), "https://ledgerlane.example/new"),
        ((302,), None),
        ((301, 302), "https://ledgerlane.example/hop1"),
        ((302, 301), None),
    ],
)
def test_p11_permanent_redirects_from_the_start_move_the_lead(statuses, moved):
    hops = tuple((status, f"https://ledgerlane.example/hop{place}") for place, status in enumerate(statuses))
    assert verdict(answer(hops=hops)) == Proceed(moved)


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({"retry-after": "120"}, 120 * SECOND),
        ({"retry-after": "1.5"}, 2 * SECOND),
        ({"retry-after-ms": "250", "retry-after": "9"}, timedelta(milliseconds=250)),
        ({"retry-after": "Fri, 13 Nov 2026 09:01:00 GMT"}, 60 * SECOND),
        ({"retry-after": "Fri, 13 Nov 2026 08:00:00 GMT"}, timedelta(0)),
        ({"retry-after": "99999999999999999999"}, timedelta(days=1)),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-5"}, None),
        ({}, None),
    ],
)
def test_p11_retry_after_is_read_as_seconds_or_as_a_date(headers, expected):
    assert retry_after(headers, NOW) == expected


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({}, None),
        ({"cache-control": "max-age=300"}, 300 * SECOND),
        ({"Cache-Control": 'public, Max-Age="300"', "age": "100"}, 200 * SECOND),
        ({"cache-control": "max-age=10", "age": "50"}, timedelta(0)),
        ({"cache-control": "no-cache, max-age=300"}, timedelta(0)),
        ({"cache-control": "no-store"}, timedelta(0)),
        ({"expires": "Fri, 13 Nov 2026 10:00:00 GMT"}, timedelta(hours=1)),
        (
            {"expires": "Fri, 13 Nov 2026 10:00:00 GMT", "date": "Fri, 13 Nov 2026 09:30:00 GMT"},
            timedelta(minutes=30),
        ),
        ({"expires": "0"}, timedelta(0)),
        ({"cache-control": "max-age=60", "expires": "0"}, 60 * SECOND),
        ({"cache-control": "max-age=99999999999999999999"}, timedelta(days=365)),
        ({"cache-control": "public"}, None),
    ],
)
def test_a_response_is_fresh_for_the_rest_of_its_max_age_or_until_it_expires(headers, expected):
    assert freshness(headers, NOW) == expected


def test_p12_a_conditional_request_carries_the_stored_validators():
    stored = conditional_headers('"abc"', "Fri, 13 Nov 2026 08:00:00 GMT")
    assert stored == {"If-None-Match": '"abc"', "If-Modified-Since": "Fri, 13 Nov 2026 08:00:00 GMT"}
    assert conditional_headers(None, "") == {}
    assert conditional_headers('"a"\r\nX: y', None) == {}


@given(
    st.integers(100, 599),
    st.integers(0, 20),
    st.dictionaries(st.sampled_from(["retry-after", "Retry-After"]), st.text(max_size=20)),
)
def test_every_answer_has_a_meaning_and_no_retry_goes_on_for_ever(status, attempts, headers):
    judgement = verdict(answer(status, headers=headers), attempts)
    assert isinstance(judgement, Proceed | Unchanged | Retry | GiveUp)
    if isinstance(judgement, Retry):
        assert attempts < 3
        assert timedelta(0) <= judgement.delay <= timedelta(days=1)


@given(st.text(max_size=60), st.text(max_size=60), st.text(max_size=60))
def test_freshness_survives_any_header(cache_control, expires, age):
    duration = freshness({"cache-control": cache_control, "expires": expires, "age": age}, NOW)
    assert duration is None or timedelta(0) <= duration <= timedelta(days=365)

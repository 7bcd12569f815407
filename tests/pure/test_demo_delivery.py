"""Decisions of the demo server that need no server."""

import gzip
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater_demo.delivery import deliver
from headwater_demo.faults import Fault, FaultQueue, parse_fault
from headwater_demo.log import LoggedRequest, RequestLog
from headwater_demo.site import SiteRequest, SiteResponse

NOW = datetime(2026, 11, 13, 9, tzinfo=UTC)


def request(**headers):
    return SiteRequest(
        host="a.example",
        path="/",
        headers={name.replace("_", "-"): value for name, value in headers.items()},
        now=NOW,
    )


@given(st.binary(max_size=2000))
def test_compression_loses_nothing_and_the_tag_is_recognised(body):
    delivered = deliver(request(accept_encoding="gzip"), SiteResponse(body=body), born=NOW)
    unpacked = gzip.decompress(delivered.body) if "Content-Encoding" in delivered.headers else delivered.body
    again = deliver(request(if_none_match=delivered.headers["ETag"]), SiteResponse(body=body), born=NOW)
    assert unpacked == body
    assert again.status == 304


@pytest.mark.parametrize("since", ["yesterday", "", "Fri, 99 Nov 2026 09:00:00 GMT"])
def test_an_invalid_date_is_ignored(since):
    assert deliver(request(if_modified_since=since), SiteResponse(body=b"x"), born=NOW).status == 200


def test_errors_and_raw_answers_are_sent_unchanged():
    odd = SiteResponse(body=b"x" * 1000, as_is=True)
    missing = SiteResponse(status=404, body=b"x" * 1000)
    assert deliver(request(accept_encoding="gzip"), odd, born=NOW) is odd
    assert deliver(request(accept_encoding="gzip"), missing, born=NOW) is missing


@pytest.mark.parametrize(
    ("header", "fault"),
    [
        ("status=429,retry_after=2", Fault(status=429, retry_after="2")),
        ("delay=5", Fault(delay=5.0)),
        ("truncate=100", Fault(truncate=100)),
        ("reset", Fault(reset=True)),
        ("html", Fault(html=True)),
        (" delay=0.5 , status=503 ", Fault(delay=0.5, status=503)),
    ],
)
def test_faults_are_read_from_their_header(header, fault):
    assert parse_fault(header) == fault


def test_the_queue_prefers_the_exact_path():
    queue = FaultQueue()
    queue.push("a.example", "*", Fault(status=500))
    queue.push("a.example", "/x", Fault(status=404))
    assert [queue.take("a.example", "/x"), queue.take("a.example", "/x"), queue.take("a.example", "/x")] == [
        Fault(status=404),
        Fault(status=500),
        None,
    ]


def test_the_log_forgets_the_oldest_first():
    log = RequestLog(capacity=3)
    for _ in range(5):
        number = log.next_number()
        log.add(
            LoggedRequest(
                number=number,
                started=0,
                ended=0,
                wall=0,
                method="GET",
                host="a",
                path="/",
                query="",
                headers={},
                status=200,
                fault="",
            )
        )
    assert [record.number for record in log.since(0)] == [3, 4, 5]

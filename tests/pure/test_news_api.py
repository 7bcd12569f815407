"""Polling a news API without a network: requests, leads and the watermark."""

import json
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.poll_sessions import NOW, SessionResult, answer, make_source, run_session

from headwater.model.errors import Permanent, Temporary
from headwater.model.http import Request, Response
from headwater.model.source import Source
from headwater.sources.json_api import Credential, JsonApi
from headwater.sources.look_back import ObservedDelays
from headwater_recipes.markets.sources.news import discover_news

SECRET = "s3cr3t-key"
KEY = Credential("massive", {"Authorization": "K"}, "Bearer ", {"K": SECRET})
discover = discover_news(lambda source: JsonApi("https://api.massive.example", source.kind, KEY))


def article(number: int, minutes: float = 0, **options: Any) -> dict[str, Any]:
    published = NOW - timedelta(hours=1) + timedelta(minutes=minutes)
    return {
        "id": f"id{number}",
        "publisher": {"name": "Harbour Wire"},
        "title": f"Title {number}",
        "author": "Ana Ferrer",
        "published_utc": published.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "article_url": f"https://www.harbourwire.example/{number}?utm_source=x",
        "tickers": ["NGSC", "ABCM"],
        "description": "The chip maker expects growth.",
        "keywords": ["guidance"],
    } | options


def pages(*batches: list[dict[str, Any]], host: str = "https://api.massive.example:443"):
    """Answers one batch after the other, each but the last with a link to the next; a fresh id in each."""
    remaining = list(batches)

    def reply(request):
        batch = remaining.pop(0)
        body: dict[str, Any] = {"results": batch, "status": "OK", "request_id": f"r{len(remaining)}"}
        if remaining:
            body["next_url"] = f"{host}/v2/reference/news?cursor=abc{len(remaining)}"
        return answer(request, json.dumps(body), media_type="application/json")

    return reply


def source(**fields: Any) -> Source:
    options = {"ticker": "NGSC"} | fields.pop("options", {})
    return make_source("news_api", url="", options=options, subject="subject1", **fields)


def poll(answers: Any, polled_source: Source | None = None) -> SessionResult:
    return run_session(discover(polled_source or source(), NOW), answers)


def parameters(result: SessionResult, number: int = 0) -> dict[str, list[str]]:
    return parse_qs(urlsplit(result.requests[number].url).query)


def test_r3_an_article_is_a_lead_with_all_its_metadata():
    result = poll(pages([article(1)]))
    (lead,) = result.leads
    assert result.requests[0].url.startswith("https://api.massive.example/v2/reference/news?ticker=NGSC&")
    assert (lead.identity, lead.url) == ("id1", "https://www.harbourwire.example/1?utm_source=x")
    assert (lead.title, lead.published) == ("Title 1", NOW - timedelta(hours=1))
    assert lead.hints["publisher"] == "Harbour Wire"
    assert lead.hints["authors"] == ["Ana Ferrer"]
    assert lead.hints["summary"] == "The chip maker expects growth."
    assert lead.hints["categories"] == ["guidance"]
    assert lead.hints["attributes"] == {
        "document_type": "news",
        "source_type": "news_api",
        "ticker": "NGSC",
        "tickers": ["NGSC", "ABCM"],
    }
    assert (lead.subject, lead.body) == ("subject1", None)


@pytest.mark.parametrize(("option", "limit"), [(None, "20"), (7, "7"), (5000, "1000"), (0, "1")])
def test_r4_the_limit_is_always_sent_twenty_by_default_and_at_most_a_thousand(option, limit):
    options = {} if option is None else {"limit": option}
    assert parameters(poll(pages([]), source(options=options)))["limit"] == [limit]


def test_r5_the_newest_timestamp_is_stored_and_the_next_poll_overlaps_it():
    first = poll(pages([article(1), article(2, 5)]))
    watermark = first.discovery.watermark
    assert watermark["published"] == (NOW - timedelta(minutes=55)).isoformat()
    second_result = poll(pages([article(1), article(2, 5)]), source(watermark=watermark))
    # Two hours earlier than the newest: articles are listed late.
    assert parameters(second_result)["published_utc.gte"] == ["2026-11-13T06:05:00Z"]
    assert parameters(second_result)["order"] == ["asc"]
    assert parameters(second_result)["limit"] == ["20"]
    assert second_result.leads == []
    assert second_result.discovery.watermark == watermark


class LateApi:
    """An API whose articles appear, and change, at their own time. Answers what is listed from the requested time on."""

    def __init__(self) -> None:
        self.articles: dict[str, dict[str, Any]] = {}
        self.watermark: dict[str, Any] = {}
        self.requests = 0

    def publish(self, number: int, published: datetime, **options: Any) -> None:
        stamp = published.strftime("%Y-%m-%dT%H:%M:%SZ")
        self.articles[str(number)] = article(number, published_utc=stamp, **options)

    def _reply(self, request: Request) -> Response:
        query = parse_qs(urlsplit(request.url).query)
        since, limit = query["published_utc.gte"][0], int(query["limit"][0])
        listed = sorted(
            (a for a in self.articles.values() if a["published_utc"] >= since),
            key=lambda a: a["published_utc"],
        )
        offset = int(query.get("offset", ["0"])[0])
        body: dict[str, Any] = {"results": listed[offset : offset + limit]}
        if offset + limit < len(listed):
            body["next_url"] = f"{request.url.partition('&offset')[0]}&offset={offset + limit}"
        return answer(request, json.dumps(body), media_type="application/json")

    def poll(self, now: datetime) -> list[tuple[str, str | None]]:
        session = discover(source(watermark=self.watermark), now)
        result = run_session(session, self._reply)
        self.requests += len(result.requests)
        self.watermark = dict(result.discovery.watermark)
        return [(lead.identity, lead.title) for lead in result.leads]


def test_late_and_corrected_articles_are_found_within_the_request_budget():
    """One article every ten minutes and a poll every five. Articles appear up to eight hours late, titles change up to
    ten hours later; all are found within an hour, and a poll takes one request."""
    api, leads, polls = LateApi(), [], 0
    for minutes in range(0, 24 * 60, 5):
        now = NOW + timedelta(minutes=minutes)
        if minutes % 10 == 0:
            api.publish(minutes, now)
        if minutes == 12 * 60:
            for hours in (1, 3, 5, 8):
                api.publish(9000 + hours, now - timedelta(hours=hours))
            for hours in (1, 3, 6, 10):
                number = minutes - hours * 60
                api.publish(number, NOW + timedelta(minutes=number), title=f"Corrected {number}")
        leads += api.poll(now)
        polls += 1
        if minutes == 13 * 60:
            identities = [identity for identity, _ in leads]
            assert {"id9001", "id9003", "id9005", "id9008"} <= set(identities)
            corrected = {title for _, title in leads if title and title.startswith("Corrected")}
            assert len(corrected) == 4
    assert len(leads) == len(set(leads))
    assert api.requests == polls


def test_a_source_that_lists_late_is_looked_back_further_from_then_on():
    api = LateApi()
    api.poll(NOW)
    api.publish(1, NOW - timedelta(hours=1, minutes=59))
    api.publish(2, NOW + timedelta(hours=1))
    api.poll(NOW + timedelta(hours=1))
    delays = ObservedDelays.from_record(api.watermark["delays"])
    late = timedelta(hours=2, minutes=59)
    soon = NOW + timedelta(hours=1, minutes=5)
    assert delays.look_back(timedelta(hours=2), soon) == 1.5 * late
    assert delays.look_back(timedelta(hours=2), soon + timedelta(hours=1)) == timedelta(hours=24)


@given(st.lists(st.tuples(st.integers(0, 10**5), st.integers(0, 10**6)), max_size=40))
def test_the_look_back_stays_within_its_bounds(events: list[tuple[int, int]]):
    delays, now, least = ObservedDelays(), NOW, timedelta(hours=2)
    for pause, delay in events:
        now += timedelta(seconds=pause)
        delays = delays.after_poll(now, timedelta(seconds=delay), is_complete=True)
        assert least <= delays.look_back(least, now) <= timedelta(hours=48)
        assert ObservedDelays.from_record(delays.to_record()) == delays
        assert len(delays.by_day) <= 7
    assert delays.look_back(timedelta(days=3), now) == timedelta(days=3)


def test_our_own_pause_does_not_count_as_a_delay_of_the_source():
    api = LateApi()
    api.poll(NOW)
    api.publish(1, NOW + timedelta(hours=1))
    api.poll(NOW + timedelta(hours=30))
    assert api.watermark["delays"]["by_day"] == {}


def test_r5_siblings_of_one_second_and_late_ones_are_not_lost():
    watermark = poll(pages([article(1, 5)])).discovery.watermark
    result = poll(pages([article(3, -40), article(1, 5), article(2, 5)]), source(watermark=watermark))
    assert [lead.identity for lead in result.leads] == ["id3", "id2"]


def test_r5_an_article_from_the_future_does_not_hide_what_comes_before_it():
    watermark = poll(pages([article(1, 60 * 24 * 365)])).discovery.watermark
    assert watermark["published"] == NOW.isoformat()


def test_r17_r62_macro_news_has_its_own_watermark_and_no_subject():
    macro = discover_news(lambda s: JsonApi("https://api.massive.example", s.kind, KEY), "macro_event")
    options = make_source("macro_news", url="", options={"path": "/feed", "query": {"topic": "rates"}})
    result = run_session(macro(options, NOW), pages([article(1, tickers=["SPY"])]))
    (lead,) = result.leads
    assert lead.subject is None
    assert lead.hints["attributes"]["document_type"] == "macro_event"
    assert urlsplit(result.requests[0].url).path == "/feed"
    assert parameters(result)["topic"] == ["rates"]
    assert "ticker" not in parameters(result)
    assert result.discovery.watermark["published"] == (NOW - timedelta(hours=1)).isoformat()


def test_next_pages_are_requested_at_the_base_url_with_the_key_added_again():
    result = poll(pages([article(1)], [article(2)], host="https://api.massive.com:443"))
    assert [lead.identity for lead in result.leads] == ["id1", "id2"]
    assert result.requests[1].url == "https://api.massive.example/v2/reference/news?cursor=abc1"
    assert {urlsplit(request.url).hostname for request in result.requests} == {"api.massive.example"}
    assert all(request.secrets == {"Authorization": f"Bearer {SECRET}"} for request in result.requests)
    assert all(request.credential == "massive" for request in result.requests)


def test_the_key_is_in_no_url_no_lead_and_no_watermark():
    def quoting(request):
        body = {"results": [article(1)], "next_url": f"https://evil.example/v2/x?apiKey={SECRET}&cursor=1"}
        return answer(request, json.dumps(body if "cursor" not in request.url else {"results": []}))

    result = poll(quoting)
    assert len(result.requests) == 2
    assert urlsplit(result.requests[1].url).hostname == "api.massive.example"
    shown = repr([result.leads, result.discovery, [request.url for request in result.requests], KEY])
    assert SECRET not in shown


def test_without_a_key_a_source_waits_and_no_failure_is_counted():
    without = discover_news(
        lambda s: JsonApi("https://x.example", s.kind, Credential("massive", {"A": "K"}, "", {}))
    )
    with pytest.raises(Temporary, match="set K in the environment") as caught:
        run_session(without(source(), NOW), pages([]))
    assert (caught.value.reason, caught.value.counts) == ("key_missing", False)


@pytest.mark.parametrize(
    ("status", "reason"), [(401, "key_refused"), (403, "not_entitled"), (400, "http_400"), (404, "http_404")]
)
def test_r61_a_refused_request_is_a_failure_with_its_reason_and_without_the_key(status, reason):
    with pytest.raises(Permanent) as caught:
        poll(lambda request: answer(request, "{}", status=status))
    assert caught.value.reason == reason
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize("body", ['{"results": [{"id": "a', "<html>", b"\xff\xfe", "[" * 100_000])
def test_truncated_or_invalid_json_is_a_temporary_failure(body):
    with pytest.raises(Temporary) as caught:
        poll(lambda request: answer(request, body))
    assert caught.value.reason == "bad_json"


def test_a_poll_that_is_cut_short_keeps_its_leads_and_continues_there():
    all_pages = pages([article(1), article(2, 5)], [article(3, 10)])

    def reply(request):
        if "cursor" in request.url:
            return Temporary("http_429", delay=timedelta(minutes=1))
        return all_pages(request)

    result = poll(reply)
    assert [lead.identity for lead in result.leads] == ["id1", "id2"]
    assert result.discovery.watermark["published"] == (NOW - timedelta(minutes=55)).isoformat()
    assert result.discovery.again == timedelta(minutes=1)
    assert result.codes == {"cut_short"}
    next_result = poll(
        pages([article(1), article(2, 5), article(3, 10)]), source(watermark=result.discovery.watermark)
    )
    assert [lead.identity for lead in next_result.leads] == ["id3"]


def test_a_poll_stops_at_its_page_limit_and_asks_to_continue():
    batches = [[article(number, number)] for number in range(5)]
    result = poll(pages(*batches), source(options={"pages": 2}))
    assert [lead.identity for lead in result.leads] == ["id0", "id1"]
    assert result.discovery.again == timedelta(0)


def test_an_article_without_an_address_has_its_description_as_text():
    addressed, nameless = poll(pages([article(1), article(2, article_url="")])).leads
    assert (addressed.body, addressed.hints["summary"]) == (None, "The chip maker expects growth.")
    assert (nameless.body, nameless.is_complete) == ("The chip maker expects growth.", True)


def test_a_changed_article_is_a_lead_again_and_one_without_an_id_causes_a_warning():
    watermark = poll(pages([article(1)])).discovery.watermark
    changed = article(1, description="It no longer expects growth.")
    nameless = {"title": "Nobody knows me"}
    result = poll(pages([changed, nameless]), source(watermark=watermark))
    assert [lead.identity for lead in result.leads] == ["id1"]
    assert result.codes == {"article_without_id"}


JSON = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)


@given(
    st.lists(
        st.dictionaries(
            st.sampled_from(
                [
                    "id",
                    "title",
                    "article_url",
                    "published_utc",
                    "publisher",
                    "tickers",
                    "keywords",
                    "insights",
                ]
            ),
            JSON,
            max_size=6,
        ),
        max_size=3,
    )
)
def test_a_poll_ends_whatever_an_article_contains(articles):
    body = json.dumps({"results": articles})
    result = poll(lambda request: answer(request, body))
    assert all(lead.identity for lead in result.leads)

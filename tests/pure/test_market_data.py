"""Market data and the broker: values are stored unchanged and once."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.poll_sessions import NOW, SessionResult, answer, make_source, run_session

from headwater.model.errors import Permanent, Temporary
from headwater.sources.json_api import Credential, JsonApi, number_value
from headwater.text.dates import parse_timestamp
from headwater_recipes.markets.sources.broker import discover_broker
from headwater_recipes.markets.sources.market_data import (
    discover_market_data,
    last_trading_day,
    parse_bar,
    trading_days,
)

KEY = Credential("massive", {"Authorization": "K"}, "Bearer ", {"K": "secret"})
discover = discover_market_data(lambda source: JsonApi("https://api.massive.example", source.kind, KEY))
CLOSING = int(datetime(2026, 11, 12, 21, tzinfo=UTC).timestamp() * 1000)
BAR = {
    "T": "NGSC",
    "v": 1250340.5,
    "vw": 48.2,
    "o": 47.9,
    "c": 48.55,
    "h": 48.8,
    "l": 47.6,
    "t": CLOSING,
    "n": 18211,
}
EMPTY = {"queryCount": 0, "resultsCount": 0, "adjusted": True, "status": "OK", "request_id": "77aa"}


def payload(*bars: dict[str, Any], **fields: Any):
    counter = iter(range(100))

    def reply(request):
        body = {"results": list(bars), "status": "DELAYED", "request_id": str(next(counter))} | fields
        return answer(request, json.dumps(body if bars else EMPTY | fields), media_type="application/json")

    return reply


def poll(answers, watermark: dict[str, Any] | None = None, **options: Any) -> SessionResult:
    source = make_source(
        "market_api", url="", options={"ticker": "NGSC"} | options, watermark=watermark or {}
    )
    return run_session(discover(source, NOW), answers)


def test_r11_the_previous_day_is_one_bar_keyed_by_its_trading_date():
    result = poll(payload(BAR), dataset="previous")
    assert urlsplit(result.requests[0].url).path == "/v2/aggs/ticker/NGSC/prev"
    (bar,) = result.discovery.bars
    assert (bar.symbol, bar.span, bar.at) == ("NGSC", "1day", datetime(2026, 11, 12, tzinfo=UTC))
    assert (bar.open, bar.high, bar.low, bar.close, bar.volume) == (47.9, 48.8, 47.6, 48.55, 1250340.5)
    assert (bar.average, bar.trades) == (48.2, 18211)


def test_r12_a_range_of_days_has_the_same_keys_despite_other_timestamps():
    midnight = BAR | {"t": int(datetime(2026, 11, 12, 5, tzinfo=UTC).timestamp() * 1000)}
    result = poll(payload(midnight), dataset="range", **{"from": "2026-11-09", "to": "2026-11-12"})
    assert urlsplit(result.requests[0].url).path == "/v2/aggs/ticker/NGSC/range/1/day/2026-11-09/2026-11-12"
    (bar,) = result.discovery.bars
    (other,) = poll(payload(BAR), dataset="previous").discovery.bars
    assert bar.at == other.at


def test_r13_hourly_bars_are_read_from_the_last_stored_day_on():
    hour = BAR | {"t": int(datetime(2026, 11, 13, 14, tzinfo=UTC).timestamp() * 1000)}
    first = poll(payload(hour), dataset="hourly")
    assert urlsplit(first.requests[0].url).path == "/v2/aggs/ticker/NGSC/range/1/hour/2026-11-08/2026-11-13"
    assert first.discovery.bars[0].at == datetime(2026, 11, 13, 14, tzinfo=UTC)
    second_result = poll(payload(hour), first.discovery.watermark, dataset="hourly")
    assert urlsplit(second_result.requests[0].url).path.endswith("/2026-11-13/2026-11-13")


def test_r14_grouped_days_are_read_one_by_one_and_without_a_pending_day_nothing_is_requested():
    result = poll(payload(BAR, BAR | {"T": "ABCM"}), dataset="grouped", first_days=1, ticker=None)
    assert [urlsplit(request.url).path.rpartition("/")[2] for request in result.requests] == [
        "2026-11-11",
        "2026-11-12",
    ]
    assert {bar.symbol for bar in result.discovery.bars} == {"NGSC", "ABCM"}
    second_result = poll(payload(BAR), result.discovery.watermark, dataset="grouped", ticker=None)
    assert (second_result.requests, second_result.discovery.bars) == ([], ())


def test_grouped_days_that_were_read_are_kept_when_the_next_cannot_be():
    def reply(request):
        if request.url.partition("?")[0].endswith("2026-11-12"):
            return Temporary("rate_limited", delay=timedelta(seconds=40), counts=False)
        return payload(BAR)(request)

    result = poll(reply, dataset="grouped", first_days=1, ticker=None)
    assert len(result.discovery.bars) == 1
    assert result.discovery.watermark == {"day": "2026-11-11"}
    assert result.discovery.again == timedelta(seconds=40)
    with pytest.raises(Temporary):
        poll(reply, result.discovery.watermark, dataset="grouped", ticker=None)


def test_r15_ticker_details_are_an_observation_and_again_only_when_they_changed():
    details = {"ticker": "NGSC", "name": "Northgate Semiconductors Inc.", "cik": "0001999901"}
    result = poll(payload(results=details), dataset="details")
    assert urlsplit(result.requests[0].url).path == "/v3/reference/tickers/NGSC"
    (observation,) = result.discovery.observations
    assert (observation.kind, observation.name, observation.value) == ("ticker_details", "NGSC", details)
    watermark = result.discovery.watermark
    assert poll(payload(results=details), watermark, dataset="details").discovery.observations == ()
    assert (
        len(
            poll(
                payload(results=details | {"name": "N"}), watermark, dataset="details"
            ).discovery.observations
        )
        == 1
    )


def test_r16_market_data_makes_no_leads():
    for dataset in ("previous", "hourly"):
        assert poll(payload(BAR), dataset=dataset).leads == []


@pytest.mark.parametrize("dataset", ["previous", "range", "hourly", "grouped"])
def test_a_day_without_trading_is_a_success_without_bars(dataset):
    result = poll(payload(), dataset=dataset)
    assert result.discovery.bars == ()
    assert result.discovery.watermark is not None


def test_an_unknown_ticker_causes_a_warning():
    result = poll(lambda request: answer(request, "{}", status=404), dataset="details")
    assert result.codes == {"unknown_ticker"}


def test_r51_the_same_answer_with_another_request_id_yields_nothing():
    first = poll(payload(BAR), dataset="previous")
    second_result = poll(payload(BAR), first.discovery.watermark, dataset="previous")
    assert second_result.discovery.bars == ()
    assert (
        len(poll(payload(BAR | {"c": 1.0}), first.discovery.watermark, dataset="previous").discovery.bars)
        == 1
    )


def test_a_range_follows_its_pages():
    def reply(request):
        more = {} if "cursor" in request.url else {"next_url": "https://elsewhere.example/v2/aggs/x?cursor=1"}
        return payload(BAR | {"t": CLOSING + 86_400_000 * len(more)}, **more)(request)

    result = poll(reply, dataset="range")
    assert len(result.discovery.bars) == 2
    assert {urlsplit(request.url).hostname for request in result.requests} == {"api.massive.example"}


def test_a_wrong_dataset_or_a_missing_ticker_is_reported():
    for options in (
        {"dataset": "sideways"},
        {"dataset": "previous", "ticker": ""},
        {"dataset": "grouped", "to": "soon"},
    ):
        with pytest.raises(Permanent, match="bad_option"):
            poll(payload(BAR), **options)


def test_a_bar_from_the_future_does_not_hide_the_present():
    future = BAR | {"t": int(datetime(2099, 1, 1, 14, tzinfo=UTC).timestamp() * 1000)}
    result = poll(payload(future), dataset="hourly")
    assert result.discovery.watermark["day"] == "2026-11-13"


@pytest.mark.parametrize("symbol", ["", "A" * 33, "A\x00B", "../x", "A B"])
def test_a_record_with_an_invalid_symbol_is_left_out(symbol):
    assert parse_bar(BAR | {"T": symbol}, "1day") is None


def test_a_number_of_trades_that_is_too_large_is_left_out():
    assert parse_bar(BAR | {"n": 1e300}, "1day").trades is None


def test_weekends_are_not_trading_days():
    sunday = datetime(2026, 11, 15, 12, tzinfo=UTC)
    assert last_trading_day(sunday).isoformat() == "2026-11-13"
    days = trading_days(datetime(2026, 11, 12).date(), datetime(2026, 11, 17).date())
    assert [day.day for day in days] == [13, 16, 17]


RECORDS = st.dictionaries(
    st.sampled_from([*"TtvochlnX", "vw"]),
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5),
)


@given(RECORDS)
def test_a_record_is_a_bar_or_nothing(record):
    bar = parse_bar(record, "1hour", "NGSC")
    assert bar is None or (bar.symbol and bar.close is not None and bar.at.tzinfo is UTC)


@given(
    st.one_of(st.text(max_size=40), st.datetimes().map(lambda at: at.isoformat() + "123456789Z"), st.none())
)
def test_a_timestamp_is_in_utc_or_none(text):
    moment = parse_timestamp(text)
    assert moment is None or moment.utcoffset() == timedelta(0)


def test_nanoseconds_are_truncated():
    assert parse_timestamp("2026-11-13T10:15:22.123456789-05:00") == datetime(
        2026, 11, 13, 15, 15, 22, 123456, UTC
    )


def test_a_number_is_finite_or_none():
    assert number_value("12.5") == 12.5
    assert (number_value("nan"), number_value(True), number_value("x"), number_value(10**400)) == (
        None,
        None,
        None,
        None,
    )


# The broker

BROKER_KEY = Credential(
    "broker", {"APCA-API-KEY-ID": "A", "APCA-API-SECRET-KEY": "B"}, "", {"A": "id", "B": "secret"}
)
discover_account = discover_broker(lambda source: JsonApi("https://broker.example", source.kind, BROKER_KEY))
ACCOUNT = {"id": "acc", "status": "ACTIVE", "cash": "100.10"}
POSITION = {"symbol": "NGSC", "qty": "12", "market_value": "582.60"}
ORDER = {
    "id": "o1",
    "status": "filled",
    "submitted_at": "2026-11-12T15:02:11Z",
    "updated_at": "2026-11-12T15:02:12.987654321Z",
}


def account(**changes: Any):
    parts = {
        "/v2/account": ACCOUNT,
        "/v2/positions": [POSITION],
        "/v2/orders": [ORDER],
        "/v2/clock": {"timestamp": "now", "is_open": True},
    } | {f"/v2/{name}": value for name, value in changes.items()}
    return lambda request: answer(request, json.dumps(parts[urlsplit(request.url).path]))


def observe(answers, watermark: dict[str, Any] | None = None) -> SessionResult:
    return run_session(
        discover_account(make_source("broker", url="", watermark=watermark or {}), NOW), answers
    )


def test_r19_the_broker_is_only_read_and_its_records_are_observations():
    result = observe(account())
    assert {request.method for request in result.requests} == {"GET"}
    assert all(request.body is None for request in result.requests)
    by_name = {
        (observation.kind, observation.name): observation for observation in result.discovery.observations
    }
    assert set(by_name) == {
        ("account", "acc"),
        ("position", "NGSC"),
        ("order", "o1"),
        ("clock", "market"),
    }
    assert by_name["account", "acc"].value["cash"] == "100.10"
    assert by_name["order", "o1"].at == datetime(2026, 11, 12, 15, 2, 12, 987654, UTC)


def test_only_changes_are_observations_and_a_missing_position_is_closed():
    watermark = observe(account()).discovery.watermark
    assert (
        observe(account(clock={"timestamp": "later", "is_open": True}), watermark).discovery.observations
        == ()
    )
    (closed,) = observe(account(positions=[]), watermark).discovery.observations
    assert (closed.kind, closed.name, closed.value["closed"]) == ("position", "NGSC", True)
    (changed,) = observe(account(orders=[ORDER | {"status": "canceled"}]), watermark).discovery.observations
    assert changed.value["status"] == "canceled"


def test_orders_are_read_to_the_end_where_one_page_is_not_enough():
    full = [ORDER | {"id": f"o{n}", "submitted_at": f"2026-11-12T10:00:{n % 60:02}Z"} for n in range(500)]

    def reply(request):
        if urlsplit(request.url).path == "/v2/orders" and "until=" in request.url:
            return answer(request, json.dumps([ORDER | {"id": "last"}]))
        return account(orders=full)(request)

    result = observe(reply)
    assert sum(observation.kind == "order" for observation in result.discovery.observations) == 501


def test_credentials_do_not_show_their_values():
    assert "secret" not in repr(BROKER_KEY)
    assert "secret" not in repr(replace(BROKER_KEY, name="other"))

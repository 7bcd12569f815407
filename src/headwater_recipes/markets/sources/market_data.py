"""Market data: price bars and ticker details, stored as numbers."""

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from urllib.parse import quote

from headwater.model.errors import Permanent, Temporary
from headwater.model.recipe import Discover, Discovery, PollSession
from headwater.model.source import Bar, Observation, Source
from headwater.sources.json_api import (
    ApiCall,
    ApiForSource,
    JsonApi,
    fetch_json,
    number_value,
    records_under,
    text_value,
)
from headwater.text.dates import parse_day
from headwater_recipes.markets.payload_hash import payload_hash

DAY = "1day"
SYMBOL = re.compile(r"[A-Za-z0-9][A-Za-z0-9.:/^_-]{0,31}")
_MOST_TRADES = 2**53  # beyond this a float is not exact, and no day has as many
_LATEST = 4_102_444_800_000  # the year 2100 in milliseconds: a later timestamp is an error
HOUR = "1hour"
DAYS_PER_POLL = 5
MOST_PAGES = 10
FIRST_POLL = timedelta(days=5)
PER_REQUEST = 5000
DatasetPoll = Callable[[JsonApi, Source, datetime], PollSession]


def parse_bar(record: Mapping[str, Any], span: str, symbol: str = "") -> Bar | None:
    """The bar; None for a record without a symbol, a timestamp or a price.

    A daily bar is keyed by its trading date: APIs stamp it with the close or with midnight in New York, and both lie
    on that date in UTC too.
    """
    name, stamp = text_value(record.get("T")) or symbol, number_value(record.get("t"))
    if (
        not SYMBOL.fullmatch(name)
        or stamp is None
        or not 0 < stamp < _LATEST
        or number_value(record.get("c")) is None
    ):
        return None
    at = datetime.fromtimestamp(stamp / 1000, UTC)
    trades = number_value(record.get("n"))
    return Bar(
        symbol=name,
        span=span,
        at=datetime.combine(at.date(), time(), UTC) if span == DAY else at,
        open=number_value(record.get("o")),
        high=number_value(record.get("h")),
        low=number_value(record.get("l")),
        close=number_value(record.get("c")),
        volume=number_value(record.get("v")),
        average=number_value(record.get("vw")),
        trades=int(trades) if trades is not None and abs(trades) < _MOST_TRADES else None,
    )


def trading_days(previous: date, last: date) -> Iterator[date]:
    """The weekdays after `previous` up to `last`. Holidays are included: a day without bars is an answer."""
    day = previous + timedelta(days=1)
    while day <= last:
        if day.weekday() < 5:
            yield day
        day += timedelta(days=1)


def last_trading_day(now: datetime) -> date:
    """The latest weekday that is over in UTC."""
    day = now.astimezone(UTC).date() - timedelta(days=1)
    while day.weekday() >= 5:
        day -= timedelta(days=1)
    return day


def discover_market_data(api: ApiForSource) -> Discover:
    """Polls the data that the option `dataset` names: `previous` (day), `range` (of days), `hourly`, `grouped` (all tickers
    of a day in one answer) or `details`. Options: `ticker`, `from` and `to` (days, for `range` and `grouped`),
    `first_days`. A day without trading is a success without bars."""

    def discover(source: Source, now: datetime) -> PollSession:
        dataset = source.options.get("dataset", "previous")
        if dataset not in DATASETS:
            raise Permanent("bad_option", f"dataset: '{dataset}' is not one of {', '.join(DATASETS)}")
        return (yield from DATASETS[dataset](api(source), source, now))

    return discover


def _previous(api: JsonApi, source: Source, now: datetime) -> PollSession:
    ticker = _ticker(source)
    payload = yield from fetch_json(
        api,
        api.build_request(f"/v2/aggs/ticker/{quote(ticker)}/prev", adjusted="true"),
        may_be_missing=True,
    )
    del now
    return _discovery_if_changed(source, payload, DAY, ticker)


def _range(api: JsonApi, source: Source, now: datetime) -> PollSession:
    options, ticker = source.options, _ticker(source)
    first = str(options.get("from") or (now - FIRST_POLL).date())
    last = str(options.get("to") or now.astimezone(UTC).date())
    payload = yield from _all_pages(api, ticker, "1/day", first, last)
    return _discovery_if_changed(source, payload, DAY, ticker)


def _hourly(api: JsonApi, source: Source, now: datetime) -> PollSession:
    """From the last stored day on: its bars may have been incomplete."""
    ticker = _ticker(source)
    first = str(source.watermark.get("day") or (now - _first_days(source)).astimezone(UTC).date())
    today = now.astimezone(UTC).date().isoformat()
    payload = yield from _all_pages(api, ticker, "1/hour", first, today)
    discovery = _discovery_if_changed(source, payload, HOUR, ticker)
    # A bar from the future must not hide earlier ones.
    newest = min(max((bar.at.date().isoformat() for bar in discovery.bars), default=first), today)
    return Discovery(
        bars=discovery.bars,
        watermark={**(discovery.watermark or {}), "day": newest},
        warnings=discovery.warnings,
    )


def _grouped(api: JsonApi, source: Source, now: datetime) -> PollSession:
    """Day by day after the last one read, a few per poll. Without a pending day there is no request."""
    options = source.options
    last = _date(options["to"]) if "to" in options else last_trading_day(now)
    first = _date(options["from"]) if "from" in options else last - _first_days(source)
    watermark_day = source.watermark.get("day")
    previous = _date(watermark_day) if watermark_day else first - timedelta(days=1)
    pending = list(trading_days(previous, last))
    bars: list[Bar] = []
    last_read = previous
    for day in pending[:DAYS_PER_POLL]:
        path = f"/v2/aggs/grouped/locale/us/market/stocks/{day.isoformat()}"
        try:
            payload = yield from fetch_json(
                api, api.build_request(path, adjusted="true", include_otc="false")
            )
        except Temporary as trouble:
            if last_read == previous:
                raise
            return _discovery_up_to(
                bars, last_read, trouble.delay or timedelta(minutes=1), f"cut_short: {trouble.reason}"
            )
        bars += _bars(payload, DAY, "")
        last_read = day
    return _discovery_up_to(bars, last_read, timedelta(0) if len(pending) > DAYS_PER_POLL else None)


def _discovery_up_to(bars: list[Bar], last_read: date, again: timedelta | None, *warnings: str) -> Discovery:
    return Discovery(
        bars=tuple(bars), watermark={"day": last_read.isoformat()}, again=again, warnings=warnings
    )


def _details(api: JsonApi, source: Source, now: datetime) -> PollSession:
    ticker = _ticker(source)
    payload = yield from fetch_json(
        api, api.build_request(f"/v3/reference/tickers/{quote(ticker)}"), may_be_missing=True
    )
    details = payload.get("results") if isinstance(payload, Mapping) else None
    if not isinstance(details, Mapping):
        return Discovery(warnings=(f"unknown_ticker: {ticker}",))
    watermark = {"digest": payload_hash(details)}
    if watermark["digest"] == source.watermark.get("digest"):
        return Discovery(watermark=watermark)
    observation = Observation(kind="ticker_details", name=ticker, at=now, value=dict(details))
    return Discovery(observations=(observation,), watermark=watermark)


DATASETS: Mapping[str, DatasetPoll] = {
    "previous": _previous,
    "range": _range,
    "hourly": _hourly,
    "grouped": _grouped,
    "details": _details,
}


def _ticker(source: Source) -> str:
    ticker = text_value(source.options.get("ticker"))
    if not ticker:
        raise Permanent("bad_option", "ticker: this dataset needs one")
    return ticker


def _date(value: Any) -> date:
    """A day from an option (YAML parses it as a date) or from the watermark."""
    day = parse_day(str(value))
    if day is None:
        raise Permanent("bad_option", f"'{value}' is not a day; write for example 2026-11-13")
    return day


def _first_days(source: Source) -> timedelta:
    return timedelta(days=float(source.options.get("first_days", FIRST_POLL.days)))


def _all_pages(api: JsonApi, ticker: str, step: str, first: str, last: str) -> ApiCall:
    """All pages of a range as one payload."""
    path = f"/v2/aggs/ticker/{quote(ticker)}/range/{step}/{quote(first)}/{quote(last)}"
    payload = yield from fetch_json(
        api, api.build_request(path, adjusted="true", sort="asc", limit=PER_REQUEST), may_be_missing=True
    )
    records, pages = records_under(payload, "results"), 1
    while isinstance(payload, Mapping) and text_value(payload.get("next_url")) and pages < MOST_PAGES:
        payload = yield from fetch_json(api, api.next_page(text_value(payload["next_url"])))
        records += records_under(payload, "results")
        pages += 1
    return {"results": records}


def _discovery_if_changed(source: Source, payload: Any, span: str, ticker: str) -> Discovery:
    """The bars, unless the payload is the same as at the last poll."""
    watermark = {"digest": payload_hash(payload)}
    if watermark["digest"] == source.watermark.get("digest"):
        return Discovery(watermark={**source.watermark, **watermark})
    return Discovery(bars=tuple(_bars(payload, span, ticker)), watermark=watermark)


def _bars(payload: Any, span: str, ticker: str) -> list[Bar]:
    bars = (parse_bar(record, span, ticker) for record in records_under(payload, "results"))
    return [bar for bar in bars if bar is not None]

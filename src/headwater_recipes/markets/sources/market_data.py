"""Market data: bars and particulars, kept as numbers."""

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from urllib.parse import quote

from headwater.model.errors import Permanent, Temporary
from headwater.model.recipe import Discover, Discovery, PollSession
from headwater.model.source import Bar, Observation, Source
from headwater.sources.json_api import ApiCall, JsonApi, fetch_json, number_value, records_under, text_value
from headwater_recipes.markets.payload_hash import payload_hash

DAY = "1day"
SYMBOL = re.compile(r"[A-Za-z0-9][A-Za-z0-9.:/^_-]{0,31}")
_MOST_TRADES = 2**53  # more cannot be told exactly, and no day has so many
_LATEST = 4_102_444_800_000  # the year 2100, in milliseconds: a later one is a mistake


def parse_bar(record: Mapping[str, Any], span: str, symbol: str = "") -> Bar | None:
    """None for a record without a symbol, a moment or a price.

    A day's bar is keyed by its trading date: interfaces stamp it with the closing in New York or with midnight there,
    and both lie on that date in UTC too.
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


def trading_days(after: date, last: date) -> Iterator[date]:
    """The weekdays after one day up to another. Holidays are among them: a day without bars is an answer."""
    day = after + timedelta(days=1)
    while day <= last:
        if day.weekday() < 5:
            yield day
        day += timedelta(days=1)


def last_trading_day(now: datetime) -> date:
    """The latest weekday that is over everywhere."""
    day = now.astimezone(UTC).date() - timedelta(days=1)
    while day.weekday() >= 5:
        day -= timedelta(days=1)
    return day


HOUR = "1hour"
DAYS_AT_ONCE = 5
PAGES = 10
FIRST_POLL = timedelta(days=5)
PER_REQUEST = 5000

MarketApiOf = Callable[[Source], JsonApi]
MarketPoll = Callable[[JsonApi, Source, datetime], PollSession]


def discover_market_data(api: MarketApiOf) -> Discover:
    """Looks at what the option `look` names: `previous` day, `range` of days, `hourly`, `grouped` (all tickers of a
    day in one answer) or `details`. Options: `ticker`, `from` and `to` (days, for `range` and `grouped`), `first_days`. A day
    without trading is a success without bars."""

    def discover(source: Source, now: datetime) -> PollSession:
        wanted = source.options.get("look", "previous")
        if wanted not in MARKET_POLLS:
            raise Permanent("bad_option", f"look: '{wanted}' is none of {', '.join(MARKET_POLLS)}")
        return (yield from MARKET_POLLS[wanted](api(source), source, now))

    return discover


def _previous(api: JsonApi, source: Source, now: datetime) -> PollSession:
    ticker = _ticker(source)
    payload = yield from fetch_json(
        api, api.build_request(f"/v2/aggs/ticker/{quote(ticker)}/prev", adjusted="true")
    )
    del now
    return _told(source, payload, DAY, ticker)


def _range(api: JsonApi, source: Source, now: datetime) -> PollSession:
    options, ticker = source.options, _ticker(source)
    first = str(options.get("from") or (now - FIRST_POLL).date())
    last = str(options.get("to") or now.astimezone(UTC).date())
    payload = yield from _pages(api, ticker, "1/day", first, last)
    return _told(source, payload, DAY, ticker)


def _hourly(api: JsonApi, source: Source, now: datetime) -> PollSession:
    """From the last day that was seen on: its bars may have been unfinished."""
    ticker = _ticker(source)
    first = str(source.watermark.get("day") or (now - _first_days(source)).astimezone(UTC).date())
    today = now.astimezone(UTC).date().isoformat()
    payload = yield from _pages(api, ticker, "1/hour", first, today)
    told = _told(source, payload, HOUR, ticker)
    # One from the future must not hide what comes before it.
    newest = min(max((bar.at.date().isoformat() for bar in told.bars), default=first), today)
    return Discovery(
        bars=told.bars, watermark={**(told.watermark or {}), "day": newest}, warnings=told.warnings
    )


def _grouped(api: JsonApi, source: Source, now: datetime) -> PollSession:
    """Day by day, from the last that was read; a few at once. When all are read, nothing is asked."""
    options = source.options
    last = _date(options["to"]) if "to" in options else last_trading_day(now)
    begin = _date(options["from"]) if "from" in options else last - _first_days(source)
    seen = source.watermark.get("day")
    after = _date(seen) if seen else begin - timedelta(days=1)
    days = list(trading_days(after, last))
    bars: list[Bar] = []
    read = after
    for day in days[:DAYS_AT_ONCE]:
        path = f"/v2/aggs/grouped/locale/us/market/stocks/{day.isoformat()}"
        try:
            payload = yield from fetch_json(
                api, api.build_request(path, adjusted="true", include_otc="false")
            )
        except Temporary as trouble:
            if read == after:
                raise
            return _so_far(bars, read, trouble.delay or timedelta(minutes=1), f"cut_short: {trouble.reason}")
        bars += _bars(payload, DAY, "")
        read = day
    return _so_far(bars, read, timedelta(0) if len(days) > DAYS_AT_ONCE else None)


def _so_far(bars: list[Bar], read: date, again: timedelta | None, *warnings: str) -> Discovery:
    return Discovery(bars=tuple(bars), watermark={"day": read.isoformat()}, again=again, warnings=warnings)


def _details(api: JsonApi, source: Source, now: datetime) -> PollSession:
    ticker = _ticker(source)
    payload = yield from fetch_json(api, api.build_request(f"/v3/reference/tickers/{quote(ticker)}"))
    found = payload.get("results") if isinstance(payload, Mapping) else None
    if not isinstance(found, Mapping):
        return Discovery(warnings=(f"unknown_ticker: {ticker}",))
    mark = {"digest": payload_hash(found)}
    if mark["digest"] == source.watermark.get("digest"):
        return Discovery(watermark=mark)
    seen = Observation(kind="ticker_details", name=ticker, at=now, value=dict(found))
    return Discovery(observations=(seen,), watermark=mark)


MARKET_POLLS: Mapping[str, MarketPoll] = {
    "previous": _previous,
    "range": _range,
    "hourly": _hourly,
    "grouped": _grouped,
    "details": _details,
}


def _ticker(source: Source) -> str:
    ticker = text_value(source.options.get("ticker"))
    if not ticker:
        raise Permanent("bad_option", "ticker: this look needs one")
    return ticker


def _date(value: Any) -> date:
    """A day as an option says it (YAML reads one as a date) or as the watermark does."""
    try:
        return date.fromisoformat(str(value))
    except ValueError as error:
        raise Permanent("bad_option", f"'{value}' is not a day; write for example 2026-11-13") from error


def _first_days(source: Source) -> timedelta:
    return timedelta(days=float(source.options.get("first_days", FIRST_POLL.days)))


def _pages(api: JsonApi, ticker: str, step: str, first: str, last: str) -> ApiCall:
    """All pages of a range as one answer."""
    path = f"/v2/aggs/ticker/{quote(ticker)}/range/{step}/{quote(first)}/{quote(last)}"
    payload = yield from fetch_json(
        api, api.build_request(path, adjusted="true", sort="asc", limit=PER_REQUEST)
    )
    records, pages = records_under(payload, "results"), 1
    while isinstance(payload, Mapping) and text_value(payload.get("next_url")) and pages < PAGES:
        payload = yield from fetch_json(api, api.next_page(text_value(payload["next_url"])))
        records += records_under(payload, "results")
        pages += 1
    return {"results": records}


def _told(source: Source, payload: Any, span: str, ticker: str) -> Discovery:
    """The bars, unless they are the very same as the last time."""
    mark = {"digest": payload_hash(payload)}
    if mark["digest"] == source.watermark.get("digest"):
        return Discovery(watermark={**source.watermark, **mark})
    return Discovery(bars=tuple(_bars(payload, span, ticker)), watermark=mark)


def _bars(payload: Any, span: str, ticker: str) -> list[Bar]:
    found = (parse_bar(record, span, ticker) for record in records_under(payload, "results"))
    return [bar for bar in found if bar is not None]

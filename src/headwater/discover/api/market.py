"""Market data: bars and particulars, kept as numbers."""

from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Any
from urllib.parse import quote

from headwater.discover.api.asking import Api, Asking, ask, listed
from headwater.model.errors import Permanent, Temporary
from headwater.model.recipe import Conversation, Discover, Discovery
from headwater.model.series import Bar, Observation
from headwater.model.source import Source
from headwater.pure.bars import DAY, bar_of, last_trading_day, trading_days
from headwater.pure.dupes.exact import payload_hash
from headwater.pure.payloads import words

HOUR = "1hour"
DAYS_AT_ONCE = 5
PAGES = 10
FIRST_LOOK = timedelta(days=5)
PER_REQUEST = 5000

ApiOf = Callable[[Source], Api]
Look = Callable[[Api, Source, datetime], Conversation]


def market(api: ApiOf) -> Discover:
    """Looks at what the option `look` names: `previous` day, `range` of days, `hourly`, `grouped` (all tickers of a
    day in one answer) or `details`. Options: `ticker`, `from` and `to` (days, for `range` and `grouped`), `first_days`. A day
    without trading is a success without bars."""

    def discover(source: Source, now: datetime) -> Conversation:
        wanted = source.options.get("look", "previous")
        if wanted not in LOOKS:
            raise Permanent("bad_option", f"look: '{wanted}' is none of {', '.join(LOOKS)}")
        return (yield from LOOKS[wanted](api(source), source, now))

    return discover


def _previous(api: Api, source: Source, now: datetime) -> Conversation:
    ticker = _ticker(source)
    payload = yield from ask(api, api.question(f"/v2/aggs/ticker/{quote(ticker)}/prev", adjusted="true"))
    del now
    return _told(source, payload, DAY, ticker)


def _range(api: Api, source: Source, now: datetime) -> Conversation:
    options, ticker = source.options, _ticker(source)
    first = str(options.get("from") or (now - FIRST_LOOK).date())
    last = str(options.get("to") or now.astimezone(UTC).date())
    payload = yield from _pages(api, ticker, "1/day", first, last)
    return _told(source, payload, DAY, ticker)


def _hourly(api: Api, source: Source, now: datetime) -> Conversation:
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


def _grouped(api: Api, source: Source, now: datetime) -> Conversation:
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
            payload = yield from ask(api, api.question(path, adjusted="true", include_otc="false"))
        except Temporary as trouble:
            if read == after:
                raise
            return _so_far(bars, read, trouble.delay or timedelta(minutes=1), f"cut_short: {trouble.reason}")
        bars += _bars(payload, DAY, "")
        read = day
    return _so_far(bars, read, timedelta(0) if len(days) > DAYS_AT_ONCE else None)


def _so_far(bars: list[Bar], read: date, again: timedelta | None, *warnings: str) -> Discovery:
    return Discovery(bars=tuple(bars), watermark={"day": read.isoformat()}, again=again, warnings=warnings)


def _details(api: Api, source: Source, now: datetime) -> Conversation:
    ticker = _ticker(source)
    payload = yield from ask(api, api.question(f"/v3/reference/tickers/{quote(ticker)}"))
    found = payload.get("results") if isinstance(payload, Mapping) else None
    if not isinstance(found, Mapping):
        return Discovery(warnings=(f"unknown_ticker: {ticker}",))
    mark = {"digest": payload_hash(found)}
    if mark["digest"] == source.watermark.get("digest"):
        return Discovery(watermark=mark)
    seen = Observation(kind="ticker_details", name=ticker, at=now, value=dict(found))
    return Discovery(observations=(seen,), watermark=mark)


LOOKS: Mapping[str, Look] = {
    "previous": _previous,
    "range": _range,
    "hourly": _hourly,
    "grouped": _grouped,
    "details": _details,
}


def _ticker(source: Source) -> str:
    ticker = words(source.options.get("ticker"))
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
    return timedelta(days=float(source.options.get("first_days", FIRST_LOOK.days)))


def _pages(api: Api, ticker: str, step: str, first: str, last: str) -> Asking:
    """All pages of a range as one answer."""
    path = f"/v2/aggs/ticker/{quote(ticker)}/range/{step}/{quote(first)}/{quote(last)}"
    payload = yield from ask(api, api.question(path, adjusted="true", sort="asc", limit=PER_REQUEST))
    records, pages = listed(payload, "results"), 1
    while isinstance(payload, Mapping) and words(payload.get("next_url")) and pages < PAGES:
        payload = yield from ask(api, api.following(words(payload["next_url"])))
        records += listed(payload, "results")
        pages += 1
    return {"results": records}


def _told(source: Source, payload: Any, span: str, ticker: str) -> Discovery:
    """The bars, unless they are the very same as the last time."""
    mark = {"digest": payload_hash(payload)}
    if mark["digest"] == source.watermark.get("digest"):
        return Discovery(watermark={**source.watermark, **mark})
    return Discovery(bars=tuple(_bars(payload, span, ticker)), watermark=mark)


def _bars(payload: Any, span: str, ticker: str) -> list[Bar]:
    found = (bar_of(record, span, ticker) for record in listed(payload, "results"))
    return [bar for bar in found if bar is not None]

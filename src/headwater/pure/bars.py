"""Bars out of a provider's records, and which days there may be any."""

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from headwater.model.series import Bar
from headwater.pure.payloads import number, words

DAY = "1day"
SYMBOL = re.compile(r"[A-Za-z0-9][A-Za-z0-9.:/^_-]{0,31}")
_MOST_TRADES = 2**53  # more cannot be told exactly, and no day has so many
_LATEST = 4_102_444_800_000  # the year 2100, in milliseconds: a later one is a mistake


def bar_of(record: Mapping[str, Any], span: str, symbol: str = "") -> Bar | None:
    """None for a record without a symbol, a moment or a price.

    A day's bar is keyed by its trading date: interfaces stamp it with the closing in New York or with midnight there,
    and both lie on that date in UTC too.
    """
    name, stamp = words(record.get("T")) or symbol, number(record.get("t"))
    if (
        not SYMBOL.fullmatch(name)
        or stamp is None
        or not 0 < stamp < _LATEST
        or number(record.get("c")) is None
    ):
        return None
    at = datetime.fromtimestamp(stamp / 1000, UTC)
    trades = number(record.get("n"))
    return Bar(
        symbol=name,
        span=span,
        at=datetime.combine(at.date(), time(), UTC) if span == DAY else at,
        open=number(record.get("o")),
        high=number(record.get("h")),
        low=number(record.get("l")),
        close=number(record.get("c")),
        volume=number(record.get("v")),
        average=number(record.get("vw")),
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

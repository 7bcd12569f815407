"""Invented prices: a random walk per company, the same for every request."""

import hashlib
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from typing import Any

HOLIDAYS = frozenset({date(2026, 11, 11)})
OPENS, CLOSES = 14, 21  # UTC; the demo's exchange has no daylight saving time


def trades_on(day: date) -> bool:
    return day.weekday() < 5 and day not in HOLIDAYS


def daily(ticker: str, day: date, now: datetime, *, stamped: str = "closing") -> dict[str, Any] | None:
    """The bar of a day that is over; stamped with the closing, or with midnight in New York as ranges are."""
    closing = datetime(day.year, day.month, day.day, CLOSES, tzinfo=UTC)
    if not trades_on(day) or closing > now:
        return None
    stamp = closing if stamped == "closing" else closing.replace(hour=5)
    return _bar(ticker, day.isoformat(), stamp)


def hourly(ticker: str, first: date, last: date, now: datetime) -> Iterator[dict[str, Any]]:
    day = first
    while day <= min(last, now.date()):
        for hour in range(OPENS, CLOSES) if trades_on(day) else ():
            begins = datetime(day.year, day.month, day.day, hour, tzinfo=UTC)
            if begins <= now:
                yield _bar(ticker, begins.isoformat(), begins)
        day += timedelta(days=1)


def last_day(now: datetime) -> date:
    day = now.date()
    while daily("ANY", day, now) is None:
        day -= timedelta(days=1)
    return day


def _bar(ticker: str, when: str, stamp: datetime) -> dict[str, Any]:
    dice = hashlib.blake2b(f"{ticker}:{when}".encode(), digest_size=8).digest()
    middle = 10 + int.from_bytes(hashlib.blake2b(ticker.encode(), digest_size=2).digest(), "big") % 200
    low, high = round(middle * (1 - dice[0] / 5000), 2), round(middle * (1 + dice[1] / 5000), 2)
    bar: dict[str, Any] = {
        "v": 1000.5 * dice[2] + 100,
        "o": round(low + (high - low) * dice[3] / 255, 2),
        "c": round(low + (high - low) * dice[4] / 255, 2),
        "h": high,
        "l": low,
        "t": int(stamp.timestamp() * 1000),
    }
    return bar if dice[5] < 40 else bar | {"vw": round((low + high) / 2, 4), "n": dice[6] * 10 + 1}

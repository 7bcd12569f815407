"""Times as people write them: a day, a week, a month, a year, a time of day, or how long ago."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo

EXAMPLES = "2026-11-14, 2026-11-14T06:00, 24h or yesterday"
_DURATION = re.compile(r"(\d{1,9}(?:\.\d{1,6})?)\s*(s|min|m|h|d|w)")
_UNITS = {"s": 1, "min": 60, "m": 60, "h": 3600, "d": 86400, "w": 604800}
_LONGEST = timedelta(days=36_500)
_DAYS = {"today": 0, "yesterday": 1}
_YEAR = re.compile(r"\d{4}")
_MONTH = re.compile(r"\d{4}-\d{2}")
_WEEK = re.compile(r"\d{4}-?w\d{2}")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}|\d{8}|\d{4}-?w\d{2}-?\d")


@dataclass(frozen=True, slots=True)
class WrittenPeriod:
    """From `start` to before `end`; a moment has both at the same time."""

    start: datetime
    end: datetime


def parse_duration(text: str) -> timedelta | None:
    """ "90s", "15m", "15 min", "4h", "1d" or "2w", up to a century; None for anything else."""
    match = _DURATION.fullmatch(text.strip().lower())
    seconds = float(match[1]) * _UNITS[match[2]] if match else _LONGEST.total_seconds()
    return timedelta(seconds=seconds) if seconds < _LONGEST.total_seconds() else None


def parse_period(text: str, now: datetime, zone: tzinfo | None = UTC) -> WrittenPeriod | None:
    """What the text names, in UTC; None for anything else. `zone` is that of a time that names none; None stands for the
    zone of this machine, with its summer time."""
    if (ago := parse_duration(text)) is not None:
        moment = now.astimezone(UTC) - ago
        return WrittenPeriod(moment, moment)
    word = text.strip().lower()
    try:
        return _calendar_period(word, now, zone) or _moment(word, zone)
    except (ValueError, OverflowError):
        return None


def _moment(word: str, zone: tzinfo | None) -> WrittenPeriod:
    time = datetime.fromisoformat(word.upper())
    moment = time.astimezone(UTC) if time.tzinfo else _in_zone(time, zone)
    return WrittenPeriod(moment, moment)


def _calendar_period(word: str, now: datetime, zone: tzinfo | None) -> WrittenPeriod | None:
    if word in _DAYS:
        today = now.astimezone(zone).replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=None)
        first = today - timedelta(days=_DAYS[word])
        after = first + timedelta(days=1)
    elif _YEAR.fullmatch(word):
        first = datetime.fromisoformat(f"{word}-01-01")
        after = first.replace(year=first.year + 1)
    elif _MONTH.fullmatch(word):
        first = datetime.fromisoformat(f"{word}-01")
        after = (first + timedelta(days=32)).replace(day=1)
    elif _WEEK.fullmatch(word):
        first = datetime.fromisoformat(word.upper())
        after = first + timedelta(days=7)
    elif _DAY.fullmatch(word):
        first = datetime.fromisoformat(word.upper())
        after = first + timedelta(days=1)
    else:
        return None
    return WrittenPeriod(_in_zone(first, zone), _in_zone(after, zone))


def _in_zone(time: datetime, zone: tzinfo | None) -> datetime:
    return (time.astimezone() if zone is None else time.replace(tzinfo=zone)).astimezone(UTC)

"""Dates as feeds write them: RFC 822, ISO 8601 and everything people take for either.

A date that cannot be, or that could be two different days, is no date: nothing is invented.
"""

import re
from datetime import UTC, datetime, timedelta

from headwater.pure.feeds.calendar_words import MONTHS, ZONES, plain
from headwater.pure.feeds.notes import Note

COMMON = re.compile(
    r"(?:[A-Za-z]{2,9},?\s*)?(\d{1,2}) ([A-Za-z]{3}) (\d{4}) (\d{2}):(\d{2}):(\d{2}) (GMT|UTC|Z|[+-]\d{4})\s*$"
)
DIGITS = re.compile(r"\d{4,17}(?:\.\d+)?$")
CLOCK = re.compile(
    r"(?<!\d)(\d{1,2})\s?(?:[:h]\s?(\d{1,2})(?:\s?[:m]\s?(\d{1,2})(?:[.,:]\d+)?)?)\s*(am\b|pm\b|a\.m\.?|p\.m\.?)?"
)
BARE_CLOCK = re.compile(r"(?<!\d)(\d{1,2})\s*()()(am|pm)\b")
OFFSET = re.compile(r"(?:\b(?:gmt|utc)\s*)?([+-])\s?(\d{1,2}):?(\d{2})?(?!\d)")
YEAR_FIRST = re.compile(r"(?<!\d)(\d{4})\s*[-/.]\s*(\d{1,2})(?:\s*[-/.]\s*(\d{1,2}))?(?!\d)")
YEAR_LAST = re.compile(r"(?<!\d)(\d{1,2})\s*([-/.])\s*(\d{1,2})\s*[-/.]\s*(\d{4}|\d{2})(?!\d)")
NUMBER = re.compile(r"\d+")
WORD = re.compile(r"[a-z]+(?:/[a-z]+)?")
LONGEST = 100
EPOCH_SCALES = {9: 1, 10: 1, 12: 1_000, 13: 1_000, 16: 1_000_000, 17: 1_000_000}
Day = tuple[int, int, int]


def read_date(text: str | None, note: Note) -> datetime | None:
    """The moment in UTC, or None with a note saying why."""
    text = text.strip() if text else ""
    if not text:
        return None
    common = COMMON.match(text)
    found = _common(common) if common else None
    if found is None:
        found = _uncommon(text, note)
    if found is None:
        note("unreadable_date", text)
    elif not 1000 <= found.year <= 9000:
        note("impossible_date", text)
        return None
    return found


def _common(match: re.Match[str]) -> datetime | None:
    day, month, year, hour, minute, second, zone = match.groups()
    number = MONTHS.get(month.lower())
    if number is None:
        return None
    try:
        moment = datetime(int(year), number, int(day), int(hour), int(minute), int(second), tzinfo=UTC)
        if zone[0] in "+-" and zone[1:] != "0000":
            return moment - _offset(zone[0], zone[1:3], zone[3:])
    except (ValueError, OverflowError):
        return None
    return moment


def _offset(sign: str, hours: str, minutes: str | None) -> timedelta:
    size = timedelta(hours=int(hours), minutes=int(minutes or 0))
    if size >= timedelta(hours=15):
        raise ValueError("no such zone")
    return -size if sign == "-" else size


def _uncommon(text: str, note: Note) -> datetime | None:
    if len(text) > LONGEST:
        return None
    if DIGITS.match(text):
        return _digits(text, note)
    if text[:4].isdigit():
        try:
            return _aware(datetime.fromisoformat(text), text, note)
        except (ValueError, OverflowError):
            pass
    try:
        return _loose(plain(text), note)
    except (ValueError, OverflowError):
        return None


def _aware(moment: datetime, text: str, note: Note) -> datetime:
    if moment.tzinfo is None:
        note("date_without_zone", text)
        return moment.replace(tzinfo=UTC)
    return moment.astimezone(UTC)


def _digits(text: str, note: Note) -> datetime | None:
    whole, _, fraction = text.partition(".")
    try:
        if len(whole) in EPOCH_SCALES:
            note("epoch_date", text)
            seconds = int(whole) / EPOCH_SCALES[len(whole)] + float(f"0.{fraction or 0}")
            return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)
        pattern = {14: "%Y%m%d%H%M%S", 8: "%Y%m%d", 6: "%Y%m", 4: "%Y"}.get(len(whole))
        if pattern is None:
            return None
        return _aware(datetime.strptime(whole, pattern), text, note)  # noqa: DTZ007 - the zone is added by _aware
    except (ValueError, OverflowError):
        return None


def _loose(text: str, note: Note) -> datetime | None:
    clock = CLOCK.search(text) or BARE_CLOCK.search(text)
    rest = text if clock is None else f"{text[: clock.start()]} {text[clock.end() :]}"
    day = _day(text[: clock.start()] if clock else text, text[clock.end() :] if clock else "", note)
    if day is None:
        return None
    moment = datetime(*day, tzinfo=UTC) + _time_of_day(clock)
    return moment - _zone(text[clock.end() :] if clock else "", rest, text, note)


def _time_of_day(clock: re.Match[str] | None) -> timedelta:
    if clock is None:
        return timedelta()
    hour, minute, second = (int(part or 0) for part in clock.groups()[:3])
    half = clock[4]
    if half:
        if not 1 <= hour <= 12:
            half = None
        else:
            hour = hour % 12 + (12 if half.startswith("p") else 0)
    if hour > 24 or minute > 59 or second > 60 or (hour == 24 and (minute or second)):
        raise ValueError("no such time")
    return timedelta(hours=hour, minutes=minute, seconds=second)


def _day(before: str, after: str, note: Note) -> Day | None:
    found = YEAR_FIRST.search(before) or YEAR_FIRST.search(after)
    if found:
        year, month, day = (int(part or 1) for part in found.groups())
        return year, month, day
    found = YEAR_LAST.search(before) or YEAR_LAST.search(after)
    if found:
        return _year_last(found, note)
    return _worded(before, after)


def _year_last(found: re.Match[str], note: Note) -> Day | None:
    """Dots mean day first; slashes and dashes are read only when one number cannot be a month."""
    first, second, year = int(found[1]), int(found[3]), _full_year(found[4])
    if found[2] == "." or first > 12 or first == second:
        return year, second, first
    if second > 12:
        return year, first, second
    note("ambiguous_date", found[0])
    return None


def _worded(before: str, after: str) -> Day | None:
    """Day, month by name and year in any order, the year perhaps after the clock (as asctime has it)."""
    words = WORD.findall(before) or WORD.findall(after)
    month = next((MONTHS[word] for word in words if word in MONTHS), None)
    month = month or next((MONTHS[word[:3]] for word in words if len(word) > 3 and word[:3] in MONTHS), None)
    if month is None:
        return None
    numbers = NUMBER.findall(before)
    if len(numbers) < 2:
        numbers += [number for number in NUMBER.findall(after) if len(number) == 4][-1:]
    if len(numbers) < 2:
        return None
    day, year = numbers[:2]
    if len(day) == 4:
        day, year = year, day
    return _full_year(year), month, int(day)


def _full_year(text: str) -> int:
    year = int(text)
    if len(text) == 2:
        return year + (2000 if year < 70 else 1900)
    return year + 1900 if len(text) == 3 else year


def _zone(after: str, rest: str, text: str, note: Note) -> timedelta:
    signed = OFFSET.search(after)
    if signed:
        try:
            return _offset(*signed.groups())
        except ValueError:
            note("odd_zone", text)
            return timedelta()
    words = [word.removeprefix("etc/") for word in WORD.findall(after or rest)]
    known = next((ZONES[word] for word in words if word in ZONES), None)
    if known is not None:
        return timedelta(hours=known)
    unknown = next((word for word in words if word not in MONTHS and word[:3] not in MONTHS), None)
    note("odd_zone" if unknown and after else "date_without_zone", text)
    return timedelta()

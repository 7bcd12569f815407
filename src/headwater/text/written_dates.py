"""Dates in the formats that people write, on pages and in feeds, as aware datetimes.

A date that cannot be, or that could be two different days, is None. A page is searched for a date within a line of text; a
feed's element holds nothing but its date, so that more forms of it are understood there and a zone may be named.
"""

import re
from datetime import UTC, datetime, timedelta, timezone
from functools import lru_cache

from headwater.model.warning_log import Warn
from headwater.text.dates import as_aware, build_date, order_day_month, parse_offset
from headwater.text.folding import fold_accents
from headwater.text.months import FEED_MONTHS, MONTHS, ZONES, english_months

EARLIEST_DATE = datetime(1990, 1, 1, tzinfo=UTC)
_LATEST_DATE = datetime(2100, 1, 1, tzinfo=UTC)

_ISO = re.compile(
    r"(?<!\d)(\d{4})-(\d{1,2})-(\d{1,2})"
    r"(?:[T\s]+(\d{1,2}):(\d{2})(?::(\d{2}))?(?:[.,]\d+)?\s*(Z|UTC|GMT|[+-]\d{2}:?\d{2})?)?",
    re.IGNORECASE,
)
_COMPACT = re.compile(r"^(\d{4})(\d{2})(\d{2})(?:T?(\d{2})(\d{2})(\d{2})?Z?)?$")
_YEAR_FIRST = re.compile(
    r"(?<!\d)(\d{4})(?:\s*[/.]\s*|\s*年\s*|\s*년\s*)(\d{1,2})(?:\s*[/.]\s*|\s*月\s*|\s*월\s*)(\d{1,2})(?!\d)"
)
_YEAR_LAST = re.compile(r"(?<![\d./-])(\d{1,2})([./-])(\d{1,2})\2(\d{4})(?!\d)")
_NUMBERED_MONTH = re.compile(r"(?<!\d)(\d{1,2}) tháng (\d{1,2}),? (?:năm )?(\d{4})(?!\d)")
_ZONED_CLOCK = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2}))?\s*(Z|UTC|GMT|[+-]\d{2}:?\d{2})")
_DIGIT = re.compile(r"\d")
_TIME = re.compile(r"\d{1,2}:\d{2}")
_PATH = re.compile(
    r"/(20\d{2}|19\d{2})[/-](\d{1,2}|[a-z]{3,9})[/-](\d{1,2})(?:[/-]|$)|/(20\d{2})(\d{2})(\d{2})(?:[/_-]|$)"
)
# Letters, with the vowel signs that the scripts of India attach to them.
_NAME = r"([^\W\d_](?:[^\W\d_]|[\u0900-\u0dff]){1,14})"
_SPELLED = (
    # 6 May 2024, 6. Mai 2024, 6 de mayo de 2024, 1er août 2023, 6-May-2024
    (re.compile(rf"(?<!\d)(\d{{1,2}})(?:st|nd|rd|th|er|º|ª|η|\.)?[\s-]*(?:de\s+|of\s+|d’|d')?{_NAME}\.?,?[\s-]*(?:de\s+|del\s+)?(\d{{4}})(?!\d)"), (3, 2, 1)),
    # May 6, 2024
    (re.compile(rf"(?<![^\W\d_]){_NAME}\.?\s+(\d{{1,2}})(?:st|nd|rd|th)?(?:\s*+,)?+\s++(\d{{4}})(?!\d)"), (3, 1, 2)),
    # 2024. május 6., 2024 m. gegužės 6 d.
    (re.compile(rf"(?<!\d)(\d{{4}})\.?\s+(?:m\.\s+)?{_NAME}\s+(\d{{1,2}})(?!\d)"), (1, 2, 3)),
)  # fmt: skip
_RUN_TOGETHER = re.compile(
    r"(?<=[^\W\d_A-Z])(?=[A-Z][^\W\d_]{2})|(?<=[^\W\d_])(?=\d{1,2}\s)|(?<=\d{4})(?=[^\W\d_])"
)
_LONGEST_LINE = 120


@lru_cache(maxsize=1_000)
def parse_page_date(text: str, *, day_first: bool | None = None) -> datetime | None:
    """The date that stands in a line of a page; a time without a zone is in UTC.

    `day_first` says how the page orders 5/6/2024; where that is not known, such a date is ambiguous. Several questions about a
    page ask for the date of the same line.
    """
    text = text.strip()[:_LONGEST_LINE]
    if _DIGIT.search(text) is None:
        return None
    date = _iso(text) or _compact(text) or _spelled(text) or _numeric(text, day_first)
    return _plausible_on_page(date)


def date_in_path(path: str) -> datetime | None:
    """A full year, month and day in the path of a URL; the month may be a word."""
    match = _PATH.search(path.lower())
    if not match:
        return None
    year, month, day = (part for part in match.groups() if part)
    number = int(month) if month.isdigit() else MONTHS.get(month, 0)
    return _plausible_on_page(_date(int(year), number, int(day)))


def has_time(text: str) -> bool:
    return _TIME.search(text) is not None


def has_custom_order(text: str) -> bool:
    """Whether a date is written in numbers whose order is a matter of custom."""
    match = _YEAR_LAST.search(text)
    return match is not None and match[2] != "."


def shown_day_first(text: str) -> bool | None:
    """What the numbers of a date with slashes or dashes show about the order in which the page writes them."""
    for first, separator, second, _ in _YEAR_LAST.findall(text):
        if separator != "." and (int(first) > 12) != (int(second) > 12):
            return int(first) > 12
    return None


def _plausible_on_page(date: datetime | None) -> datetime | None:
    return date if date is not None and EARLIEST_DATE <= date < _LATEST_DATE else None


def _iso(text: str) -> datetime | None:
    match = _ISO.search(text)
    if not match:
        return None
    year, month, day, *clock, zone = match.groups()
    return _date(int(year), int(month), int(day), clock, zone)


def _compact(text: str) -> datetime | None:
    if match := _COMPACT.match(text):
        year, month, day, *clock = match.groups()
        return _date(int(year), int(month), int(day), clock)
    if text.isdecimal() and len(text) in (10, 13):
        return datetime.fromtimestamp(int(text[:10]), UTC)
    return None


def _spelled(text: str) -> datetime | None:
    """Elements that stand side by side may run together: words are separated where the letters change."""
    return _spelled_apart(text) or _spelled_apart(_RUN_TOGETHER.sub(" ", text))


def _spelled_apart(text: str) -> datetime | None:
    lowered = text.lower()
    for pattern, (year_at, month_at, day_at) in _SPELLED:
        for match in pattern.finditer(lowered):
            month = MONTHS.get(match[month_at])
            if month:
                return _with_clock(int(match[year_at]), month, int(match[day_at]), text)
    return None


def _with_clock(year: int, month: int, day: int, text: str) -> datetime | None:
    """The clock counts only where it states its zone."""
    if match := _ZONED_CLOCK.search(text):
        *clock, zone = match.groups()
        return _date(year, month, day, clock, zone)
    return _date(year, month, day)


def _numeric(text: str, day_first: bool | None) -> datetime | None:
    if match := _YEAR_FIRST.search(text):
        year, month, day = (int(part) for part in match.groups())
        return _date(year, month, day)
    if match := _NUMBERED_MONTH.search(text):
        day, month, year = (int(part) for part in match.groups())
        return _date(year, month, day)
    if match := _YEAR_LAST.search(text):
        custom = True if match[2] == "." else day_first
        ordered = order_day_month(int(match[1]), int(match[3]), day_first=custom)
        return _date(int(match[4]), ordered[1], ordered[0]) if ordered else None
    return None


def _date(
    year: int, month: int, day: int, clock: list[str | None] | None = None, zone: str | None = None
) -> datetime | None:
    if not (month and day):
        return None
    return build_date((year, month, day, *(int(part or 0) for part in clock or ())), _zone(zone))


def _zone(text: str | None) -> timezone:
    if not text or text[0] not in "+-":
        return UTC
    digits = text[1:].replace(":", "")
    offset = parse_offset(text[0], digits[:2], digits[2:], widest=timedelta(hours=24))
    return UTC if offset is None else timezone(offset)


_COMMON = re.compile(
    r"(?:[A-Za-z]{2,9},?\s*)?(\d{1,2}) ([A-Za-z]{3}) (\d{4}) (\d{2}):(\d{2}):(\d{2}) (GMT|UTC|Z|[+-]\d{4})\s*$"
)
_DIGITS = re.compile(r"\d{4,17}(?:\.\d+)?$")
_CLOCK = re.compile(
    r"(?<!\d)(\d{1,2})\s?(?:[:h]\s?(\d{1,2})(?:\s?[:m]\s?(\d{1,2})(?:[.,:]\d+)?)?)\s*(am\b|pm\b|a\.m\.?|p\.m\.?)?"
)
_HOUR = re.compile(r"(?<!\d)(\d{1,2})\s*()()(am|pm)\b")
_OFFSET = re.compile(r"(?:\b(?:gmt|utc)\s*)?([+-])\s?(\d{1,2}):?(\d{2})?(?!\d)")
_LOOSE_YEAR_FIRST = re.compile(r"(?<!\d)(\d{4})\s*[-/.]\s*(\d{1,2})(?:\s*[-/.]\s*(\d{1,2}))?(?!\d)")
_LOOSE_YEAR_LAST = re.compile(r"(?<!\d)(\d{1,2})\s*([-/.])\s*(\d{1,2})\s*[-/.]\s*(\d{4}|\d{2})(?!\d)")
_NUMBER = re.compile(r"\d+")
_WORD = re.compile(r"[a-z]+(?:/[a-z]+)?")
_EAST_ASIAN = re.compile(r"(?:(?<!\s)\s++)?[年月년월]\s*")
_KOREAN = re.compile("[년월일]|오전|오후")
_AFTERNOON = re.compile(r"(?:오후|下午|午後)\s*([\d:]+)")
_MORNING = re.compile(r"(?:오전|上午|午前)\s*([\d:]+)")
_STATED_ZONE = re.compile(r"[+-]\d{2}:?\d{2}\s*$|[A-Za-z]{1,5}\s*$")
_LONGEST_ELEMENT = 100
_EPOCH_SCALES = {9: 1, 10: 1, 12: 1_000, 13: 1_000, 16: 1_000_000, 17: 1_000_000}
_DIGIT_FORMATS = {14: "%Y%m%d%H%M%S", 8: "%Y%m%d", 6: "%Y%m", 4: "%Y"}
# A clock in another zone, or a misnamed zone, is wrong by less than that.
_MISTAKEN_ZONE = timedelta(hours=26)
Day = tuple[int, int, int]


def parse_feed_date(text: str | None, warn: Warn) -> datetime | None:
    """The date of a feed's element in UTC: RFC 822, ISO 8601 and what people take for either. None after a warning."""
    text = text.strip() if text else ""
    if not text:
        return None
    common = _COMMON.match(text)
    moment = _rfc822(common) if common else None
    if moment is None:
        moment = _uncommon(text, warn)
    if moment is None:
        warn("unreadable_date", text)
    elif not 1000 <= moment.year <= 9000:
        warn("impossible_date", text)
        return None
    return moment


def plausible_date(moment: datetime | None, now: datetime, warn: Warn) -> datetime | None:
    """The date; the present for one that is ahead by no more than a mistaken zone; None for what cannot be."""
    if moment is None:
        return None
    if moment < EARLIEST_DATE:
        warn("date_before_the_web", moment.isoformat())
        return None
    if moment <= now:
        return moment
    warn("date_in_the_future", moment.isoformat())
    return now if moment - now <= _MISTAKEN_ZONE else None


def _rfc822(match: re.Match[str]) -> datetime | None:
    day, month, year, hour, minute, second, zone = match.groups()
    number = FEED_MONTHS.get(month.lower())
    if number is None:
        return None
    try:
        moment = datetime(int(year), number, int(day), int(hour), int(minute), int(second), tzinfo=UTC)
        if zone[0] in "+-" and zone[1:] != "0000":
            offset = parse_offset(zone[0], zone[1:3], zone[3:])
            return None if offset is None else moment - offset
    except (ValueError, OverflowError):
        return None
    return moment


def _uncommon(text: str, warn: Warn) -> datetime | None:
    if len(text) > _LONGEST_ELEMENT:
        return None
    if _DIGITS.match(text):
        return _digits(text, warn)
    if text[:4].isdigit():
        try:
            return _in_utc(datetime.fromisoformat(text), text, warn)
        except (ValueError, OverflowError):
            pass
    try:
        return _loose(_plain(text), warn)
    except (ValueError, OverflowError):
        return None


def _in_utc(moment: datetime, text: str, warn: Warn) -> datetime:
    if moment.tzinfo is None:
        warn("date_without_zone", text)
    return as_aware(moment).astimezone(UTC)


def _digits(text: str, warn: Warn) -> datetime | None:
    digits, _, fraction = text.partition(".")
    try:
        if len(digits) in _EPOCH_SCALES:
            warn("epoch_date", text)
            seconds = int(digits) / _EPOCH_SCALES[len(digits)] + float(f"0.{fraction or 0}")
            return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)
        pattern = _DIGIT_FORMATS.get(len(digits))
        if pattern is None:
            return None
        return _in_utc(datetime.strptime(digits, pattern), text, warn)  # noqa: DTZ007 - _in_utc adds the zone
    except (ValueError, OverflowError):
        return None


def _plain(text: str) -> str:
    """Lower case, without accents, with months of other alphabets in English."""
    if not text.isascii():
        if _KOREAN.search(text) and not _STATED_ZONE.search(text):
            text += " kst"  # the language is written in one zone only
        text = _AFTERNOON.sub(r"\1 pm ", text)
        text = _MORNING.sub(r"\1 am ", text)
        text = _EAST_ASIAN.sub("-", text).replace("日", " ").replace("일", " ")
        text = text.replace("\u2212", "-").replace("\u2013", "-")
        text = english_months(fold_accents(text))
    return text.lower()


def _loose(text: str, warn: Warn) -> datetime | None:
    clock = _CLOCK.search(text) or _HOUR.search(text)
    before, after = (text[: clock.start()], text[clock.end() :]) if clock else (text, "")
    day = _day(before, after, warn)
    if day is None:
        return None
    moment = datetime(*day, tzinfo=UTC) + _time_of_day(clock)
    return moment - _named_offset(after, f"{before} {after}" if clock else text, text, warn)


def _time_of_day(clock: re.Match[str] | None) -> timedelta:
    if clock is None:
        return timedelta()
    hour, minute, second = (int(part or 0) for part in clock.groups()[:3])
    if clock[4] and 1 <= hour <= 12:
        hour = hour % 12 + (12 if clock[4].startswith("p") else 0)
    if hour > 24 or minute > 59 or second > 60 or (hour == 24 and (minute or second)):
        raise ValueError("no such time")
    return timedelta(hours=hour, minutes=minute, seconds=second)


def _day(before: str, after: str, warn: Warn) -> Day | None:
    match = _LOOSE_YEAR_FIRST.search(before) or _LOOSE_YEAR_FIRST.search(after)
    if match:
        year, month, day = (int(part or 1) for part in match.groups())
        return year, month, day
    match = _LOOSE_YEAR_LAST.search(before) or _LOOSE_YEAR_LAST.search(after)
    return _year_last(match, warn) if match else _worded(before, after)


def _year_last(match: re.Match[str], warn: Warn) -> Day | None:
    """Dots mean day first; slashes and dashes are read only when one number cannot be a month."""
    first, second = int(match[1]), int(match[3])
    ordered = (first, second) if match[2] == "." else order_day_month(first, second, day_first=None)
    if ordered is None:
        warn("ambiguous_date", match[0])
        return None
    return _full_year(match[4]), ordered[1], ordered[0]


def _worded(before: str, after: str) -> Day | None:
    """Day, month by name and year in any order, the year perhaps after the clock (as asctime has it)."""
    words = _WORD.findall(before) or _WORD.findall(after)
    month = next((FEED_MONTHS[word] for word in words if word in FEED_MONTHS), None)
    stems = (word[:3] for word in words if len(word) > 3)
    month = month or next((FEED_MONTHS[stem] for stem in stems if stem in FEED_MONTHS), None)
    if month is None:
        return None
    numbers = _NUMBER.findall(before)
    if len(numbers) < 2:
        numbers += [number for number in _NUMBER.findall(after) if len(number) == 4][-1:]
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


def _named_offset(after: str, around: str, text: str, warn: Warn) -> timedelta:
    """The offset from UTC that stands after the clock, in numbers or by the name of its zone."""
    if signed := _OFFSET.search(after):
        offset = parse_offset(*signed.groups())
        if offset is None:
            warn("odd_zone", text)
        return offset or timedelta()
    words = [word.removeprefix("etc/") for word in _WORD.findall(after or around)]
    hours = next((ZONES[word] for word in words if word in ZONES), None)
    if hours is not None:
        return timedelta(hours=hours)
    unknown = next((word for word in words if word not in FEED_MONTHS and word[:3] not in FEED_MONTHS), None)
    warn("odd_zone" if unknown and after else "date_without_zone", text)
    return timedelta()

"""Dates as pages write them, to aware datetimes. What is ambiguous or impossible gives None."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, timezone

from headwater.text.months import MONTHS

_EARLIEST = datetime(1990, 1, 1, tzinfo=UTC)
_LATEST = datetime(2100, 1, 1, tzinfo=UTC)
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
_CLOCK = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2}))?\s*(Z|UTC|GMT|[+-]\d{2}:?\d{2})")
_PATH = re.compile(
    r"/(20\d{2}|19\d{2})[/-](\d{1,2}|[a-z]{3,9})[/-](\d{1,2})(?:[/-]|$)|/(20\d{2})(\d{2})(\d{2})(?:[/_-]|$)"
)
# Letters, with the vowel signs that the scripts of India hang on them.
_NAME = r"([^\W\d_](?:[^\W\d_]|[\u0900-\u0dff]){1,14})"
_SPELLED = (
    # 6 May 2024, 6. Mai 2024, 6 de mayo de 2024, 1er août 2023, 6-May-2024
    (re.compile(rf"(?<!\d)(\d{{1,2}})(?:st|nd|rd|th|er|º|ª|η|\.)?[\s-]*(?:de\s+|of\s+|d’|d')?{_NAME}\.?,?[\s-]*(?:de\s+|del\s+)?(\d{{4}})(?!\d)"), (3, 2, 1)),
    # May 6, 2024
    (re.compile(rf"(?<![^\W\d_]){_NAME}\.?\s+(\d{{1,2}})(?:st|nd|rd|th)?\s*,?\s+(\d{{4}})(?!\d)"), (3, 1, 2)),
    # 2024. május 6., 2024 m. gegužės 6 d.
    (re.compile(rf"(?<!\d)(\d{{4}})\.?\s+(?:m\.\s+)?{_NAME}\s+(\d{{1,2}})(?!\d)"), (1, 2, 3)),
)  # fmt: skip
_RUN_TOGETHER = re.compile(
    r"(?<=[^\W\d_A-Z])(?=[A-Z][^\W\d_]{2})|(?<=[^\W\d_])(?=\d{1,2}\s)|(?<=\d{4})(?=[^\W\d_])"
)
_LONGEST = 120


def parse_page_date(text: str, *, day_first: bool | None = None) -> datetime | None:
    """The date that stands in the text; a time without a zone is taken as UTC.

    `day_first` says how the page orders 5/6/2024; unless it is known, such a date is none.
    """
    text = text.strip()[:_LONGEST]
    if not text or not any(letter.isdigit() for letter in text):
        return None
    found = _iso(text) or _compact(text) or _spelled(text) or _numeric(text, day_first)
    return found if found is not None and _EARLIEST <= found < _LATEST else None


def has_time(text: str) -> bool:
    return bool(re.search(r"\d{1,2}:\d{2}", text))


def is_numeric(text: str) -> bool:
    """Whether a date is written in numbers whose order is a matter of custom."""
    found = _YEAR_LAST.search(text)
    return found is not None and found[2] != "."


def puts_day_first(text: str) -> bool | None:
    """What the numbers of a date with slashes or dashes tell about the order in which the page writes them."""
    for one, mark, two, _ in _YEAR_LAST.findall(text):
        if mark != "." and (int(one) > 12) != (int(two) > 12):
            return int(one) > 12
    return None


def date_in_path(path: str) -> datetime | None:
    """A full year, month and day in the path of an address; the month may be a word."""
    found = _PATH.search(path.lower())
    if not found:
        return None
    year, month, day = (part for part in found.groups() if part)
    number = int(month) if month.isdigit() else MONTHS.get(month, 0)
    date = _date(int(year), number, int(day))
    return date if date is not None and _EARLIEST <= date < _LATEST else None


def _iso(text: str) -> datetime | None:
    found = _ISO.search(text)
    if not found:
        return None
    year, month, day, hour, minute, second, zone = found.groups()
    return _date(int(year), int(month), int(day), (hour, minute, second), zone)


def _compact(text: str) -> datetime | None:
    if found := _COMPACT.match(text):
        year, month, day, *clock = found.groups()
        return _date(int(year), int(month), int(day), tuple(clock))
    if text.isdigit() and len(text) in (10, 13):
        return datetime.fromtimestamp(int(text[:10]), UTC)
    return None


def _spelled(text: str) -> datetime | None:
    """Elements that stand side by side may run together: the words are parted where the letters change."""
    return _spelled_apart(text) or _spelled_apart(_RUN_TOGETHER.sub(" ", text))


def _spelled_apart(text: str) -> datetime | None:
    lowered = text.lower()
    for pattern, (year_at, month_at, day_at) in _SPELLED:
        for found in pattern.finditer(lowered):
            month = MONTHS.get(found[month_at])
            if month:
                return _with_clock(int(found[year_at]), month, int(found[day_at]), text)
    return None


def _with_clock(year: int, month: int, day: int, text: str) -> datetime | None:
    """The clock is believed only where it states its zone."""
    if clock := _CLOCK.search(text):
        hour, minute, second, zone = clock.groups()
        return _date(year, month, day, (hour, minute, second), zone)
    return _date(year, month, day)


def _numeric(text: str, day_first: bool | None) -> datetime | None:
    if found := _YEAR_FIRST.search(text):
        year, month, day = (int(part) for part in found.groups())
        return _date(year, month, day)
    if found := _NUMBERED_MONTH.search(text):
        day, month, year = (int(part) for part in found.groups())
        return _date(year, month, day)
    if found := _YEAR_LAST.search(text):
        return _ordered(int(found[1]), int(found[3]), int(found[4]), True if found[2] == "." else day_first)
    return None


def _ordered(one: int, two: int, year: int, day_first: bool | None) -> datetime | None:
    """Dots put the day first; otherwise a number above twelve tells, or what is known about the page."""
    if one > 12 or (day_first and two <= 12) or one == two:
        return _date(year, two, one)
    if two > 12 or day_first is False:
        return _date(year, one, two)
    return None


def _date(
    year: int, month: int, day: int, clock: tuple[str | None, ...] = (), zone: str | None = None
) -> datetime | None:
    hour, minute, second = (int(part or 0) for part in (*clock, None, None, None)[:3])
    try:
        return datetime(year, month, day, hour, minute, min(second, 59), tzinfo=_zone(zone))
    except ValueError:
        return None


def _zone(text: str | None) -> timezone:
    if not text or text[0] not in "+-":
        return UTC
    digits = text[1:].replace(":", "")
    offset = timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
    return timezone(offset if text[0] == "+" else -offset) if offset < timedelta(hours=24) else UTC


_PDF = re.compile(
    r"\s*(?:D:)?\s*(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?\s*(?:(Z)|([+-])(\d\d)'?(\d\d)?'?)?", re.ASCII
)
_DAY = re.compile(r"\s*(\d{4})(\d\d)(\d\d)(?:(\d\d)(\d\d)(\d\d)Z?)?\s*\Z", re.ASCII)


def parse_pdf_date(text: str) -> datetime | None:
    """D:20261113091500+01'00'; without a zone it is read as UTC."""
    found = _PDF.match(text)
    if not found or not found[2]:
        return None
    parts = [int(part) if part else None for part in found.groups()[:6]]
    return _moment(parts, _offset_zone(found[8], found[9], found[10]))


def parse_digit_date(text: str) -> datetime | None:
    """20261113 or 20261113091500, in UTC."""
    found = _DAY.match(text)
    return _moment([int(part) if part else None for part in found.groups()], UTC) if found else None


def parse_iso_date(text: str) -> datetime | None:
    """ISO 8601, as office files write it; without a zone it is read as UTC."""
    try:
        moment = datetime.fromisoformat(text.strip()[:40])
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _offset_zone(sign: str | None, hours: str | None, minutes: str | None) -> timezone:
    if not sign or int(hours or 0) > 14 or int(minutes or 0) > 59:
        return UTC
    offset = timedelta(hours=int(hours or 0), minutes=int(minutes or 0))
    return timezone(-offset if sign == "-" else offset)


def _moment(parts: Sequence[int | None], zone: timezone) -> datetime | None:
    """Year, month, day, hour, minute, second; what is missing is its beginning."""
    year, month, day, hour, minute, second = parts
    try:
        return datetime(
            year or 0, month or 1, day or 1, hour or 0, minute or 0, min(second or 0, 59), tzinfo=zone
        )
    except ValueError:
        return None

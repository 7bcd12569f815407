"""Dates in the formats that programs write, as aware datetimes. What cannot be read is None, never a guess.

`written_dates` parses the formats that people write.
"""

import email.utils
import re
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta, timezone

_PDF = re.compile(
    r"\s*(?:D:)?\s*(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?\s*(?:(Z)|([+-])(\d\d)'?(\d\d)?'?)?", re.ASCII
)
_DIGITS = re.compile(r"\s*(\d{4})(\d\d)(\d\d)(?:(\d\d)(\d\d)(\d\d)Z?)?\s*\Z", re.ASCII)
_DAY = re.compile(r"\d{4}-\d\d-\d\d|\d{8}", re.ASCII)
_LONGEST_ISO = 64
WIDEST_OFFSET = timedelta(hours=15)  # no zone is further from UTC


def parse_iso_date(text: str) -> datetime | None:
    """ISO 8601; a date without a zone is in UTC."""
    try:
        return as_aware(datetime.fromisoformat(text.strip()[:_LONGEST_ISO]))
    except ValueError:
        return None


def parse_mail_date(text: str) -> datetime | None:
    """RFC 5322, as mail and HTTP headers write it; a date without a zone is in UTC."""
    try:
        return as_aware(email.utils.parsedate_to_datetime(text))
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def parse_pdf_date(text: str) -> datetime | None:
    """D:20261113091500+01'00'; a date without a zone is in UTC."""
    match = _PDF.match(text)
    if not match or not match[2]:
        return None
    parts = [int(part) if part else None for part in match.groups()[:6]]
    is_zone = match[8] and int(match[10] or 0) < 60
    offset = parse_offset(match[8], match[9], match[10]) if is_zone else None
    return build_date(parts, timezone(offset) if offset is not None else UTC)


def parse_digit_date(text: str) -> datetime | None:
    """20261113 or 20261113091500, in UTC."""
    match = _DIGITS.match(text)
    return build_date([int(part) if part else None for part in match.groups()]) if match else None


def parse_timestamp(value: object) -> datetime | None:
    """A text in ISO 8601 or in digits, in UTC; nanoseconds are cut to microseconds. None for anything else."""
    moment = (parse_iso_date(value) or parse_digit_date(value)) if isinstance(value, str) else None
    try:
        return None if moment is None else moment.astimezone(UTC)
    except OverflowError:
        return None


def parse_day(text: str) -> date | None:
    """A day of the calendar: 2026-11-13 or 20261113."""
    moment = parse_iso_date(text) if _DAY.fullmatch(text) else None
    return None if moment is None else moment.date()


def as_aware(moment: datetime) -> datetime:
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def build_date(parts: Sequence[int | None], zone: timezone = UTC) -> datetime | None:
    """From the year down to the second; missing parts are the first there is. A leap second becomes second 59."""
    year, month, day, hour, minute, second = (*parts, None, None, None, None, None)[:6]
    try:
        return datetime(
            year or 0, month or 1, day or 1, hour or 0, minute or 0, min(second or 0, 59), tzinfo=zone
        )
    except (ValueError, OverflowError):
        return None


def parse_offset(
    sign: str, hours: str, minutes: str | None, *, widest: timedelta = WIDEST_OFFSET
) -> timedelta | None:
    """A zone's distance from UTC; None when there is no such zone."""
    size = timedelta(hours=int(hours), minutes=int(minutes or 0))
    if size >= widest:
        return None
    return -size if sign == "-" else size


def order_day_month(first: int, second: int, *, day_first: bool | None) -> tuple[int, int] | None:
    """Day and month of a date in numbers. A number above twelve is the day; else the custom decides, if it is known."""
    if first > 12 or (day_first and second <= 12) or first == second:
        return first, second
    if second > 12 or day_first is False:
        return second, first
    return None

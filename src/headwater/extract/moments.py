"""Points in time as papers write them. Never a guess: what cannot be read is None."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, timezone

_PDF = re.compile(
    r"\s*(?:D:)?\s*(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?\s*(?:(Z)|([+-])(\d\d)'?(\d\d)?'?)?", re.ASCII
)
_DAY = re.compile(r"\s*(\d{4})(\d\d)(\d\d)(?:(\d\d)(\d\d)(\d\d)Z?)?\s*\Z", re.ASCII)


def from_pdf(text: str) -> datetime | None:
    """D:20261113091500+01'00'; without a zone it is read as UTC."""
    found = _PDF.match(text)
    if not found or not found[2]:
        return None
    parts = [int(part) if part else None for part in found.groups()[:6]]
    return _moment(parts, _zone(found[8], found[9], found[10]))


def from_digits(text: str) -> datetime | None:
    """20261113 or 20261113091500, in UTC."""
    found = _DAY.match(text)
    return _moment([int(part) if part else None for part in found.groups()], UTC) if found else None


def from_iso(text: str) -> datetime | None:
    """ISO 8601, as office files write it; without a zone it is read as UTC."""
    try:
        moment = datetime.fromisoformat(text.strip()[:40])
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _zone(sign: str | None, hours: str | None, minutes: str | None) -> timezone:
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

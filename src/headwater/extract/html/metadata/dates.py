"""Dates as pages write them, to aware datetimes. What is ambiguous or impossible gives None."""

import re
from datetime import UTC, datetime, timedelta, timezone

_EARLIEST = datetime(1990, 1, 1, tzinfo=UTC)
_LATEST = datetime(2100, 1, 1, tzinfo=UTC)
_ISO = re.compile(
    r"(\d{4})-(\d{1,2})-(\d{1,2})"
    r"(?:[T\s]+(\d{1,2}):(\d{2})(?::(\d{2}))?(?:[.,]\d+)?\s*(Z|UTC|GMT|[+-]\d{2}:?\d{2})?)?",
    re.IGNORECASE,
)
_COMPACT = re.compile(r"^(\d{4})(\d{2})(\d{2})(?:T?(\d{2})(\d{2})(\d{2})?Z?)?$")
_YEAR_FIRST = re.compile(r"\b(\d{4})[/.](\d{1,2})[/.](\d{1,2})\b")
_DENSE = re.compile(r"(\d{4})\s*年\s*(\d{1,2})\s*月\s*(\d{1,2})\s*日")
_HANGUL = re.compile(r"(\d{4})\s*년\s*(\d{1,2})\s*월\s*(\d{1,2})\s*일")
_DAY_FIRST = re.compile(r"\b(\d{1,2})[./](\d{1,2})[./](\d{4})\b")
_RFC = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2}))?\s*(Z|UTC|GMT|[+-]\d{2}:?\d{2})")
_PATH = re.compile(
    r"/(20\d{2}|19\d{2})[/-](\d{1,2})[/-](\d{1,2})(?:[/-]|$)|/(20\d{2})(\d{2})(\d{2})(?:[/_-]|$)"
)
# The first letters that tell the months apart, in the languages that share them.
_MONTH_NAMES = (
    "january jan januar enero ene janvier janv gennaio gen janeiro januari januára stycznia января leden ocak ιανουαρίου",
    "february feb februar febrero février févr fév febbraio fevereiro fev februari lutego февраля února şubat",
    "march mar märz maerz mrz marzo mars março maart marca марта března mart",
    "april apr abril abr avril avr aprile kwietnia апреля dubna nisan",
    "may mai mayo maggio mag maio mei maja мая května may\u0131s",
    "june jun juni junio juin giugno giu junho czerwca июня června haziran",
    "july jul juli julio juillet juil luglio lug julho lipca июля července temmuz",
    "august aug agosto ago août agosto augustus sierpnia августа srpna ağustos",
    "september sep sept septiembre setiembre septembre settembre set setembro września сентября září eylül",
    "october oct oktober okt octubre octobre ottobre ott outubro out października октября října ekim",
    "november nov noviembre novembre novembro listopada ноября listopadu kas\u0131m",
    "december dec dezember dez diciembre dic décembre déc dicembre dezembro december grudnia декабря prosince aral\u0131k",
)
_MONTHS = {name: number for number, names in enumerate(_MONTH_NAMES, 1) for name in names.split()}
_DAY_MONTH = re.compile(
    r"\b(\d{1,2})(?:st|nd|rd|th|er|º|\.)?\s*(?:de\s+|of\s+)?([^\W\d_]{3,12})\.?,?\s*(?:de\s+|del\s+)?(\d{4})\b"
)
_MONTH_DAY = re.compile(r"\b([^\W\d_]{3,12})\.?\s+(\d{1,2})(?:st|nd|rd|th)?\s*,?\s+(\d{4})\b")


def parse_date(text: str) -> datetime | None:
    """The date that stands in the text; a time without a zone is taken as UTC."""
    text = text.strip()[:120]
    if not text or not any(letter.isdigit() for letter in text):
        return None
    for reader in (_iso, _compact, _spelled, _numeric):
        if (found := reader(text)) is not None:
            return found if _EARLIEST <= found < _LATEST else None
    return None


def has_time(text: str) -> bool:
    return bool(re.search(r"\d{1,2}:\d{2}", text))


def date_in_path(path: str) -> datetime | None:
    """A full year, month and day in the path of an address."""
    found = _PATH.search(path)
    if not found:
        return None
    year, month, day = (int(part) for part in found.groups() if part)
    date = _date(year, month, day)
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
    lowered = text.lower()
    for pattern, day_at, month_at in ((_DAY_MONTH, 1, 2), (_MONTH_DAY, 2, 1)):
        for found in pattern.finditer(lowered):
            month = _MONTHS.get(found[month_at])
            if month:
                return _with_clock(int(found[3]), month, int(found[day_at]), text)
    return None


def _with_clock(year: int, month: int, day: int, text: str) -> datetime | None:
    """The clock is believed only where it states its zone."""
    if clock := _RFC.search(text):
        hour, minute, second, zone = clock.groups()
        return _date(year, month, day, (hour, minute, second), zone)
    return _date(year, month, day)


def _numeric(text: str) -> datetime | None:
    for pattern in (_DENSE, _HANGUL, _YEAR_FIRST):
        if found := pattern.search(text):
            year, month, day = (int(part) for part in found.groups())
            return _date(year, month, day)
    if found := _DAY_FIRST.search(text):
        one, two, year = (int(part) for part in found.groups())
        return _ambiguous(one, two, year, dotted="." in found[0])
    return None


def _ambiguous(one: int, two: int, year: int, *, dotted: bool) -> datetime | None:
    """Dots put the day first; with slashes only a number above twelve tells which is the day."""
    if dotted or one > 12:
        return _date(year, two, one)
    if two > 12 or one == two:
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

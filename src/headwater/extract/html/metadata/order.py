"""How a page orders day and month where it writes both as numbers."""

from collections.abc import Sequence
from urllib.parse import urlsplit

from headwater.extract.html.metadata.dates import is_numeric, parse_date, puts_day_first
from headwater.extract.html.metadata.evidence import Evidence

_MONTH_FIRST = frozenset({"US", "PH", "CA", "FM", "MH", "PW"})
_COUNTRIES_DAY_FIRST = ("uk", "au", "nz", "ie", "in", "za", "sg", "my", "hk", "ng", "ke")
_ENOUGH = 40


def day_comes_first(evidence: Evidence, lines: Sequence[str], url: str) -> bool | None:
    """What the dates of the page show; else the custom of its language or country; else unknown."""
    marks = evidence.times[:_ENOUGH]
    texts = [*(mark.value for mark in marks), *(mark.text for mark in marks), *lines[:_ENOUGH]]
    numeric = [text for text in texts if is_numeric(text)]
    if numeric:
        shown = next((order for text in numeric if (order := puts_day_first(text)) is not None), None)
        shown = _agreed(numeric, texts) if shown is None else shown
        if shown is not None:
            return shown
    return _custom(evidence.language, url)


def _agreed(numeric: Sequence[str], texts: Sequence[str]) -> bool | None:
    """The order in which a date of numbers is one that the page also states in words."""
    known = {found.date() for text in texts if (found := parse_date(text)) is not None}
    for text in numeric:
        readings = {order: parse_date(text, day_first=order) for order in (True, False)}
        fitting = [order for order, found in readings.items() if found is not None and found.date() in known]
        if len(fitting) == 1:
            return fitting[0]
    return None


def _custom(language: str, url: str) -> bool | None:
    name, _, region = language.replace("_", "-").partition("-")
    if name and name.lower() != "en":
        return True
    if region:
        return region.upper() not in _MONTH_FIRST
    country = (urlsplit(url).hostname or "").rpartition(".")[2]
    return True if country in _COUNTRIES_DAY_FIRST else None

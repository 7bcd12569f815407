"""A small grammar: `[this|that]` is a choice, `{name}` a slot. Names stay the same through a text, figures do not."""

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from random import Random

from headwater_demo.prose.text import ProseLanguage

_CHOICE = re.compile(r"\[([^\[\]]*)\]")
_SLOT = re.compile(r"\{(\w+)\}")


def expand(
    template: str, cast: Mapping[str, str], language: ProseLanguage, today: datetime, chance: Random
) -> str:
    """Fills a template; KeyError where a slot is neither in the cast nor a figure."""
    wording = template
    while _CHOICE.search(wording):
        wording = _CHOICE.sub(lambda match: chance.choice(match[1].split("|")), wording)
    filled = _SLOT.sub(
        lambda match: cast.get(match[1]) or _figure(match[1], language, today, chance), wording
    )
    return filled[0].upper() + filled[1:]


def figures(language: ProseLanguage, today: datetime, chance: Random) -> dict[str, str]:
    """One value for every figure, for texts that must not contradict each other."""
    return {name: _figure(name, language, today, chance) for name in (*_NUMBERS, *_DATES_AND_THOUSANDS)}


def _figure(name: str, language: ProseLanguage, today: datetime, chance: Random) -> str:
    number = _NUMBERS.get(name)
    if number is not None:
        low, high, places = number
        figure = f"{chance.uniform(low, high):.{places}f}"
        return figure.replace(".", language.decimal)
    if name == "thousands":
        separator = "," if language.decimal == "." else "."
        return f"{chance.randint(11, 980) * 100:,}".replace(",", separator)
    day = today + timedelta(
        days=chance.randint(-40, -1) if name in ("past", "month_past") else chance.randint(4, 60)
    )
    month = language.months[day.month - 1]
    figure = language.date.format(day=day.day, month=month)
    dates = {
        "past": figure,
        "future": figure,
        "month": month,
        "month_past": month,
        "weekday": language.weekdays[today.weekday()],
    }
    return dates[name]


_DATES_AND_THOUSANDS = ("thousands", "past", "future", "month", "month_past", "weekday")
_NUMBERS: dict[str, tuple[float, float, int]] = {
    "percent": (2, 48, 0),
    "fraction": (0.1, 9.9, 1),
    "millions": (3, 480, 0),
    "count": (3, 96, 0),
    "hundreds": (110, 990, 0),
    "few": (2, 9, 0),
    "hours": (2, 36, 0),
    "block": (18_000_000, 24_000_000, 0),
    "cents": (0.11, 0.98, 2),
}

"""A small grammar: `[this|that]` is a choice, `{name}` a slot. Names stay the same through a text, figures do not."""

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from random import Random

from headwater_demo.prose.text import ProseLanguage

_CHOICE = re.compile(r"\[([^\[\]]*)\]")
_SLOT = re.compile(r"\{(\w+)\}")


def expand(
    template: str, cast: Mapping[str, str], tongue: ProseLanguage, today: datetime, chance: Random
) -> str:
    """Fill a template; KeyError where a slot is neither in the cast nor a figure."""
    chosen = template
    while _CHOICE.search(chosen):
        chosen = _CHOICE.sub(lambda found: chance.choice(found[1].split("|")), chosen)
    filled = _SLOT.sub(lambda found: cast.get(found[1]) or _figure(found[1], tongue, today, chance), chosen)
    return filled[0].upper() + filled[1:]


def figures(tongue: ProseLanguage, today: datetime, chance: Random) -> dict[str, str]:
    """One value for every figure, for texts that must not contradict each other."""
    return {name: _figure(name, tongue, today, chance) for name in (*_NUMBERS, *_DATES_AND_THOUSANDS)}


def _figure(name: str, tongue: ProseLanguage, today: datetime, chance: Random) -> str:
    number = _NUMBERS.get(name)
    if number is not None:
        low, high, places = number
        written = f"{chance.uniform(low, high):.{places}f}"
        return written.replace(".", tongue.decimal)
    if name == "thousands":
        mark = "," if tongue.decimal == "." else "."
        return f"{chance.randint(11, 980) * 100:,}".replace(",", mark)
    day = today + timedelta(
        days=chance.randint(-40, -1) if name in ("past", "month_past") else chance.randint(4, 60)
    )
    month = tongue.months[day.month - 1]
    written = tongue.date.format(day=day.day, month=month)
    dates = {
        "past": written,
        "future": written,
        "month": month,
        "month_past": month,
        "weekday": tongue.weekdays[today.weekday()],
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

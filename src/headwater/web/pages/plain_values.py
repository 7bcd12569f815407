"""Values of notes, options and evidence as people write them: rows have them as the steps noted them."""

import re
from collections.abc import Callable, Mapping
from typing import Any

DIGITS = 3
_DURATION = re.compile(r"P(?:(\d{1,9})D)?(?:T(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9})(?:\.\d+)?S)?)?")
_UNITS = ((86_400, 172_800, "{count} days"), (3_600, 5_400, "{count} h"), (60, 90, "{count} min"))


def plain_value(value: Any, translate: Callable[..., str]) -> str:
    if isinstance(value, bool):
        return translate("yes" if value else "no")
    if value is None:
        return "–"
    if isinstance(value, float):
        if 0 < abs(value) < 1:
            return f"{value:.{DIGITS}g}"
        return f"{value:.{DIGITS}f}".rstrip("0").rstrip(".")
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {plain_value(part, translate)}" for name, part in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(plain_value(part, translate) for part in value)
    text = str(value)
    match = _DURATION.fullmatch(text) if len(text) > 2 else None
    return text if match is None else _duration(match, translate)


def _duration(match: re.Match[str], translate: Callable[..., str]) -> str:
    days, hours, minutes, seconds = (int(part or 0) for part in match.groups())
    total = days * 86_400 + hours * 3_600 + minutes * 60 + seconds
    for unit, least, words in _UNITS:
        if total >= least:
            return translate(words, count=str(round(total / unit)))
    return translate("{count} s", count=str(total))

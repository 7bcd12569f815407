"""A source's options, read with their meaning; a mistake in them is told by the option's name."""

import re
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from headwater.model.errors import Permanent

UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}
DURATION = re.compile(r"(\d{1,9}(?:\.\d{1,6})?)\s*([smhdw]?)")
LONGEST = timedelta(days=3650)


def bad_option(name: str, why: str) -> Permanent:
    return Permanent("bad_options", f"{name}: {why}")


def whole_number(options: Mapping[str, Any], name: str, *, default: int, most: int, least: int = 1) -> int:
    """Within its bounds: what is larger is cut to the most that is allowed, what is smaller is a mistake."""
    value = options.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise bad_option(name, f"a whole number of at least {least} is needed, not {value!r}")
    return min(value, most)


def texts(options: Mapping[str, Any], name: str) -> tuple[str, ...]:
    """One text or a list of them; empty when nothing is said."""
    value = options.get(name)
    if value is None:
        return ()
    found = [value] if isinstance(value, str) else value
    if not isinstance(found, list | tuple) or not all(isinstance(one, str) and one for one in found):
        raise bad_option(name, "a text or a list of texts is needed")
    return tuple(found)


def switch(options: Mapping[str, Any], name: str) -> bool:
    value = options.get(name, False)
    if not isinstance(value, bool):
        raise bad_option(name, f"true or false is needed, not {value!r}")
    return value


def duration(options: Mapping[str, Any], name: str) -> timedelta | None:
    """`90s`, `15m`, `4h`, `7d`, `2w`, or a number of seconds; None when nothing is said."""
    value = options.get(name)
    if value is None:
        return None
    found = DURATION.fullmatch(str(value).strip()) if not isinstance(value, bool) else None
    if not found or float(found[1]) == 0:
        raise bad_option(name, f"'{value}' is not a duration; write for example 12h or 7d")
    return min(timedelta(seconds=min(float(found[1]) * UNITS[found[2] or "s"], 1e9)), LONGEST)

"""Answers of interfaces, compared by what they say: fields that differ each time are left out."""

from collections.abc import Mapping
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

import msgspec

# Written anew into every answer, whatever else it says.
VOLATILE = frozenset({"request_id", "took", "next_url", "timed_out", "_shards", "max_score", "_score"})

_LONGEST_FRACTION = 6


def digest(payload: Any, volatile: frozenset[str] = VOLATILE) -> str:
    """The same for two answers that say the same, in whatever order their fields stand."""
    return sha256(msgspec.json.encode(_lasting(payload, volatile), order="sorted")).hexdigest()


def _lasting(value: Any, volatile: frozenset[str]) -> Any:
    if isinstance(value, Mapping):
        return {str(name): _lasting(part, volatile) for name, part in value.items() if name not in volatile}
    if isinstance(value, list | tuple):
        return [_lasting(part, volatile) for part in value]
    return value


def moment(text: Any) -> datetime | None:
    """A moment as interfaces write it, in UTC; nanoseconds are cut to what a clock here can hold."""
    if not isinstance(text, str) or not text:
        return None
    whole, dot, rest = text.strip().partition(".")
    digits = len(rest) - len(rest.lstrip("0123456789"))
    fraction = f"{dot}{rest[: min(digits, _LONGEST_FRACTION)]}{rest[digits:]}" if dot else ""
    try:
        found = datetime.fromisoformat(f"{whole}{fraction}")
    except ValueError:
        return None
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)


def instant(text: str | None, otherwise: datetime) -> datetime:
    """A moment of our own memory, or another one where there is none."""
    return moment(text) or otherwise


def words(value: Any) -> str:
    """A text as it is, anything else as nothing."""
    return value.strip() if isinstance(value, str) else ""


def texts(value: Any) -> list[str]:
    """The texts of a list."""
    return [one.strip() for one in value if words(one)] if isinstance(value, list) else []


def number(value: Any) -> float | None:
    """A number, also one that is written as text; nothing that is not finite."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        found = float(value)
    except ValueError:
        return None
    return found if abs(found) != float("inf") and found == found else None  # noqa: PLR0124 - NaN is not itself

"""Values as interfaces write them, taken for what they are and for nothing else."""

from datetime import UTC, datetime
from math import isfinite
from typing import Any

_LONGEST_FRACTION = 6


def moment(text: Any) -> datetime | None:
    """A moment as interfaces write it, in UTC; nanoseconds are cut to what a clock here can hold."""
    if not isinstance(text, str) or not text:
        return None
    whole, dot, rest = text.strip().partition(".")
    digits = len(rest) - len(rest.lstrip("0123456789"))
    fraction = f"{dot}{rest[: min(digits, _LONGEST_FRACTION)]}{rest[digits:]}" if dot else ""
    try:
        found = datetime.fromisoformat(f"{whole}{fraction}")
        return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


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
    except (ValueError, OverflowError):
        return None
    return found if isfinite(found) else None

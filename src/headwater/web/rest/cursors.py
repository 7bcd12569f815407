"""Opaque cursors: a position in a list, as a text that only we read."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error
from collections.abc import Sequence
from datetime import UTC, datetime
from math import isfinite
from typing import Any

import msgspec

from headwater.store.reads.pages import Position
from headwater.web.problems import HttpProblem

LONGEST_CURSOR = 2_000
LARGEST_NUMBER = 2**63 - 1


def write_cursor(order: str, position: Position | None) -> str | None:
    """None at the end of a list. `order` names the list and how it is sorted: a cursor of another one is refused."""
    if position is None:
        return None
    return urlsafe_b64encode(msgspec.json.encode([order, *position])).decode().rstrip("=")


def read_cursor(text: str, order: str, kinds: Sequence[Any]) -> Position | None:
    """The position with values of these types, or None without a cursor."""
    if not text:
        return None
    try:
        padded = text[:LONGEST_CURSOR] + "=" * (-len(text) % 4)
        name, *values = msgspec.json.decode(urlsafe_b64decode(padded), type=list[Any])
        position: Position = tuple(
            _storable_value(msgspec.convert(value, kind, strict=kind not in (datetime, datetime | None)))
            for value, kind in zip(values, kinds, strict=True)
        )
    except (Error, ValueError, UnicodeError, RecursionError, OverflowError, msgspec.MsgspecError) as error:
        raise HttpProblem(400, "bad_cursor", "cursor: give one that this list returned as `next`") from error
    return position if name == order else _refuse_other(order)


def _storable_value(value: Any) -> Any:
    """As a database takes it; ValueError or OverflowError for a value that no row has, such as a time before the year 1."""
    if isinstance(value, datetime):
        return value.astimezone(UTC)
    if isinstance(value, int) and abs(value) > LARGEST_NUMBER:
        raise ValueError("number")
    if isinstance(value, float) and not isfinite(value):
        raise ValueError("number")
    if isinstance(value, str) and "\x00" in value:
        raise ValueError("text")
    return value


def _refuse_other(order: str) -> Position:
    raise HttpProblem(400, "bad_cursor", f"cursor: this one belongs to another list than {order}")

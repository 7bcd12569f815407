"""Dates that copies of a document have: an original without a date takes over the earliest of them.

Which copy of a text comes first, and is the original, depends on the network. When it was published must not.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

FROM_COPY = "copy: "


@dataclass(frozen=True, slots=True, order=True)
class CopyDate:
    """When a copy was published, and the origin of that date."""

    published: datetime
    origin: str


def earliest_date(dates: Iterable[CopyDate]) -> CopyDate | None:
    return min(dates, default=None)


def takes_over(published: datetime | None, origin: str, offered: CopyDate | None) -> bool:
    """Whether a document with this date and origin takes the offered one: it has none, or a later one of another copy."""
    if offered is None:
        return False
    return published is None or (origin.startswith(FROM_COPY) and offered.published < published)

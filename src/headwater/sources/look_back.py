"""How far back a poll of an API looks, because sources list some items late and correct others.

Most polls look back as far as the delays of the last week suggest. Once an hour a wide poll looks back a whole day: it finds what
is later than anything before, and corrections of older items. It takes the place of an ordinary poll, with the largest
pages, so it costs hardly more requests.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from headwater.text.dates import parse_timestamp

WIDE_LOOK_BACK = timedelta(hours=24)
WIDE_EVERY = timedelta(hours=1)
LONGEST_LOOK_BACK = timedelta(hours=48)
REMEMBERED_DAYS = 7
# An item that was late by this much is likely to be followed by one that is somewhat later.
MARGIN = 1.5


@dataclass(frozen=True, slots=True)
class ObservedDelays:
    """What the polls of a source have seen: when the last complete poll and the last wide poll were, and the longest delay of
    each day in seconds."""

    polled_at: datetime | None = None
    wide_at: datetime | None = None
    by_day: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def from_record(cls, record: Any) -> "ObservedDelays":
        values = record if isinstance(record, Mapping) else {}
        by_day = values.get("by_day")
        return cls(
            parse_timestamp(values.get("polled_at")),
            parse_timestamp(values.get("wide_at")),
            dict(by_day) if isinstance(by_day, Mapping) else {},
        )

    def to_record(self) -> dict[str, Any]:
        return {
            "polled_at": self.polled_at.isoformat() if self.polled_at else None,
            "wide_at": self.wide_at.isoformat() if self.wide_at else None,
            "by_day": dict(self.by_day),
        }

    def is_wide_due(self, now: datetime) -> bool:
        """Whether the next poll is a wide one. The first poll of a source is none: it reads everything anyway."""
        return self.polled_at is not None and (self.wide_at is None or now - self.wide_at >= WIDE_EVERY)

    def look_back(self, least: timedelta, now: datetime) -> timedelta:
        """How far before the newest item the next poll begins."""
        longest = timedelta(seconds=max(self.by_day.values(), default=0.0) * MARGIN)
        usual = min(max(longest, least), max(LONGEST_LOOK_BACK, least))
        return max(usual, WIDE_LOOK_BACK) if self.is_wide_due(now) else usual

    def delay_of(self, published: datetime, now: datetime) -> timedelta:
        """How late an item is that appears now. One that was published after the last poll is not late, even if our own poll
        is."""
        if self.polled_at is None or published >= self.polled_at:
            return timedelta(0)
        return now - published

    def after_poll(self, now: datetime, longest_delay: timedelta, *, is_complete: bool) -> "ObservedDelays":
        seconds = {
            **self.by_day,
            _day(now): max(self.by_day.get(_day(now), 0.0), longest_delay.total_seconds()),
        }
        oldest = _day(now - timedelta(days=REMEMBERED_DAYS))
        recent = {day: value for day, value in seconds.items() if day > oldest and value}
        is_wide = self.polled_at is None or self.is_wide_due(now)
        return ObservedDelays(
            now if is_complete else self.polled_at, now if is_wide else self.wide_at, recent
        )


def _day(now: datetime) -> str:
    return now.date().isoformat()

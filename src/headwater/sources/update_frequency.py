"""How often a source publishes, learned from the dates of its entries, and the poll intervals that follow."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any, Self

FEWEST_ENTRIES = 3
ENTRIES_FOR_DEADLINE = 10
SHORTEST_GAP, LONGEST_GAP = timedelta(minutes=1), timedelta(days=365)
# Six polls in the usual gap between entries: an entry is late by at most a sixth of the gap.
POLLS_PER_UPDATE = 6
LONGEST_MIN_INTERVAL = timedelta(hours=24)
SHORTEST_MAX_INTERVAL = timedelta(minutes=15)
# Half of the previous value stays, so that one unusual day changes little.
DECAY = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateFrequency:
    """`every`: the usual gap between two entries. `quiet`: the longest usual gap. `window`: the time between the oldest
    and the newest entry of the feed; older entries have dropped out."""

    every: timedelta
    quiet: timedelta
    window: timedelta
    entries: int

    def as_record(self) -> dict[str, float]:
        """In seconds, for the watermark."""
        return {
            "every": round(self.every.total_seconds()),
            "quiet": round(self.quiet.total_seconds()),
            "window": round(self.window.total_seconds()),
            "entries": self.entries,
        }

    @classmethod
    def from_record(cls, record: object) -> Self | None:
        """None if the record is not an update frequency."""
        if not isinstance(record, Mapping):
            return None
        values: Mapping[str, Any] = record
        try:
            every, quiet, window = (
                timedelta(seconds=float(values[name])) for name in ("every", "quiet", "window")
            )
            return cls(every=every, quiet=quiet, window=window, entries=int(values["entries"]))
        except (KeyError, TypeError, ValueError, OverflowError):
            return None


def learn_frequency(
    dates: Iterable[datetime], previous: UpdateFrequency | None = None
) -> UpdateFrequency | None:
    """The frequency of these dates mixed with the previous one; the previous one if there are too few dates."""
    times = sorted(set(dates))
    if len(times) < FEWEST_ENTRIES:
        return previous
    window = times[-1] - times[0]
    every = _bounded(window / (len(times) - 1))
    quiet = _bounded(max(later - earlier for earlier, later in pairwise(times)))
    if previous is not None:
        every = _bounded(every * (1 - DECAY) + previous.every * DECAY)
        quiet = max(quiet, _bounded(previous.quiet * (1 - DECAY / 5)))
    return UpdateFrequency(every=every, quiet=max(quiet, every), window=window, entries=len(times))


def _bounded(span: timedelta) -> timedelta:
    return min(max(span, SHORTEST_GAP), LONGEST_GAP)


def min_poll_interval(frequency: UpdateFrequency | None) -> timedelta | None:
    """The shortest useful interval for a slow source; None for a source that is not slow."""
    if frequency is None:
        return None
    interval = frequency.every / POLLS_PER_UPDATE
    return min(interval, LONGEST_MIN_INTERVAL) if interval >= timedelta(hours=1) else None


def max_poll_interval(frequency: UpdateFrequency | None) -> timedelta | None:
    """The longest interval at which no entry drops out of the feed unseen: half the time that entries stay."""
    if frequency is None or frequency.entries < ENTRIES_FOR_DEADLINE:
        return None
    return max(frequency.window / 2, SHORTEST_MAX_INTERVAL)

"""How often a source has something new, learned from the times of what it gave, and what follows for looking."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any, Self

FEWEST = 3
ENOUGH = 10
SHORTEST, LONGEST = timedelta(minutes=1), timedelta(days=365)
# A source is looked at six times in its usual pause, so that news are never late by more than a sixth of it.
POLLS_PER_UPDATE = 6
LONGEST_MIN_INTERVAL = timedelta(hours=24)
SHORTEST_MAX_INTERVAL = timedelta(minutes=15)
# Half of what was known before stays: one odd day does not change a source's habits.
DECAY = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateFrequency:
    """`every`: the usual pause between two entries. `quiet`: the longest pause that is usual. `window`: the time that
    the entries on show span; older ones have scrolled away."""

    every: timedelta
    quiet: timedelta
    window: timedelta
    entries: int

    def as_record(self) -> dict[str, float]:
        """Seconds, to be stored."""
        return {
            "every": round(self.every.total_seconds()),
            "quiet": round(self.quiet.total_seconds()),
            "window": round(self.window.total_seconds()),
            "entries": self.entries,
        }

    @classmethod
    def from_record(cls, record: object) -> Self | None:
        """None for what is no rhythm."""
        if not isinstance(record, Mapping):
            return None
        told: Mapping[str, Any] = record
        try:
            every, quiet, window = (
                timedelta(seconds=float(told[name])) for name in ("every", "quiet", "window")
            )
            return cls(every=every, quiet=quiet, window=window, entries=int(told["entries"]))
        except (KeyError, TypeError, ValueError, OverflowError):
            return None


def learn_frequency(
    moments: Iterable[datetime], before: UpdateFrequency | None = None
) -> UpdateFrequency | None:
    """The rhythm of the entries on show, mixed with what was known; what was known when they are too few."""
    times = sorted(set(moments))
    if len(times) < FEWEST:
        return before
    window = times[-1] - times[0]
    every = _bounded(window / (len(times) - 1))
    quiet = _bounded(max(later - earlier for earlier, later in pairwise(times)))
    if before is not None:
        every = _bounded(every * (1 - DECAY) + before.every * DECAY)
        quiet = max(quiet, _bounded(before.quiet * (1 - DECAY / 5)))
    return UpdateFrequency(every=every, quiet=max(quiet, every), window=window, entries=len(times))


def _bounded(span: timedelta) -> timedelta:
    return min(max(span, SHORTEST), LONGEST)


def min_poll_interval(rhythm: UpdateFrequency | None) -> timedelta | None:
    """How long a slow source may be left alone; None for one that is not slow."""
    if rhythm is None:
        return None
    wanted = rhythm.every / POLLS_PER_UPDATE
    return min(wanted, LONGEST_MIN_INTERVAL) if wanted >= timedelta(hours=1) else None


def max_poll_interval(rhythm: UpdateFrequency | None) -> timedelta | None:
    """By when to look again lest entries scroll away unseen: twice in the time that they stay."""
    if rhythm is None or rhythm.entries < ENOUGH:
        return None
    return max(rhythm.window / 2, SHORTEST_MAX_INTERVAL)

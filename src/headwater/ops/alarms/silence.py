"""A source that stays silent for longer than its own rhythm explains.

The rhythm is the gaps between arrivals. Arrivals within one poll count as one, because a poll cannot tell them apart. A
source that pauses every weekend has shown gaps of that length, so a weekend is expected; after a single long gap only a
little more than that gap is.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise

MIN_GAPS = 4
FACTOR = 1.5
UNCERTAINTY = 6.0
"""Divided by the number of gaps and added to the factor: with few gaps, a longer silence is expected."""
LONGEST_GAP_FACTOR = 1.1
SHORTEST = timedelta(hours=1)
RESOLUTION = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Silence:
    duration: timedelta
    expected: timedelta


def expected_quiet(arrivals: Sequence[datetime], interval: timedelta) -> timedelta | None:
    """The longest silence that the arrivals explain, for a source polled at this interval; None if there are too few."""
    gaps = _gaps(arrivals, interval)
    if len(gaps) < MIN_GAPS:
        return None
    factor = FACTOR + UNCERTAINTY / len(gaps)
    return max(gaps[-2] * factor, gaps[-1] * LONGEST_GAP_FACTOR, SHORTEST) + interval


def _gaps(arrivals: Sequence[datetime], interval: timedelta) -> list[timedelta]:
    """The gaps between arrivals that different polls could have found, ascending."""
    distinct: list[datetime] = []
    for moment in sorted(arrivals):
        if not distinct or moment - distinct[-1] >= max(interval, RESOLUTION):
            distinct.append(moment)
    return sorted(later - earlier for earlier, later in pairwise(distinct))


def detect_silence(
    arrivals: Sequence[datetime], last_seen: datetime, polled_at: datetime, interval: timedelta
) -> Silence | None:
    """`last_seen` is the newest arrival, `polled_at` the last successful poll: time without polls is not silence."""
    expected = expected_quiet(arrivals, interval)
    duration = polled_at - last_seen
    if expected is None or duration <= expected:
        return None
    return Silence(duration, expected)

"""A source that stays quiet for longer than its own rhythm explains.

The rhythm is the gaps between arrivals. Arrivals within one look count as one: nobody could tell them apart. A source
that rests every weekend has shown gaps as long as a weekend, so a weekend is explained; one that has rested so long
only once is given a little more than that.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise

MIN_GAPS = 4
FACTOR = 1.5
UNCERTAINTY = 6.0
"""Divided by the number of gaps and added to the factor: a rhythm known from few gaps explains more."""
LONGEST_GAP_FACTOR = 1.1
SHORTEST = timedelta(hours=1)
RESOLUTION = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Silence:
    quiet: timedelta
    explained: timedelta


def expected_quiet(arrivals: Sequence[datetime], interval: timedelta) -> timedelta | None:
    """The longest quiet that the arrivals explain, for a source that is looked at so often; None where there are too
    few of them to tell."""
    gaps = _gaps(arrivals, interval)
    if len(gaps) < MIN_GAPS:
        return None
    factor = FACTOR + UNCERTAINTY / len(gaps)
    return max(gaps[-2] * factor, gaps[-1] * LONGEST_GAP_FACTOR, SHORTEST) + interval


def _gaps(arrivals: Sequence[datetime], interval: timedelta) -> list[timedelta]:
    """Between arrivals that different looks could have found; ascending."""
    told_apart: list[datetime] = []
    for moment in sorted(arrivals):
        if not told_apart or moment - told_apart[-1] >= max(interval, RESOLUTION):
            told_apart.append(moment)
    return sorted(later - earlier for earlier, later in pairwise(told_apart))


def detect_silence(
    arrivals: Sequence[datetime], last_seen: datetime, looked_at: datetime, interval: timedelta
) -> Silence | None:
    """`last_seen`: when something of it came in last; `looked_at`: when it was last read without finding anything
    wrong. Time in which nobody looked is no silence."""
    explained = expected_quiet(arrivals, interval)
    quiet = looked_at - last_seen
    if explained is None or quiet <= explained:
        return None
    return Silence(quiet, explained)

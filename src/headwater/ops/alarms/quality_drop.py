"""A drop in the quality of documents from one source: its pages have changed, and the extraction no longer fits.

The newest scores are compared with the earlier ones by rank (the Mann-Whitney test with ties), which assumes nothing about
their distribution: some sources have always written short notes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean

RECENT = 12
MIN_EARLIER = 24
MIN_DROP = 0.15
MIN_Z_SCORE = 3.0
"""Standard deviations: about one false alarm in seven hundred checks of a steady source, and the drop must be large too."""


@dataclass(frozen=True, slots=True)
class QualityDrop:
    before: float
    now: float
    z_score: float


def detect_quality_drop(scores: Sequence[float]) -> QualityDrop | None:
    """`scores` go from 0 (nothing could be read) to 1, oldest first. None if there are too few or they do not drop."""
    earlier, recent = scores[:-RECENT], scores[-RECENT:]
    if len(earlier) < MIN_EARLIER:
        return None
    before, now = fmean(earlier), fmean(recent)
    if before - now < MIN_DROP:
        return None
    z_score = _z_score(earlier, recent)
    return QualityDrop(before, now, z_score) if z_score >= MIN_Z_SCORE else None


def _z_score(earlier: Sequence[float], recent: Sequence[float]) -> float:
    """How many standard deviations the ranks of the recent scores are below their expected value."""
    ranks = _ranks([*earlier, *recent])
    m, n = len(earlier), len(recent)
    total = m + n
    rank_sum = sum(ranks[m:])
    ties = sum(count**3 - count for count in _counts([*earlier, *recent]))
    variance = m * n / 12 * (total + 1 - ties / (total * (total - 1)))
    expected = n * (total + 1) / 2
    return (expected - rank_sum) / sqrt(variance) if variance > 0 else 0.0


def _ranks(values: Sequence[float]) -> list[float]:
    """The rank of each value; equal values share their mean rank."""
    order = sorted(range(len(values)), key=lambda i: values[i])
    ranks = [0.0] * len(values)
    start = 0
    while start < len(order):
        end = start
        while end < len(order) and values[order[end]] == values[order[start]]:
            end += 1
        for index in order[start:end]:
            ranks[index] = (start + 1 + end) / 2
        start = end
    return ranks


def _counts(values: Sequence[float]) -> list[int]:
    counts: dict[float, int] = {}
    for value in values:
        counts[value] = counts.get(value, 0) + 1
    return list(counts.values())

"""Reviews: a random sample of documents, judged by people, and what the verdicts say about all of them."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from enum import StrEnum
from heapq import nsmallest
from math import ceil, sqrt

from headwater.model.keys import key

DEFAULT_SHARE = 0.01
Z_95 = 1.959964


class ReviewVerdict(StrEnum):
    """`unsure` counts as judged, and as neither right nor wrong."""

    RIGHT = "right"
    WRONG = "wrong"
    UNSURE = "unsure"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewSummary:
    """`precision` is the share of right ones among the right and wrong, with its 95 % interval."""

    drawn: int
    right: int
    wrong: int
    unsure: int
    precision: float | None
    low: float | None
    high: float | None

    @property
    def open(self) -> int:
        return self.drawn - self.right - self.wrong - self.unsure


def draw_sample(ids: Iterable[str], share: float, seed: str) -> list[str]:
    """At least one document. The same documents and seed give the same sample, in whatever order they come; a larger share
    contains the smaller one."""
    candidates = list(ids)
    size = min(len(candidates), max(1, ceil(len(candidates) * share)))
    return nsmallest(size, candidates, key=lambda document: key("review", seed, document))


def summarize_reviews(verdicts: Collection[str | None]) -> ReviewSummary:
    """One verdict for each drawn document; None is still open."""
    counts = {verdict: sum(1 for judged in verdicts if judged == verdict) for verdict in ReviewVerdict}
    right, wrong = counts[ReviewVerdict.RIGHT], counts[ReviewVerdict.WRONG]
    low, high = wilson_interval(right, right + wrong) if right + wrong else (None, None)
    return ReviewSummary(
        drawn=len(verdicts),
        right=right,
        wrong=wrong,
        unsure=counts[ReviewVerdict.UNSURE],
        precision=right / (right + wrong) if right + wrong else None,
        low=low,
        high=high,
    )


def wilson_interval(successes: int, trials: int) -> tuple[float, float]:
    """The 95 % interval of a share, which holds for small samples and for shares near 0 and 1, too."""
    share, square = successes / trials, Z_95**2 / trials
    center = (share + square / 2) / (1 + square)
    margin = Z_95 / (1 + square) * sqrt(share * (1 - share) / trials + square / (4 * trials))
    return max(0.0, center - margin), min(1.0, center + margin)

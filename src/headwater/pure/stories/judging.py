"""Which joins of a linkage are one story: judged from the documents as they are, from the whole down to its parts.

The linkage works on smoothed vectors, which find the right pairs but make all that is near look alike, and the more so the
larger the corpus. What is joined is therefore judged by the vectors as they were: their thresholds hold for headlines and
for whole articles, in small groups and in large ones. Two bodies of documents that do not find each other among their
nearest neighbours have to be nearer still: one company's two affairs share a name and little else.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from headwater.pure.stories.linkage import Join
from headwater.pure.stories.timing import Days, nearness
from headwater.pure.stories.vectors import Matrix

Numbers = npt.NDArray[np.int64]

LINKED = 0.2
"""A fifth of the links that two halves of one body would have is enough."""


@dataclass(frozen=True, slots=True)
class Rule:
    least: float
    unlinked: float

    def __call__(self, likeness: float, links: float) -> bool:
        return likeness >= self.least + self.unlinked * max(0.0, 1 - links / LINKED)


@dataclass(frozen=True, slots=True)
class Documents:
    """Rows of a window: vectors, days, and per row the nearest others, -1 where they are outside."""

    vectors: Matrix
    days: Days
    around: Numbers


def judged(done: Sequence[Join], documents: Documents, rule: Rule) -> Numbers:
    """A cluster number per row: the first row of its cluster. `done` has parts before the whole."""
    return _named(done, list(_stands(done, documents, rule)), len(documents.vectors))


def _stands(done: Sequence[Join], documents: Documents, rule: Rule) -> Iterable[bool]:
    """Of each join whether it is one story."""
    sums, days = documents.vectors.copy(), _Means.of(documents.days)
    home = np.append(np.arange(len(sums)), -1)
    inside = [[row] for row in range(len(sums))]
    for kept, gone in done:
        likeness = float(sums[kept] @ sums[gone]) / (len(inside[kept]) * len(inside[gone]))
        small, large = sorted((gone, kept), key=lambda name: len(inside[name]))
        links = _links(documents.around, home, inside[small], inside[large])
        yield rule(likeness * days.near(kept, gone), links)
        days.join(kept, gone)
        sums[kept] += sums[gone]
        home[inside[small]] = home[inside[large][0]]
        inside[large].extend(inside[small])
        inside[kept] = inside[large]


def _links(around: Numbers, home: Numbers, small: Sequence[int], large: Sequence[int]) -> float:
    """How often the smaller body's neighbours are in the larger one, against what halves of one body would show."""
    found = float((home[around[small]] == home[large[0]]).mean())
    both = len(small) + len(large)
    expected = len(large) / both * min(1.0, (both - 1) / int(around.shape[1]))
    return found / expected


@dataclass(frozen=True, slots=True)
class _Means:
    """The mean day of each body, of those documents whose day is known."""

    sums: npt.NDArray[np.float64]
    known: npt.NDArray[np.float64]

    @classmethod
    def of(cls, days: Days) -> "_Means":
        known = ~np.isnan(days)
        return cls(np.where(known, days, 0).astype(np.float64), known.astype(np.float64))

    def near(self, one: int, other: int) -> float:
        if not (self.known[one] and self.known[other]):
            return 1.0
        means = [self.sums[name] / self.known[name] for name in (one, other)]
        return float(nearness(*np.array(means, dtype=np.float32)[:, None])[0])

    def join(self, kept: int, gone: int) -> None:
        self.sums[kept] += self.sums[gone]
        self.known[kept] += self.known[gone]


def _named(done: Sequence[Join], stands: Sequence[bool], rows: int) -> Numbers:
    """From the whole down: what stands as one is one with all its parts; what does not is looked into."""
    top, parts = list(range(rows)), []
    for number, (kept, gone) in enumerate(done):
        parts.append((top[kept], top[gone]))
        top[kept] = rows + number
    names = list(range(rows + len(done)))
    whole = [False] * len(names)
    for number in range(len(done) - 1, -1, -1):
        node = rows + number
        if whole[node] or stands[number]:
            for part in parts[number]:
                names[part], whole[part] = names[node], True
    _, first, place = np.unique(np.array(names[:rows]), return_index=True, return_inverse=True)
    return first[place]

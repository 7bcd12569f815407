"""The figures a verdict is made of, all measured between the story parts of two pages."""

from dataclasses import dataclass
from datetime import timedelta

import numpy as np

from headwater.pure.dupes.alignment import align
from headwater.pure.dupes.articles import Article
from headwater.pure.dupes.boilerplate import announces_correction
from headwater.pure.dupes.page import View
from headwater.pure.dupes.replaced import Pair, replaced
from headwater.pure.dupes.tokens import Tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class Measures:
    earlier_length: int
    later_length: int
    earlier_whole: int
    """Words of the earlier page with all its furniture."""
    shared: int
    """Words of the later story that the earlier one also says."""
    earlier_coverage: float
    later_coverage: float
    figures: tuple[Pair, ...]
    slips: tuple[Pair, ...]
    names: tuple[Pair, ...]
    figures_kept: int
    names_kept: int
    figures_unknown: int
    """Numbers of the later story that occur nowhere in the earlier one."""
    gap: timedelta | None
    same_publisher: bool
    title_changed: bool
    """Each title says something that the other does not."""
    correction: bool
    """The later text announces that it corrects an earlier one."""

    @property
    def added(self) -> int:
        return self.later_length - self.shared


def measure(earlier: View, later: View) -> Measures:
    alignment = align(earlier.hashes, later.hashes)
    old, new = earlier.page.article, later.page.article
    swaps = replaced(earlier, later, alignment)
    shared = int(alignment.later.sum()) + swaps.mended
    kept = int(alignment.earlier.sum()) + swaps.mended
    return Measures(
        earlier_length=len(earlier),
        later_length=len(later),
        earlier_whole=len(earlier.page.body),
        shared=shared,
        earlier_coverage=kept / max(1, len(earlier)),
        later_coverage=shared / max(1, len(later)),
        figures=swaps.figures,
        slips=swaps.slips,
        names=swaps.names,
        figures_kept=int((later.number & alignment.later).sum()),
        names_kept=int((later.capital & alignment.later).sum()),
        figures_unknown=_unknown(earlier, later),
        gap=_gap(old, new),
        same_publisher=bool(old.publisher) and old.publisher == new.publisher,
        title_changed=_title_changed(earlier.page.title, later.page.title),
        correction=announces_correction(f"{new.title} {new.body[:400]} {new.body[-400:]}"),
    )


def _unknown(earlier: View, later: View) -> int:
    known = np.isin(later.hashes[later.number], earlier.hashes[earlier.number])
    return int(np.count_nonzero(~known))


def _title_changed(earlier: Tokens, later: Tokens) -> bool:
    old, new = set(earlier.hashes.tolist()), set(later.hashes.tolist())
    return bool(old - new and new - old) and bool(old and new)


def _gap(earlier: Article, later: Article) -> timedelta | None:
    if earlier.published_at is None or later.published_at is None:
        return None
    return abs(later.published_at - earlier.published_at)

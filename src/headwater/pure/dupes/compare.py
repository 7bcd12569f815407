"""Two articles, one verdict."""

from collections.abc import Collection
from dataclasses import dataclass

from headwater.pure.dupes.articles import Article, Verdict
from headwater.pure.dupes.measures import measure
from headwater.pure.dupes.page import Page, View, page_of, story, whole
from headwater.pure.dupes.verdict import judge

LEAST = 25
"""With fewer words left beside the furniture, the furniture has to be read too."""


@dataclass(frozen=True, slots=True)
class Repeated:
    """Hashes of the sentences that each side's publisher is known to repeat."""

    earlier: Collection[int] = ()
    later: Collection[int] = ()


def compare(
    earlier: Article, later: Article, repeated: Repeated = Repeated(), *, recurring: bool = False
) -> Verdict:
    """What the later article is to a reader of the earlier one. Pure, and the only place that decides it."""
    return compare_pages(page_of(earlier), page_of(later), repeated, recurring=recurring)


def compare_pages(earlier: Page, later: Page, repeated: Repeated, *, recurring: bool = False) -> Verdict:
    old, new = story(earlier, repeated.earlier), story(later, repeated.later)
    if _too_little(old) or _too_little(new):
        old, new = whole(earlier), whole(later)
    return judge(measure(old, new), recurring=recurring)


def _too_little(view: View) -> bool:
    return len(view) < min(LEAST, len(view.page.body))

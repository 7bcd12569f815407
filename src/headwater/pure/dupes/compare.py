"""Two articles, one verdict."""

from collections.abc import Collection
from dataclasses import dataclass, replace

from headwater.pure.dupes.articles import Article, Verdict
from headwater.pure.dupes.measures import measure
from headwater.pure.dupes.page import Page, View, page_of, story, whole
from headwater.pure.dupes.verdict import judge

LEAST = 25
"""With fewer words left beside the furniture, the furniture has to be read too."""

SAYS_SOMETHING = 8
"""With so many words beside its furniture a notice can be recognised without it."""


@dataclass(frozen=True, slots=True)
class Repeated:
    """Hashes of the sentences that each side's publisher is known to repeat."""

    earlier: Collection[int] = ()
    later: Collection[int] = ()


NOTHING_REPEATED = Repeated()


def compare(
    earlier: Article, later: Article, repeated: Repeated = NOTHING_REPEATED, *, recurring: bool = False
) -> Verdict:
    """What the later article is to a reader of the earlier one. Pure, and the only place that decides it."""
    return compare_pages(page_of(earlier), page_of(later), repeated, recurring=recurring)


def compare_pages(earlier: Page, later: Page, repeated: Repeated, *, recurring: bool = False) -> Verdict:
    # What either publisher keeps repeating tells nothing in the other's copy either.
    known = {*repeated.earlier, *repeated.later}
    old, new = story(earlier, known), story(later, known)
    if not (_too_little(old) or _too_little(new)):
        return judge(measure(old, new), recurring=recurring)
    verdict = _notices(earlier, later, known, recurring=recurring)
    if verdict is None:
        verdict = judge(measure(whole(earlier), whole(later)), recurring=recurring)
    if verdict.answer == "duplicate" and _tell_apart(old, new):
        return replace(verdict, answer="new", rule="furniture-only")
    return verdict


def _notices(earlier: Page, later: Page, known: set[int], *, recurring: bool) -> Verdict | None:
    """What little they say, judged without furniture: a notice may be a sentence that its publisher keeps repeating."""
    for hidden in (known, ()):
        old, new = story(earlier, hidden), story(later, hidden)
        if min(len(old), len(new)) >= SAYS_SOMETHING:
            verdict = judge(measure(old, new), recurring=recurring)
            if verdict.answer == "duplicate" or verdict.rule == "another-occasion":
                return verdict
    return None


def _too_little(view: View) -> bool:
    return len(view) < min(LEAST, len(view.page.body))


def _tell_apart(earlier: View, later: View) -> bool:
    """The little that each says beside its furniture is not the same."""
    if not len(earlier) or not len(later):
        return False
    found = measure(earlier, later)
    return max(found.earlier_coverage, found.later_coverage) < 0.5

"""The measures of a comparison: how much two stories share, and which figures and names one replaced in the other.

Another period, company or place shows in the slots of a text, however many of its words stay the same. Only aligned
replacements count, because noise elsewhere produces figures that replace nothing.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, fields
from datetime import timedelta
from functools import cached_property
from typing import Any

import numpy as np

from headwater.documents.dedupe.alignment import Alignment, Gap, Span, align
from headwater.documents.dedupe.articles import Article
from headwater.documents.dedupe.facts import FACTS, FactMeasures, compare_facts
from headwater.documents.dedupe.figures import figure_value, shared_figures
from headwater.documents.dedupe.page import TokenView, announces_correction
from headwater.documents.dedupe.template_words import PlacedWords, WordPair, is_in_both_titles, template_pairs
from headwater.documents.dedupe.tokens import Tokens


def _words(text: str) -> list[str]:
    return text.split()


_CARDINALS = _words(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty"
)
_ORDINALS = _words("zeroth first second third fourth fifth sixth seventh eighth ninth tenth")
_OTHER = [
    "thirty",
    "forty",
    "fifty",
    "sixty",
    "seventy",
    "eighty",
    "ninety",
    "hundred",
    "thousand",
    "half",
    "quarter",
    "dozen",
    "once",
    "twice",
]
_UP = _words(
    "rose rise rises rising risen up higher gain gains gained increase increases increased increasing advanced "
    "advance climbed raised raises raise above buy buys bought profit profits more"
)
_DOWN = _words(
    "fell fall falls falling fallen down lower lost loss losses lose decrease decreases decreased decline declines "
    "declined dropped drop cut cuts below sell sells sold less"
)
_CALENDAR = _words(
    "monday tuesday wednesday thursday friday saturday sunday january february march april may june july august "
    "september october november december jan feb mar apr jun jul aug sep sept oct nov dec mon tue wed thu fri sat sun"
)

DIRECTION = dict.fromkeys(_UP, "up") | dict.fromkeys(_DOWN, "down")
DIGITS = {word: str(value) for words in (_CARDINALS, _ORDINALS) for value, word in enumerate(words)}
COUNTS = frozenset((*DIGITS, *_OTHER))
CALENDAR = frozenset(_CALENDAR)


def is_number(word: str) -> bool:
    return not word.isalpha() and 2 * sum(map(str.isdigit, word)) >= len(word)


def is_figure(word: str) -> bool:
    """Whether the word states a quantity or a direction."""
    return is_number(word) or word.lower() in COUNTS or word.lower() in DIRECTION


def stated_fact(word: str) -> str:
    """The fact that the word states: the same for `rose` and `gained`, and for `three` and `3`."""
    word = word.lower()
    return DIRECTION.get(word) or DIGITS.get(word) or word


NAME_SLOT = 5
"""A longer gap is a rewritten sentence, not a name in a slot."""

_YEAR = re.compile(r"(?:19|20)\d\d")
_DAY = re.compile(r"[12]?\d|3[01]")
_LOOKALIKES = str.maketrans("01i58e6uqf", "ollsbcbngt")


@dataclass(frozen=True, slots=True)
class Replacements:
    """`slips` are figures of equal length that differ in one character, as in corrections and bad scans.

    A changed day or year is never a slip, because it indicates another occasion.
    """

    figures: tuple[WordPair, ...]
    slips: tuple[WordPair, ...]
    names: tuple[WordPair, ...]
    name_slots: int
    """Gaps in which names were replaced."""
    template_words: int
    """Replaced names that occur throughout their text and nowhere in the other one."""
    misspelt: int
    """Tokens of the later text that are misspellings of earlier ones."""
    first: Gap | None
    """The first gap in which a figure or a name was replaced."""


NO_REPLACEMENTS = Replacements((), (), (), 0, 0, 0, None)


def find_replacements(earlier: TokenView, later: TokenView, alignment: Alignment) -> Replacements:
    figures: list[WordPair] = []
    slips: list[WordPair] = []
    names: list[WordPair] = []
    template: set[WordPair] = set()
    misspelt = name_slots = 0
    first = None
    for gap in alignment.gaps:
        old, new = _differing(earlier.words(*gap.earlier), later.words(*gap.later))
        filled_anew = _template_words((earlier, gap.earlier, old), (later, gap.later, new))
        old, new, same_words = _without_misspelt(old, new)
        misspelt += same_words
        dated = _is_dated(later, gap.later)
        replaced = len(figures) + len(slips) + len(names)
        for pair in _figure_pairs(old, new):
            (slips if _is_slip(*pair) and not _is_date(*pair, dated=dated) else figures).append(pair)
        if max(len(old), len(new)) <= NAME_SLOT:
            pairs = _name_pairs(old, new, (earlier, gap.earlier), (later, gap.later))
            pairs += [pair for pair in filled_anew if pair not in pairs]
            template.update(filled_anew)
            name_slots += bool(pairs)
            names += pairs
        if first is None and len(figures) + len(slips) + len(names) > replaced:
            first = gap
    return Replacements(
        tuple(figures), tuple(slips), tuple(names), name_slots, len(template), misspelt, first
    )


def _template_words(earlier: PlacedWords, later: PlacedWords) -> list[WordPair]:
    """A name that is spelt almost alike may be the same in another spelling, unless one publisher has both in its titles."""
    if not earlier[2] or not later[2]:
        return []
    old, new = earlier[0], later[0]
    publishers = old.page.article.publisher, new.page.article.publisher
    return [
        pair
        for pair in template_pairs(earlier, later)
        if not (is_figure(pair[0]) or is_figure(pair[1]))
        and (
            not is_misspelling(*pair)
            or (publishers[0] == publishers[1] != "" and is_in_both_titles(pair, old, new))
        )
    ]


def _differing(old: list[str], new: list[str]) -> tuple[list[str], list[str]]:
    return _without(old, new), _without(new, old)


def _without(words: list[str], others: list[str]) -> list[str]:
    """The words whose facts the others do not state, rounded or not."""
    stated = {stated_fact(word) for word in others}
    rest = [word for word in words if stated_fact(word) not in stated]
    values = {word: value for word in rest if (value := figure_value(stated_fact(word)))}
    other_values = list(filter(None, map(figure_value, stated)))
    if not values or not other_values:
        return rest
    shared = shared_figures(list(values.values()), other_values)
    return [word for word in rest if values.get(word) not in shared]


def _without_misspelt(old: list[str], new: list[str]) -> tuple[list[str], list[str], int]:
    unmatched, new_words, misspelt = list(old), [], 0
    for word in new:
        original = next((word_before for word_before in unmatched if is_misspelling(word_before, word)), None)
        if original is None:
            new_words.append(word)
        else:
            unmatched.remove(original)
            misspelt += 1
    return unmatched, new_words, misspelt


def is_misspelling(first: str, second: str) -> bool:
    """Whether both are the same word with a typing or scanning error, or cut in two; never two figures or two months."""
    first, second = first.lower(), second.lower()
    if _is_joined(first, second) or _is_joined(second, first):
        return True
    if is_figure(first) and is_figure(second):
        return False
    if first in CALENDAR and second in CALENDAR:
        return first.startswith(second) or second.startswith(first)  # March, Mar
    return _is_close(first, second) or _is_close(_unify_lookalikes(first), _unify_lookalikes(second))


def _is_close(first: str, second: str) -> bool:
    if first.startswith(second) or second.startswith(first):
        return True
    longest = max(len(first), len(second))
    return longest >= 3 and edit_distance(first, second, limit := max(1, longest // 4)) <= limit


def _unify_lookalikes(word: str) -> str:
    """Letters that scanners confuse become the same letter."""
    return word.translate(_LOOKALIKES).replace("rn", "m").replace("cl", "d").replace("vv", "w")


def _is_joined(joined: str, figure: str) -> bool:
    """Whether a figure is joined to the word next to it: `of31.39` for `31.39`."""
    remainder = joined.replace(figure, "", 1)
    return is_number(figure) and remainder != joined and remainder.isalpha()


def edit_distance(first: str, second: str, limit: int) -> int:
    """Damerau-Levenshtein distance (a transposition is one edit); `limit + 1` for anything above `limit`."""
    if abs(len(first) - len(second)) > limit:
        return limit + 1
    row_before: list[int] = []
    row = list(range(len(second) + 1))
    for position in range(1, len(first) + 1):
        row_before, row = row, _next_row(first[:position], second, row_before, row)
        if min(row) > limit:
            return limit + 1
    return row[-1]


def _next_row(first: str, second: str, two_above: list[int], above: list[int]) -> list[int]:
    row = [len(first)]
    for column, letter in enumerate(second, 1):
        cost = min(above[column] + 1, row[-1] + 1, above[column - 1] + (first[-1] != letter))
        if two_above and column > 1 and first[-2:] == second[column - 1] + second[column - 2]:
            cost = min(cost, two_above[column - 2] + 1)
        row.append(cost)
    return row


def _figure_pairs(earlier: list[str], later: list[str]) -> Iterable[WordPair]:
    return zip(
        [word for word in earlier if is_figure(word)],
        [word for word in later if is_figure(word)],
        strict=False,
    )


def _is_dated(view: TokenView, span: Span) -> bool:
    """Whether a month or a weekday is in the gap or next to it."""
    words = view.words(max(0, span[0] - 1), span[1] + 1)
    return any(word.lower() in CALENDAR for word in words)


def _is_date(old: str, new: str, *, dated: bool) -> bool:
    """Whether both are years, or both are days next to a month."""
    if _YEAR.fullmatch(old) and _YEAR.fullmatch(new):
        return True
    return dated and _DAY.fullmatch(old) is not None and _DAY.fullmatch(new) is not None


def _is_slip(old: str, new: str) -> bool:
    if len(old) != len(new) or not old[0].isdigit():
        return False
    return sum(before != after for before, after in zip(old, new, strict=True)) == 1


def _name_pairs(
    old: list[str], new: list[str], earlier: tuple[TokenView, Span], later: tuple[TokenView, Span]
) -> list[WordPair]:
    """Names that were replaced by names which the earlier article does not have anywhere."""
    old_names, new_names = _capitals(*earlier), _capitals(*later)
    pairs = zip(
        [word for word in old if word in old_names and not is_figure(word)],
        [
            word
            for word in new
            if word in new_names and not is_figure(word) and not _has_word(earlier[0], new_names[word][0])
        ],
        strict=False,
    )
    return [(before, after) for before, after in pairs if old_names[before][1] or new_names[after][1]]


def _capitals(view: TokenView, span: Span) -> dict[str, tuple[int, bool]]:
    """Capitalised words of the span: their hash, and whether they are names."""
    return {
        word: (int(view.hashes[place]), bool(view.is_name[place]))
        for place, word in zip(range(*span), view.words(*span), strict=True)
        if view.is_capital[place]
    }


def _has_word(view: TokenView, word: int) -> bool:
    return bool((view.page.body.hashes == word).any() or (view.page.title.hashes == word).any())


@dataclass(frozen=True, kw_only=True)
class Measures:
    earlier_length: int
    later_length: int
    earlier_whole: int
    """Words of the earlier page including boilerplate."""
    shared_words: int
    """Words of the later story that the earlier one also contains."""
    earlier_coverage: float
    later_coverage: float
    figures: tuple[WordPair, ...]
    slips: tuple[WordPair, ...]
    names: tuple[WordPair, ...]
    name_slots: int
    template_words: int
    figures_kept: int
    names_kept: int
    figures_unknown: int
    """Numbers of the later story that do not occur in the earlier one."""
    gap: timedelta | None
    same_publisher: bool
    title_changed: bool
    """Each title has a word that the other lacks."""
    correction: bool
    """Figures were replaced, and the later text says that it corrects an earlier one."""
    title_shared: float
    """Words that both titles have, as a part of the shorter one."""
    figure_density: float
    """Numbers among the words, in the text with fewer of them."""
    first_difference: Gap | None
    """The first gap with a replaced figure or name, else the first gap."""
    sides: tuple[TokenView, TokenView, Alignment]

    @property
    def added_words(self) -> int:
        return self.later_length - self.shared_words

    @property
    def passages(self) -> tuple[str, str]:
        """Where the texts first differ; the leads if they do not."""
        gap = self.first_difference or Gap((0, 0), (0, 0))
        return self.sides[0].passage(*gap.earlier), self.sides[1].passage(*gap.later)

    @cached_property
    def facts(self) -> FactMeasures:
        """Counted when the wording does not decide."""
        return compare_facts(*self.sides)

    def as_evidence(self) -> dict[str, Any]:
        """All measures; facts only if they were needed."""
        counted = {name: getattr(self.facts, name) for name in FACTS} if "facts" in self.__dict__ else {}
        return {name: getattr(self, name) for name in _MEASURES} | counted


_NOT_SHOWN = ("first_difference", "sides")
_MEASURES = (*(column.name for column in fields(Measures) if column.name not in _NOT_SHOWN), "passages")

UNRELATED_COVERAGE = 0.3
"""Where neither text has this share of its words in common with the other, no rule asks what was replaced."""


def measure(earlier: TokenView, later: TokenView, alignment: Alignment | None = None) -> Measures:
    alignment = alignment or align(earlier.hashes, later.hashes)
    old, new = earlier.page.article, later.page.article
    replacements = (
        find_replacements(earlier, later, alignment)
        if may_be_related(earlier, later, alignment)
        else NO_REPLACEMENTS
    )
    changed = replacements.figures or replacements.slips
    shared = int(alignment.later.sum()) + replacements.misspelt
    kept_words = int(alignment.earlier.sum()) + replacements.misspelt
    return Measures(
        earlier_length=len(earlier),
        later_length=len(later),
        earlier_whole=len(earlier.page.body),
        shared_words=shared,
        earlier_coverage=kept_words / max(1, len(earlier)),
        later_coverage=shared / max(1, len(later)),
        figures=replacements.figures,
        slips=replacements.slips,
        names=replacements.names,
        name_slots=replacements.name_slots,
        template_words=replacements.template_words,
        figures_kept=int((later.is_number & alignment.later).sum()),
        names_kept=int((later.is_capital & alignment.later).sum()),
        figures_unknown=_count_unknown_figures(earlier, later),
        gap=publication_gap(old, new),
        same_publisher=bool(old.publisher) and old.publisher == new.publisher,
        title_changed=_title_changed(earlier.page.title, later.page.title),
        correction=bool(changed) and announces_correction(f"{new.title} {new.body[:400]} {new.body[-400:]}"),
        title_shared=title_shared(earlier.page.title, later.page.title),
        figure_density=min(float(view.is_number.mean()) if len(view) else 0.0 for view in (earlier, later)),
        first_difference=replacements.first or next(iter(alignment.gaps), None),
        sides=(earlier, later, alignment),
    )


def may_be_related(earlier: TokenView, later: TokenView, alignment: Alignment) -> bool:
    """Whether enough words are shared, counting every word in a gap as a misspelt one."""
    in_gaps = sum(min(gap.earlier[1] - gap.earlier[0], gap.later[1] - gap.later[0]) for gap in alignment.gaps)
    return any(
        int(np.count_nonzero(shared)) + in_gaps >= UNRELATED_COVERAGE * len(view)
        for view, shared in ((earlier, alignment.earlier), (later, alignment.later))
    )


def _count_unknown_figures(earlier: TokenView, later: TokenView) -> int:
    earlier_figures = set(earlier.hashes[earlier.is_number].tolist())
    return sum(figure not in earlier_figures for figure in later.hashes[later.is_number].tolist())


def title_shared(earlier: Tokens, later: Tokens) -> float:
    old, new = set(earlier.stems.tolist()), set(later.stems.tolist())
    return len(old & new) / min(len(old), len(new)) if old and new else 0.0


def _title_changed(earlier: Tokens, later: Tokens) -> bool:
    old, new = set(earlier.hashes.tolist()), set(later.hashes.tolist())
    return bool(old - new and new - old) and bool(old and new)


def publication_gap(earlier: Article, later: Article) -> timedelta | None:
    if earlier.published_at is None or later.published_at is None:
        return None
    return abs(later.published_at - earlier.published_at)

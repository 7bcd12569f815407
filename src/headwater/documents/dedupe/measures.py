"""Small closed classes of words that carry the facts of a report: counts, directions, the calendar."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta

import numpy as np

from headwater.documents.dedupe.alignment import Alignment, Span, align
from headwater.documents.dedupe.articles import Article
from headwater.documents.dedupe.page import TokenView, announces_correction
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
    """True for what states a quantity or where it went."""
    return is_number(word) or word.lower() in COUNTS or word.lower() in DIRECTION


def normal_fact(word: str) -> str:
    """What the word says: `rose` and `gained` say the same, and so do `three` and `3`."""
    word = word.lower()
    return DIRECTION.get(word) or DIGITS.get(word) or word


NAME_SLOT = 5
"""A longer stretch is a rewritten sentence, not a name in a slot."""

_YEAR = re.compile(r"(?:19|20)\d\d")
_DAY = re.compile(r"[12]?\d|3[01]")
_ALIKE = str.maketrans("01i58e6uqf", "ollsbcbngt")

WordPair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Replacements:
    """`slips` are figures of equal length that differ in one character: how corrections and bad scans look.

    A day of a month or a year is never a slip: that is how another occasion looks.
    """

    figures: tuple[WordPair, ...]
    slips: tuple[WordPair, ...]
    names: tuple[WordPair, ...]
    mended: int
    """Tokens of the later text that are the earlier ones misspelt."""


def find_replacements(earlier: TokenView, later: TokenView, alignment: Alignment) -> Replacements:
    figures: list[WordPair] = []
    slips: list[WordPair] = []
    names: list[WordPair] = []
    mended = 0
    for gap in alignment.gaps:
        old, new = _differing(earlier.words(*gap.earlier), later.words(*gap.later))
        old, new, same = _without_misspelt(old, new)
        mended += same
        dated = _is_dated(later, gap.later)
        for pair in _figure_pairs(old, new):
            (slips if _is_slip(*pair) and not _is_date(*pair, dated=dated) else figures).append(pair)
        if max(len(old), len(new)) <= NAME_SLOT:
            names += zip(_names(old), _names(new), strict=False)
    return Replacements(tuple(figures), tuple(slips), tuple(names), mended)


def _differing(old: list[str], new: list[str]) -> tuple[list[str], list[str]]:
    both = {normal_fact(word) for word in old} & {normal_fact(word) for word in new}
    return [word for word in old if normal_fact(word) not in both], [
        word for word in new if normal_fact(word) not in both
    ]


def _without_misspelt(old: list[str], new: list[str]) -> tuple[list[str], list[str], int]:
    left, rest, mended = list(old), [], 0
    for word in new:
        twin = next((other for other in left if is_misspelling(other, word)), None)
        if twin is None:
            rest.append(word)
        else:
            left.remove(twin)
            mended += 1
    return left, rest, mended


def is_misspelling(one: str, other: str) -> bool:
    """The same word with a typing or scanning error, or cut in two; two figures or two months never are."""
    one, other = one.lower(), other.lower()
    if _glued(one, other) or _glued(other, one):
        return True
    if (is_figure(one) and is_figure(other)) or (one in CALENDAR and other in CALENDAR):
        return False
    return _close(one, other) or _close(_looks(one), _looks(other))


def _close(one: str, other: str) -> bool:
    if one.startswith(other) or other.startswith(one):
        return True
    longest = max(len(one), len(other))
    return longest >= 3 and edit_distance(one, other, limit := max(1, longest // 4)) <= limit


def _looks(word: str) -> str:
    """Letters that scanners take for one another fall together."""
    return word.translate(_ALIKE).replace("rn", "m").replace("cl", "d").replace("vv", "w")


def _glued(one: str, other: str) -> bool:
    """A figure run together with the word beside it: `of31.39` for `31.39`."""
    rest = one.replace(other, "", 1)
    return is_number(other) and rest != one and rest.isalpha()


def edit_distance(one: str, other: str, limit: int) -> int:
    """Edits from one word to the other, two letters changing places being one; anything above `limit` is `limit + 1`."""
    if abs(len(one) - len(other)) > limit:
        return limit + 1
    before: list[int] = []
    row = list(range(len(other) + 1))
    for position in range(1, len(one) + 1):
        before, row = row, _next_row(one[:position], other, before, row)
        if min(row) > limit:
            return limit + 1
    return row[-1]


def _next_row(one: str, other: str, before: list[int], above: list[int]) -> list[int]:
    row = [len(one)]
    for place, letter in enumerate(other, 1):
        cost = min(above[place] + 1, row[-1] + 1, above[place - 1] + (one[-1] != letter))
        if before and place > 1 and one[-2:] == other[place - 1] + other[place - 2]:
            cost = min(cost, before[place - 2] + 1)
        row.append(cost)
    return row


def _figure_pairs(old: list[str], new: list[str]) -> Iterable[WordPair]:
    return zip(
        [word for word in old if is_figure(word)], [word for word in new if is_figure(word)], strict=False
    )


def _is_dated(view: TokenView, span: Span) -> bool:
    """A month or a weekday stands in the gap or beside it."""
    around = view.words(max(0, span[0] - 1), span[1] + 1)
    return any(word.lower() in CALENDAR for word in around)


def _is_date(old: str, new: str, *, dated: bool) -> bool:
    """Both are years, or both are days beside a month."""
    if _YEAR.fullmatch(old) and _YEAR.fullmatch(new):
        return True
    return dated and _DAY.fullmatch(old) is not None and _DAY.fullmatch(new) is not None


def _is_slip(old: str, new: str) -> bool:
    if len(old) != len(new) or not old[0].isdigit():
        return False
    return sum(one != other for one, other in zip(old, new, strict=True)) == 1


def _names(words: list[str]) -> list[str]:
    return [word for word in words if word[0].isupper() and not is_figure(word)]


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
    figures: tuple[WordPair, ...]
    slips: tuple[WordPair, ...]
    names: tuple[WordPair, ...]
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


def measure(earlier: TokenView, later: TokenView) -> Measures:
    alignment = align(earlier.hashes, later.hashes)
    old, new = earlier.page.article, later.page.article
    swaps = find_replacements(earlier, later, alignment)
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


def _unknown(earlier: TokenView, later: TokenView) -> int:
    known = np.isin(later.hashes[later.number], earlier.hashes[earlier.number])
    return int(np.count_nonzero(~known))


def _title_changed(earlier: Tokens, later: Tokens) -> bool:
    old, new = set(earlier.hashes.tolist()), set(later.hashes.tolist())
    return bool(old - new and new - old) and bool(old and new)


def _gap(earlier: Article, later: Article) -> timedelta | None:
    if earlier.published_at is None or later.published_at is None:
        return None
    return abs(later.published_at - earlier.published_at)

"""What one text replaced in the other: figures and names that stand in the same place and differ.

A different period, company or place shows itself in the slots of a text, however many of its words are the same.
Only aligned replacements count: noise elsewhere makes figures that nobody replaced.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from headwater.pure.dupes.alignment import Alignment, Span
from headwater.pure.dupes.page import View
from headwater.pure.dupes.words import CALENDAR, fact, is_figure, is_number

NAME_SLOT = 5
"""A longer stretch is a rewritten sentence, not a name in a slot."""

_YEAR = re.compile(r"(?:19|20)\d\d")
_DAY = re.compile(r"[12]?\d|3[01]")
_ALIKE = str.maketrans("01i58e6uqf", "ollsbcbngt")

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Replaced:
    """`slips` are figures of equal length that differ in one character: how corrections and bad scans look.

    A day of a month or a year is never a slip: that is how another occasion looks.
    """

    figures: tuple[Pair, ...]
    slips: tuple[Pair, ...]
    names: tuple[Pair, ...]
    mended: int
    """Tokens of the later text that are the earlier ones misspelt."""


def replaced(earlier: View, later: View, alignment: Alignment) -> Replaced:
    figures: list[Pair] = []
    slips: list[Pair] = []
    names: list[Pair] = []
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
    return Replaced(tuple(figures), tuple(slips), tuple(names), mended)


def _differing(old: list[str], new: list[str]) -> tuple[list[str], list[str]]:
    both = {fact(word) for word in old} & {fact(word) for word in new}
    return [word for word in old if fact(word) not in both], [word for word in new if fact(word) not in both]


def _without_misspelt(old: list[str], new: list[str]) -> tuple[list[str], list[str], int]:
    left, rest, mended = list(old), [], 0
    for word in new:
        twin = next((other for other in left if misspelt(other, word)), None)
        if twin is None:
            rest.append(word)
        else:
            left.remove(twin)
            mended += 1
    return left, rest, mended


def misspelt(one: str, other: str) -> bool:
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
    return longest >= 3 and distance(one, other, limit := max(1, longest // 4)) <= limit


def _looks(word: str) -> str:
    """Letters that scanners take for one another fall together."""
    return word.translate(_ALIKE).replace("rn", "m").replace("cl", "d").replace("vv", "w")


def _glued(one: str, other: str) -> bool:
    """A figure run together with the word beside it: `of31.39` for `31.39`."""
    rest = one.replace(other, "", 1)
    return is_number(other) and rest != one and rest.isalpha()


def distance(one: str, other: str, limit: int) -> int:
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


def _figure_pairs(old: list[str], new: list[str]) -> Iterable[Pair]:
    return zip(
        [word for word in old if is_figure(word)], [word for word in new if is_figure(word)], strict=False
    )


def _is_dated(view: View, span: Span) -> bool:
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

"""What one text replaced in the other: figures and names that stand in the same place and differ.

A different period, company or place shows itself in the slots of a text, however many of its words are the same.
Only aligned replacements count: noise elsewhere makes figures that nobody replaced.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from headwater.pure.dupes.alignment import Alignment
from headwater.pure.dupes.page import View
from headwater.pure.dupes.words import CALENDAR, fact, is_figure, is_number

NAME_SLOT = 5
"""A longer stretch is a rewritten sentence, not a name in a slot."""

_OCR = str.maketrans("0158", "olsb")

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Replaced:
    """`slips` are figures of equal length that differ in one character: how corrections and bad scans look."""

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
        for pair in _figure_pairs(old, new):
            (slips if _is_slip(*pair) else figures).append(pair)
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
    if one.translate(_OCR) == other.translate(_OCR) or one.startswith(other) or other.startswith(one):
        return True
    longest = max(len(one), len(other))
    return longest >= 3 and distance(one, other, limit := max(1, longest // 4)) <= limit


def _glued(one: str, other: str) -> bool:
    """A figure run together with the word beside it: `of31.39` for `31.39`."""
    rest = one.replace(other, "", 1)
    return is_number(other) and rest != one and rest.isalpha()


def distance(one: str, other: str, limit: int) -> int:
    """Edits from one word to the other; anything above `limit` is `limit + 1`."""
    if abs(len(one) - len(other)) > limit:
        return limit + 1
    row = list(range(len(other) + 1))
    for position, letter in enumerate(one, 1):
        previous, row[0] = row[0], position
        for place, character in enumerate(other, 1):
            previous, row[place] = row[place], min(row[place] + 1, row[place - 1] + 1, previous + (letter != character))
        if min(row) > limit:
            return limit + 1
    return row[-1]


def _figure_pairs(old: list[str], new: list[str]) -> Iterable[Pair]:
    return zip([word for word in old if is_figure(word)], [word for word in new if is_figure(word)], strict=False)


def _is_slip(old: str, new: str) -> bool:
    differing = sum(one != other for one, other in zip(old, new, strict=False))
    return len(old) == len(new) and len(old) > 1 and old[0].isdigit() and differing == 1


def _names(words: list[str]) -> list[str]:
    return [word for word in words if word[0].isupper() and not is_figure(word)]

"""Figures of a text, and whether two of them state the same quantity: `2,303,000` and `2.3 mln` do.

No unit is read. A figure that is rounded, or written in thousands, millions or billions, keeps its leading digits, in any
language.
"""

import re
from collections.abc import Collection, Iterable

_VALUE = re.compile(r"\d+(?:\.\d+)?")
_YEAR = re.compile(r"(?:19|20)\d\d")
_SCALES = frozenset((0, 3, 4, 6, 8, 9, 12))
"""Powers of ten between two ways to write a quantity: thousand, million, billion, and 10,000 and its square in East Asia."""
_MIN_DIGITS, _MAX_DIGITS = 2, 8

Rounded = tuple[str, int]
"""Leading digits and the power of ten of the first one."""


def figure_value(word: str) -> str:
    """The number at the start of a word, or nothing."""
    match = _VALUE.match(word)
    return match[0] if match else ""


def is_distinctive(value: str) -> bool:
    """Whether a figure is unlikely to be the same by chance: three digits or more, and no year."""
    return len(value.replace(".", "").strip("0")) >= 3 and not _YEAR.fullmatch(value)


def shared_figures(values: Collection[str], others: Collection[str]) -> set[str]:
    """Those of `values` that occur in `others`, as they are or rounded."""
    amounts = set(map(float, others))
    shared = {value for value in values if float(value) in amounts}
    if len(shared) == len(values):
        return shared
    exact = _group(map(_digits, others))
    rounded = _group(one for other in others for one in _roundings(other))
    for value in set(values) - shared:
        if _agrees(_digits(value), rounded) or any(_agrees(one, exact) for one in _roundings(value)):
            shared.add(value)
    return shared


def same_quantity(first: str, second: str) -> bool:
    return first == second or bool(shared_figures((first,), (second,)))


def _agrees(figure: Rounded, others: dict[str, set[int]]) -> bool:
    digits, power = figure
    return len(digits) >= _MIN_DIGITS and any(
        abs(power - other) in _SCALES for other in others.get(digits, ())
    )


def _digits(value: str) -> Rounded:
    """Zeros after the point count as measured; zeros at the end of a whole number do not."""
    digits = value.replace(".", "").lstrip("0")
    power = len(value.partition(".")[0].lstrip("0")) - 1
    return (digits if "." in value else digits.rstrip("0")), power


def _roundings(value: str) -> Iterable[Rounded]:
    digits, power = _digits(value)
    yield digits, power
    for length in range(_MIN_DIGITS, min(len(digits), _MAX_DIGITS)):
        mantissa, _, exponent = f"{float(value):.{length - 1}e}".partition("e")
        yield mantissa.replace(".", ""), int(exponent)


def _group(figures: Iterable[Rounded]) -> dict[str, set[int]]:
    groups: dict[str, set[int]] = {}
    for digits, power in figures:
        groups.setdefault(digits, set()).add(power)
    return groups

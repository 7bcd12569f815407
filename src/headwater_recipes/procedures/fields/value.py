"""The value of a field, with its spans in the text."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from headwater_recipes.procedures.sections.parts import SectionLine

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class FieldValue:
    """A field without evidence has no value and no spans. `origin`: where a value stands that is not in the text, such as
    `frame:footer`, `json-ld:GovernmentService.provider.name` or `registry:age-sepe`."""

    value: Any = None
    spans: tuple[Span, ...] = ()
    origin: str = ""

    def __bool__(self) -> bool:
        return self.value not in (None, "", [], {})


NO_VALUE = FieldValue()


def spans_of(lines: Iterable[SectionLine]) -> tuple[Span, ...]:
    """The spans of lines in order, with adjacent ones joined."""
    joined: list[Span] = []
    for start, end in sorted({(line.start, line.end) for line in lines}):
        if joined and start <= joined[-1][1] + 2:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return tuple(joined)


def first(candidates: Sequence[FieldValue]) -> FieldValue:
    return next((value for value in candidates if value), NO_VALUE)

"""A page divided at its headings: parts, each with the field that its heading announces."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from headwater_recipes.procedures.labels.label import Label
from headwater_recipes.procedures.sections.line import Line


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """`label` is what the heading announces, or the one above it where it announces nothing itself; `subtitle` is the
    heading of a part that only goes on with the field above. `own`: the label is the heading's own."""

    title: str
    level: int
    label: Label | None
    lines: tuple[Line, ...] = ()
    start: int = 0
    own: bool = True
    also: tuple[Label, ...] = ()
    above: tuple[str, ...] = field(default_factory=tuple)

    @property
    def field(self) -> str:
        return self.label.field if self.label else ""

    @property
    def key(self) -> str:
        return self.label.key if self.label else ""

    @property
    def text(self) -> str:
        return "\n".join(line.text for line in self.lines)


def of_field(parts: Sequence[Part], *fields: str) -> list[Part]:
    return [part for part in parts if part.field in fields]

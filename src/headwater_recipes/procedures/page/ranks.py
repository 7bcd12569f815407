"""How deep headings are: what stands inside a panel, below a term or in a labelled cell is below its label."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

DEEPEST = 6


@dataclass(slots=True)
class Ranks:
    """`level` of the last heading, `floor` the least that a heading may have here, `closed` the rank of the labels whose
    values have ended since the last block, 0 for none."""

    level: int = 1
    floor: int = 1
    kinds: dict[str, int] = field(default_factory=dict)
    closed: int = 0

    def real(self, level: int) -> int:
        """The rank of a heading that the page marks as one."""
        self.level = min(max(level, self.floor), DEEPEST)
        return self.level

    def below(self, kind: str = "") -> int:
        """One below the last heading; labels of one kind are all of one rank, whatever headings stand between them."""
        level = min(self.level + 1, DEEPEST)
        return max(self.kinds.setdefault(kind, level), self.floor) if kind else level

    @contextmanager
    def under(self, level: int) -> Iterator[None]:
        """For the value of a label of this rank."""
        before = self.level, self.floor
        self.level, self.floor = level, min(level + 1, DEEPEST)
        yield
        self.level, self.floor = before
        self.closed = min(self.closed or level, level)

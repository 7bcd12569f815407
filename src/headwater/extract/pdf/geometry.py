"""What lies on a page, measured in points from its upper left corner."""

from dataclasses import dataclass
from typing import NamedTuple

from headwater.extract.blocks import Table


class PageWord(NamedTuple):
    """`start` is its first character's place in the page's text; `breaks` tells that the typesetter broke the
    word at the end of the line."""

    left: float
    top: float
    right: float
    bottom: float
    text: str
    start: int = 0
    breaks: bool = False


@dataclass(frozen=True, slots=True)
class TextPiece:
    """Words that stand together on a line, or a whole table."""

    left: float
    top: float
    right: float
    bottom: float
    text: str
    bold: bool = False
    table: Table | None = None

    @property
    def height(self) -> float:
        return self.bottom - self.top


@dataclass(frozen=True, slots=True)
class TextLine:
    """A line of a column. `column` are the left and right ends of the column that it stands in."""

    left: float
    top: float
    right: float
    bottom: float
    text: str
    size: float
    bold: bool = False
    table: Table | None = None
    column: tuple[float, float] = (0.0, 0.0)
    page: int = 0


@dataclass(frozen=True, slots=True)
class PageFrame:
    """How the page's own coordinates become those of the page as it is shown."""

    left: float
    bottom: float
    right: float
    top: float
    rotation: int = 0

    @property
    def width(self) -> float:
        across = self.right - self.left
        return self.top - self.bottom if self.rotation in {90, 270} else across

    @property
    def height(self) -> float:
        along = self.top - self.bottom
        return self.right - self.left if self.rotation in {90, 270} else along

    def shown(
        self, left: float, bottom: float, right: float, top: float
    ) -> tuple[float, float, float, float]:
        """A box as (left, top, right, bottom), counted from the upper left corner."""
        match self.rotation:
            case 90:
                return bottom - self.bottom, left - self.left, top - self.bottom, right - self.left
            case 180:
                return self.right - right, bottom - self.bottom, self.right - left, top - self.bottom
            case 270:
                return self.top - top, self.right - right, self.top - bottom, self.right - left
            case _:
                return left - self.left, self.top - top, right - self.left, self.top - bottom

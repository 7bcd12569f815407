"""The things on a page, in points from its upper left corner."""

from dataclasses import dataclass
from typing import NamedTuple

from headwater.extract.blocks import Table


class PageWord(NamedTuple):
    """`start` is its first character's place in the page's text; `breaks` says that the word was
    broken at the end of the line."""

    left: float
    top: float
    right: float
    bottom: float
    text: str
    start: int = 0
    breaks: bool = False


@dataclass(frozen=True, slots=True)
class TextPiece:
    """Words next to one another on a line, or a whole table."""

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
    """A line of a column. `column` holds the left and right edges of that column."""

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
    """Converts the page's own coordinates to those of the page as it is displayed."""

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

    def to_page_box(
        self, left: float, bottom: float, right: float, top: float
    ) -> tuple[float, float, float, float]:
        """A box as (left, top, right, bottom) from the upper left corner."""
        match self.rotation:
            case 90:
                return bottom - self.bottom, left - self.left, top - self.bottom, right - self.left
            case 180:
                return self.right - right, bottom - self.bottom, self.right - left, top - self.bottom
            case 270:
                return self.top - top, self.right - right, self.top - bottom, self.right - left
            case _:
                return left - self.left, self.top - top, right - self.left, self.top - bottom

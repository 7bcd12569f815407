"""Which part of the map is shown: the whole world, or the part around the hot spots, which is legible on a phone."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

WORLD_WIDTH, WORLD_HEIGHT = 1000, 450
# Around the countries, in units of the map; and the least that is shown, so that their neighbours tell where they are.
MARGIN, LEAST_WIDTH = 40, 320
RATIO = 1.6
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


@dataclass(frozen=True, slots=True)
class View:
    left: float
    top: float
    width: float
    height: float

    @property
    def box(self) -> str:
        return " ".join(f"{value:g}" for value in (self.left, self.top, self.width, self.height))


WORLD = View(0, 0, WORLD_WIDTH, WORLD_HEIGHT)


def view_around(paths: Sequence[str]) -> View:
    """The part of the map that shows all these outlines with a margin; the world if there are none."""
    points = [point for path in paths for point in outline_points(path)]
    if not points:
        return WORLD
    columns, rows = [x for x, _ in points], [y for _, y in points]
    width = max(max(columns) - min(columns) + 2 * MARGIN, LEAST_WIDTH)
    height = max(max(rows) - min(rows) + 2 * MARGIN, width / RATIO)
    width, height = min(max(width, height * RATIO), WORLD_WIDTH), min(height, WORLD_HEIGHT)
    left = (min(columns) + max(columns) - width) / 2
    top = (min(rows) + max(rows) - height) / 2
    return View(
        round(min(max(left, 0), WORLD_WIDTH - width)),
        round(min(max(top, 0), WORLD_HEIGHT - height)),
        round(width),
        round(height),
    )


def outline_points(path: str) -> Iterable[tuple[float, float]]:
    """The corners of an outline: each part starts with `M` at a point and goes on with relative steps."""
    for part in path.split("M"):
        numbers = [float(number) for number in _NUMBER.findall(part)]
        x, y = 0.0, 0.0
        for step_x, step_y in zip(numbers[::2], numbers[1::2], strict=False):
            x, y = x + step_x, y + step_y
            yield x, y

"""Draws stacks that a sampling profiler collected as a flame graph: `python -m benchmarks.cycle.flame_graph STACKS OUT.svg`.

STACKS has a line per stack, its frames from the outside in between semicolons, then how often it was seen; `py-spy record --format raw
--subprocesses` writes such files. Frames of the interpreter's start and of imports are left out, and so is what
took less than a two hundredth.
"""

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from zlib import crc32

WIDTH, ROW, LETTER, LEAST_SHARE, MOST_ROWS = 1200, 17, 6.3, 0.005, 40
FRAME = re.compile(r"^(?P<name>.+) \((?P<file>[^()]*?)(?::\d+)?\)$")
OWN_WORK = "(tarfile.py:"  # the benchmark unpacks its pages
LEFT_OUT = ("<frozen", "threading.py", "runpy", "functools.py", "contextlib.py", "benchmarks/")
READER, ENGINE = "page readers (child processes)", "engine"
FILLS = {
    "headwater/extract": 28,
    "headwater/documents": 200,
    "headwater/stories": 265,
    "headwater/store": 130,
}
OTHER_HUE = 48


@dataclass
class Frame:
    """A function below the same callers, how many samples it has, and what it called."""

    label: str
    file: str = ""
    samples: int = 0
    callees: dict[str, "Frame"] = field(default_factory=dict)

    def callee(self, label: str, file: str) -> "Frame":
        return self.callees.setdefault(label, Frame(label, file))


def read_stacks(lines: Iterator[str]) -> Frame:
    root = Frame("all")
    for line in lines:
        stack, _, count = line.strip().rpartition(" ")
        if not stack or OWN_WORK in stack:
            continue
        frames = stack.split(";")
        process = READER if "from headwater.extract" in stack else ENGINE
        below = root.callee(process, "")
        for place in (root, below):
            place.samples += int(count)
        for label, file in _shown_frames(frames):
            below = below.callee(label, file)
            below.samples += int(count)
    return root


def _shown_frames(frames: list[str]) -> Iterator[tuple[str, str]]:
    for text in frames:
        match = FRAME.match(text)
        if match is None or match["file"].startswith(LEFT_OUT) or match["name"] == "<module>":
            continue
        file = match["file"].partition("site-packages/")[2] or match["file"].removeprefix("src/")
        yield f"{match['name']} ({Path(file).name})", file


def draw(root: Frame) -> str:
    boxes: list[str] = []
    depth = _draw_frame(root, root.samples, 0.0, 0, boxes)
    height = (depth + 1) * ROW
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="monospace" font-size="10.5">\n'
        f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>\n' + "\n".join(boxes) + "\n</svg>\n"
    )


def _draw_frame(frame: Frame, total: int, x: float, row: int, boxes: list[str]) -> int:
    """Adds the frame and what it called to the boxes; returns the lowest row."""
    width, share = WIDTH * frame.samples / total, frame.samples / total
    text = frame.label[: max(0, int((width - 6) / LETTER))]
    label = f'<text x="{x + 3:.1f}" y="{row * ROW + 12}">{escape(text)}</text>' if len(text) > 2 else ""
    boxes.append(
        f'<g><title>{escape(frame.label)}: {share:.1%}</title><rect x="{x:.1f}" y="{row * ROW}" '
        f'width="{max(0.5, width - 0.5):.1f}" height="{ROW - 1}" fill="{_fill(frame)}"/>{label}</g>'
    )
    lowest = row
    if row < MOST_ROWS:
        for callee in sorted(frame.callees.values(), key=lambda callee: callee.label):
            if callee.samples / total >= LEAST_SHARE:
                lowest = max(lowest, _draw_frame(callee, total, x, row + 1, boxes))
                x += WIDTH * callee.samples / total
    return lowest


def _fill(frame: Frame) -> str:
    hue = next((hue for prefix, hue in FILLS.items() if frame.file.startswith(prefix)), OTHER_HUE)
    return f"hsl({hue} 75% {78 + crc32(frame.label.encode()) % 12}%)"


def main() -> None:
    stacks, out = map(Path, sys.argv[1:3])
    with stacks.open() as lines:
        root = read_stacks(iter(lines))
    out.write_text(draw(root))
    sys.stdout.write(f"{root.samples} samples in {out}\n")


if __name__ == "__main__":
    main()

"""Rows of a table of labels and values whose labels no rule knows become sections, so that the classifier can place them by what
they say."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from headwater_recipes.procedures.sections.parts import CELL, PagePart, SectionLine

FEWEST_ROWS, LONGEST_LABEL, BELOW = 4, 7, 3


def divide_label_rows(parts: Sequence[PagePart], text: str) -> list[PagePart]:
    return [piece for part in parts for piece in _divided(part, text)]


def _divided(part: PagePart, text: str) -> Iterator[PagePart]:
    rows = [line for line in part.lines if _is_labelled(line)]
    tables = [line for line in part.lines if line.kind == "row" and sum(map(bool, line.cells)) > 1]
    if part.label is not None or len(rows) < FEWEST_ROWS or len(rows) < len(tables):
        yield part
        return
    first = part.lines.index(rows[0])
    yield replace(part, lines=part.lines[:first])
    remaining: list[SectionLine] = []
    for line in part.lines[first:]:
        if not _is_labelled(line):
            remaining.append(line)
            continue
        yield replace(
            part,
            title=line.cells[0],
            level=max(BELOW, part.level + 1),
            lines=(_value(line, text),),
            start=line.start,
        )
    if remaining:
        above = (*part.above, part.title)
        yield replace(part, title="", above=above, lines=tuple(remaining), start=remaining[0].start)


def _is_labelled(line: SectionLine) -> bool:
    """Whether the row is a short label and its value."""
    return (
        line.kind == "row"
        and len(line.cells) == 2
        and all(line.cells)
        and len(line.cells[0].split()) <= LONGEST_LABEL
        and not any(map(str.isdigit, line.cells[0]))
    )


def _value(line: SectionLine, text: str) -> SectionLine:
    """The value as a line of its own, where its cell stands."""
    raw = text[line.start : line.end]
    bars = [match.start() for match in CELL.finditer(raw)]
    start, end = line.start + bars[1] + 1, line.start + bars[2]
    cell = text[start:end]
    start += len(cell) - len(cell.lstrip())
    return replace(
        line, kind="text", text=line.cells[1], cells=(), start=start, end=start + len(cell.strip())
    )

"""Labels that no rule knows, with their values: rows of a table, lines that begin in bold, lines with a colon. Each becomes a section,
so that the network can place it by what it says."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from headwater_recipes.procedures.sections.parts import CELL, PagePart, SectionLine
from headwater_recipes.procedures.sections.statements import with_spans
from headwater_recipes.procedures.sections.table_rows import without_header_rows

FEWEST_ROWS, FEWEST_LINES, LONGEST_LABEL, BELOW = 4, 3, 9, 3
SHARE_OF_LINES = 0.6
COLON = re.compile(r"^[^\s\d:.;,][^:.;]{2,70}?\s?:\s+(?=\S)")
ADDRESS = re.compile(r"(?:https?|www|tel\w*|fax|e-?mail|correo\w*)\b", re.IGNORECASE)


def divide_label_rows(parts: Sequence[PagePart], text: str) -> list[PagePart]:
    return [piece for part in parts for piece in _divided(part, text)]


def _divided(part: PagePart, text: str) -> Iterator[PagePart]:
    labelled = _labelled_lines(part)
    if not labelled:
        yield part
        return
    part = replace(part, label=None)
    lines = without_header_rows(part.lines)
    first = lines.index(labelled[0])
    yield replace(part, lines=tuple(lines[:first]))
    starts = {line.start for line in labelled}
    in_rows = labelled[0].kind == "row"
    remaining: list[SectionLine] = []
    section: PagePart | None = None
    for line in lines[first:]:
        if line.start in starts:
            if section is not None:
                yield section
            section = _section(part, line, text)
        elif in_rows or section is None:
            remaining.append(line)
        else:
            section = replace(section, lines=(*section.lines, line))
    if section is not None:
        yield section
    if remaining:
        above = (*part.above, part.title)
        yield replace(part, title="", above=above, lines=tuple(remaining), start=remaining[0].start)


def _labelled_lines(part: PagePart) -> list[SectionLine]:
    """The lines of an unknown section that have labels of their own: most of its lines, or none."""
    content = without_header_rows(part.lines)
    if part.label is not None and not (part.field == "descripcion" and all(map(_is_labelled_row, content))):
        return []
    rows = [line for line in content if _is_labelled_row(line)]
    tables = [line for line in content if line.kind == "row" and sum(map(bool, line.cells)) > 1]
    if len(rows) >= FEWEST_ROWS and len(rows) >= len(tables):
        return rows
    for has_label in (_has_bold_label, _has_colon):
        lines = [line for line in part.lines if has_label(line)]
        alike = sum(line.kind == lines[0].kind for line in part.lines) if lines else 0
        labels = {_label_of(line) for line in lines}
        if len(lines) >= max(FEWEST_LINES, SHARE_OF_LINES * alike) and len(labels) == len(lines):
            return lines
    return []


def _is_labelled_row(line: SectionLine) -> bool:
    """Whether the row is a short label and its value."""
    return (
        line.kind == "row"
        and len(line.cells) == 2
        and all(line.cells)
        and _is_short(line.cells[0])
        and not any(map(str.isdigit, line.cells[0]))
    )


def _has_bold_label(line: SectionLine) -> bool:
    return line.kind in {"text", "item"} and bool(line.lead and line.rest) and _is_short(line.lead)


def _has_colon(line: SectionLine) -> bool:
    match = COLON.match(line.text) if line.kind in {"text", "item"} and not line.lead else None
    return match is not None and _is_short(match[0]) and not ADDRESS.match(match[0])


def _is_short(label: str) -> bool:
    return len(label.split()) <= LONGEST_LABEL


def _label_of(line: SectionLine) -> str:
    if line.kind == "row":
        return line.cells[0]
    return line.lead or line.text.partition(":")[0].rstrip()


def _section(part: PagePart, line: SectionLine, text: str) -> PagePart:
    """The label as the heading of a section with its value as a line of its own."""
    value = _cell(line, text) if line.kind == "row" else _rest(line, text)
    return replace(
        part,
        title=_label_of(line),
        above=(*part.above, part.title),
        level=max(BELOW, part.level + 1),
        lines=(value,),
        start=line.start,
    )


def _cell(line: SectionLine, text: str) -> SectionLine:
    raw = text[line.start : line.end]
    bars = [match.start() for match in CELL.finditer(raw)]
    start, end = line.start + bars[1] + 1, line.start + bars[2]
    cell = text[start:end]
    start += len(cell) - len(cell.lstrip())
    return replace(
        line, kind="text", text=line.cells[1], cells=(), start=start, end=start + len(cell.strip())
    )


def _rest(line: SectionLine, text: str) -> SectionLine:
    """The text behind the label, where its words stand."""
    label = line.lead or line.text.partition(":")[0]
    value = line.rest or line.text.partition(":")[2].strip()
    _, rest = with_spans(line, [label, value], text[line.start : line.end])
    return replace(rest, kind="text")

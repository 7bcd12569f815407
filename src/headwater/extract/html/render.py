"""Chosen blocks to text: once Markdown-like, once plain."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from headwater.extract.html.flatten import TAG_NUMBER, Page

_HEADINGS = {TAG_NUMBER[f"h{level}"]: "#" * level + " " for level in range(1, 7)}
_LISTS = {TAG_NUMBER[name] for name in ("ul", "ol", "menu", "dir")}
_ITEM = TAG_NUMBER["li"]
_QUOTE = TAG_NUMBER["blockquote"]
_VERBATIM = TAG_NUMBER["pre"]
_ROW = TAG_NUMBER["tr"]
_CELLS = {TAG_NUMBER["td"], TAG_NUMBER["th"]}
_MARKING = {*_HEADINGS, *_LISTS, _ITEM, _QUOTE, _VERBATIM}
_DEEPEST_MARK = 8
_MAY_BE_A_MARKER = re.compile(r"^(#{1,6} |[-*+] |> |\d+[.)] |```|\|)")


@dataclass(frozen=True, slots=True)
class _Marks:
    """What the elements around a block make of it."""

    heading: str = ""
    lists: int = 0
    item: int = -1
    quotes: int = 0
    verbatim: bool = False


def plain(page: Page, chosen: Sequence[int]) -> str:
    """One block a line."""
    return "\n".join([page.texts[block] for block in chosen])


def markdown(page: Page, chosen: Sequence[int]) -> str:
    """Headings, lists, tables, quotes and code keep their marks; everything else is a paragraph."""
    lines: list[str] = []
    previous = ""
    rows = _rows(page, chosen)
    marks = _MarksOf(page)
    for block in chosen:
        row = page.parents[page.homes[block]]
        if row in rows and page.tags[page.homes[block]] in _CELLS:
            kind, line = "row", _row(page, rows[row]) if rows[row][0] == block else ""
        else:
            kind, line = _marked(page, block, marks[page.homes[block]])
        if not line:
            continue
        if lines and not (kind and kind == previous):
            lines.append("")
        lines.append(line)
        if kind == "row" and previous != "row":
            lines.append("|" + " --- |" * len(rows[row]))
        previous = kind
    return "\n".join(lines)


class _MarksOf:
    """Marks by element, worked out for the elements that are asked for and those around them."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.known = {0: _Marks()}

    def __getitem__(self, element: int) -> _Marks:
        page, known = self.page, self.known
        chain = []
        while element not in known:
            chain.append(element)
            element = page.parents[element]
        marks = known[element]
        for inner in reversed(chain):
            tag = page.tags[inner]
            marks = known[inner] = _inside(marks, tag, inner) if tag in _MARKING else marks
        return marks


def _inside(around: _Marks, tag: int, element: int) -> _Marks:
    if tag in _HEADINGS:
        return replace(around, heading=_HEADINGS[tag])
    if tag in _LISTS:
        return replace(around, lists=min(around.lists + 1, _DEEPEST_MARK))
    if tag == _ITEM:
        return replace(around, item=element)
    if tag == _QUOTE:
        return replace(around, quotes=min(around.quotes + 1, _DEEPEST_MARK))
    return replace(around, verbatim=True)


def _rows(page: Page, chosen: Sequence[int]) -> dict[int, list[int]]:
    """Rows of data by element: those of which more than one cell was chosen."""
    rows: dict[int, list[int]] = {}
    for block in chosen:
        home = page.homes[block]
        if page.tags[home] in _CELLS and page.tags[page.parents[home]] == _ROW:
            rows.setdefault(page.parents[home], []).append(block)
    return {row: blocks for row, blocks in rows.items() if len(blocks) > 1}


def _row(page: Page, cells: Sequence[int]) -> str:
    return "| " + " | ".join(page.texts[cell].replace("|", "\\|") for cell in cells) + " |"


def _marked(page: Page, block: int, marks: _Marks) -> tuple[str, str]:
    text = page.texts[block]
    kind = ""
    if marks.heading:
        line = marks.heading + text
    elif marks.verbatim:
        line = f"```\n{text}\n```"
    elif marks.item >= 0:
        kind = "item"
        line = "  " * max(0, marks.lists - 1) + ("- " if page.first[marks.item] == block else "  ") + text
    else:
        line = "\\" + text if _MAY_BE_A_MARKER.match(text) else text
    if marks.quotes:
        line = "\n".join("> " * marks.quotes + part for part in line.split("\n"))
        kind = kind and "quoted " + kind
    return kind, line

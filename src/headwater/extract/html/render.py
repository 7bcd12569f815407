"""The chosen blocks of a page as Markdown and as plain text."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from headwater.extract.html.flatten import TAG_NUMBER, FlatPage

_HEADINGS = {TAG_NUMBER[f"h{level}"]: "#" * level + " " for level in range(1, 7)}
_ORDERED = TAG_NUMBER["ol"]
_LISTS = {TAG_NUMBER[name] for name in ("ul", "ol", "menu", "dir")}
_ITEM = TAG_NUMBER["li"]
_QUOTE = TAG_NUMBER["blockquote"]
_VERBATIM = TAG_NUMBER["pre"]
_ROW = TAG_NUMBER["tr"]
_CELLS = {TAG_NUMBER["td"], TAG_NUMBER["th"]}
_MARKING = {*_HEADINGS, *_LISTS, _ITEM, _QUOTE, _VERBATIM}
_DEEPEST_MARK = 8
_WIDEST_INDENT = 24
_COUNT = re.compile(r' (?:start|value)="(\d{1,6})"')
_MAY_BE_A_MARKER = re.compile(r"^(#{1,6} |[-*+] |> |\d+[.)] |```|\|)")


@dataclass(frozen=True, slots=True)
class _Marks:
    """How the elements around a block mark it up."""

    heading: str = ""
    list: int = -1
    item: int = -1
    marker: str = ""
    indent: str = ""
    quotes: int = 0
    verbatim: bool = False


def page_to_plain_text(page: FlatPage, blocks: Sequence[int]) -> str:
    """One line per block."""
    return "\n".join([page.texts[block] for block in blocks])


def page_to_markdown(page: FlatPage, blocks: Sequence[int]) -> str:
    """Headings, lists, tables, quotes and code keep their marks; everything else is a paragraph."""
    lines: list[str] = []
    previous = ""
    rows = _rows(page, blocks)
    marks = _MarksByElement(page)
    for block in blocks:
        row = page.parents[page.block_elements[block]]
        if row in rows and page.tags[page.block_elements[block]] in _CELLS:
            kind, line = "row", _row(page, rows[row]) if rows[row][0] == block else ""
        else:
            kind, line = _marked(page, block, marks[page.block_elements[block]])
        if not line:
            continue
        if lines and not (kind and kind == previous):
            lines.append("")
        lines.append(line)
        if kind == "row" and previous != "row":
            lines.append("|" + " --- |" * len(rows[row]))
        previous = kind
    return "\n".join(lines)


class _MarksByElement:
    """The marks of elements, computed when they are needed and cached."""

    def __init__(self, page: FlatPage) -> None:
        self.page = page
        self.cache = {0: _Marks()}
        self.numbers: dict[int, dict[int, int]] = {}

    def __getitem__(self, element: int) -> _Marks:
        page, cache = self.page, self.cache
        chain = []
        while element not in cache:
            chain.append(element)
            element = page.parents[element]
        marks = cache[element]
        for inner in reversed(chain):
            tag = page.tags[inner]
            if tag == _ITEM:
                marks = self._item(marks, inner)
            elif tag in _MARKING:
                marks = _inside(marks, tag, inner)
            cache[inner] = marks
        return marks

    def _item(self, around: _Marks, element: int) -> _Marks:
        """The mark of a list item, indented as far as the text of the item that contains it."""
        ordered = around.list >= 0 and self.page.tags[around.list] == _ORDERED
        marker = f"{self._number(around.list, element)}. " if ordered else "- "
        indent = (around.indent + " " * len(around.marker))[:_WIDEST_INDENT]
        return replace(around, item=element, marker=marker, indent=indent)

    def _number(self, ordered: int, element: int) -> int:
        if ordered not in self.numbers:
            self.numbers[ordered] = _numbers(self.page, ordered)
        return self.numbers[ordered].get(element, 1)


def _numbers(page: FlatPage, ordered: int) -> dict[int, int]:
    """The numbers of the items of a list, as a browser counts them."""
    numbers: dict[int, int] = {}
    following = _stated_count(page.attributes[ordered]) or 1
    depth = page.depths[ordered]
    for element in range(ordered + 1, len(page.tags)):
        if page.depths[element] <= depth:
            break
        if page.tags[element] == _ITEM and page.parents[element] == ordered:
            following = _stated_count(page.attributes[element]) or following
            numbers[element] = following
            following += 1
    return numbers


def _stated_count(attributes: str) -> int | None:
    match = _COUNT.search(attributes)
    return int(match[1]) if match else None


def _inside(around: _Marks, tag: int, element: int) -> _Marks:
    if tag in _HEADINGS:
        return replace(around, heading=_HEADINGS[tag])
    if tag in _LISTS:
        return replace(around, list=element)
    if tag == _QUOTE:
        return replace(around, quotes=min(around.quotes + 1, _DEEPEST_MARK))
    return replace(around, verbatim=True)


def _rows(page: FlatPage, blocks: Sequence[int]) -> dict[int, list[int]]:
    """Table rows by element: those with more than one chosen cell."""
    rows: dict[int, list[int]] = {}
    for block in blocks:
        element = page.block_elements[block]
        if page.tags[element] in _CELLS and page.tags[page.parents[element]] == _ROW:
            rows.setdefault(page.parents[element], []).append(block)
    return {row: cells for row, cells in rows.items() if len(cells) > 1}


def _row(page: FlatPage, cells: Sequence[int]) -> str:
    return "| " + " | ".join(page.texts[cell].replace("|", "\\|") for cell in cells) + " |"


def _marked(page: FlatPage, block: int, marks: _Marks) -> tuple[str, str]:
    text = page.texts[block]
    kind = ""
    if marks.heading:
        line = marks.heading + text
    elif marks.verbatim:
        line = f"```\n{text}\n```"
    elif marks.item >= 0:
        kind = "item"
        prefix = marks.marker if page.first[marks.item] == block else " " * len(marks.marker)
        line = marks.indent + prefix + text
    else:
        line = "\\" + text if _MAY_BE_A_MARKER.match(text) else text
    if marks.quotes:
        line = "\n".join("> " * marks.quotes + part for part in line.split("\n"))
        kind = kind and "quoted " + kind
    return kind, line

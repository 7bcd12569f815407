"""Tables on narrow screens: each row becomes a card there, so each of its cells says the name of its column. The names come from
the heads of the table: no template repeats them."""

import re
from collections.abc import Callable, Iterator

_CELL = re.compile(r"<t[dh][ >]")
_SPAN = re.compile(r'colspan="(\d{1,2})"')
# What a head has for the eye or for screen readers alone.
_ASIDES = ('<span class="hidden"', '<span class="sort-mark"')


def label_cells(html: str) -> str:
    """The page with `data-label` in each cell of a table that has heads. Everything in a page is escaped, so tags are tags."""
    return _change_elements(html, "<table", "</table>", _label_table)


def _change_elements(html: str, start: str, end: str, change: Callable[[str], str]) -> str:
    """With each element that begins and ends so replaced. Each character is read once: a page may be long."""
    parts: list[str] = []
    position = 0
    while (first := html.find(start, position)) >= 0 and (last := html.find(end, first)) >= 0:
        last += len(end)
        parts += [html[position:first], change(html[first:last])]
        position = last
    return "".join(parts) + html[position:]


def _label_table(table: str) -> str:
    heads, end, body = table.partition("</thead>")
    names = list(_names(heads))
    return (
        heads + end + _change_elements(body, "<tr", "</tr>", lambda row: _label_row(row, names))
        if end
        else table
    )


def _names(heads: str) -> Iterator[str]:
    for head in heads.split("<th")[1:]:
        if head[:1] in {" ", ">"}:
            _, _, words = head.partition(">")
            for aside in _ASIDES:
                words = _change_elements(words, aside, "</span>", lambda _: "")
            yield " ".join(_without_tags(words).split())


def _without_tags(html: str) -> str:
    """The words between tags."""
    return "".join(part.rpartition(">")[2] for part in html.split("<"))


def _label_row(row: str, names: list[str]) -> str:
    parts: list[str] = []
    position, column = 0, 0
    for cell in _CELL.finditer(row):
        end = row.find(">", cell.start())
        span = _SPAN.search(row, cell.start(), end)
        width = int(span[1]) if span else 1
        name = names[column] if column < len(names) and width == 1 else ""
        parts += [row[position:end], f' data-label="{name}">' if name else ">"]
        position, column = end + 1, column + width
    return "".join(parts) + row[position:]

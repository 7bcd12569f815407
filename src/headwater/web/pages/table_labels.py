"""Tables on narrow screens: each row becomes a card there, so each of its cells says the name of its column. The names come from
the heads of the table: no template repeats them."""

import re

_TABLE = re.compile(r"<table\b.*?</table>", re.DOTALL)
_HEAD = re.compile(r"<th\b[^>]*>(.*?)</th>", re.DOTALL)
_ROW = re.compile(r"<tr\b.*?</tr>", re.DOTALL)
_CELL = re.compile(r"<t[dh]\b([^>]*)>")
_SPAN = re.compile(r'\bcolspan="(\d{1,2})"')
# What a head has for the eye or for screen readers alone.
_ASIDE = re.compile(r'<span class="(?:hidden|sort-mark)"[^>]*>.*?</span>', re.DOTALL)
_TAG = re.compile(r"<[^>]*>")


def label_cells(html: str) -> str:
    """The page with `data-label` in each cell of a table that has heads. Everything in a page is escaped, so tags are tags."""
    return _TABLE.sub(lambda table: _label_table(table[0]), html)


def _label_table(table: str) -> str:
    heads, end, body = table.partition("</thead>")
    names = [" ".join(_TAG.sub("", _ASIDE.sub("", head)).split()) for head in _HEAD.findall(heads)]
    return heads + end + _ROW.sub(lambda row: _label_row(row[0], names), body) if end else table


def _label_row(row: str, names: list[str]) -> str:
    parts: list[str] = []
    position, column = 0, 0
    for cell in _CELL.finditer(row):
        span = _SPAN.search(cell[1])
        width = int(span[1]) if span else 1
        name = names[column] if column < len(names) and width == 1 else ""
        parts += [row[position : cell.end() - 1], f' data-label="{name}">' if name else ">"]
        position, column = cell.end(), column + width
    return "".join(parts) + row[position:]

"""Tables as the blocks that they stand for."""

from typing import Protocol

from selectolax.lexbor import LexborNode

from headwater.extract.blocks import Heading, Table
from headwater.extract.letters import one_line
from headwater_recipes.procedures.page.labelled import LONGEST_LABEL
from headwater_recipes.procedures.page.sheet import Sheet
from headwater_recipes.procedures.page.tables import (
    Bands,
    Rows,
    bands_of,
    below_heads,
    groups_of,
    has_bands,
    is_ficha,
    is_layout,
    is_menu,
    rows_of,
)


class Walks(Protocol):
    """Who writes a page's elements down, one after the other."""

    @property
    def sheet(self) -> Sheet: ...

    def walk(self, node: LexborNode, depth: int) -> None: ...

    def inside(self, node: LexborNode, depth: int) -> list[str]: ...

    def end_paragraph(self) -> None: ...


def write_table(walker: Walks, node: LexborNode, depth: int) -> None:
    _caption(walker, node)
    cells = rows_of(node)
    labelled = below_heads(cells)
    if is_ficha(labelled):
        _pairs(walker, labelled, depth)
    elif groups := groups_of(cells):
        _bands(walker, groups, depth)
    elif has_bands(cells):
        _bands(walker, bands_of(cells), depth)
    elif is_layout(cells):
        _all(walker, [cell for row in cells for cell in row if not is_menu(cell)], depth)
    else:
        _rows(walker, cells, depth)


def _caption(walker: Walks, node: LexborNode) -> None:
    caption = node.css_first("caption")
    text = one_line(caption.text(deep=True)) if caption is not None else ""
    if text and len(text.split()) <= LONGEST_LABEL:
        walker.sheet.add(Heading(text, walker.sheet.ranks.below()))


def _rows(walker: Walks, rows: Rows, depth: int) -> None:
    told = tuple(tuple("; ".join(walker.inside(cell, depth)) for cell in row) for row in rows)
    if told:
        walker.sheet.add(Table(told))


def _pairs(walker: Walks, rows: Rows, depth: int) -> None:
    level = walker.sheet.ranks.below()
    for label, *values in rows:
        walker.sheet.add(Heading(one_line(label.text(deep=True)), level))
        with walker.sheet.ranks.under(level):
            _all(walker, values, depth)


def _bands(walker: Walks, bands: Bands, depth: int) -> None:
    """Cells that name the rows below them."""
    level = walker.sheet.ranks.below()
    for band, values in bands:
        if band is not None:
            walker.sheet.add(Heading(one_line(band.text(deep=True)), level))
        with walker.sheet.ranks.under(level):
            _all(walker, [row[0] for row in values if len(row) == 1], depth)
            rest = [row for row in values if len(row) > 1]
            (_pairs if is_ficha(rest) else _rows)(walker, rest, depth)


def _all(walker: Walks, nodes: list[LexborNode], depth: int) -> None:
    for node in nodes:
        walker.walk(node, depth + 1)
        walker.end_paragraph()

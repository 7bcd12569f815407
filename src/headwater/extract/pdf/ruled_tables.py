"""Ruled tables: the lines drawn on a page, the grids that they form, and the words in the cells."""

import ctypes
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import pypdfium2.raw as pdfium

from headwater.extract.blocks import Table
from headwater.extract.pdf.geometry import PageFrame, PageWord, TextPiece

_MOST_PATHS = 4_000
_MOST_EDGES = 2_000
_SHORTEST = 6.0
_NEAR = 3.0
_MOST_CELLS = 20_000
_STRAIGHT = 0.8


class RuleEdge(NamedTuple):
    """A straight line: its position, and from where to where it reaches."""

    upright: bool
    at: float
    start: float
    end: float


def edges_of(page: ctypes.c_void_p, frame: PageFrame) -> list[RuleEdge]:
    """The vertical and horizontal lines drawn on the page."""
    edges: list[RuleEdge] = []
    paths = 0
    for number in range(pdfium.FPDFPage_CountObjects(page)):
        page_object = pdfium.FPDFPage_GetObject(page, number)
        if pdfium.FPDFPageObj_GetType(page_object) != pdfium.FPDF_PAGEOBJ_PATH:
            continue
        paths += 1
        if paths > _MOST_PATHS or len(edges) > _MOST_EDGES:
            return []
        edges += _path_edges(page_object, frame)
    return edges


def _path_edges(path: ctypes.c_void_p, frame: PageFrame) -> list[RuleEdge]:
    count = pdfium.FPDFPath_CountSegments(path)
    if not 2 <= count <= _MOST_EDGES:
        return []
    matrix = pdfium.FS_MATRIX()
    pdfium.FPDFPageObj_GetMatrix(path, ctypes.byref(matrix))
    x, y = ctypes.c_float(), ctypes.c_float()
    edges: list[RuleEdge] = []
    begin = previous = (0.0, 0.0)
    for number in range(count):
        segment = pdfium.FPDFPath_GetPathSegment(path, number)
        pdfium.FPDFPathSegment_GetPoint(segment, ctypes.byref(x), ctypes.byref(y))
        point = (
            matrix.a * x.value + matrix.c * y.value + matrix.e,
            matrix.b * x.value + matrix.d * y.value + matrix.f,
        )
        kind = pdfium.FPDFPathSegment_GetType(segment)
        if kind == pdfium.FPDF_SEGMENT_MOVETO:
            begin = point
        elif kind == pdfium.FPDF_SEGMENT_LINETO:
            edges += _edge(previous, point, frame)
        if pdfium.FPDFPathSegment_GetClose(segment):
            edges += _edge(point, begin, frame)
        previous = point
    return edges


def _edge(start: tuple[float, float], end: tuple[float, float], frame: PageFrame) -> list[RuleEdge]:
    box = frame.to_page_box(
        min(start[0], end[0]), min(start[1], end[1]), max(start[0], end[0]), max(start[1], end[1])
    )
    left, top, right, bottom = box
    if right - left < _STRAIGHT and bottom - top >= _SHORTEST:
        return [RuleEdge(True, (left + right) / 2, top, bottom)]
    if bottom - top < _STRAIGHT and right - left >= _SHORTEST:
        return [RuleEdge(False, (top + bottom) / 2, left, right)]
    return []


@dataclass(frozen=True, slots=True)
class RuleGrid:
    """The positions of the rules of a table, and the edges that draw them."""

    columns: tuple[float, ...]
    rows: tuple[float, ...]
    edges: tuple[RuleEdge, ...]

    def place(self, word: PageWord) -> tuple[int, int] | None:
        """Row and column of the word's middle."""
        column = bisect_right(self.columns, (word.left + word.right) / 2) - 1
        row = bisect_right(self.rows, (word.top + word.bottom) / 2) - 1
        inside = 0 <= column < len(self.columns) - 1 and 0 <= row < len(self.rows) - 1
        return (row, column) if inside else None

    def is_separated(self, upright: bool, at: float, along: float) -> bool:
        """Whether a rule is drawn there."""
        return any(
            edge.upright == upright and abs(edge.at - at) <= _NEAR and edge.start - 1 <= along <= edge.end + 1
            for edge in self.edges
        )


def grids_of(edges: Sequence[RuleEdge]) -> list[RuleGrid]:
    """The grids of edges that touch one another and form at least two cells."""
    grids = []
    for group in _touching_edges(edges):
        columns = _distinct([edge.at for edge in group if edge.upright])
        rows = _distinct([edge.at for edge in group if not edge.upright])
        cells = (len(columns) - 1) * (len(rows) - 1)
        if len(columns) >= 2 and len(rows) >= 2 and 2 <= cells <= _MOST_CELLS:
            grids.append(RuleGrid(tuple(columns), tuple(rows), tuple(group)))
    return sorted(grids, key=lambda grid: (grid.rows[0], grid.columns[0]))


def _touching_edges(edges: Sequence[RuleEdge]) -> list[list[RuleEdge]]:
    """Groups of edges that cross or meet."""
    upright = [edge for edge in edges if edge.upright]
    level = sorted((edge for edge in edges if not edge.upright), key=lambda edge: edge.at)
    heights = [edge.at for edge in level]
    groups: dict[int, list[RuleEdge]] = {}
    group_of: dict[RuleEdge, int] = {}
    for number, edge in enumerate(upright):
        members = {edge: None}
        first = bisect_left(heights, edge.start - _NEAR)
        for other in level[first : bisect_right(heights, edge.end + _NEAR)]:
            if other.start - _NEAR <= edge.at <= other.end + _NEAR:
                members[other] = None
        joined = {group_of[member] for member in members if member in group_of}
        for earlier in sorted(joined):
            members.update(dict.fromkeys(groups.pop(earlier)))
        groups[number] = list(members)
        group_of.update(dict.fromkeys(members, number))
    return list(groups.values())


def _distinct(places: Sequence[float]) -> list[float]:
    """Positions, with those closer than the width of a rule as one."""
    merged: list[float] = []
    for place in sorted(places):
        if not merged or place - merged[-1] > _NEAR:
            merged.append(place)
    return merged


def tables_of(grids: Sequence[RuleGrid], words: Sequence[PageWord]) -> tuple[list[TextPiece], list[PageWord]]:
    """The tables with their positions, and the words outside them."""
    tables: list[TextPiece] = []
    remaining = list(words)
    for grid in grids:
        filled, outside = _words_by_cell(grid, remaining)
        rows = [[" ".join(cell) for cell in row] for row in filled]
        if _is_table(rows):
            box = (grid.columns[0], grid.rows[0], grid.columns[-1], grid.rows[-1])
            tables.append(TextPiece(*box, "", table=Table(tuple(map(tuple, _without_empty_columns(rows))))))
            remaining = outside
    return tables, remaining


def _words_by_cell(grid: RuleGrid, words: Sequence[PageWord]) -> tuple[list[list[list[str]]], list[PageWord]]:
    cells: list[list[list[str]]] = [[[] for _ in grid.columns[1:]] for _ in grid.rows[1:]]
    first_cells: dict[tuple[int, int], tuple[int, int]] = {}
    outside = []
    for word in words:
        place = grid.place(word)
        if place is None:
            outside.append(word)
            continue
        if place not in first_cells:
            first_cells[place] = _first_cell(grid, *place)
        row, column = first_cells[place]
        cells[row][column].append(word.text)
    return cells, outside


def _first_cell(grid: RuleGrid, row: int, column: int) -> tuple[int, int]:
    """The first of the cells that no rule separates."""
    while column and not grid.is_separated(
        True, grid.columns[column], (grid.rows[row] + grid.rows[row + 1]) / 2
    ):
        column -= 1
    middle = (grid.columns[column] + grid.columns[column + 1]) / 2
    while row and not grid.is_separated(False, grid.rows[row], middle):
        row -= 1
    return row, column


def _is_table(rows: Sequence[Sequence[str]]) -> bool:
    """Whether at least two cells have text: a frame around a paragraph is not a table."""
    return sum(bool(cell) for row in rows for cell in row) >= 2


def _without_empty_columns(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """The rows without empty columns, which thick and double rules create."""
    used = [number for number in range(len(rows[0])) if any(row[number] for row in rows)]
    return [[row[number] for number in used] for row in rows if any(row)]

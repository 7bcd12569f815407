"""Reading order: bands of pieces from top to bottom, columns from left to right, lines within a column.

A gap that stays empty over several lines separates columns; a line that crosses it ends them. Short aligned pieces in
such columns are a table without rules.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median

from headwater.extract.blocks import Table
from headwater.extract.pdf.geometry import TextLine, TextPiece

_FEWEST_LINES = 3
_DEEPEST = 6
_FEW_WORDS = 4.0
_BULLET = re.compile("[•◦▪▫‣●○■□·–—*\uf0b7\uf0a7\uf0d8-]\\Z")
_NUMBER = re.compile(r"(?:\(?[\divxlc]{1,5}[.)]?|[\dA-Z]{1,3}(?:\.\d{1,3}){0,4}\.?|\(?[a-z][.)]|§ ?\d+)\Z")
Gap = tuple[float, float]


@dataclass(slots=True)
class PageBand:
    """Pieces beside one another."""

    pieces: list[TextPiece]
    bottom: float


@dataclass(slots=True)
class PageRegion:
    """Bands that share gaps, or that have none."""

    bands: list[PageBand] = field(default_factory=list)
    gaps: list[Gap] = field(default_factory=list)

    @property
    def pieces(self) -> list[TextPiece]:
        return [piece for band in self.bands for piece in band.pieces]


def reading_order(pieces: Sequence[TextPiece], depth: int = 0) -> list[TextLine]:
    """The lines of a page in the order in which people read them."""
    if not pieces:
        return []
    least = 0.8 * median(piece.height for piece in pieces)
    lines: list[TextLine] = []
    for region in _regions(_bands(pieces), least):
        gaps = _without_margin(region, _dividing(region, least), _BULLET) if depth < _DEEPEST else []
        if gaps and (table := _as_table(region, gaps)) is not None:
            lines += _lines([table])
        elif gaps := _without_margin(region, gaps, _NUMBER):
            for column in _divided(region.pieces, gaps):
                lines += reading_order(column, depth + 1)
        else:
            lines += _lines(region.pieces)
    return lines


def _without_margin(region: PageRegion, gaps: Sequence[Gap], mark: re.Pattern[str]) -> list[Gap]:
    """The gaps, except those after a column of nothing but bullets or numbers: they belong to the lines beside."""
    columns = _divided(region.pieces, gaps)
    return [
        gap
        for gap, column in zip(gaps, columns, strict=False)
        if not all(mark.match(piece.text) for piece in column)
    ]


def _bands(pieces: Sequence[TextPiece]) -> list[PageBand]:
    bands: list[PageBand] = []
    for piece in sorted(pieces, key=lambda piece: (piece.top, piece.left)):
        if bands and piece.top < bands[-1].bottom - 0.2 * piece.height:
            bands[-1].pieces.append(piece)
            bands[-1].bottom = max(bands[-1].bottom, piece.bottom)
        else:
            bands.append(PageBand([piece], piece.bottom))
    return bands


def _regions(bands: Sequence[PageBand], least: float) -> list[PageRegion]:
    regions: list[PageRegion] = []
    for band in bands:
        inner = _inner_gaps(band.pieces, least)
        if regions and regions[-1].gaps:
            shared = _shared(regions[-1].gaps, band.pieces, least)
            if shared:
                regions[-1].bands.append(band)
                regions[-1].gaps = shared
                continue
        elif regions and not inner:
            regions[-1].bands.append(band)
            continue
        regions.append(PageRegion([band], inner))
    return regions


def _inner_gaps(pieces: Sequence[TextPiece], least: float) -> list[Gap]:
    gaps: list[Gap] = []
    reach = None
    for piece in sorted(pieces, key=lambda piece: piece.left):
        if reach is not None and piece.left - reach >= least:
            gaps.append((reach, piece.left))
        reach = piece.right if reach is None else max(reach, piece.right)
    return gaps


def _shared(gaps: Sequence[Gap], pieces: Sequence[TextPiece], least: float) -> list[Gap]:
    """The gaps as far as these pieces leave them open."""
    narrowed = [_narrowed(gap, pieces) for gap in gaps]
    return [gap for gap in narrowed if gap[1] - gap[0] >= least]


def _narrowed(gap: Gap, pieces: Sequence[TextPiece]) -> Gap:
    """A piece that reaches into the gap narrows it; one that crosses it closes it."""
    start, end = gap
    for piece in pieces:
        if piece.left < end and piece.right > start:
            if piece.left <= start:
                start = max(start, piece.right)
            else:
                end = min(end, piece.left)
    return start, end


def _dividing(region: PageRegion, least: float) -> list[Gap]:
    """The gaps with enough lines on both sides."""
    pieces = region.pieces
    dividing = []
    for start, end in region.gaps:
        middle = (start + end) / 2
        before = sum(piece.right <= middle for piece in pieces)
        after = sum(piece.left >= middle for piece in pieces)
        table_like = min(before, after) >= 2 and len(region.bands) <= 2 * min(before, after)
        if (min(before, after) >= _FEWEST_LINES or table_like) and end - start >= least:
            dividing.append((start, end))
    return dividing


def _divided(pieces: Sequence[TextPiece], gaps: Sequence[Gap]) -> list[list[TextPiece]]:
    edges = [(start + end) / 2 for start, end in gaps]
    columns: list[list[TextPiece]] = [[] for _ in range(len(edges) + 1)]
    for piece in pieces:
        columns[sum(piece.left >= edge for edge in edges)].append(piece)
    return columns


def _as_table(region: PageRegion, gaps: Sequence[Gap]) -> TextPiece | None:
    """Rows of short pieces, most of them with all their cells."""
    rows = [_divided(band.pieces, gaps) for band in region.bands]
    pieces = region.pieces
    if len(rows) < _FEWEST_LINES or any(piece.table for piece in pieces):
        return None
    words = sum(len(piece.text.split()) for piece in pieces) / len(pieces)
    full = sum(all(row) for row in rows)
    if words > _FEW_WORDS or full < 0.6 * len(rows) or any(len(cell) > 2 for row in rows for cell in row):
        return None
    cells = tuple(tuple(" ".join(piece.text for piece in cell) for cell in row) for row in rows)
    return TextPiece(
        min(piece.left for piece in pieces),
        min(piece.top for piece in pieces),
        max(piece.right for piece in pieces),
        max(piece.bottom for piece in pieces),
        "",
        table=Table(cells),
    )


def _lines(pieces: Sequence[TextPiece]) -> list[TextLine]:
    if not pieces:
        return []
    column = (min(piece.left for piece in pieces), max(piece.right for piece in pieces))
    lines: list[TextLine] = []
    for band in _bands(pieces):
        row: list[TextPiece] = []
        for piece in sorted(band.pieces, key=lambda piece: piece.left):
            if piece.table is not None:
                lines.append(_line([piece], column))
            else:
                row.append(piece)
        if row:
            lines.append(_line(row, column))
    return lines


def _line(row: Sequence[TextPiece], column: Gap) -> TextLine:
    longest = max(row, key=lambda piece: len(piece.text))
    return TextLine(
        min(piece.left for piece in row),
        min(piece.top for piece in row),
        max(piece.right for piece in row),
        max(piece.bottom for piece in row),
        " ".join(piece.text for piece in row),
        longest.height,
        all(piece.bold for piece in row),
        row[0].table,
        column,
    )

"""Tables: what each is for (data, labels with values, or layout), and the blocks it becomes."""

from typing import Protocol

from selectolax.lexbor import LexborNode

from headwater.extract.blocks import Heading, Table
from headwater.text.letters import to_one_line
from headwater_recipes.procedures.labels.recognise import LONGEST_LABEL, recognise, recognise_plain
from headwater_recipes.procedures.page.writer import BlockList

FEWEST_PARTS, FEWEST_GROUPS, MOSTLY = 3, 2, 0.8
TableRows = list[list[LexborNode]]
TableBands = list[tuple[LexborNode | None, TableRows]]


def rows_of(table: LexborNode) -> TableRows:
    """The cells of the table itself, row by row, without empty rows."""
    rows = [
        [cell for cell in row.iter() if cell.tag in {"td", "th"}]
        for row in table.css("tr")
        if own_row(row, table)
    ]
    return _without_empty_columns([row for row in rows if any(_has_text(cell) for cell in row)])


def _without_empty_columns(rows: TableRows) -> TableRows:
    """The rows without empty columns."""
    wide = [row for row in rows if len(row) > 1]
    if wide and all(len(row) == 2 and not _has_text(row[0]) for row in wide):
        return [row[-1:] for row in rows]  # an empty cell only indents the text below a label
    widths = {len(row) for row in rows}
    if len(widths) != 1:
        return rows
    columns = [place for place in range(widths.pop()) if any(_has_text(row[place]) for row in rows)]
    return [[row[place] for place in columns] for row in rows]


def _has_text(cell: LexborNode) -> bool:
    """Whether the cell contains more than a bullet."""
    return to_one_line(cell.text(deep=True)).strip(" -–—•·*▪►»>") != ""


def own_row(row: LexborNode, table: LexborNode) -> bool:
    parent = row.parent
    while parent is not None and parent.tag != "table":
        parent = parent.parent
    return parent is not None and parent.mem_id == table.mem_id


def is_layout(rows: TableRows) -> bool:
    """Whether the table is only layout: it contains headings or other tables, or has one cell per row."""
    if all(len(row) == 1 for row in rows):
        return True
    return any(
        cell.css_first("table,h1,h2") is not None or _has_several_labels(cell) for row in rows for cell in row
    )


def _has_several_labels(cell: LexborNode) -> bool:
    """Whether the cell contains several labels: a page, not a value."""
    texts = {
        to_one_line(node.text(deep=True)) for node in cell.css("b,strong,h3,h4,h5,h6,dt,summary,u")[:200]
    }
    fields = {label.field for text in texts if (label := recognise_plain(text)) is not None}
    return len(fields) >= FEWEST_PARTS


def is_menu(cell: LexborNode) -> bool:
    """Whether the cell contains only links to other pages."""
    links = [to_one_line(link.text(deep=True)) for link in cell.css("a[href]")]
    letters = len(to_one_line(cell.text(deep=True)))
    return len(links) >= FEWEST_PARTS and sum(map(len, links)) >= MOSTLY * letters


def without_header_row(rows: TableRows) -> TableRows:
    """The rows without the header row."""
    if (
        len(rows) > 1
        and all(cell.tag == "th" for cell in rows[0])
        and any(cell.tag == "td" for cell in rows[1])
    ):
        return rows[1:]
    return rows


def is_label_table(rows: TableRows) -> bool:
    """Whether each row is a label with its value."""
    pairs = [row for row in rows if len(row) == 2]
    if len(pairs) < len(rows) or not pairs:
        return False
    labels = [to_one_line(row[0].text(deep=True)) for row in pairs]
    heads = sum(row[0].tag == "th" and row[1].tag == "td" for row in pairs)
    known_labels = [recognise(label) if heads else recognise_plain(label) for label in labels]
    fields = {label.field for label in known_labels if label is not None}
    short = all(len(label.split()) <= LONGEST_LABEL for label in labels)
    return short and (len(fields) >= 2 or (len(fields) == 1 and heads == len(pairs)))


def is_marked_as_pairs(rows: TableRows) -> bool:
    """Whether every row is a marked head with its value, whatever the heads are called."""
    if len(rows) < FEWEST_PARTS or any(
        len(row) != 2 or row[0].tag != "th" or row[1].tag != "td" for row in rows
    ):
        return False
    return all(0 < len(_cell_text(row[0]).split()) <= LONGEST_LABEL for row in rows)


def has_bands(rows: TableRows) -> bool:
    """Whether rows with one cell are labels for the rows below."""
    fields = {label.field for row in rows if _is_band(row) and (label := recognise_plain(_cell_text(row[0])))}
    if len(fields) >= FEWEST_PARTS:
        return any(not _is_band(row) for row in rows)
    return _alternate([_is_band(row) for row in rows])


def _alternate(bands: list[bool]) -> bool:
    """Whether each bold row stands above a row of text: labels in any words."""
    pairs = list(zip(bands[::2], bands[1::2], strict=False))
    return len(pairs) >= FEWEST_PARTS and len(bands) == 2 * len(pairs) and all(a and not b for a, b in pairs)


def groups_of(rows: TableRows) -> TableBands:
    """Labels and values next to a cell that names several of them. Empty for other tables."""
    groups: TableBands = []
    for row in rows:
        if _opens_group(row):
            groups.append((row[0], [row[1:]]))
        elif groups and len(row) == 2:
            groups[-1][1].append(row)
        else:
            return []
    return groups if len(groups) >= FEWEST_GROUPS else []


def _opens_group(row: list[LexborNode]) -> bool:
    if len(row) != 3 or not 0 < len(_cell_text(row[0]).split()) <= LONGEST_LABEL:
        return False
    spans = (row[0].attributes.get("rowspan") or "1") not in {"0", "1"}
    return (spans or row[0].tag == "th") and row[1].tag == "th" and row[2].tag == "td"


def bands_of(rows: TableRows) -> TableBands:
    """Each label with its rows. Rows above the first label have none."""
    bands: TableBands = []
    for row in rows:
        if _is_band(row):
            bands.append((row[0], []))
        elif bands:
            bands[-1][1].append(row)
        else:
            bands.append((None, [row]))
    return bands


def _is_band(row: list[LexborNode]) -> bool:
    if len(row) != 1 or not 0 < len(_cell_text(row[0]).split()) <= LONGEST_LABEL:
        return False
    first = row[0].css_first("b,strong,h3,h4,h5,h6")
    bold = first is not None and _cell_text(first) == _cell_text(row[0])
    return row[0].tag == "th" or bold or recognise_plain(_cell_text(row[0])) is not None


def _cell_text(cell: LexborNode) -> str:
    return to_one_line(cell.text(deep=True))


class BlockWalker(Protocol):
    """Walks the elements of a page and writes their blocks."""

    @property
    def block_list(self) -> BlockList: ...

    def walk(self, node: LexborNode, depth: int) -> None: ...

    def inside(self, node: LexborNode, depth: int) -> list[str]: ...

    def end_paragraph(self) -> None: ...


def write_table(walker: BlockWalker, node: LexborNode, depth: int) -> None:
    _write_caption(walker, node)
    cells = rows_of(node)
    labelled = without_header_row(cells)
    if is_label_table(labelled) or (is_marked_as_pairs(labelled) and not _is_below_label(walker)):
        _write_pairs(walker, labelled, depth)
    elif groups := groups_of(cells):
        _write_bands(walker, groups, depth)
    elif has_bands(cells):
        _write_bands(walker, bands_of(cells), depth)
    elif is_layout(cells):
        _walk_all(walker, [cell for row in cells for cell in row if not is_menu(cell)], depth)
    else:
        _write_rows(walker, cells, depth)


def _is_below_label(walker: BlockWalker) -> bool:
    """Whether the heading above the table is a label: then its rows are values, such as prices."""
    headings = [block for block in walker.block_list.blocks if isinstance(block, Heading)]
    return bool(headings) and headings[-1].level > 1 and recognise(headings[-1].text) is not None


def _write_caption(walker: BlockWalker, node: LexborNode) -> None:
    caption = node.css_first("caption")
    text = to_one_line(caption.text(deep=True)) if caption is not None else ""
    if text and len(text.split()) <= LONGEST_LABEL:
        walker.block_list.add(Heading(text, walker.block_list.levels.below()))


def _write_rows(walker: BlockWalker, rows: TableRows, depth: int) -> None:
    cells = tuple(tuple("; ".join(walker.inside(cell, depth)) for cell in row) for row in rows)
    if cells:
        walker.block_list.add(Table(cells))


def _write_pairs(walker: BlockWalker, rows: TableRows, depth: int) -> None:
    level = walker.block_list.levels.below()
    for label, *values in rows:
        walker.block_list.add(Heading(to_one_line(label.text(deep=True)), level))
        with walker.block_list.levels.under(level):
            _walk_all(walker, values, depth)


def _write_bands(walker: BlockWalker, bands: TableBands, depth: int) -> None:
    """Write bands: cells that label the rows below them."""
    level = walker.block_list.levels.below()
    for band, values in bands:
        if band is not None:
            walker.block_list.add(Heading(to_one_line(band.text(deep=True)), level))
        with walker.block_list.levels.under(level):
            _walk_all(walker, [row[0] for row in values if len(row) == 1], depth)
            pairs = [row for row in values if len(row) > 1]
            (_write_pairs if is_label_table(pairs) else _write_rows)(walker, pairs, depth)


def _walk_all(walker: BlockWalker, nodes: list[LexborNode], depth: int) -> None:
    for node in nodes:
        walker.walk(node, depth + 1)
        walker.end_paragraph()

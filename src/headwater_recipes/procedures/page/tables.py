"""What a table is for: data, labels with their values, or mere layout."""

from selectolax.lexbor import LexborNode

from headwater.extract.letters import one_line
from headwater_recipes.procedures.labels.recognise import recognise, recognise_plain

LONGEST_LABEL = 14
FEWEST_PARTS, MOSTLY = 3, 0.8
Rows = list[list[LexborNode]]


def rows_of(table: LexborNode) -> Rows:
    """Its own cells, row by row; rows without a word left out."""
    rows = [
        [cell for cell in row.iter() if cell.tag in {"td", "th"}]
        for row in table.css("tr")
        if own_row(row, table)
    ]
    return [row for row in rows if any(one_line(cell.text(deep=True)) for cell in row)]


def own_row(row: LexborNode, table: LexborNode) -> bool:
    parent = row.parent
    while parent is not None and parent.tag != "table":
        parent = parent.parent
    return parent is not None and parent.mem_id == table.mem_id


def is_layout(rows: Rows) -> bool:
    """A table that only puts things into place: it holds headings or other tables, or one cell a row."""
    if all(len(row) == 1 for row in rows):
        return True
    return any(
        cell.css_first("table,h1,h2") is not None or _holds_parts(cell) for row in rows for cell in row
    )


def _holds_parts(cell: LexborNode) -> bool:
    """Several labels in one cell: a page, not a value."""
    texts = {one_line(node.text(deep=True)) for node in cell.css("b,strong,h3,h4,h5,h6,dt,summary,u")[:200]}
    told = {label.field for text in texts if (label := recognise_plain(text)) is not None}
    return len(told) >= FEWEST_PARTS


def is_menu(cell: LexborNode) -> bool:
    """Nothing but links to other pages."""
    links = [one_line(link.text(deep=True)) for link in cell.css("a[href]")]
    letters = len(one_line(cell.text(deep=True)))
    return len(links) >= FEWEST_PARTS and sum(map(len, links)) >= MOSTLY * letters


def below_heads(rows: Rows) -> Rows:
    """The rows without the one that names the columns."""
    if (
        len(rows) > 1
        and all(cell.tag == "th" for cell in rows[0])
        and any(cell.tag == "td" for cell in rows[1])
    ):
        return rows[1:]
    return rows


def is_ficha(rows: Rows) -> bool:
    """A table of labels and values, row by row."""
    pairs = [row for row in rows if len(row) == 2]
    if len(pairs) < len(rows) or not pairs:
        return False
    labels = [one_line(row[0].text(deep=True)) for row in pairs]
    heads = sum(row[0].tag == "th" and row[1].tag == "td" for row in pairs)
    told = [recognise(label) if heads else recognise_plain(label) for label in labels]
    fields = {label.field for label in told if label is not None}
    short = all(len(label.split()) <= LONGEST_LABEL for label in labels)
    return short and (len(fields) >= 2 or (len(fields) == 1 and heads == len(pairs)))

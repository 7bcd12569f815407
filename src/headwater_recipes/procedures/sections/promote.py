"""Recognises headings without markup: labels in plain lines, labels before a colon, tables of labels and values."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from headwater.text.folding import fold_text
from headwater_recipes.procedures.labels.recognise import NUMBER, recognise, recognise_plain
from headwater_recipes.procedures.sections.parts import SectionLine
from headwater_recipes.procedures.sections.table_rows import is_header_row

COLON = re.compile(r"^([^:.]{3,90}?)\s*:\s+(\S.*)$")
ARROW = re.compile(r"^\W{0,4}([^:.→⇒➔➜»]{3,60}?)\s*(?:→|⇒|➔|➜|»|=>|->)\s*(\S.*)$")
ARTICLE = re.compile(
    r"^(?:(?:art[ií]culo|artigo|article|art\.|base|cl[aá]usula|apartado)\s+[\w.ºª]{1,12}?|\d{1,2}\. artikulua|primer[oa]|segund[oa]|tercer[oa]|cuart[oa]|quint[oa]|sext[oa]|s[eé]ptim[oa]|octav[oa]|noven[oa]|d[eé]cim[oa])"
    r"[.ºª]?\s?[.:–—-]+\s*([A-ZÁÉÍÓÚÀÈÒÑÇ][^.:]{2,90}?)\s?[.:](?:\s?[–—-])?\s*(.*)$",
    re.IGNORECASE,
)
FEWEST_BOLD, FEWEST_ALIKE, FEWEST_OF_ALL = 6, 3, 2
FEWEST_LABELS, FEWEST_KNOWN, MOST_OF_THEM = 3, 4, 0.6
LISTED, SHORT_PIECE = frozenset({"requisitos", "documentos_necesarios"}), 12
STOP = re.compile(r"(?<=[a-zà-ÿ0-9)%]\.)\s+(?=[A-ZÁÉÍÓÚÀÈÒÑÇ])")
MONEY = frozenset({"tasas", "cuantias"})
LONGEST_CELL = LONGEST_QUESTION = 14
LONGEST_LIST_LABEL = 9
SITE = re.compile(
    r"(?:sede|seu) electronica$|egoitza elektronikoa$|oficina virtual$|electronic office$|carpeta (?:ciudadana|ciutadana|cidada)$"
)
"""Texts at the top of a site, before the page itself."""
_SHOUTED = re.compile(r"[A-ZÁÉÍÓÚÀÈÒÜÇÑ]{4}")


def promote_headings(lines: Sequence[SectionLine]) -> list[SectionLine]:
    """The lines with recognised headings, each at the deepest possible level."""
    level, result = 1, list[SectionLine]()
    # The heading to which the text returns after a label with its value on one line.
    around: SectionLine | None = None
    back = False
    lines = _without_label_lists(_numbered_labels_as_text(list(_without_tables(lines))))
    labelled = _leads_are_labels(lines)
    between = _between_labels(lines)
    siblings = _bold_lines_divide(lines)
    above_lists = _labels_above_lists(lines)
    for line in lines:
        if not result and line.kind == "text" and SITE.match(fold_text(line.text)):
            continue
        if line.kind == "rule" and not line.level:
            result.append(replace(line, level=min(level + 1, 7)))
            continue
        if line.kind == "rule":
            level, back, around = max(1, line.level - 1), False, None
            result.append(line)
            continue
        if line.kind == "heading" and not line.promoted:
            level, back = line.level, False
            around = line if recognise(line.text) is not None else None
            result.append(line)
            continue
        pieces = list(
            _promote_line(line, min(level + 1, 7), siblings=siblings, above_list=line.start in above_lists)
        )
        if (labelled or line.start in between) and len(pieces) == 1 and _has_lead(line):
            pieces = [
                _heading(line, line.lead, min(level + 1, 7)),
                replace(line, text=line.rest, lead="", rest=""),
            ]
        if _is_price_list(around, pieces):
            pieces = [line]
        if back and around is not None and pieces[0].kind != "heading":
            result.append(replace(around, start=line.start, end=line.start, promoted=True))
        back = pieces[0].kind == "heading" and len(pieces) > 1 and around is not None
        result += pieces
        if _is_ignored_label(pieces) and not back:
            result.append(
                SectionLine(kind="rule", text="", level=pieces[0].level, start=line.end, end=line.end)
            )
    return _without_empty_labels(result)


def _is_price_list(around: SectionLine | None, pieces: Sequence[SectionLine]) -> bool:
    """Whether a label below "Tasas" is one of the prices ("Tarifa 1: 23 euros") and not a section."""
    if around is None or len(pieces) < 2 or pieces[0].kind != "heading":
        return False
    above, own_label = recognise(around.text), recognise(pieces[0].text)
    return above is not None and own_label is not None and above.field in MONEY and own_label.field in MONEY


def _is_ignored_label(pieces: Sequence[SectionLine]) -> bool:
    """Whether it is an unrelated label with its value on the same line. The text after it does not belong to it."""
    label = recognise(pieces[0].text) if pieces[0].kind == "heading" and len(pieces) > 1 else None
    return label is not None and label.field == "ignored"


def _has_lead(line: SectionLine) -> bool:
    return line.kind == "text" and bool(line.lead and line.rest)


def _between_labels(lines: Sequence[SectionLine]) -> set[int]:
    """The positions of lines with a bold beginning between two lines that begin with a label."""
    is_label = [_has_lead(line) and recognise_plain(f"{line.lead}:") is not None for line in lines]
    return {
        line.start
        for place, line in enumerate(lines[1:-1], start=1)
        if _has_lead(line) and is_label[place - 1] and is_label[place + 1]
    }


def _labels_above_lists(lines: Sequence[SectionLine]) -> set[int]:
    """Where short lines above a list are labels of another field than the section: "Los papeles que te vamos a pedir."."""
    starts: set[int] = set()
    field = ""
    for line, following in pairwise(lines):
        label = recognise(line.text.rstrip(".:"))
        if line.kind == "heading" or (line.lead and label is not None):
            field = label.field if label is not None else ""
        elif (
            line.kind == "text"
            and following.kind == "item"
            and len(line.text.split()) <= LONGEST_LIST_LABEL
            and label is not None
            and label.field in LISTED
            and field not in {"", label.field}
        ):
            starts.add(line.start)
    return starts


def _leads_are_labels(lines: Sequence[SectionLine]) -> bool:
    """Whether most bold beginnings are labels. Then the others count as labels too. On a page without headings, two are enough:
    nothing else divides it."""
    leads = [line.lead for line in lines if _has_lead(line)]
    labels = {label for lead in leads if (label := recognise_plain(f"{lead}:")) is not None}
    label_count = sum(recognise_plain(f"{lead}:") is not None for lead in leads)
    if len(leads) >= FEWEST_KNOWN and not _dividing_headings(lines) and len(set(leads)) == len(leads):
        return len(labels) >= FEWEST_OF_ALL
    return len(labels) >= FEWEST_KNOWN and label_count >= MOST_OF_THEM * len(leads)


def _bold_lines_divide(lines: Sequence[SectionLine]) -> bool:
    """Whether bold lines divide the page: there are many of them, and no headings below the title."""
    bold = [line for line in lines if line.kind == "text" and line.lead and not line.rest]
    alike = all(line.lead.isupper() for line in bold[1:])
    return len(bold) >= (FEWEST_ALIKE if alike else FEWEST_BOLD) and not _dividing_headings(lines)


def _dividing_headings(lines: Sequence[SectionLine]) -> list[SectionLine]:
    """The headings below the title, without those of parts that are no text."""
    headings = [line for line in lines if line.kind == "heading" and not line.promoted and line.level > 1]
    return [line for line in headings if (label := recognise(line.text)) is None or label.field != "ignored"]


def _promote_line(
    line: SectionLine, level: int, *, siblings: bool, above_list: bool
) -> Iterator[SectionLine]:
    if line.kind == "heading":
        yield replace(line, level=level)
        return
    if above_list and not line.lead:
        yield _heading(line, line.text.rstrip(".:"), level)
        return
    if line.kind == "text" and line.lead and not line.rest:
        # All bold: a label, or a title within the current section.
        is_label = recognise(line.lead) is not None
        below = 0 if is_label or siblings else 1
        yield replace(_heading(line, line.lead, level + below), promoted=not is_label)
        return
    if line.kind == "text":
        head, value = _label_and_rest(line)
        if head:
            yield _heading(line, head, level)
            if value:
                yield replace(line, text=value, lead="", rest="")
            return
    yield line


def _heading(line: SectionLine, text: str, level: int) -> SectionLine:
    return SectionLine(
        kind="heading", text=text.rstrip(" :"), level=level, start=line.start, end=line.end, promoted=True
    )


def _label_and_rest(line: SectionLine) -> tuple[str, str]:
    """The label at the beginning of the line, and the text after it."""
    if line.lead and line.rest and (recognise_plain(f"{line.lead}:") or _is_label(line.lead)):
        return line.lead, line.rest
    if _is_question(line.text) and not line.links:
        return line.text, ""
    if (match := ARTICLE.match(line.text)) and recognise(match[1]) is not None:
        return match[1], match[2]
    numbered = NUMBER.match(line.text)
    if numbered and len(line.text.split()) <= 9 and _SHOUTED.search(line.text) and recognise(line.text):
        return line.text, ""
    match = COLON.match(line.text) or ARROW.match(line.text)
    if match and len(match[1].split()) <= 7 and recognise_plain(f"{match[1]}:"):
        return match[1], match[2]
    if recognise_plain(line.text) and (not line.links or line.text.endswith(":")):
        return line.text, ""
    return "", ""


def _is_question(text: str) -> bool:
    """Whether the line is a single question. The following text answers it."""
    return (
        text.endswith("?")
        and len(text.split()) <= LONGEST_QUESTION
        and text.count("?") == 1
        and ". " not in text
    )


def _is_label(lead: str) -> bool:
    return len(lead.split()) <= 6 and recognise(lead) is not None


def _numbered_labels_as_text(lines: list[SectionLine]) -> list[SectionLine]:
    """The lines, with numbered labels in capitals as bold lines, if they name several fields: "1. OBJETO", "2. REQUISITOS"."""
    labels = {
        line.start: label
        for line in lines
        if line.kind == "item" and line.text.isupper() and (label := recognise(line.text)) is not None
    }
    if len({label.field for label in labels.values()}) < FEWEST_LABELS:
        return lines
    return [
        replace(line, kind="text", lead=line.text, rest="", numbered=False) if line.start in labels else line
        for line in lines
    ]


def _without_label_lists(lines: list[SectionLine]) -> list[SectionLine]:
    """Turn lists of labels with values into headings and texts. Other lists stay as they are."""
    result: list[SectionLine] = []
    place = 0
    while place < len(lines):
        end = place
        while end < len(lines) and lines[end].kind == "item":
            end += 1
        items = lines[place:end]
        if items and _are_labelled(items):
            for item in items:
                head, value = _halves(item)
                if head and value:
                    result += [
                        replace(_heading(item, head, 7), promoted=True),
                        replace(item, kind="text", text=value, lead="", rest=""),
                    ]
                else:
                    result.append(item)
            result.append(_rule_after(items[-1]))
        else:
            result += items or [lines[place]]
        place = max(end, place + 1)
    return result


def _rule_after(line: SectionLine) -> SectionLine:
    """A rule after labels and values: the following text does not belong to the last label."""
    return SectionLine(kind="rule", text="", start=line.end, end=line.end)


def _are_labelled(items: Sequence[SectionLine]) -> bool:
    labels = [recognise_plain(f"{head}:") for item in items if (head := _halves(item)[0])]
    fields = {(label.field, label.key) for label in labels if label is not None}
    several = len(fields) >= FEWEST_LABELS and len({field for field, _ in fields}) > 1
    return several and sum(label is not None for label in labels) >= len(items) / 2


def _halves(line: SectionLine) -> tuple[str, str]:
    if line.lead:
        return line.lead, line.rest
    match = COLON.match(line.text)
    return (match[1], match[2]) if match else ("", "")


def _without_tables(lines: Sequence[SectionLine]) -> Iterator[SectionLine]:
    """Turn tables of labels and values into headings and texts. Other rows stay as they are."""
    table: list[SectionLine] = []
    for line in [*lines, None]:
        if line is not None and line.kind == "row":
            table.append(line)
            continue
        if table:
            yield from _table_lines(table)
            table = []
        if line is not None:
            yield line


def _table_lines(rows: list[SectionLine]) -> Iterator[SectionLine]:
    if _is_title_row(rows):
        yield _heading(rows[0], rows[0].text, 7)
        yield from _table_lines(rows[1:])
        yield _rule_after(rows[-1])
        return
    if is_header_row(rows, 0) and _is_label_table(rows[1:]):
        rows = rows[1:]
    if _is_label_table(rows):
        for row in rows:
            yield _heading(row, row.cells[0], 7)
            for text in _values(row.cells[0], " ".join(filter(None, row.cells[1:]))):
                yield replace(row, kind="text", text=text, cells=())
        yield _rule_after(rows[-1])
    elif _is_horizontal_table(rows):
        for column, title in enumerate(rows[0].cells):
            yield _heading(rows[0], title, 7)
            for row in rows[1:]:
                if column < len(row.cells) and row.cells[column]:
                    yield replace(row, kind="text", text=row.cells[column], cells=())
        yield _rule_after(rows[-1])
    else:
        yield from rows


def _is_title_row(rows: list[SectionLine]) -> bool:
    """Whether the first row is one label across all columns."""
    filled = [cell for cell in rows[0].cells if cell]
    wide = len(rows) > 1 and len(rows[0].cells) > 1 and all(sum(map(bool, row.cells)) > 1 for row in rows[1:])
    return wide and len(filled) == 1 and recognise_plain(filled[0]) is not None


def _values(title: str, text: str) -> list[str]:
    """The short sentences of a cell that lists things, else the whole text."""
    label = recognise(title)
    pieces = STOP.split(text)
    listed = label is not None and label.field in LISTED and len(pieces) > 1
    return pieces if listed and all(len(piece.split()) <= SHORT_PIECE for piece in pieces) else [text]


def _is_label_table(rows: list[SectionLine]) -> bool:
    """Whether the table has two columns, and the first one contains labels."""
    if not all(len(row.cells) == 2 and row.cells[0] and row.cells[1] for row in rows):
        return False
    if not all(len(row.cells[0].split()) <= LONGEST_CELL for row in rows):
        return False
    return sum(recognise_plain(row.cells[0]) is not None for row in rows) >= max(2, len(rows) / 2)


def _is_horizontal_table(rows: list[SectionLine]) -> bool:
    """Whether the table has a row of labels above one row of values."""
    if len(rows) != 2 or len(rows[0].cells) < 2:
        return False
    labels = [recognise_plain(cell) for cell in rows[0].cells]
    return sum(label is not None for label in labels) >= max(2, len(labels) / 2)


def _without_empty_labels(lines: list[SectionLine]) -> list[SectionLine]:
    """Turn recognised labels with nothing below them back into text."""
    reversed_lines: list[SectionLine] = []
    for line in reversed(lines):
        empty = not reversed_lines or reversed_lines[-1].kind in {"heading", "rule"}
        stands = (
            not line.promoted
            or not empty
            or _introduces_next(line, reversed_lines[-1] if reversed_lines else None)
        )
        reversed_lines.append(line if stands else replace(line, kind="text", promoted=False))
    return reversed_lines[::-1]


def _introduces_next(line: SectionLine, following: SectionLine | None) -> bool:
    """Whether the label is a question, or names the ways to apply above the first of them."""
    if following is None:
        return False
    own_label, below = recognise(line.text), recognise(following.text)
    if own_label is None or below is None:
        return False
    return line.text.endswith("?") or (
        own_label.field == below.field == "como_solicitar" and not own_label.key and bool(below.key)
    )

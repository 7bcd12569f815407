"""Headings that nobody marked as such: labels in plain lines, labels before a colon, tables of labels and values."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from headwater.text.folding import fold_text
from headwater_recipes.procedures.labels.recognise import NUMBER, recognise, recognise_plain
from headwater_recipes.procedures.sections.parts import TextLine

COLON = re.compile(r"^([^:.]{3,90}?)\s*:\s+(\S.*)$")
ARROW = re.compile(r"^\W{0,4}([^:.→⇒➔➜»]{3,60}?)\s*(?:→|⇒|➔|➜|»|=>|->)\s*(\S.*)$")
ARTICLE = re.compile(
    r"^(?:(?:art[ií]culo|artigo|article|art\.|base|cl[aá]usula|apartado)\s+[\w.ºª]{1,12}?|\d{1,2}\. artikulua|primer[oa]|segund[oa]|tercer[oa]|cuart[oa]|quint[oa]|sext[oa]|s[eé]ptim[oa]|octav[oa]|noven[oa]|d[eé]cim[oa])"
    r"[.ºª]?\s?[.:–—-]+\s*([A-ZÁÉÍÓÚÀÈÒÑÇ][^.:]{2,90}?)\s?[.:](?:\s?[–—-])?\s*(.*)$",
    re.IGNORECASE,
)
FEWEST_LABELS, FEWEST_KNOWN, MOST_OF_THEM = 3, 4, 0.6
LISTED, SHORT_PIECE = frozenset({"requisitos", "documentos_necesarios"}), 12
STOP = re.compile(r"(?<=[a-zà-ÿ0-9)%]\.)\s+(?=[A-ZÁÉÍÓÚÀÈÒÑÇ])")
MONEY = frozenset({"tasas", "cuantias"})
LONGEST_CELL = LONGEST_QUESTION = 14
SITE = re.compile(
    r"(?:sede|seu) electronica$|egoitza elektronikoa$|oficina virtual$|electronic office$|carpeta (?:ciudadana|ciutadana|cidada)$"
)
"""What the top of a site is called, before anything of the page."""
_SHOUTED = re.compile(r"[A-ZÁÉÍÓÚÀÈÒÜÇÑ]{4}")


def promote_headings(lines: Sequence[TextLine]) -> list[TextLine]:
    """The same lines with those headings told apart, each as deep as it can be."""
    level, found = 1, list[TextLine]()
    around: TextLine | None = (
        None  # the heading to which the text comes back after a label with its value on one line
    )
    back = False
    lines = _without_label_lists(list(_without_tables(lines)))
    labelled = _leads_are_labels(lines)
    between = _between_labels(lines)
    for line in lines:
        if not found and line.kind == "text" and SITE.match(fold_text(line.text)):
            continue
        if line.kind == "rule" and not line.level:
            found.append(replace(line, level=min(level + 1, 7)))
            continue
        if line.kind == "rule":
            level, back, around = max(1, line.level - 1), False, None
            found.append(line)
            continue
        if line.kind == "heading" and not line.promoted:
            level, back = line.level, False
            around = line if recognise(line.text) is not None else None
            found.append(line)
            continue
        made = list(_promoted(line, min(level + 1, 7)))
        if (labelled or line.start in between) and len(made) == 1 and _has_lead(line):
            made = [
                _heading(line, line.lead, min(level + 1, 7)),
                replace(line, text=line.rest, lead="", rest=""),
            ]
        if _tells_prices(around, made):
            made = [line]
        if back and around is not None and made[0].kind != "heading":
            found.append(replace(around, start=line.start, end=line.start, promoted=True))
        back = made[0].kind == "heading" and len(made) > 1 and around is not None
        found += made
        if _is_aside(made) and not back:
            found.append(TextLine(kind="rule", text="", level=made[0].level, start=line.end, end=line.end))
    return _settled(found)


def _tells_prices(around: TextLine | None, made: Sequence[TextLine]) -> bool:
    """Below "Tasas", "Tarifa 1: 23 euros" is one of them, not a part of its own."""
    if around is None or len(made) < 2 or made[0].kind != "heading":
        return False
    above, own = recognise(around.text), recognise(made[0].text)
    return above is not None and own is not None and above.field in MONEY and own.field in MONEY


def _is_aside(made: Sequence[TextLine]) -> bool:
    """A label that is none of a procedure's, with its value on the same line: what follows has nothing to do with it."""
    label = recognise(made[0].text) if made[0].kind == "heading" and len(made) > 1 else None
    return label is not None and label.field == "ignored"


def _has_lead(line: TextLine) -> bool:
    return line.kind == "text" and bool(line.lead and line.rest)


def _between_labels(lines: Sequence[TextLine]) -> set[int]:
    """Where lines stand that begin in bold between two that begin with a label."""
    known = [_has_lead(line) and recognise_plain(f"{line.lead}:") is not None for line in lines]
    return {
        line.start
        for place, line in enumerate(lines[1:-1], start=1)
        if _has_lead(line) and known[place - 1] and known[place + 1]
    }


def _leads_are_labels(lines: Sequence[TextLine]) -> bool:
    """Whether most of the lines that begin in bold begin with a label: then the others do as well."""
    leads = [line.lead for line in lines if _has_lead(line)]
    known = {label for lead in leads if (label := recognise_plain(f"{lead}:")) is not None}
    told = sum(recognise_plain(f"{lead}:") is not None for lead in leads)
    return len(known) >= FEWEST_KNOWN and told >= MOST_OF_THEM * len(leads)


def _promoted(line: TextLine, level: int) -> Iterator[TextLine]:
    if line.kind == "heading":
        yield replace(line, level=level)
        return
    if line.kind == "text" and line.lead and not line.rest:
        # Bold from end to end: a label, or the title of what follows within the part that it stands in.
        known = recognise(line.lead) is not None
        yield replace(_heading(line, line.lead, level if known else level + 1), promoted=not known)
        return
    if line.kind == "text":
        head, rest = _label_and_rest(line)
        if head:
            yield _heading(line, head, level)
            if rest:
                yield replace(line, text=rest, lead="", rest="")
            return
    yield line


def _heading(line: TextLine, text: str, level: int) -> TextLine:
    return TextLine(
        kind="heading", text=text.rstrip(" :"), level=level, start=line.start, end=line.end, promoted=True
    )


def _label_and_rest(line: TextLine) -> tuple[str, str]:
    """The label that the line is or begins with, and what follows it."""
    if line.lead and line.rest and (recognise_plain(f"{line.lead}:") or _announces(line.lead)):
        return line.lead, line.rest
    if _is_question(line.text) and not line.links:
        return line.text, ""
    if (found := ARTICLE.match(line.text)) and recognise(found[1]) is not None:
        return found[1], found[2]
    numbered = NUMBER.match(line.text)
    if numbered and len(line.text.split()) <= 9 and _SHOUTED.search(line.text) and recognise(line.text):
        return line.text, ""
    found = COLON.match(line.text) or ARROW.match(line.text)
    if found and len(found[1].split()) <= 7 and recognise_plain(f"{found[1]}:"):
        return found[1], found[2]
    if recognise_plain(line.text) and (not line.links or line.text.endswith(":")):
        return line.text, ""
    return "", ""


def _is_question(text: str) -> bool:
    """A question that stands alone is answered by what follows, whatever it asks."""
    return (
        text.endswith("?")
        and len(text.split()) <= LONGEST_QUESTION
        and text.count("?") == 1
        and ". " not in text
    )


def _announces(lead: str) -> bool:
    return len(lead.split()) <= 6 and recognise(lead) is not None


def _without_label_lists(lines: list[TextLine]) -> list[TextLine]:
    """Lists whose items are labels with their values, as texts; of other lists nothing changes."""
    found: list[TextLine] = []
    place = 0
    while place < len(lines):
        end = place
        while end < len(lines) and lines[end].kind == "item":
            end += 1
        items = lines[place:end]
        if items and _are_labelled(items):
            for item in items:
                head, rest = _halves(item)
                if head and rest:
                    found += [
                        replace(_heading(item, head, 7), promoted=True),
                        replace(item, kind="text", text=rest, lead="", rest=""),
                    ]
                else:
                    found.append(item)
            found.append(_end(items[-1]))
        else:
            found += items or [lines[place]]
        place = max(end, place + 1)
    return found


def _end(line: TextLine) -> TextLine:
    """After labels and values: what follows does not belong to the last of them."""
    return TextLine(kind="rule", text="", start=line.end, end=line.end)


def _are_labelled(items: Sequence[TextLine]) -> bool:
    labels = [recognise_plain(f"{head}:") for item in items if (head := _halves(item)[0])]
    known = {(label.field, label.key) for label in labels if label is not None}
    several = len(known) >= FEWEST_LABELS and len({field for field, _ in known}) > 1
    return several and sum(label is not None for label in labels) >= len(items) / 2


def _halves(line: TextLine) -> tuple[str, str]:
    if line.lead:
        return line.lead, line.rest
    found = COLON.match(line.text)
    return (found[1], found[2]) if found else ("", "")


def _without_tables(lines: Sequence[TextLine]) -> Iterator[TextLine]:
    """Rows of tables that are labels and values, as headings and texts; other rows as they are."""
    table: list[TextLine] = []
    for line in [*lines, None]:
        if line is not None and line.kind == "row":
            table.append(line)
            continue
        if table:
            yield from _opened(table)
            table = []
        if line is not None:
            yield line


def _opened(rows: list[TextLine]) -> Iterator[TextLine]:
    if _is_ficha(rows):
        for row in rows:
            yield _heading(row, row.cells[0], 7)
            for text in _values(row.cells[0], " ".join(filter(None, row.cells[1:]))):
                yield replace(row, kind="text", text=text, cells=())
        yield _end(rows[-1])
    elif _is_lying(rows):
        for column, title in enumerate(rows[0].cells):
            yield _heading(rows[0], title, 7)
            for row in rows[1:]:
                if column < len(row.cells) and row.cells[column]:
                    yield replace(row, kind="text", text=row.cells[column], cells=())
        yield _end(rows[-1])
    else:
        yield from rows


def _values(title: str, text: str) -> list[str]:
    """Of a cell that lists things in short sentences, one by one."""
    label = recognise(title)
    pieces = STOP.split(text)
    listed = label is not None and label.field in LISTED and len(pieces) > 1
    return pieces if listed and all(len(piece.split()) <= SHORT_PIECE for piece in pieces) else [text]


def _is_ficha(rows: list[TextLine]) -> bool:
    """Two columns of which the first one names parts of a procedure."""
    if not all(len(row.cells) == 2 and row.cells[0] and row.cells[1] for row in rows):
        return False
    if not all(len(row.cells[0].split()) <= LONGEST_CELL for row in rows):
        return False
    return sum(recognise_plain(row.cells[0]) is not None for row in rows) >= max(2, len(rows) / 2)


def _is_lying(rows: list[TextLine]) -> bool:
    """A row of labels above one row of values."""
    if len(rows) != 2 or len(rows[0].cells) < 2:
        return False
    known = [recognise_plain(cell) for cell in rows[0].cells]
    return sum(label is not None for label in known) >= max(2, len(known) / 2)


def _settled(lines: list[TextLine]) -> list[TextLine]:
    """A promoted label with nothing below it was a line of the text after all."""
    settled: list[TextLine] = []
    for line in reversed(lines):
        empty = not settled or settled[-1].kind in {"heading", "rule"}
        stands = not line.promoted or not empty or _opens_the_next(line, settled[-1] if settled else None)
        settled.append(line if stands else replace(line, kind="text", promoted=False))
    return settled[::-1]


def _opens_the_next(line: TextLine, following: TextLine | None) -> bool:
    """A question, or a label for ways to apply above the first of them."""
    if following is None:
        return False
    own, below = recognise(line.text), recognise(following.text)
    if own is None or below is None:
        return False
    return line.text.endswith("?") or (
        own.field == below.field == "como_solicitar" and not own.key and bool(below.key)
    )

"""A part's lines as entries of a list: requirements, papers, remarks."""

import re
from collections.abc import Iterator, Sequence

from headwater.text.folding import fold_text
from headwater_recipes.procedures.fields.value import FieldValue, spans_of
from headwater_recipes.procedures.sections.parts import PagePart, TextLine

NOTE = re.compile(
    r"^(?:\(\d{1,2}\)|\[\d{1,2}\]|[¹²³⁴⁵]|\*(?!\*)|nota(?: al pie)?\s*\d*\s*[:.])", re.IGNORECASE
)
NONE_NEEDED = re.compile(
    r"^(?:ningun[oa]?|cap|no (?:hay|procede|se requiere|aplica)|sin (?:requisitos|documentacion)|none|ez da behar)\b.{0,30}$"
)
OF_ITSELF = re.compile(
    r"\bde oficio\b|\bd ofici\b|(?:se opone|s oposa|se opon|oposicion expresa|oposicio expressa)\b|(?:no (?:es|sera|cal|e|hace falta|fa falta) (?:\w+ )?(?:aportar|presentar|achegar))"
)
"""What the administration looks up by itself is nothing to bring."""
LONGEST_AUDIENCE = 200
EVERYBODY = re.compile(
    r"^(?:(?:y|i|e|o|la|las|los|els|les|a|as|os|the|and|eta) |(?:ciudadan\w+|ciutadan\w+|cidadan\w+|herritar\w*|citizens?|empresas?|empreses|enpresa\w*|businesses|companies|administraci\w+|entidades|entitats|asociaciones|particulares|particulars|profesionales|personas? (?:fisicas?|juridicas?)|toda la poblacion|publico en general|general public)\b ?)+$"
)
FETCH = re.compile(r"(?:puedes? |puede |pots |podeis |you can )?(?:descarg|descarreg|baix|deskarg|download)")
SHORT_CELL = 4
SEVERAL = re.compile(r";\s+")
COUNTED = re.compile(r"^(?:\d{1,2}|[a-h])\s?[.)º]-?\s+(?=\S)")
NEXT_COUNT = re.compile(r"(?<=[.;,])\s+(?=(?:\d{1,2}|[a-h])\s?[.)º]-?\s+[A-ZÁÉÍÓÚÀÈÒÑÇ])")
SENTENCE_INSIDE = re.compile(r"[.!?]\s+[A-ZÁÉÍÓÚÀÈÒÑÇ]")
TABLE_HEADS = re.compile(
    r"^(?:documento?s?|documentaci\w+|requisitos?|requisits?|tipo|descripcion|descripcio|concepto?|agiria|dokumentua|document|requirement|n o|num\w*|obligatori\w*|observaciones)\b"
)


def entries(parts: Sequence[PagePart]) -> FieldValue:
    """Each item, row or paragraph once; what only leads to a list below is left out, notes as well."""
    found: list[str] = []
    lines: list[TextLine] = []
    seen: set[str] = set()
    for part in parts:
        for text, line in _of(part):
            key = fold_text(text)
            if key and key not in seen and not NONE_NEEDED.match(key):
                seen.add(key)
                found.append(text)
                lines.append(line)
    return FieldValue(found, spans_of(lines)) if found else FieldValue()


def telling(parts: Sequence[PagePart]) -> list[PagePart]:
    """Without the parts that only say "everybody", where others say more."""
    more = [part for part in parts if not EVERYBODY.match(fold_text(part.text[:LONGEST_AUDIENCE]))]
    return more if any(part.lines for part in more) else list(parts)


def _of(part: PagePart) -> Iterator[tuple[str, TextLine]]:
    for place, line in enumerate(part.lines):
        following = part.lines[place + 1] if place + 1 < len(part.lines) else None
        if (
            _only_fetches(line, part.lines)
            or NOTE.match(line.text)
            or _looked_up(part, line)
            or _leads(line, following)
            or _is_head(part.lines, place)
        ):
            continue
        if line.kind == "row":
            yield tidy(_row(line)), line
        else:
            yield from ((tidy(text), line) for text in apart(line.text) if tidy(text))


def _only_fetches(line: TextLine, lines: Sequence[TextLine]) -> bool:
    """A line below the list that is nothing but a link to a form."""
    if line.kind != "text" or len(line.links) != 1 or not any(one.kind == "item" for one in lines):
        return False
    if FETCH.match(fold_text(line.text)):
        return True
    return fold_text(line.text) == fold_text(line.links[0].text)


def _looked_up(part: PagePart, line: TextLine) -> bool:
    """A remark beside the list of papers."""
    if part.field != "documentos_necesarios" or line.kind != "text":
        return False
    return any(one.kind == "item" for one in part.lines) and bool(OF_ITSELF.search(fold_text(line.text)))


def _leads(line: TextLine, following: TextLine | None) -> bool:
    listed = following is not None and following.kind in {"item", "row"}
    return line.kind == "text" and (
        (line.text.endswith(":") and (listed or following is None)) or (listed and _introduces(line.text))
    )


def _introduces(text: str) -> bool:
    return bool(
        re.search(
            r"\b(?:siguientes?|seguents?|segueix\w*|hauek|honako|following|below)\b[^.]{0,40}[.:]?$",
            text.lower(),
        )
    )


def _is_head(lines: Sequence[TextLine], place: int) -> bool:
    """The first row of a table, when it names the columns."""
    line = lines[place]
    if line.kind != "row" or (place > 0 and lines[place - 1].kind == "row"):
        return False
    more = place + 1 < len(lines) and lines[place + 1].kind == "row"
    return more and (bool(TABLE_HEADS.match(fold_text(line.cells[0]))) or not line.cells[0])


def _row(line: TextLine) -> str:
    name, *others = [cell for cell in line.cells if cell] or [""]
    more = [cell for cell in others if len(cell.split()) > SHORT_CELL or cell.endswith(".")]
    return ": ".join([name, *more])


def apart(text: str) -> list[str]:
    """Entries that one line holds, counted through or divided by semicolons."""
    if COUNTED.match(text):
        counted = [piece for piece in NEXT_COUNT.split(text) if piece]
        if len(counted) > 1:
            return [COUNTED.sub("", piece) for piece in counted]
    pieces = SEVERAL.split(text)
    if len(pieces) < 2 or SENTENCE_INSIDE.search(text) or ":" in pieces[0]:
        return [text]
    return pieces


def tidy(text: str) -> str:
    return re.sub(r"\s*(?:[;,]|;? (?:y|i|e|o|and|eta))$", "", text.strip()).strip()

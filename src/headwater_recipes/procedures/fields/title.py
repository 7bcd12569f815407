"""The name and other names of a procedure."""

import re
from collections.abc import Sequence

from headwater.text.folding import fold_text
from headwater_recipes.procedures.fields.organism import name_in
from headwater_recipes.procedures.fields.value import NO_VALUE, FieldValue, first, spans_of
from headwater_recipes.procedures.labels.recognise import recognise, recognise_plain
from headwater_recipes.procedures.sections.parts import PagePart, SectionLine

GENERIC = re.compile(
    r"^(?:tramites?(?: y (?:gestiones|servicios))?|tramits|(?:detalle|ficha|informacion|datos)(?: (?:del?|de la|do) (?:tramite|procedimiento|procedemento|servicio|ayuda))?|"
    r"sede electronica.*|seu electronica.*|egoitza elektronikoa.*|(?:detall|fitxa|informacio)(?: del? (?:tramit|procediment|servei))?|catalogo de .*|cataleg de .*|inicio|home|"
    r"procedimientos?(?: y servicios)?|servicios?|serveis|servizos|izapideak?|izapidearen fitxa|procedure(?:s| details)?|gu\w+ de tramit\w+(?: [iey] \w+)?|portal .*|bienvenid\w+.*|ficha informativa|hoja informativa|full informatiu)$"
)
HONOURS = re.compile(r"^(?:excmo|excma|excelentisimo|excel lentissim|ilmo|ilustre|muy ilustre|m i) ")
SEPARATORS = re.compile(r"(?<!\s)\s++(?:[-–—|·»:]|::|>)\s+")
PREFIX = re.compile(
    r"^(?:tr[aá]mite|procedimiento|procediment|tr[aà]mit|procedemento|izapidea|procedure|fi(?:cha|txa)(?: d(?:el?|o|a) (?:tr[aá]mite|procedimiento|procedemento|tr[aà]mit|procediment))?|servicio)\s*+(?:n[ºo.]*+\s*+\d++\s*+)?[:–—-]\s*",
    re.IGNORECASE,
)
CODE = re.compile(r"^\(?(?=[A-Z]*\d)[A-Z]{0,4}[-.]?\d{2,6}[A-Z]?\)?\s*[-–—.:]\s+(?=[A-ZÁÉÍÓÚÀÈ])")
LOWEST_TITLE = 3
NOT_ABOUT = re.compile(
    r"^(?:ultima actualizacion|actualizado|actualitzat|publicado|fecha de|codigo|codi|estas en|inicio|imprimir|volver|compartir|last update|azken|sia\b|abierto el plazo|plazo cerrado|en plazo)"
)


def name(parts: Sequence[PagePart], title: str, page_title: str) -> FieldValue:
    """From a section labelled as the name, else the first heading that is not a label, else the line above the first section,
    else the title of the page."""
    return first(
        [
            _from_label(parts),
            _from_heading(parts),
            _value_of_line(_line_above(parts)),
            _from_titles((*SEPARATORS.split(page_title), title)),
            _value_of_line(_first_line(parts)),
            _value_of_part(next((part for part in parts if part.title and _is_title(part)), None)),
        ]
    )


def _from_label(parts: Sequence[PagePart]) -> FieldValue:
    lines = (part.lines[0] for part in parts if part.field == "nombre" and part.lines)
    return _value_of_line(next((line for line in lines if _is_name(line.text)), None))


def _from_heading(parts: Sequence[PagePart]) -> FieldValue:
    titles = [part for part in parts if part.title and part.level == 1 and _is_title(part)]
    other = next((part for part in parts if part.title and not _is_body(part.title)), None)
    if other is not None and other.level <= LOWEST_TITLE and _is_title(other):
        titles.append(other)
    return _value_of_part(titles[0] if titles else None)


def _is_title(part: PagePart) -> bool:
    if part.label is not None or part.title.endswith("?") or _is_body(part.title):
        return False
    return not GENERIC.match(fold_text(part.title))


def _is_body(text: str) -> bool:
    """Whether the text is only the name of a public body."""
    body = name_in(text)
    return bool(body) and HONOURS.sub("", fold_text(text)) == fold_text(body)


def _from_titles(texts: Sequence[str]) -> FieldValue:
    for text in texts:
        if text and not GENERIC.match(fold_text(text)) and recognise(text) is None and not _is_body(text):
            return FieldValue(clean_title(text), origin="frame:title")
    return NO_VALUE


def _first_line(parts: Sequence[PagePart]) -> SectionLine | None:
    line = next(iter(parts[0].lines), None) if parts and not parts[0].title else None
    return line if line is not None and _could_be_name(line.text) else None


def _value_of_line(line: SectionLine | None) -> FieldValue:
    return FieldValue(clean_title(line.text), spans_of([line])) if line is not None else NO_VALUE


def _value_of_part(part: PagePart | None) -> FieldValue:
    if part is None:
        return NO_VALUE
    return FieldValue(clean_title(part.title), ((part.start, part.start + part.level + 1 + len(part.title)),))


def _line_above(parts: Sequence[PagePart]) -> SectionLine | None:
    """The short line above the first labelled section, where the page has no heading for its name."""
    before: list[SectionLine] = []
    for part in parts:
        if part.label is not None:
            break
        if part.title:
            before.append(
                SectionLine(kind="text", text=part.title, start=part.start, end=part.start + len(part.title))
            )
        before += part.lines
    else:
        return None
    short = [line for line in before if line.kind == "text" and _could_be_name(line.text) and not line.links]
    return next(
        (
            line
            for line in reversed(short)
            if not GENERIC.match(fold_text(line.text)) and not NOT_ABOUT.match(fold_text(line.text))
        ),
        None,
    )


def _is_name(text: str) -> bool:
    return not GENERIC.match(fold_text(text)) and recognise_plain(text) is None


def _could_be_name(text: str) -> bool:
    return 2 <= len(text.split()) <= 16 and not text.endswith((".", ":", ";")) and not _is_body(text)


def clean_title(text: str) -> str:
    text = CODE.sub("", PREFIX.sub("", " ".join(text.split())))
    return text.rstrip(" .:") if not text.isupper() else text.rstrip(" .:").capitalize()


def other_names(parts: Sequence[PagePart]) -> FieldValue:
    lines = [line for part in parts if part.field == "nombre_alternativo" for line in part.lines]
    names = [
        piece.strip(" .")
        for line in lines
        for piece in re.split(r"[;,/]| o | u ", line.text)
        if len(piece.strip()) > 2
    ]
    return FieldValue(list(dict.fromkeys(names)), spans_of(lines)) if names else NO_VALUE

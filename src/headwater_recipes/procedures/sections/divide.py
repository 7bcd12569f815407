"""Lines to parts: which field each heading opens, given the headings above it."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from headwater.text.folding import fold_text
from headwater_recipes.procedures.labels.recognise import (
    plain_label,
    recognise,
    recognise_both,
    recognise_plain,
)
from headwater_recipes.procedures.labels.vocabulary import Label
from headwater_recipes.procedures.sections.parts import PagePart, TextLine

STICKY = frozenset({"ignored", "base_legal", "cuantias"})
# Headings below these are about whose papers or which step, not a part of their own.
PEOPLE = re.compile(
    r"person|solicitant|sol licitant|interesad|interessad|beneficiari|destinatari|eskatzaile|applicant|onuradun"
)
DECIDING = re.compile(r"resol[vd]|resuelv|contest|notific|ebaz|erantzu|decid")
STEP = re.compile(
    r"inici|hasiera|start|solicit|sol licit|present|inscrip|matricul|entrega|eska|apply|application|submission"
)
PRIVACY = re.compile(
    r"responsable|finalidad|finalitat|legitimaci|derechos|drets|destinatari|conservaci|procedencia|encargado"
)
FREQUENT = re.compile(
    r"(?:preguntas|dudas|cuestiones|preguntes|dubtes|dubidas) (?:mas |mes |mais )?(?:frecuentes|frequents|freqüents|comunes|habituales|habituals)|ohiko galderak|faqs?$|frequently asked|common questions"
)
ANY_TERM = re.compile(r"\w+(?: (?:maxim\w*|legal|previst\w+|general))?$")
NORM = re.compile(
    r"(?:(?:Ley|Llei|Lei)(?: Orgánica| Orgànica| Foral)?|Real Decreto(?: Ley| Legislativo)?|Reial [Dd]ecret(?: llei)?|Real decreto|Decreto(?: Ley| Foral)?|Decret(?: llei)?|Orden|Ordre|Orde|Ordenan[zç]a|Reglamento|Reglament|Regulamento)\b.*\d"
    r"|\d{1,3}/\d{4} (?:Legea|Dekretua|Foru Araua|Ordenantza)|(?:Royal Decree|Law|Act|Decree|Order) \d"
)
LONGEST_UNKNOWN, FEW_WORDS, FEWEST_PARTS = 8, 14, 3
PHONE = re.compile(r"(?<!\d)[6789]\d{2}[ .]?\d{3}[ .]?\d{3}(?!\d)")
TELEPHONE, FEW = re.compile(r"telefon\w*$|(?:tele)?phone$"), 4
LOOSE = frozenset({"donde_solicitar", "descripcion"})
FREE_KEY = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, slots=True)
class _Above:
    level: int
    label: Label | None
    title: str


def divide_parts(lines: Sequence[TextLine]) -> list[PagePart]:
    """The first part is what stands before any heading."""
    above: list[_Above] = []
    parts: list[PagePart] = []
    titles = sum(line.kind == "heading" and line.level == 1 for line in lines)
    name = None if titles else _name_of_all(lines)
    for heading, below in _groups(lines):
        if heading is None:
            parts.append(PagePart(title="", level=0, label=None, lines=below))
            continue
        above = [one for one in above if one.level < heading.level]
        if heading.kind == "rule":
            parts += [_going_on(above, below, heading)] if below else []
            continue
        label, own = _effective(heading.text, above, " ".join(line.text for line in below))
        if (heading.level == 1 and titles == 1) or heading is name:
            label, own = None, False  # the page's title, whatever its words: "Tasa de basuras" is a procedure
        if (label is None and above) or (label is not None and label.field in LOOSE):
            label = by_content(heading.text, below) or label
        also = recognise_both(heading.text) if own else ()
        parts.append(
            PagePart(
                title=heading.text,
                level=heading.level,
                label=also[0] if also else label,
                lines=below,
                start=heading.start,
                own=own,
                also=also,
                above=tuple(one.title for one in above),
            )
        )
        above.append(_Above(heading.level, label, heading.text))
    return [divided for part in _without_repeats(_without_privacy(parts)) for divided in _apart(part)]


def _name_of_all(lines: Sequence[TextLine]) -> TextLine | None:
    """On a page without a heading of the first rank: the one under which all parts stand, itself without text."""
    headings = [line for line in lines if line.kind == "heading"]
    highest = min((line.level for line in headings), default=0)
    place = max((place for place, line in enumerate(headings) if line.level == highest), default=0)
    above, below = headings[:place], headings[place + 1 :]
    if len([line for line in below if recognise(line.text)]) < FEWEST_PARTS or any(
        recognise(line.text) for line in above
    ):
        return None
    first = lines[lines.index(headings[place]) + 1]
    return headings[place] if first.kind == "heading" else None


def by_content(title: str, below: Sequence[TextLine]) -> Label | None:
    """What a part is whose heading says nothing: laws show what they are themselves."""
    if len(title.split()) > LONGEST_UNKNOWN or not below:
        return None
    if NORM.match(below[0].text) and sum(bool(NORM.match(line.text)) for line in below) * 2 >= len(below):
        return Label("base_legal")
    words = " ".join(line.text for line in below) if recognise(title) is None else ""
    return Label("contacto") if len(words.split()) <= FEW_WORDS and PHONE.search(words) else None


def _going_on(above: Sequence[_Above], below: tuple[TextLine, ...], rule: TextLine) -> PagePart:
    """What follows the end of labels and values belongs to the heading that stood above them."""
    around = above[-1] if above else _Above(0, None, "")
    return PagePart(
        title="", level=around.level, label=around.label, lines=below, start=rule.start, own=False
    )


def _groups(lines: Sequence[TextLine]) -> Iterator[tuple[TextLine | None, tuple[TextLine, ...]]]:
    heading: TextLine | None = None
    below: list[TextLine] = []
    for line in lines:
        if line.kind in {"heading", "rule"}:
            if heading is not None or below:
                yield heading, tuple(below)
            heading, below = line, []
        else:
            below.append(line)
    if heading is not None or below:
        yield heading, tuple(below)


def _effective(title: str, above: Sequence[_Above], below: str) -> tuple[Label | None, bool]:
    """The label in force below this heading, and whether it is the heading's own."""
    own = recognise(title) or next(iter(recognise_both(title)), None)
    parent = next((one.label for one in reversed(above) if one.label is not None), None)
    if parent is None or parent.field == "descripcion":
        return (own or parent, own is not None) if parent else (own, own is not None)
    if parent.field in STICKY:
        plainly = parent.field != "ignored" and recognise_plain(title) is not None
        return (own, True) if plainly else (parent, False)
    if parent.field == "plazos" and _is_deadline(title, own, below):
        return _deadline(title, own, parent), False
    if own is None:
        return parent, False
    if parent.field == "documentos_necesarios" and own.field in {
        "requisitos",
        "como_solicitar",
        "documentos_necesarios",
    }:
        return (
            (parent, False) if PEOPLE.search(plain_label(title)) or own.field != "requisitos" else (own, True)
        )
    if (
        parent.field == "requisitos"
        and own.field in {"organismo", "como_solicitar", "contacto"}
        and not own.key
    ):
        return parent, False
    if own.field == parent.field and not own.key:
        return parent, False
    if parent.field == "como_solicitar" and TELEPHONE.match(plain_label(title)) and len(below.split()) > FEW:
        return Label("como_solicitar", "telefono"), True
    return own, True


def _is_deadline(title: str, own: Label | None, below: str) -> bool:
    """Below "Plazos", "Tramitación" is one more of them if what follows speaks of time."""
    if own is None or own.field == "plazos" or (own.field == "ignored" and STEP.match(plain_label(title))):
        return True
    if own.field == "como_solicitar" and not own.key and STEP.match(plain_label(title)):
        return len(below.split()) <= FEW_WORDS
    return own.field in {"como_solicitar", "descripcion"} and bool(TIME.search(fold_text(below)))


def _deadline(title: str, own: Label | None, parent: Label) -> Label:
    if own is not None and own.field == "plazos":
        says_no_more = own.key == "solicitud" and bool(ANY_TERM.match(plain_label(title)))
        return parent if says_no_more and parent.key else own
    bare = plain_label(title)
    if DECIDING.search(bare):
        return Label("plazos", "resolucion")
    if STEP.search(bare):
        return Label("plazos", "solicitud")
    key = FREE_KEY.sub("_", bare).strip("_")[:40]
    return Label("plazos", key) if key else parent


def _without_privacy(parts: Sequence[PagePart]) -> list[PagePart]:
    """Tables about personal data name their rows much as procedures do: where two of them stand together, all go."""
    told = [bool(PRIVACY.match(plain_label(part.title))) and len(part.title.split()) <= 5 for part in parts]
    marked = [
        seen and sum(told[max(0, place - 3) : place + 4]) >= 3 and _speaks_of_data(parts, place)
        for place, seen in enumerate(told)
    ]
    return [
        replace(part, label=Label("ignored")) if private else part
        for part, private in zip(parts, marked, strict=True)
    ]


def _without_repeats(parts: Sequence[PagePart]) -> list[PagePart]:
    """Frequent questions below a page add nothing to the parts that it has."""
    among = [any(FREQUENT.match(plain_label(title)) for title in part.above) for part in parts]
    told = {part.field for part, asked in zip(parts, among, strict=True) if not asked and part.lines}
    return [
        replace(part, label=Label("ignored")) if asked and part.field in told else part
        for part, asked in zip(parts, among, strict=True)
    ]


def _speaks_of_data(parts: Sequence[PagePart], place: int) -> bool:
    near = " ".join(plain_label(part.title) for part in parts[max(0, place - 3) : place + 4])
    return (
        len(
            set(
                re.findall(
                    r"legitimaci\w*|finalidad|finalitat|derechos|drets|tratamiento|conservaci\w*|procedencia",
                    near,
                )
            )
        )
        >= 2
    )


def _apart(part: PagePart) -> Iterator[PagePart]:
    """A part that announces two fields, as two parts."""
    if not part.also:
        yield part
        return
    shares = _shares(part)
    for label, lines in shares:
        if lines:
            yield replace(part, label=label, lines=tuple(lines), also=())


TIME = re.compile(
    r"\b(?:dias?|dies|mes(?:es|os)?|semanas?|setman\w+|anos?|anys?|hilabete\w*|egun\w*|aste\w*|days?|months?|weeks?|years?|plazo|termini|prazo|epea?)\b"
    r"|\b\d{1,2} de \w+|\bhasta el\b|\bfins al\b|todo el ano|tot l any|en cualquier momento|urte osoan",
)
PAPER = re.compile(
    r"\b(?:dni|nie|pasaporte|passaport|fotocopia\w*|copia|certificad\w*|certificat\w*|documento?\w*|solicitud|sol licitud|impreso|impres|"
    r"justificant\w*|modelo|model|factura|contrato|contracte|libro|llibre|volante|volant|titulo|declaraci\w+|formulari\w*|agiri\w*|ziurtagiri\w*|"
    r"eskabide\w*|fitxa|passport|certificate|form|copy|proof|receipt|foto\w*|acreditaci\w+)\b",
)
LISTS = frozenset({"requisitos", "documentos_necesarios"})


def _shares(part: PagePart) -> list[tuple[Label, list[TextLine]]]:
    first, second = part.also[0], part.also[1]
    fields = {first.field, second.field}
    if fields == {"como_solicitar", "donde_solicitar"}:
        how = first if first.field == "como_solicitar" else second
        return [(how, list(part.lines))]
    if fields in ({"requisitos", "documentos_necesarios"}, {"como_solicitar", "documentos_necesarios"}):
        wanted = first if first.field == "documentos_necesarios" else second
        other = second if wanted is first else first
        listed = other.field == "como_solicitar" and any(line.kind == "item" for line in part.lines)
        return _split(
            part.lines,
            wanted,
            other,
            lambda line: line.kind == "item" if listed else bool(PAPER.search(plain_label(line.text))),
        )
    if "plazos" in fields:
        wanted = first if first.field == "plazos" else second
        other = second if wanted is first else first
        return _split(part.lines, wanted, other, lambda line: bool(TIME.search(plain_label(line.text))))
    if second.field in LISTS:
        items = any(line.kind == "item" for line in part.lines)
        head = part.lines[:1]
        return _split(
            part.lines, second, first, lambda line: line.kind == "item" if items else line not in head
        )
    return [(first, list(part.lines))]


def _split(
    lines: Sequence[TextLine], wanted: Label, other: Label, test: Callable[[TextLine], bool]
) -> list[tuple[Label, list[TextLine]]]:
    return [
        (other, [line for line in lines if not test(line)]),
        (wanted, [line for line in lines if test(line)]),
    ]

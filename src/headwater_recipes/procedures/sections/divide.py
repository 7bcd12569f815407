"""Divides lines into sections, and decides the field of each by its heading and the headings above."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from headwater.text.folding import fold_text
from headwater_recipes.procedures.labels.recognise import (
    plain_label,
    recognise,
    recognise_both,
    recognise_plain,
)
from headwater_recipes.procedures.labels.vocabulary import Label
from headwater_recipes.procedures.sections.by_form import label_by_form
from headwater_recipes.procedures.sections.parts import PagePart, SectionLine

STICKY = frozenset({"ignored", "base_legal", "cuantias"})
# Headings below these name people or steps, not a section of their own.
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
NORM_INSIDE = re.compile(
    r"\b(?:Ley|Llei|Lei|Legea|Real [Dd]ecreto|Reial [Dd]ecret|Decreto|Decret|Dekretua|Orden|Ordre|Orde|Agindua|Orden[a-z]{3,6}|Ordenança|Reglament\w*|Regulamento|Estatut\w*|Constituci\w+|Resoluci\w+|Directiva|Bases?|Law|Act|Decree|Order|BO[A-Z]{1,3}|DOG[CV]?)\b|\d/\d{4}"
)
FEW_WORDS, FEWEST_PARTS = 14, 3
TELEPHONE, FEW = re.compile(r"telefon\w*$|(?:tele)?phone$"), 4
CALLING = re.compile(
    r"\b(?:llam(?:ando|e|a|ad)|truc(?:ant|a)|truqu\w+|chamando|chame|deituz|deitu|call(?:ing)?)\b"
)
FREE_KEY = re.compile(r"[^a-z0-9]+")
TIME = re.compile(
    r"\b(?:dias?|dies|mes(?:es|os)?|semanas?|setman\w+|anos?|anys?|hilabete\w*|egun\w*|aste\w*|days?|months?|weeks?|years?|plazo|termini|prazo|epea?)\b"
    r"|\b\d{1,2} de \w+|\bhasta el\b|\bfins al\b|todo el ano|tot l any|en cualquier momento|urte osoan",
)
STARTS_WITH_DATE = re.compile(r"(?:\w+ ){0,2}(?:del?|do|from|desde|dende) (?:l )?\d{1,2}\b")
PAPER = re.compile(
    r"\b(?:dni|nie|pasaporte|passaport|fotocopia\w*|copia|certificad\w*|certificat\w*|documento?\w*|solicitud|sol licitud|impreso|impres|"
    r"justificant\w*|modelo|model|factura|contrato|contracte|libro|llibre|volante|volant|titulo|declaraci\w+|formulari\w*|agiri\w*|ziurtagiri\w*|"
    r"eskabide\w*|fitxa|passport|certificate|form|copy|proof|receipt|foto\w*|acreditaci\w+)\b",
)
LISTS = frozenset({"requisitos", "documentos_necesarios"})


@dataclass(frozen=True, slots=True)
class _HeadingAbove:
    level: int
    label: Label | None
    title: str


def divide_parts(lines: Sequence[SectionLine]) -> list[PagePart]:
    """The sections of a page. The first one is the text before any heading."""
    above: list[_HeadingAbove] = []
    parts: list[PagePart] = []
    lines = _with_plain_levels(lines)
    titles = sum(line.kind == "heading" and line.level == 1 for line in lines)
    name = None if titles else _overall_title(lines)
    for heading, below in _groups(lines):
        if heading is None:
            parts.append(PagePart(title="", level=0, label=None, lines=below))
            continue
        above = [heading_above for heading_above in above if heading_above.level < heading.level]
        if heading.kind == "rule":
            parts += [_continued_part(above, below, heading)] if below else []
            continue
        label, is_own = _effective_label(heading.text, above, " ".join(line.text for line in below))
        if (heading.level == 1 and titles == 1) or heading is name:
            label, is_own = (
                None,
                False,
            )  # the title of the page, even if it looks like a label: "Tasa de basuras" is a procedure
        elif (by_form := label_by_form(heading.text, label, below)) is not None and (above or label):
            label, is_own = by_form, False
        elif label is not None and is_own and _says_no_time(label, below):
            label, is_own = None, False
        also = recognise_both(heading.text) if is_own else ()
        parts.append(
            PagePart(
                title=heading.text,
                level=heading.level,
                label=also[0] if also else label,
                lines=below,
                start=heading.start,
                own=is_own,
                also=also,
                above=tuple(heading_above.title for heading_above in above),
            )
        )
        above.append(_HeadingAbove(heading.level, label, heading.text))
    parts = _with_telephone_way(_without_repeats(_without_privacy(parts)))
    return [divided for part in parts for divided in _split_part(part)]


def _says_no_time(label: Label, below: Sequence[SectionLine]) -> bool:
    """Whether a question about time has a list of something else below it: "Cuándo te corresponde" lists conditions."""
    items = [line for line in below if line.kind == "item"]
    return (
        label.field == "plazos"
        and len(items) >= FEWEST_PARTS
        and len(items) == len(below)
        and not any(TIME.search(fold_text(line.text)) or re.search(r"\d", line.text) for line in items)
    )


def _with_plain_levels(lines: Sequence[SectionLine]) -> Sequence[SectionLine]:
    """All headings below the title at one level, where a page chose their levels by their looks: it leaves levels out
    again and again, and goes up to levels that were never opened."""
    levels = [line.level for line in lines if line.kind == "heading" and not line.promoted]
    leaps = sum(after - before >= 2 for before, after in pairwise(levels))
    opened = sum(
        after < before and after not in levels[:place]
        for place, (before, after) in enumerate(pairwise(levels), 1)
    )
    if leaps < 2 or not opened:
        return lines
    return [replace(line, level=2) if line.kind == "heading" and line.level > 1 else line for line in lines]


def _overall_title(lines: Sequence[SectionLine]) -> SectionLine | None:
    """On a page without a level 1 heading: the heading without text that is above all sections."""
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


def _continued_part(
    above: Sequence[_HeadingAbove], below: tuple[SectionLine, ...], rule: SectionLine
) -> PagePart:
    """The section after the end of labels and values. It belongs to the heading above them."""
    around = above[-1] if above else _HeadingAbove(0, None, "")
    return PagePart(
        title="",
        level=around.level,
        label=around.label,
        lines=below,
        start=rule.start,
        own=False,
        above=tuple(heading.title for heading in above),
    )


def _groups(lines: Sequence[SectionLine]) -> Iterator[tuple[SectionLine | None, tuple[SectionLine, ...]]]:
    heading: SectionLine | None = None
    below: list[SectionLine] = []
    for line in lines:
        if line.kind in {"heading", "rule"}:
            if heading is not None or below:
                yield heading, tuple(below)
            heading, below = line, []
        else:
            below.append(line)
    if heading is not None or below:
        yield heading, tuple(below)


def _effective_label(title: str, above: Sequence[_HeadingAbove], below: str) -> tuple[Label | None, bool]:
    """The label that applies below this heading, and whether it is the label of the heading itself."""
    own_label = recognise(title) or next(iter(recognise_both(title)), None)
    parent = next(
        (heading_above.label for heading_above in reversed(above) if heading_above.label is not None), None
    )
    if parent is None or parent.field == "descripcion":
        return (own_label or parent, own_label is not None) if parent else (own_label, own_label is not None)
    if parent.field == "base_legal" and below and not NORM_INSIDE.search(below):
        return own_label, own_label is not None  # another column of the page
    if parent.field in STICKY:
        plainly = parent.field != "ignored" and recognise_plain(title) is not None
        return (own_label, True) if plainly else (parent, False)
    if parent.field == "plazos" and _is_deadline(title, own_label, below):
        return _deadline(title, own_label, parent), False
    if own_label is None:
        return parent, False
    if parent.field == "documentos_necesarios" and own_label.field in {
        "requisitos",
        "como_solicitar",
        "documentos_necesarios",
    }:
        return (
            (parent, False)
            if PEOPLE.search(plain_label(title)) or own_label.field != "requisitos"
            else (own_label, True)
        )
    if (
        parent.field == "requisitos"
        and own_label.field in {"organismo", "como_solicitar", "contacto"}
        and not own_label.key
    ):
        return parent, False
    if own_label.field == parent.field and not own_label.key:
        return parent, False
    if parent.field == "como_solicitar" and TELEPHONE.match(plain_label(title)) and len(below.split()) > FEW:
        return Label("como_solicitar", "telefono"), True
    return own_label, True


def _is_deadline(title: str, own_label: Label | None, below: str) -> bool:
    """Whether a heading below "Plazos" is one more deadline: "Tramitación" is, if its text mentions time."""
    if (
        own_label is None
        or own_label.field == "plazos"
        or (own_label.field == "ignored" and STEP.match(plain_label(title)))
    ):
        return True
    if own_label.field == "como_solicitar" and not own_label.key and STEP.match(plain_label(title)):
        return len(below.split()) <= FEW_WORDS or bool(STARTS_WITH_DATE.match(fold_text(below)))
    return own_label.field in {"como_solicitar", "descripcion"} and bool(TIME.search(fold_text(below)))


def _deadline(title: str, own_label: Label | None, parent: Label) -> Label:
    if own_label is not None and own_label.field == "plazos":
        says_no_more = own_label.key == "solicitud" and bool(ANY_TERM.match(plain_label(title)))
        return parent if says_no_more and parent.key else own_label
    folded = plain_label(title)
    if DECIDING.search(folded):
        return Label("plazos", "resolucion")
    if STEP.search(folded):
        return Label("plazos", "solicitud")
    key = FREE_KEY.sub("_", folded).strip("_")[:40]
    return Label("plazos", key) if key else parent


def _without_privacy(parts: Sequence[PagePart]) -> list[PagePart]:
    """Ignore tables about personal data. Their rows have names like those of procedures, so several must occur together."""
    matches = [
        bool(PRIVACY.match(plain_label(part.title))) and len(part.title.split()) <= 5 for part in parts
    ]
    is_private = [
        matched and sum(matches[max(0, place - 3) : place + 4]) >= 3 and _mentions_personal_data(parts, place)
        for place, matched in enumerate(matches)
    ]
    return [
        replace(part, label=Label("ignored")) if private else part
        for part, private in zip(parts, is_private, strict=True)
    ]


def _without_repeats(parts: Sequence[PagePart]) -> list[PagePart]:
    """Ignore frequently asked questions about fields that other sections answer."""
    below_questions = [any(FREQUENT.match(plain_label(title)) for title in part.above) for part in parts]
    answered = {
        part.field
        for part, in_questions in zip(parts, below_questions, strict=True)
        if not in_questions and part.lines
    }
    return [
        replace(part, label=Label("ignored")) if in_questions and part.field in answered else part
        for part, in_questions in zip(parts, below_questions, strict=True)
    ]


def _with_telephone_way(parts: Sequence[PagePart]) -> list[PagePart]:
    """ "Teléfono" directly below another way to apply is a way as well, if its text tells people to call."""
    result: list[PagePart] = []
    for part in parts:
        after_way = bool(result) and result[-1].field == "como_solicitar" and bool(result[-1].key)
        calls = CALLING.search(plain_label(part.text)) and len(part.text.split()) > FEW
        is_way = part.field == "contacto" and TELEPHONE.match(plain_label(part.title)) and after_way and calls
        result.append(replace(part, label=Label("como_solicitar", "telefono")) if is_way else part)
    return result


def _mentions_personal_data(parts: Sequence[PagePart], place: int) -> bool:
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


def _split_part(part: PagePart) -> Iterator[PagePart]:
    """Split a section whose heading names two fields."""
    if not part.also:
        yield part
        return
    lines_by_label = _lines_by_label(part)
    for label, lines in lines_by_label:
        if lines:
            yield replace(part, label=label, lines=tuple(lines), also=())


def _lines_by_label(part: PagePart) -> list[tuple[Label, list[SectionLine]]]:
    first, second = part.also[0], part.also[1]
    fields = {first.field, second.field}
    if fields == {"como_solicitar", "donde_solicitar"}:
        how = first if first.field == "como_solicitar" else second
        return [(how, list(part.lines))]
    if fields in ({"requisitos", "documentos_necesarios"}, {"como_solicitar", "documentos_necesarios"}):
        listed_label = first if first.field == "documentos_necesarios" else second
        other = second if listed_label is first else first
        listed = other.field == "como_solicitar" and any(line.kind == "item" for line in part.lines)
        return _split(
            part.lines,
            listed_label,
            other,
            lambda line: line.kind == "item" if listed else bool(PAPER.search(plain_label(line.text))),
        )
    if "plazos" in fields:
        listed_label = first if first.field == "plazos" else second
        other = second if listed_label is first else first
        return _split(part.lines, listed_label, other, lambda line: bool(TIME.search(plain_label(line.text))))
    if second.field in LISTS:
        items = any(line.kind == "item" for line in part.lines)
        head = part.lines[:1]
        return _split(
            part.lines, second, first, lambda line: line.kind == "item" if items else line not in head
        )
    return [(first, list(part.lines))]


def _split(
    lines: Sequence[SectionLine], matching: Label, other: Label, test: Callable[[SectionLine], bool]
) -> list[tuple[Label, list[SectionLine]]]:
    return [
        (other, [line for line in lines if not test(line)]),
        (matching, [line for line in lines if test(line)]),
    ]

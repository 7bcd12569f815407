"""The lines of a section as list entries: requirements, documents, remarks."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from headwater.text.folding import fold_text
from headwater_recipes.procedures.fields.departments import names_contact
from headwater_recipes.procedures.fields.listed import conditions_listed, papers_listed
from headwater_recipes.procedures.fields.value import FieldValue, spans_of
from headwater_recipes.procedures.labels.vocabulary import Label
from headwater_recipes.procedures.sections.parts import PagePart, SectionLine
from headwater_recipes.procedures.sections.table_rows import is_header_row

NOTE = re.compile(
    r"^(?:\(\d{1,2}\)|\[\d{1,2}\]|[¹²³⁴⁵]|\*(?!\*)|nota(?: al pie)?\s*+\d*+\s*+[:.])", re.IGNORECASE
)
NONE_NEEDED = re.compile(
    r"^(?:ningun[oa]?|cap|no (?:hay|procede|se requiere|aplica)|sin (?:requisitos|documentacion)|none|ez da behar)\b.{0,30}$"
)
OF_ITSELF = re.compile(
    r"\bde oficio\b|\bd ofici\b|(?:se opone|s oposa|se opon|oposicion expresa|oposicio expressa)\b|(?:no (?:es|sera|cal|e|hace falta|fa falta) (?:\w+ )?(?:aportar|presentar|achegar))"
)
"""Documents that the administration obtains itself."""
LONGEST_AUDIENCE = 200
ANYONE = re.compile(
    r"^(?:(?:y|i|e|o|la|las|los|els|les|a|as|os|the|and|eta) |(?:ciudadan\w+|ciutadan\w+|cidadan\w+|herritar\w*|citizens?|empresas?|empreses|enpresa\w*|businesses|companies|administraci\w+|entidades|entitats|asociaciones|particulares|particulars|profesionales|personas? (?:fisicas?|juridicas?)|toda la poblacion|publico en general|general public)\b ?)+$"
)
FETCH = re.compile(r"(?:puedes? |puede |pots |podeis |you can )?(?:descarg|descarreg|baix|deskarg|download)")
AUDIENCE = re.compile(
    r"\b(?:famil\w+|comunidades|comunitats|propietari\w+|titulares?|menores|majors|mayores|residentes?|empadronad\w+|empadroad\w+|empadronat\w*|autonom\w+|agricultor\w+|alumn\w+|estudiant\w+|pension\w+|trabajador\w+|treballador\w+|explotaci\w+|herencias|clubes|clubs)\b"
)
CRITERIA = re.compile(r"\b(?:condicion\w*|condicions|requisit\w+|criteri\w+|conditions|requirements)\b")
LONGEST_LEAD = 400
SHORT_CELL = 4
SEVERAL = re.compile(r";\s+")
DOTTED = re.compile(r"(?<=\w) · (?=\w)")
LISTED = re.compile(r", (?:(?:y|i|e|eta|and) )?| (?:y|i|e|eta|and) (?=\w)")
LONGEST_PAPER, FEWEST_PAPERS = 7, 3
VERB_INSIDE = re.compile(
    r"\b(?:que|hay|debe\w*|tiene\w*|puede\w*|presentar\w*|aportar\w*|si|se|cal|ha de|hai|must|need|have|if|when|cuando|quan|behar|caso?|cas)\b"
)
COUNTED = re.compile(r"^(?:\d{1,2}|[a-h])\s?[.)º]-?\s+(?=\S)")
NEXT_COUNT = re.compile(r"(?<=[.;,])\s+(?=(?:\d{1,2}|[a-h])\s?[.)º]-?\s+[A-ZÁÉÍÓÚÀÈÒÑÇ])")
INTRODUCED = re.compile(r"^(?:[^\s:;]+ ){1,3}?[^\s:;]+: ([^:;]{3,120}(?:; [^:;]{3,120}){2,12})$")
"""Few words and a colon before at least three things separated by semicolons."""
BETWEEN_SENTENCES, FEWEST_SENTENCES = re.compile(r"(?<=[a-zà-ÿ0-9)][.])\s+(?=[A-ZÁÉÍÓÚÀÈÒÑÇ])"), 3
OBLIGES = re.compile(
    r"\b(?:hay que|es (?:necesari|imprescindible|obligatori)\w*|se (?:exige|requiere|pide)\w*|debe\w*|tiene\w* que|cal\b|s ha de|heu de|ha de|hai que|e (?:necesari|preciso)\w*|ten que|must|need to|have to|required|behar)\b"
)
DOUBT = re.compile(r"(?:si|se|if) (?:\w+ ){0,2}(?:dud|dubt|dubid|doubt|question)")
"""An offer of help below a list."""
SENTENCE_INSIDE = re.compile(r"[.!?]\s+[A-ZÁÉÍÓÚÀÈÒÑÇ]")
CONDITION = re.compile(
    r"^(?:no |non )?(?:ser|estar|tener|haber|residir|vivir|carecer|cumplir|hallarse|encontrarse|figurar|poseer|tenir|haver|viure|complir|trobar se|ter|habitar|cumprir|be (?:over|aged|registered|a resident)|live in|have lived)\b|\b(?:izatea|egotea|bizitzea|edukitzea)$"
)
PAPER = re.compile(
    r"\b(?:dni|nie|nif|pasaporte|passaport|fotocopia\w*|fotografia\w*|copia\w*|certificad\w*|certificat\w*|document\w*|solicitud\w*|sol licitud|impreso|impres|justificant\w*|modelo|model|factura|contrato|contracte|contrat|libro|llibre|volante|volant|titulo|titol|declaraci\w+|formulari\w*|agiri\w*|ziurtagiri\w*|acreditaci\w+|informe|poliza|recibo|rebut|tarjeta|targeta|tarxeta|carne\w*|licencia|permiso|passport|certificate|form|copy|proof|receipt|card)\b"
)
"""Names of documents: a condition that names one asks for it."""


def entries(parts: Sequence[PagePart]) -> FieldValue:
    """Each item, row or paragraph once, without notes and lines that only introduce a list."""
    texts: list[str] = []
    lines: list[SectionLine] = []
    keys: set[str] = set()
    for part in parts:
        for text, line in part_entries(part):
            key = fold_text(text)
            if key and key not in keys and not NONE_NEEDED.match(key):
                keys.add(key)
                texts.append(text)
                lines.append(line)
    return FieldValue(texts, spans_of(lines)) if texts else FieldValue()


def separate_conditions(parts: Sequence[PagePart]) -> tuple[list[PagePart], list[PagePart]]:
    """Sections of documents without their conditions ("Ser mayor de edad"), and the conditions as sections of requirements.
    A list of nothing but conditions stays as it is."""
    documents, conditions = [], []
    for part in parts:
        matching = tuple(line for line in part.lines if is_condition(line.text))
        remaining = tuple(line for line in part.lines if line not in matching)
        if not matching or not any(line.kind == "item" for line in remaining):
            documents.append(part)
            continue
        documents.append(replace(part, lines=remaining))
        conditions.append(replace(part, lines=matching, label=Label("requisitos")))
    return documents, conditions


def is_condition(text: str) -> bool:
    folded = fold_text(text)
    return bool(CONDITION.search(folded)) and not PAPER.search(folded)


def specific_parts(parts: Sequence[PagePart]) -> list[PagePart]:
    """The parts without those that only name everybody as the audience, if others are more specific."""
    specific = [part for part in parts if not ANYONE.match(fold_text(part.text[:LONGEST_AUDIENCE]))]
    return specific if any(part.lines for part in specific) else list(parts)


def part_entries(part: PagePart) -> Iterator[tuple[str, SectionLine]]:
    """The entries of a section, with their lines."""
    for place, line in enumerate(part.lines):
        following = part.lines[place + 1] if place + 1 < len(part.lines) else None
        if (
            _is_form_link(line, part.lines)
            or NOTE.match(line.text)
            or names_contact(line.text)
            or (line.kind == "text" and place and DOUBT.match(fold_text(line.text)))
            or is_obtained_by_office(part, line)
            or (_introduces_list(line, following) and not _names_audience(part, line))
            or is_header_row(part.lines, place)
        ):
            continue
        if line.kind == "row":
            yield tidy(_row(line)), line
        else:
            whole = (
                part.field == "datos_importantes" and line.kind == "text"
            )  # a note goes on after a semicolon
            pieces = (
                [line.text]
                if whole
                else [text for piece in _pieces(part, line) for text in split_entries(piece)]
            )
            yield from ((tidy(text), line) for text in pieces if tidy(text))


def _pieces(part: PagePart, line: SectionLine) -> list[str]:
    if part.field == "requisitos" and line.kind == "text":
        return [piece for text in requirements_in(line.text) for piece in conditions_listed(text) or [text]]
    if part.field == "documentos_necesarios" and line.kind == "text":
        papers = papers_in(line.text) if len(part.lines) == 1 else [line.text]
        return papers if len(papers) > 1 else _papers_in_sentences(line.text)
    return [line.text]


def _papers_in_sentences(text: str) -> list[str]:
    """The papers that the sentences of a paragraph list; the paragraph as it is, if none does."""
    listed = [(sentence, papers_listed(sentence)) for sentence in BETWEEN_SENTENCES.split(text)]
    if not any(papers for _, papers in listed):
        return [text]
    return [piece for sentence, papers in listed for piece in papers or [sentence]]


def _is_form_link(line: SectionLine, lines: Sequence[SectionLine]) -> bool:
    """Whether a line next to a list is only a link to a form."""
    if line.kind != "text" or len(line.links) != 1 or not any(other.kind == "item" for other in lines):
        return False
    if FETCH.match(fold_text(line.text)):
        return True
    return fold_text(line.text) == fold_text(line.links[0].text)


def is_obtained_by_office(part: PagePart, line: SectionLine) -> bool:
    """Whether a line next to the list of documents says that the administration obtains them."""
    if part.field != "documentos_necesarios" or line.kind != "text":
        return False
    return any(other.kind == "item" for other in part.lines) and bool(OF_ITSELF.search(fold_text(line.text)))


def _introduces_list(line: SectionLine, following: SectionLine | None) -> bool:
    listed = following is not None and following.kind in {"item", "row"}
    return line.kind == "text" and (
        (line.text.endswith(":") and (listed or following is None)) or (listed and _introduces(line.text))
    )


def _names_audience(part: PagePart, line: SectionLine) -> bool:
    """Whether the line before a list of conditions is a condition itself: "A les famílies amb fills que compleixin aquestes condicions:"."""
    folded = fold_text(line.text[:LONGEST_LEAD])
    audience = AUDIENCE.search(folded)
    return (
        part.field == "requisitos"
        and audience is not None
        and CRITERIA.search(folded, audience.end()) is not None
    )


def _introduces(text: str) -> bool:
    return bool(
        re.search(
            r"\b(?:siguientes?|seguents?|segueix\w*|hauek|honako|following|below)\b[^.]{0,40}[.:]?$",
            text.lower(),
        )
    )


def _row(line: SectionLine) -> str:
    name, *cells = [cell for cell in line.cells if cell] or [""]
    details = [cell for cell in cells if len(cell.split()) > SHORT_CELL or cell.endswith(".")]
    return ": ".join([name, *details])


def split_entries(text: str) -> list[str]:
    """The entries of one line, numbered or separated by semicolons."""
    if COUNTED.match(text):
        items = [piece for piece in NEXT_COUNT.split(text) if piece]
        if len(items) > 1:
            return [COUNTED.sub("", piece) for piece in items]
    if (match := INTRODUCED.match(text)) is not None:
        return SEVERAL.split(match[1].rstrip("."))
    if DOTTED.search(text):
        return DOTTED.split(text)
    pieces = SEVERAL.split(text)
    obliging = _obliging_sentences(text) or _parallel_sentences(text)
    if obliging:
        return obliging
    if len(pieces) < 2 or SENTENCE_INSIDE.search(text) or ":" in pieces[0]:
        return [text]
    return pieces


def _obliging_sentences(text: str) -> list[str]:
    """The sentences of a paragraph, if each of them is a condition of its own: "Hay que ... Es necesario ..."."""
    pieces = BETWEEN_SENTENCES.split(text)
    obliges = all(OBLIGES.search(fold_text(piece)) for piece in pieces)
    return pieces if len(pieces) >= FEWEST_SENTENCES and obliges else []


def _parallel_sentences(text: str) -> list[str]:
    """The sentences of a paragraph that all begin alike: "You live ... You have ..."."""
    pieces = BETWEEN_SENTENCES.split(text)
    return pieces if len(pieces) > 1 and len({piece.split()[0] for piece in pieces}) == 1 else []


def requirements_in(text: str) -> list[str]:
    """The sentences of a paragraph of requirements, if at least half of them oblige or are conditions: the others then mostly
    say the same in words of their own ("La finca no puede medir más de una hectárea")."""
    pieces = BETWEEN_SENTENCES.split(text)
    folded = [fold_text(piece) for piece in pieces]
    binding = sum(bool(OBLIGES.search(piece) or CONDITION.search(piece)) for piece in folded)
    return pieces if binding * 2 >= len(pieces) else [text]


def papers_in(text: str) -> list[str]:
    """The documents that one phrase lists with commas: "certificado de defunción, testamento y título"."""
    pieces = [piece for piece in LISTED.split(text.rstrip(".")) if piece]
    few = all(len(piece.split()) <= LONGEST_PAPER for piece in pieces)
    named = sum(PAPER.search(fold_text(piece)) is not None for piece in pieces)
    plain = not SENTENCE_INSIDE.search(text) and not VERB_INSIDE.search(fold_text(text))
    return pieces if len(pieces) >= FEWEST_PAPERS and few and plain and named * 2 >= len(pieces) else [text]


def tidy(text: str) -> str:
    return re.sub(r"(?:(?<!\s)\s++)?(?:[;,]|(?:; |(?<=\s))(?:y|i|e|o|and|eta))$", "", text.strip()).strip()

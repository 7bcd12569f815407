"""Notes that matter for the procedure (`datos_importantes`): obligations, prohibitions, losses and validity, each sentence by itself."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from headwater.text.folding import fold_text
from headwater_recipes.procedures.fields.channels import names_way
from headwater_recipes.procedures.fields.citations import CITATION, DATA_PROTECTION
from headwater_recipes.procedures.fields.deadlines import SILENCE
from headwater_recipes.procedures.fields.entries import NOTE, is_obtained_by_office, part_entries
from headwater_recipes.procedures.fields.money import second_copies
from headwater_recipes.procedures.fields.responsible import responsible_in
from headwater_recipes.procedures.fields.telephones import number_in
from headwater_recipes.procedures.fields.value import FieldValue, Span, spans_of
from headwater_recipes.procedures.sections.parts import PagePart, SectionLine
from headwater_recipes.procedures.sections.sentences import sentences

PROHIBITS = re.compile(
    r"\b(?:no|non) (?:se|es|s) (?:puede|podra|pueden|podran|pode|poden|podera|pot|permite|permet|admit|admet|autori|aplica|expid|expede|concede|celebra)\w*"
    r"|\b(?:no|non) (?:puede|pueden|podra|podran|pode|poden|poderan|pot|podra|poden|podran) \w+|\b(?:prohibi|debekat|forbidden)\w*"
    r"|\b(?:no|non) (?:sustituye|substitueix|substitue|cubre|cobreix|incluye|inclou|inclue|da derecho|vale|valen|val|sirve|serveix|serve|hay que|hai que|cal|s ha de)\b"
    r"|\b(?:is|are) not (?:allowed|permitted|admitted|accepted|covered|transferable|refundable|refunded|valid)\b|\b(?:cannot|may not|must not|does not (?:replace|cover|include|give))\b"
    r"|\bezin (?:d|iz)\w*|\bez (?:du|dute|da|dira) (?:balio|onartzen|ordezkatzen)\w*"
)
OBLIGES = re.compile(
    r"\b(?:debe|deben|debes|debera|deberan|haura|hauran)\b|\b(?:hay|hai|habra|tiene|tienen|tendra|tendran|ten|tenen|tera) que\b|\b(?:ha|han|heu|has) de \w+|\bcal(?:dra)?\b"
    r"|\b(?:obligad|obligat|obrigad)\w*|\bs han? de\b|\b(?:must|has to|have to)\b|\bbehar(?:ko)? (?:da|dira|du|dute|duzu|dituzu|dugu)\b|\bsolo (?:puede|pueden)\b"
)
LOSES = re.compile(
    r"\b(?:pierde\w*|perdera\w*|perdese|perde[ns]?|perd|perden|perdre|perdra)\b|\bcaduca\w*|\b(?:queda|quedara|quedan) (?:sin|sense|sen) efecte?o?\b|\bse (?:acaba|anula|retira|revoca|suspende|extingue)\w*"
    r"|\b(?:es|s) (?:acaba|anul|retira|revoca|suspen)\w*|\b(?:supone|conlleva|comporta|implica|supon) (?:la |l |a )?(?:exclusi|perdida|perdua|perda|baja|baixa|anulaci|sanci|multa)\w*|\b(?:multas?|sanci\w+|fines?|fined)\b"
    r"|\b(?:devolver|devolvese|tornar) \w+|\bpasa a la siguiente\b|\b(?:lose|loses|lost|expires?|withdrawn|cancelled|forfeit\w*|lapses?)\b|\b(?:galdu|iraungi|eten|kendu)(?:ko|tzen|ten)? (?:egi\w+ )?(?:da|dira|du|duzu|dute)\b"
)
VALID = re.compile(
    r"\b(?:tiene|tendra|te|ten|tera|tendran|tienen) (?:una |unha )?(?:validez|validesa|vigencia)\b|\b(?:es|e|son) (?:valid\w+|personal(?:es)?|intransferible\w*)\b|\b(?:is|are|remains?) (?:valid|personal)\b|\bbalioa? (?:du|dute|izango)\b|\bbaliozkoa\b"
)
PAST = re.compile(
    r"\b(?:1\d{3}|20[01]\d)n?\b|\b(?:fue|fueron|era|eran|habia|hubo|nacio|nacieron|abrio|empezo|comenzo|inauguro|estreno|pusieron|va|van|foi|foron|naceron|naceu|abriu|comezou|was|were|opened|began|started|used to|zen|ziren|zuen|zuten)\b"
)
TECHNICAL = re.compile(
    r"\b(?:navegador\w*|browser|nabigatzaile\w*|finestres emergents|ventanas emergentes|pop ups?|javascript|autofirma|formatos? admitid\w+|\d+ (?:kb|mb)|cookies?|galetes|cofinanciad\w+)\b"
)
ELSEWHERE = re.compile(
    r"\b(?:entreg|present|aport|adjunt|acompan|lliur|achega|attach|bring|aurkez|pag|abon|pay|ordain|descarg)\w*|\bingresar\b|\b(?:entend|enten|entiend|darse? por|dada por|donar se)\w*"
)
"""What one hands in, what one pays, and what silence means have fields of their own."""
ASKING = re.compile(
    r"(?:que|quien|qui|quen|como|com|nola|donde|on|onde|cuando|quan|cando|noiz|cuanto|quant|canto|zenbat|what|who|how|where|when)\b"
)
MORE = re.compile(
    r"(?:(?:para|per|pera|for|si|se) )?(?:\w+ )?(?:mas|mes|mais|more|further) (?:informaci\w+|information|datos|dades)|informazio gehiago"
)
FEW_WORDS, LONGEST_QUESTION = 5, 6
OPEN = frozenset({"base_legal", "contacto", "organismo"})
"""Fields whose values have another form: what else stands there is a note."""
VALUED = frozenset({"plazos", "cuantias", "tasas", "documentos_necesarios", "como_solicitar"})
"""Fields whose first line is a value, and whose values may oblige."""
OTHERWISE = OPEN | VALUED | {""}
SHORTEST, LONGEST, MOST_TOGETHER = 4, 45, 2


def notes(parts: Sequence[PagePart], described: Sequence[Span] = ()) -> FieldValue:
    """The sentences of sections of notes, and such sentences that stand apart in other sections. `described`: the spans of the
    description, which is no note."""
    texts: dict[str, tuple[str, SectionLine]] = {}
    for part in parts:
        labelled = part.field == "datos_importantes"
        further = second_copies(part) if part.field == "tasas" else ()
        for text, line in _of_section(part) if labelled else (*_apart(part, described), *further):
            texts.setdefault(fold_text(text), (text, line))
    lines = [line for _, line in texts.values()]
    return FieldValue([text for text, _ in texts.values()], spans_of(lines)) if texts else FieldValue()


def without_notes(parts: Sequence[PagePart], described: Sequence[Span] = ()) -> list[PagePart]:
    """The parts without the lines of other sections that are nothing but notes."""
    return [
        part
        if part.field == "datos_importantes"
        else replace(part, lines=tuple(line for line in part.lines if line.start not in starts))
        for part in parts
        for starts in [{line.start for text, line in _apart(part, described) if text == line.text}]
    ]


def _of_section(part: PagePart) -> Iterator[tuple[str, SectionLine]]:
    for text, line in part_entries(part):
        pieces = sentences(text)
        if _only_links(line) or (line.kind == "text" and is_background(pieces)):
            continue
        for piece in pieces:
            if not is_technical(piece) and not _is_contact(piece):
                yield piece, line


def _apart(part: PagePart, described: Sequence[Span]) -> Iterator[tuple[str, SectionLine]]:
    """Notes that stand in a section about something else, or in none: one or two sentences, and nothing else on their line."""
    for place, line in enumerate(part.lines if part.field in OTHERWISE else ()):
        if line.kind != "text" or line.links or NOTE.match(line.text) or _opens(part, place, line, described):
            continue
        if is_obtained_by_office(part, line):
            yield line.text, line
            continue
        pieces = [piece for piece in sentences(line.text) if not CITATION.search(piece)]
        if len(pieces) <= MOST_TOGETHER and all(_stands_apart(part, piece) for piece in pieces):
            yield from ((piece, line) for piece in pieces)


def _opens(part: PagePart, place: int, line: SectionLine, described: Sequence[Span]) -> bool:
    """Whether the line is the first below the title or of a section with values of its own, or a part of the description."""
    first = not place and (part.field in VALUED or (part.level == 1 and bool(part.title)))
    return first or any(start <= line.start < end for start, end in described)


def _stands_apart(part: PagePart, sentence: str) -> bool:
    if not _is_plain(sentence):
        return False
    if part.field in VALUED:
        folded = fold_text(sentence)
        elsewhere = part.field == "como_solicitar" and names_way(folded)
        return bool(PROHIBITS.search(folded) or LOSES.search(folded)) and not elsewhere
    own_text = part.field in OPEN or not part.title
    return states_consequence(sentence) or (
        own_text and obliges(sentence) and not ELSEWHERE.search(fold_text(sentence))
    )


def _is_plain(sentence: str) -> bool:
    """Whether a sentence says only one thing: neither whom to call nor which law."""
    folded = fold_text(sentence)
    return (
        SHORTEST <= len(folded.split()) <= LONGEST
        and not sentence.endswith(("?", ":"))
        and not CITATION.search(sentence)
        and not number_in(sentence, "tel")
        and not is_technical(sentence)
        and not (PAST.search(folded) or _asks(folded) or SILENCE.search(folded))
        and not responsible_in(sentence)
    )


def _asks(folded: str) -> bool:
    """Whether a few words are a label in the form of a question."""
    return len(folded.split()) <= LONGEST_QUESTION and ASKING.match(folded) is not None


def states_consequence(sentence: str) -> bool:
    """Whether a sentence forbids something, or says what is lost or how long something is valid."""
    folded = fold_text(sentence)
    return any(pattern.search(folded) for pattern in (PROHIBITS, LOSES, VALID))


def obliges(sentence: str) -> bool:
    return OBLIGES.search(fold_text(sentence)) is not None


def is_background(pieces: Sequence[str]) -> bool:
    """Whether a paragraph tells about the past, and neither obliges nor forbids anything."""
    past = any(PAST.search(fold_text(piece)) for piece in pieces)
    return past and not any(states_consequence(piece) or obliges(piece) for piece in pieces)


def is_technical(sentence: str) -> bool:
    """Whether a sentence is about the computer or about personal data."""
    folded = fold_text(sentence)
    return TECHNICAL.search(folded) is not None or DATA_PROTECTION.search(folded) is not None


def _is_contact(sentence: str) -> bool:
    """Whether a few words only say whom to call."""
    words = [word for word in sentence.split() if not any(map(str.isdigit, word))]
    few = len(words) <= FEW_WORDS or MORE.match(fold_text(sentence)) is not None
    return few and bool(number_in(sentence, "tel"))


def _only_links(line: SectionLine) -> bool:
    return bool(line.links) and fold_text(line.text) == fold_text(" ".join(link.text for link in line.links))

"""The legal basis of a procedure, with numbers of the official gazette."""

import re
from collections.abc import Sequence

from headwater.text.folding import fold_text
from headwater_recipes.procedures.fields import telephones
from headwater_recipes.procedures.fields.citations import CITATION, DATA_PROTECTION, citations_in
from headwater_recipes.procedures.fields.entries import NOTE, tidy
from headwater_recipes.procedures.fields.start_links import is_start
from headwater_recipes.procedures.fields.value import FieldValue, spans_of
from headwater_recipes.procedures.sections.by_form import CITATION_LEAD
from headwater_recipes.procedures.sections.parts import PagePart, SectionLine
from headwater_recipes.procedures.sections.sentences import sentences
from headwater_recipes.procedures.sections.table_rows import without_header_rows

BOE = re.compile(r"BOE-[A-Z]-\d{4}-\d{1,6}")
_NORMS = r"(?:Ley|Llei|Lei|Lege|Real Decreto|Reial [Dd]ecret|Decreto|Decret|Orden|Ordre|Orde|Ordenan\w+|Reglament\w*|Regulamento|Constituci\w+|Resoluci\w+|Law|Royal Decree|Decree|Order|Act)\b"
NORM = re.compile(_NORMS)
DIVIDES = re.compile(
    rf";\s+|(?<=[.])\s++(?={_NORMS})|(?:,\s++|(?<![\s,])\s++)(?:y|i|e|and|eta)\s+(?:(?:el|la|els|les|o|a|the|en|por|per|pel|pola?|polo|no|na|by|in|(?:la |las |les |as )?(?:convocatoria|convocatòria|bases))\s+|l['’]){{0,3}}(?={_NORMS})"
)
NAMES_NORM = re.compile(
    rf"{_NORMS}|\b(?:Bases?|Estatut\w*|Directiva|Pla|Plan|Acuerdo|Acord|Convenio|Conveni|Bando|[Cc]onvocat\w+|BO[A-Z]{{1,3}}|DO[A-Z]{{1,3}})\b|\d/\d{{4}}|\d{{4}}|(?:[Ll]egea|[Dd]ekretua|[Oo]rdenantza|[Aa]raudia|[Aa]raua|[Aa]gindua)\b|[Oo]rd(?:en|ina)nce|[Rr]egulation"
)
ARTICLE = re.compile(
    rf"^(?:(?:El |Los |Els )|L['’])?(?:art[ií]culos?|articles?|artigos?|art\.) [\d.,y i-]{{1,20}}(?:de la|del|de l['’]|da|do|of the) ?(?={_NORMS})",
    re.IGNORECASE,
)
LONGEST_INTRODUCTION, FEWEST_BEFORE = 25, 3
TELLS = re.compile(
    r"\b(?:est[áà]|sale|salen|surt|viene|ve|dice|diu|di|regula\w*|rige\w*|regeix\w*|rexe\w*|establec\w*|establei\w*|recog\w*|recull\w*|fija\w*|fixa\w*|aplica\w*|basa\w*|ampara\w*|aprob\w*|aprov\w*|set out|comes|says|written|governed|laid down|based)\b",
    re.IGNORECASE,
)
OTHER_NORM = re.compile(
    r"\b(?:C[oó]d(?:igo|i)\b|Estatut\w*|Conveni\w*|Plan General|Text[oe]? [Rr]efund|Directiva|Bases?\b)|\b(?:y|i|e|and|eta) (?:el |la |l['’])?$"
)
"""Another norm before the first that is known, or an "and" right before it."""
ARTICLE_BEFORE = re.compile(
    r"(?:el |los |l['’]|els )?(?:art[ií]culos?|articles?|artigos?|art\.) [\d.,y i-]{1,20}(?:de la|del|de l['’]|da|do|of the) ?$",
    re.IGNORECASE,
)
ACCORDING = re.compile(
    r"(?:[Dd]['’]acord amb|[Dd]e acuerdo con|[Dd]e acordo co[na]?|[Ss]egún|[Ss]egons|[Ss]egundo|[Cc]onforme a|[Uu]nder|[Ii]n accordance with)\b.*\d.*,\s\w+\s\w+"
)
BYLINE = re.compile(
    r"(?:ultima|darrera|azken|last) (?:modificaci|actualiza|actualitza|eguneraketa|update|modifica)"
)
INTRODUCES = re.compile(r"(?:siguientes?|seguents?|aplicable|normativa|hauek)\s*:?$")


def laws(parts: Sequence[PagePart], everything: Sequence[PagePart] = ()) -> FieldValue:
    """One entry per law, in the words of the page. A number that only the link contains is appended. Where no section is about
    laws, those that sentences of other sections cite."""
    names: list[str] = []
    lines: list[SectionLine] = []
    pairs = [(text, line) for part in parts for line in _law_lines(part) for text in _law_names(line)]
    for text, line in pairs or _cited(everything):
        if fold_text(text) not in {fold_text(name) for name in names}:
            names.append(text)
            lines.append(line)
    return FieldValue(names, spans_of(lines)) if names else FieldValue()


def _law_lines(part: PagePart) -> list[SectionLine]:
    """The lines without those that cite nothing, below lines that do: a link to print the page."""
    lines = without_header_rows(part.lines)
    citing = [line for line in lines if NAMES_NORM.search(line.text)]
    return citing if citing and citing[0] is lines[0] else lines


def _cited(parts: Sequence[PagePart]) -> list[tuple[str, SectionLine]]:
    return [
        (text, line)
        for part in parts
        for line in part.lines
        for sentence in sentences(line.text)
        if not DATA_PROTECTION.search(fold_text(sentence)) and not DATA_PROTECTION.search(sentence)
        for text in citations_in(sentence)
    ]


def _law_names(line: SectionLine) -> list[str]:
    names_norm = NORM.search(line.text) is not None
    starts = any(is_start(link) and fold_text(link.text) == fold_text(line.text) for link in line.links)
    if starts and not names_norm:
        return []  # every link of an electronic office leads to its host: a law stays a law
    if telephones.number_in(line.text) and not names_norm:
        return []  # a contact below the last law
    if (
        BYLINE.search(fold_text(line.text))
        or NOTE.match(line.text)
        or (line.text.endswith(":") and INTRODUCES.search(line.text.lower()))
    ):
        return []
    text = ": ".join(cell for cell in line.cells if cell) if line.kind == "row" else line.text
    if DATA_PROTECTION.search(fold_text(text)) and len(sentences(text)) > 1:
        return []  # a notice below the last law
    if _tells(text):
        return citations_in(text)
    text = _without_introduction(text) if line.kind == "text" else text
    pieces = [
        tidy(ARTICLE.sub("", CITATION_LEAD.sub("", piece, count=1))).rstrip(".")
        for piece in DIVIDES.split(text)
    ]
    pieces = [piece for piece in pieces if len(piece) > 3]
    return [_with_number(piece, line, alone=len(pieces) == 1) for piece in pieces]


def _tells(text: str) -> bool:
    """Whether the text is a sentence that cites norms among other words, and does not begin with one."""
    words = CITATION_LEAD.sub("", text, count=1)
    first = CITATION.search(words)
    if first is None or NAMES_NORM.match(words) or words[: first.start()].endswith("("):
        return False
    return first.start() > LONGEST_INTRODUCTION or ACCORDING.match(words) is not None


def _without_introduction(text: str) -> str:
    """The text from its first norm on, if a clause of its own stands before that: "Todo esto sale del Reglamento …"."""
    norm = NORM.search(text)
    before = text[: norm.start()] if norm else ""
    tells = len(before.split()) >= FEWEST_BEFORE and TELLS.search(before) and not OTHER_NORM.search(before)
    if norm is None or not tells:
        return text
    article = ARTICLE_BEFORE.search(text, 0, norm.start())
    return text[article.start() if article else norm.start() :]


def _with_number(piece: str, line: SectionLine, *, alone: bool) -> str:
    if BOE.search(piece):
        return piece
    for link in line.links:
        number = BOE.search(link.url)
        if number and (
            alone or fold_text(link.text) in fold_text(piece) or fold_text(piece) in fold_text(link.text)
        ):
            return f"{piece} ({number[0]})"
    return piece


def gazette_numbers(entries: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(number for entry in entries for number in BOE.findall(entry)))

"""What the citizen pays (`tasas`) and what the citizen receives (`cuantias`)."""

import re
from collections.abc import Sequence
from dataclasses import replace

from headwater.text.folding import fold_text
from headwater_recipes.procedures.fields.entries import NOTE
from headwater_recipes.procedures.fields.value import NO_VALUE, FieldValue, spans_of
from headwater_recipes.procedures.sections.by_form import says_free
from headwater_recipes.procedures.sections.parts import PagePart, SectionLine
from headwater_recipes.procedures.sections.sentences import sentences
from headwater_recipes.procedures.sections.table_rows import without_header_rows

FREE = "Gratuito"
_FREE_WORDS = (
    r"(?:gratuit\w*|gratis|gratuita\w*|gratuito|gratuidad|exent\w+|sin (?:coste|costo|tasas?)|sense (?:cost|taxes|taxa)|sen (?:custo|taxas)|"
    r"no (?:tiene|conlleva|requiere|supone|lleva|hay|se paga|se cobra|procede|te|cal pagar|s ha de pagar|ten|hai|leva)(?: \w+){0,3}(?: (?:coste?|tasas?|taxes|taxa|taxas|pago|pagament|custo))?|"
    r"doan\w*|doako\w*|dohain\w*|ez (?:du|dago) (?:tasarik|kosturik)|free(?: of charge)?|no (?:fee|charge|cost)s?|de balde|0 (?:euros?|eur)?)"
)
ALL_FREE = re.compile(
    rf"^(?:(?:(?:el|este|esta|la|l|aquest|o|a|the|es|son|e|is|this|it|da|izapidea?|no|un|una|servizo|zerbitzua|nada|res|ezer|nothing|tramite?|tramit|tramitacio\w*|procedimiento|procediment|procedemento|servicio|servei|procedure|solicitud|sol licitud|gestion|su|expedicio\w*|obtencion|presentacion|totalmente|completamente|totalment|completely|si|inscribirse|solicitarl[oa]|apuntarse|registrarse|sol licitar ho|pedilo) )*){_FREE_WORDS}(?: (?:para|per|for|y|i|e|o|de|en|al|a|la|el|los|las|tasas?|coste?|todo|todos|tot|tots|toda|charge|ciudadania|persona|interesada|solicitante|alguno|alguna|ningun\w?|tipo|cap|da|guztientzat|everyone|all|tramite|izapidea|beti))*$"
)
SAYS_FREE = re.compile(
    r"(?:tramite?|tramit|tramitacio\w{0,30}|procedimiento|procediment|procedemento|servicio|servei|solicitud|sol licitud|gestion|expedicio\w{0,30}|inscripcio\w{0,30}|procedure|service|application|izapidea|zerbitzua) (?:\w{1,30} ){0,3}(?:es|e|is|da|son|sera|resulta) (?:\w{1,30} ){0,2}(?:gratuit\w{0,30}|gratis|free|doakoa|doan|dohainik)"
    r"|(?:izapidea|eskaera|zerbitzua)\w{0,30} (?:doakoa|doan|dohainik) (?:da|egiten)"
)
NOTHING_TO_PAY = re.compile(
    r"^(?:\w+ ){0,3}(?:no|non) (?:cuesta|costa|custa) (?:nada|res|ren)\b|^(?:no|non) (?:(?:se|os|te|le|us|vos|che|lle) )?(?:cobra\w*|pag\w*) (?:nada|res|ren)\b|^(?:\w+ ){0,4}(?:no|non|ez|there (?:is|are) no) (?:\w+ ){0,3}(?:tasas?|taxa|taxes|taxas|coste?|cost|pago|pagar|pagament|custo|fees?|charges?|tasarik|kosturik)\b(?: \w+){0,8}$"
)
ENDS_FREE = re.compile(
    r"\b(?:is|are|es|son|sale|surt|resulta|e|da|dira) (?:\w+ ){0,2}(?:free(?: of charge)?|gratuit\w*|gratis|doakoa|doan|de balde)$"
)
DONE_FREE = re.compile(
    r"(?<!que se )\b(?:retira|recog\w+|recoll\w+|presta\w*|ofrece\w*|ofereix\w*|entrega\w*|expide\w*|emite\w*|presta\w*) (?:\w+ ){0,3}(?:gratuitamente?|gratis|de balde)\b"
)
MOST_FREE_WORDS, SHORTEST_FREE, HIGHEST_TITLE = 9, 4, 2
EXEMPT = re.compile(
    r"^(?:\w+ ){0,3}exent\w+ (?:de|del|do|d) (?:\w+ ){0,2}(?:pago|pagament|tasas?|taxes|taxa|taxas)(?: (?:de|del) (?:tasas?|taxes))?$"
)
AGAIN = re.compile(
    r"\b(?:duplica\w+|segunda copia|segona copia|replacement|replac\w+|lost|perd\w+|extravi\w+|bikoizt\w+|galdu\w*)\b"
)
AGAIN_OR_BACK = re.compile(
    rf"{AGAIN.pattern}|\b(?:fianzas?|fianca|fiances|se devuelve|es torna|devolvese|refund\w*|interes(?:es)? (?:de demora|legal\w*|vigente)|interessos)\b"
)
"""What is said of a second copy, or of money that one gets back."""
PRICE = re.compile(r"\d|\beuro|\beur\b|€", re.IGNORECASE)
NO = re.compile(
    r"^(?:no|ez|no n hi ha(?: cap)?|no hay|no hai|ez dago|no procede|no aplica|ningun[oa]?|cap|none|nada|nothing|res|ezer(?: ez)?|sin tasas?)$"
)
ANSWERS_NO = re.compile(r"(?:No|Non|Ez|Nada|Res|Nothing|Ezer ez|None|Cap)[.,:;!]\s", re.IGNORECASE)
"""The answer to "Do I have to pay?", with a remark that names no price."""
ZERO = re.compile(r"^0(?: 00)?(?: (?:euros?|eur))?$")
LEADERS = re.compile(r"\s?\.{4,}\s?")
DIGIT = re.compile(r"\d")
MONEY = re.compile(r"\d[\d.,]{0,30}+\s*+(?:€|euro\w{0,8}\b|eur\b)|€\s*\d", re.IGNORECASE)
NAMED_SUM = re.compile(r"[^:.\d]{3,80}: [^:]{0,40}\d")
SUM_OR_SHARE = re.compile(rf"{MONEY.pattern}|%", re.IGNORECASE)
PAYS = re.compile(
    r"\btasas?\b|\btaxes\b|\btaxas?\b|\bpagar\b|\bpagan?\b|\babonar\b|\bfees?\b|\bordain\w*|\btasa(?:ren|k|rik)\b"
)
OFFICE_PAYS = re.compile(r"\bse (?:pagan?|abonan?) \d[\d ]*\b(?: (?:euros?|eur))? por\b")
"""An amount for each thing: "Se pagan 0,85 € por kilómetro"."""
GETS = re.compile(
    r"cobr|recib|perceb|percib|ayuda|ajut|axuda|subvenci|prestaci|pension|beca|indemniz|compensa|laguntz|dirulaguntz|\bbeka|prestazio|hobari|grant|benefit|receive"
)


PRICED = re.compile(
    r"pag(?:a|o|ar|as|an|ais|uen|ues|au|ament)\b|\bcobra(?:mos|m|rem|remos|n)?\b|\b(?:le|te|os|us|lle|che) cobr|cuesta|custa|costa\b|coste?s?\b|custo|precios?|preus?|prezos?|price|cost\b|charge|fee|tarifa|prezio|kostu|abon[ae]|ingres"
)
"""Words for what one pays, which no amount of an aid has."""
SHARE_OF_COST = re.compile(
    r"(?:\d ?%|\bmitad|\bmeitat|\bmetade|\berdia) (?:del |de la |de l['’]|do |da |of the |de les )(?:coste?|custo|gasto|despes|inversi|presupuest|pressupost|orzamento|obra|factura|cost\b|importe)"
)
"""An aid pays a share of the cost; a fee is never one."""
SUM = re.compile(r"(?:\d+ )?(?:importes?|imports?|zenbatekoa|amount)$")
HOW_MUCH = re.compile(r"(?:\d+ )?(?:cuanto|quant|canto|zenbat|how much)$")


def fees(parts: Sequence[PagePart], everything: Sequence[PagePart]) -> FieldValue:
    """The fees from their own section, else from a sentence that calls the procedure free."""
    lines = [line for part in parts for line in _content_lines(part.lines)]
    if not lines:
        titles = [part for part in parts if ALL_FREE.match(fold_text(part.title))]
        return (
            FieldValue(FREE, ((titles[0].start, titles[0].start + len(titles[0].title)),))
            if titles
            else _free_of_charge(everything)
        )
    text = join_lines(lines)
    return FieldValue(FREE if _calls_free(text) else text, spans_of(lines))


def second_copies(part: PagePart) -> list[tuple[str, SectionLine]]:
    """What a section about fees says of the price of a second copy, where the first is free: a note."""
    return [
        (sentence, line)
        for line in part.lines
        for first_sentence, *further in [sentences(line.text)]
        if _calls_free(first_sentence)
        for sentence in further
        if AGAIN.search(fold_text(sentence)) and PRICE.search(sentence)
    ]


def _calls_free(text: str) -> bool:
    """Whether a text says that nothing is paid, whatever it adds about deposits and second copies."""
    beginning, *further = sentences(text)
    is_aside = [AGAIN_OR_BACK.search(fold_text(sentence)) is not None for sentence in further]
    prices = [PRICE.search(sentence) is not None for sentence in further]
    free_at_first = ALL_FREE.match(fold_text(beginning)) is not None
    if further and all(
        aside or (free_at_first and not price) for aside, price in zip(is_aside, prices, strict=True)
    ):
        text = beginning
    folded = fold_text(text)
    if NO.match(folded) or ZERO.match(folded) or (ANSWERS_NO.match(text) and not DIGIT.search(text)):
        return True
    free = (
        ALL_FREE.match(folded)
        or NOTHING_TO_PAY.match(folded)
        or says_free(folded)
        or ENDS_FREE.search(folded)
        or EXEMPT.match(folded)
    )
    return bool(free) and not MONEY.search(text)


def _content_lines(lines: Sequence[SectionLine]) -> list[SectionLine]:
    """The lines without notes and without the header row of a table."""
    content = [line for line in without_header_rows(lines) if not NOTE.match(line.text)]
    rows = [line for line in content if line.kind == "row"]
    heads = (
        len(rows) > 1 and not DIGIT.search(rows[0].text) and all(DIGIT.search(row.text) for row in rows[1:])
    )
    return [line for line in content if not (heads and line is rows[0])]


def _free_of_charge(parts: Sequence[PagePart]) -> FieldValue:
    for part in parts:
        if part.field == "ignored":
            continue
        for line in part.lines:
            if any(_is_free(part, fold_text(sentence)) for sentence in sentences(line.text)):
                return FieldValue(FREE, spans_of([line]))
    return NO_VALUE


def _is_free(part: PagePart, folded: str) -> bool:
    few = len(folded.split()) <= MOST_FREE_WORDS and part.field not in {"cuantias", "requisitos"}
    return (
        SAYS_FREE.search(folded) is not None
        or (few and NOTHING_TO_PAY.match(folded) is not None)
        or (_describes_procedure(part) and DONE_FREE.search(folded) is not None)
        or (len(folded.split()) <= SHORTEST_FREE and "gratu" in folded and ALL_FREE.match(folded) is not None)
    )


def join_lines(lines: Sequence[SectionLine]) -> str:
    return " ".join(
        _as_text(line, last=place == len(lines) - 1)
        for place, line in enumerate(lines)
        if _as_text(line, last=True)
    )


def _as_text(line: SectionLine, *, last: bool) -> str:
    if line.kind == "row":
        return "; ".join([": ".join(cell for cell in line.cells if cell)]) + ("" if last else ";")
    text = LEADERS.sub(": ", line.text)
    return (
        text
        if last or text.endswith((".", ":", ";", "!", "?"))
        else f"{text}{';' if line.kind == 'item' else '.'}"
    )


def amounts(parts: Sequence[PagePart]) -> FieldValue:
    """An object: rows and items by their names, what stands under a heading of its own by that, all else under `importe`."""
    values: dict[str, str] = {}
    titled_lines = [
        ("importe" if part.own or part.by_model else part.title or "importe", line)
        for part in parts
        for line in without_header_rows(part.lines)
        if not NOTE.match(line.text)
    ]
    lines = [line for _, line in titled_lines]
    has_sums = any(line.kind == "row" and MONEY.search(line.text) for line in lines)
    for title, line in titled_lines:
        if has_sums and line.kind == "row" and not SUM_OR_SHARE.search(line.text):
            continue  # the head of the table
        for piece in _named_amounts(line):
            name, value = _name_and_value(piece, title)
            value = _to_last_amount(value)
            if value:
                values[name] = f"{values[name]} {value}" if name in values else value
    return FieldValue(values, spans_of(lines)) if values else NO_VALUE


def _to_last_amount(value: str) -> str:
    """The value without the sentences behind its last amount: they say how it is paid, or to whom."""
    if not SUM_OR_SHARE.search(value):
        return value
    pieces = list(sentences(value))
    while len(pieces) > 1 and not SUM_OR_SHARE.search(pieces[-1]):
        pieces.pop()
    return " ".join(pieces)


def _named_amounts(line: SectionLine) -> list[SectionLine]:
    """The sentences of a paragraph, if each names its amount: "Luz: 400 euros. Agua: 90 euros"."""
    pieces = [piece for sentence in sentences(line.text) for piece in sentence.split("; ")]
    if line.kind != "text" or line.lead or not all(NAMED_SUM.match(piece) for piece in pieces):
        return [line]
    return [replace(line, text=piece.rstrip(".")) for piece in pieces]


def _name_and_value(line: SectionLine, title: str) -> tuple[str, str]:
    if line.kind == "row":
        name, *values = [cell for cell in line.cells if cell] or [""]
        return (
            (name, " · ".join(values))
            if any(MONEY.search(value) or "%" in value or any(map(str.isdigit, value)) for value in values)
            else ("", "")
        )
    if line.lead and line.rest:
        return line.lead, line.rest
    name, *values = LEADERS.split(line.text, maxsplit=1)
    if name and values and values[0]:
        return name, values[0]
    name, colon, value = line.text.partition(": ")
    named = line.kind == "item" or SUM_OR_SHARE.search(value) is not None
    if colon and named and len(name.split()) <= 10 and value:
        return name, value
    return title, line.text


def sides(parts: Sequence[PagePart]) -> tuple[list[PagePart], list[PagePart]]:
    """Sections about money as (paid, received). The text decides where the heading is only "Importe"."""
    aid = any(
        GETS.search(fold_text(f"{part.title} {part.text}")) for part in parts if _describes_procedure(part)
    )
    offered = aid and any(GETS.search(fold_text(part.title)) for part in parts if part.level == 1)
    open_parts = [part for part in parts if part.field == "tasas" and offered and _is_amount_of_aid(part)]
    paid = [
        part for part in parts if part.field == "tasas" and not _is_received(part) and part not in open_parts
    ]
    received = [
        part
        for part in parts
        if part.field == "cuantias" or (part.field == "tasas" and _is_received(part)) or part in open_parts
    ]
    really_received = [
        part for part in received if not _is_paid(part) and (aid or not SUM.match(fold_text(part.title)))
    ]
    return [*paid, *(part for part in received if part not in really_received)], really_received


def _is_amount_of_aid(part: PagePart) -> bool:
    """ "How much" on the page of an aid is the amount received, unless the text mentions paying."""
    folded = fold_text(part.text)
    is_question = bool(HOW_MUCH.match(fold_text(part.title)) and MONEY.search(part.text))
    unknown = part.by_model and bool(MONEY.search(part.text)) and not PRICED.search(fold_text(part.title))
    is_amount = is_question or unknown or bool(SHARE_OF_COST.search(part.text.lower()))
    return is_amount and not (PAYS.search(folded) or (unknown and PRICED.search(folded)))


def _describes_procedure(part: PagePart) -> bool:
    unlabelled = part.level <= HIGHEST_TITLE and part.label is None
    return part.level <= 1 or unlabelled or part.field in {"descripcion", "cuantias", "tasas", "nombre"}


def _is_paid(part: PagePart) -> bool:
    folded = fold_text(f"{part.title} {part.text}")
    folded = OFFICE_PAYS.sub("", folded) if part.field == "cuantias" else folded
    return bool(PAYS.search(folded)) and not GETS.search(folded)


def _is_received(part: PagePart) -> bool:
    title = fold_text(part.title)
    return bool(re.match(r"importes?\b|cuantia|quantia|contia", title)) and bool(GETS.search(title))

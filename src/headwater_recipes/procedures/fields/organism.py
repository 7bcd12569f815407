"""The responsible organism: named by a section of the page, by the frame of the site, or by the portal registry."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from headwater.text.folding import fold_text
from headwater_recipes.procedures.fields.responsible import responsible_in
from headwater_recipes.procedures.fields.telephones import number_in
from headwater_recipes.procedures.fields.value import NO_VALUE, FieldValue, first, spans_of
from headwater_recipes.procedures.sections.by_form import is_body
from headwater_recipes.procedures.sections.parts import PagePart
from headwater_recipes.procedures.sections.sentences import sentences

# One word each: overlapping alternatives would let a hostile text cause endless backtracking.
_LOWER = r"(?:de|del|d|i|y|e|la|las|los|les|els|o|a|do|da|dos|das|per|para|en|l)"
_WORD = r"[A-ZÁÉÍÓÚÀÈÌÒÙÜÏÑÇ][\wÀ-ÿ'’·\-]*"
NAMED = re.compile(
    rf"\b((?:Ayuntamiento|Ajuntament|Concello|Diputación(?: Provincial| Foral)?|Diputació|Deputación(?: Provincial)?|Cabildo(?: Insular)?|Consell(?: Insular| Comarcal)?|Govern|Gobierno|"
    rf"Xunta|Junta|Generalitat|Comunidad (?:Autónoma|Foral)|Comunidad(?= (?:de Madrid|Valenciana))|Ministerio|Ministeri|Servicio (?:Público|Regional|Vasco|Andaluz|Canario|Extremeño|Murciano|Navarro|de Empleo|Estatal)|Servei|Servizo|Instituto|Institut|Agencia|Agència|Axencia|Tesorería|"
    rf"Seguridad Social|Dirección General|Direcció General|Consejería|Conselleria|Consellería|Departamento|Departament|Universidad|Universitat|Organismo (?:Aut[oó]nomo|Provincial)|Organisme Autònom|Mancomunidad|Mancomunitat|Principado|Región|Oficina|Patronato|Consorcio|Consorci|Registro Civil|Jefatura|Secretaría|Town Council|City Council|Council)"
    rf"(?:,? (?:{_LOWER} ){{0,3}}(?:[dl]['’])?{_WORD})+)"
)
BASQUE = re.compile(
    rf"\b({_WORD}(?:ko|go|eko)? (?:Udala|Udaleko|Foru Aldundia|Jaurlaritza|Mankomunitatea)|Eusko Jaurlaritza|Lanbide|Osakidetza|{_WORD}(?: {_WORD})* (?:Saila|Institutua|Agentzia|Zerbitzua|Zuzendaritza|Batzordea|Bulegoa))\b"
)
ENGLISH = re.compile(
    rf"\b({_WORD}(?: (?:(?:de|del|la|of) ){{0,2}}{_WORD}){{0,8}} (?:Town Council|City Council|Council|Town Hall|Ministry|Agency|Government)|(?:Regional )?Government of (?:the )?{_WORD}(?: {_WORD})*|Ministry of {_WORD}(?:,? (?:and )?(?:of )?{_WORD})*)\b"
)
SMALL = re.compile(r"(?<=\s)(?:De|Del|La|Las|Los|El|Y|I|E|Do|Da|En|D|L)(?=[\s'’])")
ACRONYM = re.compile(r"\(([A-Z]{2,10})\)")
APART = re.compile(r"(?<!\s)\s++[·|–—-]\s+")
SENTENCE_END = re.compile(r"(?<=[a-zà-ÿ]{3})\.\s+(?=[A-ZÁÉÍÓÚÀÈ])")
ADDRESS_SIGN = re.compile(r"\d|\bs/n\b")
LONGEST, SEARCHED_LETTERS, FEW_WORDS = 160, 400, 3
FEWEST_NAME_WORDS, MOST_NAME_WORDS = 2, 12
TRAILING = re.compile(
    r"(?:(?<!\s)\s++)?(?:\.|·|\||(?<=\s)[–—-]\s|:|\bSede|Seu|Inicio|Todos|Portal|Web|Trámites|©).*$"
)
TOWN_HALL = re.compile(
    r"^(?:ayuntamiento|ajuntament|concello|diputacio|deputacion|cabildo|consell (?:insular|comarcal)|mancomun)|\budala$|foru aldundia$|(?:town|city) (?:council|hall)$"
)
GOVERNMENT = re.compile(r"gobierno (?!de espana)|govern\b|xunta|junta|generalitat|eusko jaurlaritza")
"""Of a region: like a town hall, it has a department for everything."""
MINISTRY = re.compile(r"Minist|Gobierno de España")
AGENCY = re.compile(r"Direcci|Institut|Agènci|Agencia|Servicio|Servei|Secretaría|Tesorería|Jefatura")
"""The agency that owns the site, where every page names its ministry at the top."""
FOOT = frozenset({"footer", "closing"})
"""The foot of a site names its ministry as well; what the page states for programs is its own."""
CONTACTS = frozenset({"", "contacto", "como_solicitar", "datos_importantes"})
WITH = re.compile(r"^(?:(?:[Cc]on|[Aa]mb|[Cc]oa?) )?(?:la |el |l['’]|o |a |[Tt]he |La |El |L['’]|O |A )?")
NAME_END = re.compile(r"[,:.(]\s|\s[–—-]\s|\s\(|\s(?=\d)")
PUBLIC_COUNTER = re.compile(
    r"^oficina|atenci|informaci|registr|rexistr|ciudadan|ciutadan|cidada|herritar|citizen"
)
"""The desk of a town hall serves every department."""
UNIT_FIRST = re.compile(r"unidad|unitat|unidade|negociado|seccion|servicio")


def responsible_organism(
    parts: Sequence[PagePart],
    site: Mapping[str, Any],
    page_title: str,
    elsewhere: Sequence[FieldValue] = (),
) -> FieldValue:
    """From a labelled section, else from a sentence that says who is responsible, else from the frame of the site, else the
    first of `elsewhere` (JSON-LD, the registry), else from any line. JSON-LD comes before a name that stands only at the foot of the site."""
    labelled = [part for part in parts if part.field == "organismo" and part.lines]
    labelled.sort(key=lambda part: bool(UNIT_FIRST.match(fold_text(part.title))))
    frame_name, frame_place = _name_in_frame(site, page_title)
    if stated := first(
        [_from_labels(labelled, frame_name), _named_as_responsible(parts), _below_title(parts)]
    ):
        return stated
    if (TOWN_HALL.search(fold_text(frame_name)) or GOVERNMENT.match(fold_text(frame_name))) and (
        stated := first([_department_at_foot(site, frame_name), _answering(parts)])
    ):
        return stated
    stated_by_page = next(iter(elsewhere), NO_VALUE)
    if stated_by_page and frame_place in FOOT:
        return stated_by_page
    if frame_name:
        return FieldValue(frame_name, origin=f"frame:{frame_place}")
    if stated := first(elsewhere):
        return stated
    for part in parts:
        for line in part.lines:
            if (
                part.field != "ignored"
                and (organism := name_in(line.text))
                and re.match(
                    r".*(?:Udala|Aldundia|Town Hall|Council)$|Ayunt|Ajunt|Concello|Minist|Xunta|Generalitat|Junta|Gobierno|Govern|Diputaci|Seguridad",
                    organism,
                )
            ):
                return FieldValue(organism, spans_of([line]))
    owner, owner_place = _named_twice(site, page_title)
    if owner:
        return FieldValue(owner, origin=f"frame:{owner_place}")
    place = "name" if site.get("name") else "author"
    name = str(site.get(place) or "")
    return FieldValue(name, origin=f"frame:{place}") if name else NO_VALUE


def _from_labels(parts: Sequence[PagePart], frame_name: str) -> FieldValue:
    for part in parts:
        text = _without_address(SENTENCE_END.split(part.lines[0].text, maxsplit=1)[0].rstrip(" ."))
        if 2 <= len(text) <= LONGEST and not (frame_name and _is_subject(text)):
            return FieldValue(text, spans_of(part.lines[:1]))
    return NO_VALUE


def _without_address(text: str) -> str:
    """The name before a dash, if an address or a number follows, and before a telephone number."""
    name, *after = APART.split(text, maxsplit=1)
    if after and ADDRESS_SIGN.search(after[0]):
        return name
    name = NAME_END.split(text, maxsplit=1)[0]
    return name if is_body(name) and number_in(text[len(name) :], "tel") else text


def _named_as_responsible(parts: Sequence[PagePart]) -> FieldValue:
    for part in parts:
        for line in part.lines if part.field != "ignored" else ():
            for sentence in sentences(line.text):
                if name := responsible_in(sentence):
                    return FieldValue(name, spans_of([line]))
    return NO_VALUE


def _below_title(parts: Sequence[PagePart]) -> FieldValue:
    """The body whose name is a line of its own below the title: "Consejería de Vivienda · Dirección General de Arquitectura"."""
    title = next((part for part in parts if part.title), None)
    for line in title.lines if title is not None and title.label is None else ():
        if is_body(name := APART.split(line.text)[0]):
            return FieldValue(name, spans_of([line]))
    return NO_VALUE


def _answering(parts: Sequence[PagePart]) -> FieldValue:
    """The department that answers questions: "Área de Bienestar Social: 974 555 134". Below a heading about contacts, its number may
    stand on another line."""
    pairs = [(part, line) for part in parts if part.field in CONTACTS for line in part.lines]
    for part, line in pairs:
        name = WITH.sub("", NAME_END.split(line.text, maxsplit=1)[0])
        searched = part.text if part.field == "contacto" and name == line.text else line.text
        if is_body(name) and not PUBLIC_COUNTER.search(fold_text(name)) and number_in(searched, "tel"):
            return FieldValue(name, spans_of([line]))
    return NO_VALUE


def _department_at_foot(site: Mapping[str, Any], owner: str) -> FieldValue:
    """The department that signs the page before the name of its town hall: "Área de Bienestar Social - Diputación de Sierralta"."""
    for place in ("closing", "footer"):
        for piece in re.split(r"\s·\s", str(site.get(place) or "")):
            name, mark, after = piece.partition(owner)
            name = name.strip(" ·-–—|.,")
            if mark and name and is_body(name) and not ADDRESS_SIGN.search(after[:2]):
                return FieldValue(name, origin=f"frame:{place}")
    return NO_VALUE


def _named_twice(site: Mapping[str, Any], page_title: str) -> tuple[str, str]:
    """The text of the logo or at the top of the header, if the title of the page or the footer repeats it: the site is named
    after its owner. And the part of the frame that has it."""
    place = next((name for name in ("logo", "header", "opening") if site.get(name)), "")
    name = str(site.get(place) or "").partition(" · ")[0].strip()
    named_page = fold_text(APART.split(page_title)[0]) == fold_text(name)
    repeated = not named_page and fold_text(name) in fold_text(f"{page_title} {site.get('footer') or ''}")
    return (
        (name, place) if FEWEST_NAME_WORDS <= len(name.split()) <= MOST_NAME_WORDS and repeated else ("", "")
    )


def _name_in_frame(site: Mapping[str, Any], page_title: str) -> tuple[str, str]:
    """The name, and the part of the frame that has it."""
    around = [
        *((place, site.get(place)) for place in ("logo", "name", "header", "opening")),
        *(("path", text) for text in site.get("path", ())),
        ("title", page_title),
        *((place, site.get(place)) for place in ("author", "footer", "closing")),
    ]
    names = [(name, place) for place, text in around if (name := name_in(str(text or "")))]
    specific = [pair for pair in names if not pair[0].startswith("Gobierno de España")]
    best = next(iter([*specific, *names]), ("", ""))
    titled = name_in(page_title)
    return (titled, "title") if MINISTRY.match(best[0]) and AGENCY.match(titled) else best


def _is_subject(text: str) -> bool:
    """Whether the text names no body but what it deals with: "Urbanismo"."""
    return not name_in(text) and len(text.split()) <= FEW_WORDS


def name_in(text: str) -> str:
    """The first name of a public body in a text."""
    text = text[:SEARCHED_LETTERS]
    for piece in APART.split(text):
        if piece.isupper():
            text = text.replace(piece, SMALL.sub(lambda match: match[0].lower(), piece.title()), 1)
    for pattern in (NAMED, BASQUE, ENGLISH):
        names = [TRAILING.sub("", match[1]).strip(" ,")[:LONGEST] for match in pattern.finditer(text)]
        specific = [name for name in names if not name.startswith("Gobierno de España")]
        if names:
            return (specific or names)[0]
    return ""


def abbreviation(name: str, registered: str) -> str:
    """The abbreviation from brackets after the name, or from the registry."""
    match = ACRONYM.search(name)
    return match[1] if match else registered

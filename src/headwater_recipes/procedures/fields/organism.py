"""The responsible organism: named by a section of the page, by the frame of the site, or by the portal registry."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from headwater.text.folding import fold_text
from headwater_recipes.procedures.fields.departments import (
    ADDRESS_SIGN,
    NAME_END,
    department_without_label,
)
from headwater_recipes.procedures.fields.responsible import responsible_in
from headwater_recipes.procedures.fields.telephones import number_in
from headwater_recipes.procedures.fields.unit_names import COUNTER, NAME
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
    rf"Seguridad Social|Dirección General|Direcció General|Consejería|Conselleria|Consellería|Consellaría|Departamento|Departament|Universidade?|Universitat|Confederaci[oó]n? Hidrogr[aà]fica|(?:Archivo|Arquivo) (?:Estatal|Hist[oó]rico|General|Central|Nacional|Municipal|Provincial)|Arxiu (?:Estatal|Hist[oò]ric|General|Nacional|Municipal)|Fundaci[oó]n? P[uúÚ]blica|Autoridad Portuaria|Autoritat Portuària|Organismo (?:Aut[oó]nomo|Provincial)|Organisme Autònom|Mancomunidad|Mancomunitat|Principado|Región|Oficina|Patronato|Consorcio|Consorci|Registro Civil|Jefatura|Secretaría|Town Council|City Council|Council)"
    rf"(?:,? (?:{_LOWER} ){{0,3}}(?:[dl]['’])?{_WORD})+)"
)
BASQUE = re.compile(
    rf"\b({_WORD}(?:ko|go|eko)? (?:Udala|Udaleko|Foru Aldundia|Jaurlaritza|Mankomunitatea)|Eusko Jaurlaritza|Lanbide|Osakidetza|{_WORD}(?: {_WORD})* (?:Saila|Institutua|Agentzia|Zerbitzua|Zuzendaritza|Batzordea|Bulegoa))\b"
)
ENGLISH = re.compile(
    rf"\b((?:State |National |Regional )?(?:Agency|Institute|Authority|Board|Archive|Library|Directorate[- ]General) (?:for|of) (?:the )?{_WORD}(?: (?:(?:and|of|for|the) ){{0,2}}{_WORD}){{0,5}}|{_WORD}(?: (?:(?:de|del|la|of) ){{0,2}}{_WORD}){{0,8}} (?:Town Council|City Council|(?<!Governing )Council|Town Hall|Ministry|Agency|Government)|(?:Town Hall|(?:Town|City) Council) of (?:(?:la|el|los|las|les) )?{_WORD}(?: (?:(?:de|del|la|d['’]) ?){{0,2}}{_WORD}){{0,5}}|University of (?:the )?{_WORD}(?: {_WORD})*|(?:Regional )?Government of (?:the )?{_WORD}(?: {_WORD})*|Ministry of {_WORD}(?:,? (?:and )?(?:of )?{_WORD})*)\b"
)
SMALL = re.compile(r"(?<=\s)(?:De|Del|La|Las|Los|El|Y|I|E|Do|Da|En|D|L)(?=[\s'’])")
ACRONYM = re.compile(r"\(([A-Z]{2,10})\)")
APART = re.compile(r"(?<!\s)\s++[·|–—-]\s+")
SENTENCE_END = re.compile(r"(?<=[a-zà-ÿ]{3})\.\s+(?=[A-ZÁÉÍÓÚÀÈ])")
LONGEST, SEARCHED_LETTERS, FEW_WORDS = 160, 400, 3
FEWEST_NAME_WORDS, MOST_NAME_WORDS = 2, 12
TRAILING = re.compile(
    r"(?:(?<!\s)\s++)?(?:\.|·|\||(?<=\s)[–—-]\s|:|\bSede|Seu|Inicio|Todos|Portal|Web|Trámites|©).*$"
)
TOWN_HALL = re.compile(
    r"^(?:ayuntamiento|ajuntament|concello|diputacio|deputacion|cabildo|consell (?:insular|comarcal)|mancomun|(?:town|city) (?:council|hall) of )|\budala$|foru aldundia$|(?:town|city) (?:council|hall)$"
)
GOVERNMENT = re.compile(
    r"gobierno (?!de espana)|govern\b|xunta|junta|generalitat|eusko jaurlaritza|government of (?!spain)|region (?:of|de)"
)
"""Of a region: like a town hall, it has a department for everything."""
MINISTRY = re.compile(r"Minist|Gobierno de España")
AGENCY = re.compile(r"Direcci|Institut|Agènci|Agencia|Servicio|Servei|Secretaría|Tesorería|Jefatura")
"""The agency that owns the site, where every page names its ministry at the top."""
TOGETHER = re.compile(
    r", (?:(?:junt[oa]|xunto|together|along|elkar\w+) )?(?=(?:con|co|coa|cos|coas|amb|with|que|qui|which|who|whose|where|donde|onde|dirigid|coordinad|encabezad|led|al frente)\b)"
)
TEAM_OF = re.compile(
    r"^(?:(?:[Ee]l|[Ll]a|[Ll]['’]|[Oo]|[Aa]|[Oo]s|[Ee]ls|[Ll]os|[Tt]he) ?)?(?:equipo?|personal|gente|xente|compañer[oa]s|companys|compañeiros|people|team|staff) (?:del |de los |dels |do |dos |da |of the |of |in the |in |at the |de(?: la| l['’]| les| las| las)? ?|d['’])(?=[A-ZÁÉÍÓÚÀÈ])"
)
ABOVE = re.compile(
    r"^(?:(?:gobierno|goberno|govern|government) (?:de|d|of) (?:espana|espanya|spain)$|minister|ministry)"
)
WITHIN = re.compile(
    r"^(?:instituto?|agencia|axencia|agency|direcci|servicio (?:nacional|estatal|publico)|national|state|comisari)"
)
LINKS_OF_FOOT = re.compile(r"\s[–—-]\s(?:Aviso|Avís|Mapa|Accesib|Accessib|Privac|Contact|Legal|Cookies).*$")
FIRST_PIECES = 4
FOOT = frozenset({"footer", "closing"})
"""The foot of a site names its ministry as well; what the page states for programs is its own."""
SUBJECT = re.compile(
    rf"(?:El|La|L['’]|Els|Les|O|A|Los|Las)? ?({NAME}),? (?:(?:te|et|le|lle|che|os|us|les) )?"
    r"(?:ayuda|ajuda|axuda|indemni[zt]+a|subvenciona|financia|finança|retorna|devuelve|devolve|echa una mano|paga|abona|conced\w+|otorga|atorga|convoca|organi[tz]+a|gestiona|xestiona|tramita|cede|cedeix|expide|expedeix)\b"
)
"""The body that does for people what the page is about."""
MOST_OPENINGS = 2
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
        [
            _from_labels(labelled, frame_name),
            _named_as_responsible(parts),
            _below_title(parts),
            _describes_itself(parts),
        ]
    ):
        return stated
    if frame_name and (stated := _unlabelled(parts, site, frame_name)):
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


def _unlabelled(parts: Sequence[PagePart], site: Mapping[str, Any], owner: str) -> FieldValue:
    """A town hall and a region have a department for everything, an agency has its sections."""
    folded = fold_text(owner)
    if TOWN_HALL.search(folded) or GOVERNMENT.match(folded):
        return department_without_label(parts, site, owner)
    return NO_VALUE


def _from_labels(parts: Sequence[PagePart], frame_name: str) -> FieldValue:
    for part in parts:
        text = SENTENCE_END.split(part.lines[0].text, maxsplit=1)[0].rstrip(" .")
        text = responsible_in(text) or _without_people(_without_address(text))
        if 2 <= len(text) <= LONGEST and not (frame_name and _is_subject(text)):
            return FieldValue(text, spans_of(part.lines[:1]))
    return NO_VALUE


def _without_address(text: str) -> str:
    """The name before a dash, if an address or a number follows, and before a telephone number."""
    name, *after = APART.split(text, maxsplit=1)
    if after and (ADDRESS_SIGN.search(after[0]) or LINKS_OF_FOOT.search(text)):
        return name
    name = NAME_END.split(text, maxsplit=1)[0]
    return name if is_body(name) and number_in(text[len(name) :], "tel") else text


def _without_people(text: str) -> str:
    """The name without those who work there or help: "O equipo de Deportes, con Uxía Rei á fronte" gives "Deportes"."""
    return TEAM_OF.sub("", TOGETHER.split(text, maxsplit=1)[0])


def _named_as_responsible(parts: Sequence[PagePart]) -> FieldValue:
    for part in parts:
        for line in part.lines if part.field != "ignored" else ():
            for sentence in sentences(line.text):
                if name := responsible_in(sentence):
                    return FieldValue(name, spans_of([line]))
    return NO_VALUE


def _describes_itself(parts: Sequence[PagePart]) -> FieldValue:
    """The body that is the subject of the first sentence: "El Servicio de Deportes echa una mano a los clubes"."""
    opening = [part for part in parts if part.field in {"", "descripcion"} and part.lines][:MOST_OPENINGS]
    for part in opening:
        sentence = sentences(part.lines[0].text)[0][:SEARCHED_LETTERS]
        match = SUBJECT.match(sentence)
        if match is not None and not COUNTER.search(fold_text(match[1])):
            return FieldValue(match[1], spans_of(part.lines[:1]))
    return NO_VALUE


def _below_title(parts: Sequence[PagePart]) -> FieldValue:
    """The body whose name is a line of its own below the title: "Consejería de Vivienda · Dirección General de Arquitectura". A
    title that is the name of a town hall is that of its site."""
    title = next((part for part in parts if part.title), None)
    if title is not None and TOWN_HALL.match(fold_text(title.title)):
        return NO_VALUE
    for line in title.lines if title is not None and title.label is None else ():
        if is_body(name := APART.split(line.text)[0]):
            return FieldValue(name, spans_of([line]))
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
    if ABOVE.match(fold_text(best[0])) and (agency := _agency_below(site))[0]:
        return agency
    titled = name_in(page_title)
    return (titled, "title") if MINISTRY.match(best[0]) and AGENCY.match(titled) else best


def _agency_below(site: Mapping[str, Any]) -> tuple[str, str]:
    """The agency that owns the site, where the header names it below its ministry: "Gobierno de España · Ministerio de Puertos ·
    Instituto de la Marina"."""
    for place in ("header", "opening"):
        pieces = [piece.strip(" ·") for piece in str(site.get(place) or "").split(" · ") if piece.strip(" ·")]
        above = [bool(ABOVE.match(fold_text(piece))) for piece in pieces[:FIRST_PIECES]]
        for piece, below in zip(pieces[1:FIRST_PIECES], above, strict=False):
            name = ACRONYM.sub("", piece).strip()
            if below and WITHIN.match(fold_text(name)) and len(name.split()) >= FEW_WORDS:
                return name, place
    return "", ""


def _is_subject(text: str) -> bool:
    """Whether the text names no body but what it deals with: "Urbanismo"."""
    return not name_in(text) and not is_body(text) and len(text.split()) <= FEW_WORDS


def name_in(text: str) -> str:
    """The first name of a public body in a text."""
    if len(text) > SEARCHED_LETTERS:
        text = text[:SEARCHED_LETTERS].rpartition(" ")[0]
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

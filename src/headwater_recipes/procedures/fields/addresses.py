"""Street addresses within a text: "en el Registro, calle Mayor, 3, 34200 Peñalba, de 9 a 14 h" gives "calle Mayor, 3, 34200 Peñalba"."""

import re

from headwater.text.folding import fold_text
from headwater_recipes.procedures.sections.by_form import is_address

_STREET_WORDS = (
    r"c/|c\.(?!\s?p\b)|calle|callej[oó]n|avenida|avda\.?|av\.|plaza|plazuela|pza\.?|pl\.|paseo|pº\.?|po\.|ronda|carretera|ctra\.?|camino|glorieta|travesía|gran vía|bulevar|cuesta|pasaje|alameda|muelle|porches|soportales"
    r"|carrer|carreró|plaça|passeig|avinguda|rambla|camí|moll|passatge|travessera|travessia|baixada|pujada|riera|rúa|praza|estrada|camiño|peirao|travesa|street|avenue|square|road|quay|lane"
)
_BASQUE_STREET_WORDS = r"kalea|plaza|enparantza|etorbidea|hiribidea|pasealekua|bidea|karrika|kaia|zumardia"
STREET = re.compile(rf"\b(?:{_STREET_WORDS})\s*[\wÀ-ÿ'’.·\- ]{{2,60}}", re.IGNORECASE)
BASQUE_STREET = re.compile(rf"\b[A-ZÑ][\wñ\-]{{1,40}} (?:{_BASQUE_STREET_WORDS})\b", re.IGNORECASE)
POSTCODE = re.compile(r"\b(?:0[1-9]|[1-4]\d|5[0-2])\d{3}\b")
HOUSE = re.compile(r",\s*(?:n[.ºo°]*\s*)?\d{1,4}\b|\bs/n\b|\b\d{1,4}\b", re.IGNORECASE)
_SMALL = (
    r"(?:(?:de|del|la|las|los|el|els|les|dels|lo|do|da|dos|das|o|a|i|y|e|of|the|en|sur|san|sant) |[dl]['’])"
)
_CAPITAL = r"[A-ZÁÉÍÓÚÀÈÌÒÙÜÏÑÇ][\wÀ-ÿ'’·.\-]{0,30}+"
_NAME = rf"{_SMALL}{{0,3}}{_CAPITAL}(?: {_SMALL}{{0,3}}{_CAPITAL}){{0,6}}"
_NUMBER = r",? (?:(?i:n\.?º|nº|n\.|núm\.|número|no\.) ?)?(?:\d{1,4}(?:[-/]\d{1,4})?(?: ?[A-Z]\b| bis\b)?|(?i:s/n|km\.? \d{1,3}(?:[.,]\d)?))(?![\d:%€]|[.,]\d| ?(?:h|horas?|euros?)\b)"
_FLOOR = (
    r"(?i:(?:en )?(?:la )?(?:planta|piso|pis|local|puerta|porta|oficina|despacho|despatx|portal|escalera|bloque|esc\.|pta\.) (?:\d{1,3}|baja|baixa|primera|segunda|segona|tercera|[a-d])\b(?:\.[ºª])?"
    r"|(?:\d{1,2}(?:\.?[ºªoa]|n|r|t|è|st|nd|rd)\.?|primera?|segunda?|segona?|tercera?|ground|first|second) (?:planta|piso|pis|andar|solairua|floor)\b"
    r"|\d{1,2}\.?(?:[ºª]|n|r|è)(?: [A-Za-z]\b)?|bajos?\b(?: (?:izquierda|derecha))?|baixos?\b|entresuelo|entresol|ático|àtic|behea|beheko solairua|\d{1,2}\. solairua)"
)
_TOWN = rf"(?:0[1-9]|[1-4]\d|5[0-2])\d{{3}}(?: {_NAME}(?: \([^()]{{3,40}}\))?)?"
_AFTER_NUMBER = rf"(?:,? {_FLOOR}|,? \({_FLOOR}\)|(?:[,.]| [-–—·])? {_TOWN}|, {_NAME}){{0,4}}"
NUMBERED = re.compile(
    rf"(?<![\w'’])(?:(?i:{_STREET_WORDS}) ?(?:[a-zà-ÿ]{{3,12}} )?{_NAME}"
    rf"|(?:{_CAPITAL} ){{1,3}}(?i:{_BASQUE_STREET_WORDS})|(?:{_CAPITAL} ){{0,2}}[A-ZÑ]\w{{2,20}}(?:bide|kale)a?\b"
    rf"|(?i:apartado(?: de correos?| postal)?|apartat de correus|PO box)(?=[ ,]{{1,2}}\d{{1,5}}[ ,]{{1,2}}\d{{5}}\b))"
    rf"(?:{_NUMBER}){_AFTER_NUMBER}"
)
"""A street, its number, and what belongs to them: floor, postcode and town."""
ENGLISH_NUMBERED = re.compile(
    rf"(?:(?<![\w'’/.,-])\d{{1,4}},? {_NAME} (?:Street|Road|Avenue|Square|Lane|Quay)\b|(?:^|(?<=, ))\d{{1,4}},? (?i:{_STREET_WORDS}) {_NAME}){_AFTER_NUMBER}"
)
"""The number before the street: "12 Harbour Street, ground floor"."""
PLACE = re.compile(
    r"\b(?:oficinas?|oficines|mostrador|casa|hogar|biblioteca|edificio|registro|registre|rexistro|ayuntamiento|ajuntament|concello|udaletxe\w*|centro|centre|comisari\w*|consulado|delegaci\w+|bulego\w*|office|town hall|juzgado|hospital|servicio|servei|casa consistorial|jefatura|direccion provincial)\b"
)
OTHERWISE = re.compile(
    r"(?:,|(?<![\s,]))\s{1,3}(?:o|u|ou|edo|or|y|i|e|and|eta)\s{1,3}(?:bien\s{1,3})?(?=(?:por|per|pola?|en|a|al|na|no|at|in|on|mediante|through)\b)",
    re.IGNORECASE,
)
"""Between two ways to apply on one line."""
BRACKETS = re.compile(r"\(([^()]{8,160})\)")
TO_PLACE = re.compile(
    r"\b(?:en|a|ante|na|no|nas|nos|á|ás|at|in|to|amb|davant) (?:(?:las?|los?|els?|les|os?|as?|the|nuestr[ao]|nosa|nostra) |l['’])?|\b(?:al|als|ao|aos|pel|polo) ",
    re.IGNORECASE,
)
"""Before the name of the place to which one goes."""
IN_STREET = re.compile(r",\s(?:en|na|in|at|a) (?:la |el |l['’])?$", re.IGNORECASE)
UNTIL_CAPITAL = re.compile(r"^(?:[a-zà-ÿ][\wà-ÿ]* ){1,4}(?=[A-ZÁÉÍÓÚÀÈÒÑÇ])")
PERSON = re.compile(r"(?:D|Dña|Sr|Sra)\.|(?:Don|Doña|Señora?|En|Na|Mr|Mrs|Ms)\b")
MARKS = ",:."
NAME_PARTICLE = re.compile(r"(?:de|del|dels?|do|da|dos|das|la|el|of)|[dl]['’].*")
MOST_NAME_WORDS, LONGEST_NAME, LONGEST_ADDRESS = 8, 160, 300
PREPOSITION = re.compile(r"^(?:En|A|Al|Na|No) (?:la |el |l['’]|las |los |les |els |o |a )?(?=[A-ZÁÉÍÓÚ])")
LEADS = re.compile(
    r"(?:(?:Presencial(?:mente?)?|En persona|En persoa|In person|Aurrez aurre),? )?(?:En|A|Al|Als|Na|No|At|In) (?:la |el |l['’]|las |los |les |els |o |a |the )?",
    re.IGNORECASE,
)
BASQUE_CASE = re.compile(r"(?<=\w{3})(?:an|en|on|un|ra|tik),$")
"""In Basque the case says in or to which place: "Arreta Zerbitzuan, Elizondo plaza 2"."""
AFTER = re.compile(
    r"(?:(?<![\s.,;·|(–-])[\s.,;·|(–-]++)?\b(?:tel[eé]?f?o?n?o?a?|t[ef]l?no?|tlf|phone|fax|horari\w{0,30}|ordutegia|opening hours|correo|correu|e-?mail)\b[.:]*\s|,? (?:(?:de|from|calquera|cualquier|qualsevol|any) )?(?:lunes|martes|mi[eé]rcoles|jueves|viernes|xoves|dilluns|luns|astelehen\w{0,30}|monday|weekdays?\b|morning|\d{1,2}(?:[:.]\d{2})?(?: h)? (?:a|to)) |,? (?:o|u|ou|edo|or|y|i|e|and) (?:bien )?(?:por|per|en|a|mediante|through|on|online|internet)\b.*$",
    re.IGNORECASE,
)
TOWN = re.compile(
    r"\b(?:0[1-9]|[1-4]\d|5[0-2])\d{3} (?:[^\W\d_][\w'’·-]* ){0,7}[A-ZÁÉÍÓÚÀÈÒÑÇ][\w'’·-]*(?: \([^()]{3,40}\))?(?=[,;.] )"
)
"""The end of an address that has a postcode: what follows the town is something else."""
FROM_STREET = re.compile(
    r", ([^,;:()]{3,50}, (?:n\.?º ?)?(?:\d{1,4}|s/n)(?:, [^,;:()]{1,30})?, (?:0[1-9]|[1-4]\d|5[0-2])\d{3}\b.*)$"
)
"""Street, number, postcode and town, after the building in which one applies: "En el Área de Bienestar, Porches, 4, 22071 Huesca",
in Basque with a case that ends in n."""
DASH = re.compile(r"(?<!\s)\s[–—-]\s")
FEWEST_CLAUSE_WORDS = 3
NEXT_CLAUSE = re.compile(
    r",?\s(?:(?:y|i|e|and)\s(?:si|se|if)|o|u|ou|edo|or|previa|prèvia|after|antes|con|amb|with|cualquier|per|para|to)\s(?=[a-zà-ÿ])"
)
"""What follows an address within a sentence."""
SENTENCE = re.compile(
    r"(?<=[.;])(?<!\bC\.)(?<!\bc\.)(?<!\bPl\.)(?<!\bAv\.)(?<!\bAvda\.)(?<!\bPza\.)(?<!\bCtra\.)(?<!\bSta\.)\s+(?=[A-ZÁÉÍÓÚ])"
)


def streets_in(text: str) -> list[str]:
    """The street addresses in a text: a street with a number or postcode, behind the name of the place that stands directly before it."""
    addresses = []
    for piece in SENTENCE.split(text):
        has_street = STREET.search(piece) or BASQUE_STREET.search(piece)
        has_number = POSTCODE.search(piece) or HOUSE.search(piece)
        numbered = [*NUMBERED.finditer(piece)] or [*ENGLISH_NUMBERED.finditer(piece)]
        if numbered:
            ends = [0, *(match.end() for match in numbered)]
            starts = [*(match.start() for match in numbered[1:]), len(piece)]
            addresses += [
                _with_name(piece[end : match.start()], piece[match.start() : start])
                for match, end, start in zip(numbered, ends, starts, strict=False)
            ]
        elif (has_street and has_number) or is_address(piece):
            addresses.append(_address(_likely_part(piece)))
    return [address for address in addresses if HOUSE.search(address) or POSTCODE.search(address)]


def _with_name(before: str, rest: str) -> str:
    """The address with which `rest` begins, with the name of the place before it."""
    rest = rest[:LONGEST_ADDRESS]
    text = AFTER.split(rest)[0]
    matches = (pattern.match(part) for part in (text, rest) for pattern in (NUMBERED, ENGLISH_NUMBERED))
    whole = next((match[0] for match in matches if match is not None), text)
    return f"{place_name(before[-LONGEST_NAME:])}{whole.rstrip(' .;,·')}"


def place_name(before: str) -> str:
    """The name of the place at the end of a text, with the mark behind it: "Venga al Centro Social La Noria, ". Nothing, if it ends
    with other words."""
    text = IN_STREET.sub(", ", OTHERWISE.split(before)[-1]).rstrip()
    mark = text[-1:] if text[-1:] in MARKS else ""
    segment = re.split(r"[,:;()]", text.rstrip(MARKS))[-1].strip(" -–—·")
    beginnings = [
        segment[place:].strip() for place in (0, *(match.end() for match in TO_PLACE.finditer(segment)))
    ]
    places = [name for name in beginnings if PLACE.match(fold_text(name))]
    name = places[0] if places else UNTIL_CAPITAL.sub("", beginnings[-1])
    if not name or len(name.split()) > MOST_NAME_WORDS or _is_clause(name) or PERSON.match(name):
        return ""
    is_place = PLACE.match(fold_text(name)) is not None
    if not (is_place or (mark and name[:1].isupper())):
        return ""
    return f"{name}{mark} "


def _likely_part(piece: str) -> str:
    """What stands in brackets or after a colon, if there is a street."""
    _, colon, after_colon = piece.partition(": ")
    address = after_colon if colon and _has_street(after_colon) else piece
    return next((inner for inner in BRACKETS.findall(address) if _has_street(inner)), "") or address


def _has_street(text: str) -> bool:
    return bool(STREET.search(text) or BASQUE_STREET.search(text))


def _address(text: str) -> str:
    """The address without introduction, telephone number and opening hours."""
    ways = OTHERWISE.split(text.strip())
    text = next((way for way in ways if STREET.search(way) or BASQUE_STREET.search(way)), text.strip())
    text = AFTER.split(text)[0]
    if town := TOWN.search(text):
        text = text[: town.end()]
    if (whole := FROM_STREET.search(text)) and (LEADS.match(text) or text[: whole.start()].endswith("n")):
        text = whole[1]
    name, *after = DASH.split(text, maxsplit=1)
    text = after[0] if after and STREET.match(after[0]) and not STREET.search(name) else text
    street = STREET.search(text)
    before = text[: street.start()].rstrip() if street else ""
    if street and ((LEADS.match(text) and before.endswith(",")) or _is_clause(before)):
        text = NEXT_CLAUSE.split(text[street.start() :])[0]
    return PREPOSITION.sub("", text).rstrip(" .;,·")


def _is_clause(before: str) -> bool:
    """Whether the words before a street tell people what to do, and are not the name of the building."""
    words = before.split()
    return (
        len(words) >= FEWEST_CLAUSE_WORDS
        and not PLACE.match(fold_text(before))
        and words[1][0].islower()
        and not NAME_PARTICLE.fullmatch(words[1])
    )

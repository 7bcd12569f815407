"""Where to apply: web addresses, street addresses, the page for appointments, and telephone numbers."""

import re
from collections.abc import Sequence
from urllib.parse import urlsplit

from headwater.text.folding import fold_text
from headwater_recipes.procedures.fields.value import NO_VALUE, FieldValue, spans_of
from headwater_recipes.procedures.sections.by_form import is_address
from headwater_recipes.procedures.sections.parts import PagePart, SectionLine, TextLink
from headwater_recipes.procedures.sections.table_rows import without_header_rows

APPOINTMENT = re.compile(
    r"cita ?-?_?previa|citaprevia|cita pr[eè]via|pedir cita|demanar cita|demana cita|hitzordu|appointment|\bcitas?\b"
)
STARTS = re.compile(
    r"^pedir\b|^demanar?\b|^eska|^reservar?\b|^anotar|sede electronica|seu electronica|egoitza elektronik|tramitar|tramita\b|iniciar|inicia\b|comenca\w*|comenza\w*|empeza\w*|comienza|empieza|hasi\b|acce(?:so|der) (?:a|al|a la|o) (?:tramite|procedimiento|procedemento|sede|solicitud|formulario|servicio)|inscribi\w+|inscriu\w+|apuntar\w*|acces al? tramit|solicitar|solicita\b|sol licitar|sol licita\b|eskatu|eskaera egin|izapidetu|egin izapidea|apply|start|ventanilla electronica|oficina virtual|e ?office|tramitacion (?:en linea|electronica|online)|tramitacio (?:en linia|electronica)|presentar|formulario|formulari\b|registro electronico|online|en linea|en linia|iniciar o tramite|solicitude"
)
ENTERS = re.compile(r"(?:entr[ae]\w{0,3}|acced[ae]\w{0,2}|accediu|sartu|visit[ae]?|go to|log in|sign in) ")
START_PATH = re.compile(
    r"/(?:e-?office|oficina-?virtual|registro|solicit\w*|tramitar|tramita|inscri\w*|formulari\w*|apply|eskae\w*|alta|iniciar)(?:[/.?-]|$)"
)
ASIDE = re.compile(
    r"imprim|descarg|baixa|deskarga|download|print|volver|tornar|itzuli|back|compart|partekatu|share|contact|ver mas|mas info|veure|cerca|busca|search|inici[oa]?$|home|noticia|seguir|suscri|pdf|cookies|mapa|calendari|horari"
)
HELP = re.compile(
    r"/(?:ayuda|ajuda|axuda|laguntza|help|soporte|support|faqs?|preguntas\w*|contact\w*)(?:[/.?-]|$)"
)
FILES = re.compile(r"\.(?:pdf|docx?|odt|xlsx?|zip|jpe?g|png)(?:$|[?#])", re.IGNORECASE)
LAW = re.compile(
    r"boe\.es/(?:buscar|diario|eli)|/eli/|dogc|bocm|boja|docv|dogv|boib|euskadi\.eus/bopv|xunta\.gal/dog",
    re.IGNORECASE,
)
STREET = re.compile(
    r"\b(?:c/|c\.|calle|avenida|avda\.?|av\.|plaza|pza\.?|pl\.|paseo|pº\.?|po\.|ronda|carretera|ctra\.?|camino|glorieta|travesía|gran vía|carrer|plaça|passeig|avinguda|rambla|rúa|praza|avenida|estrada|kalea|plaza|etorbidea|hiribidea|street|avenue|square)\s*[\wÀ-ÿ'’.·\- ]{2,60}",
    re.IGNORECASE,
)
BASQUE_STREET = re.compile(
    r"\b[A-ZÑ][\wñ\-]{1,40} (?:kalea|plaza|etorbidea|hiribidea|pasealekua)\b", re.IGNORECASE
)
POSTCODE = re.compile(r"\b(?:0[1-9]|[1-4]\d|5[0-2])\d{3}\b")
HOUSE = re.compile(r",\s*(?:n[.ºo°]*\s*)?\d{1,4}\b|\bs/n\b|\b\d{1,4}\b", re.IGNORECASE)
PLACE = re.compile(
    r"\b(?:oficinas?|oficines|registro|registre|rexistro|ayuntamiento|ajuntament|concello|udaletxe\w*|centro|centre|comisari\w*|consulado|delegaci\w+|bulego\w*|office|town hall|juzgado|hospital|servicio|servei|casa consistorial|jefatura|direccion provincial)\b"
)
PHONE = re.compile(
    r"(?<![\d/.,-])(?:\+34[\s.]?|0034[\s.]?)?(?:\d{3}[\s.]\d{3}[\s.]\d{3}|\d{3}[\s.]\d{2}[\s.]\d{2}[\s.]\d{2}|\d{2}[\s.]\d{3}[\s.]\d{2}[\s.]\d{2}|[6789]\d{8})(?!\d)(?![\s.,]*(?:€|euros?))"
)
_ATTACHED = r"\s*+(?:de \w{1,30}\s*+)?(?:gratuito\s*+)?(?::\s*+)?(?:al |el |number )?\b"
_SERVICES = r"0(?:10|12|16|60|61|91|92)|112"
SHORT_PHONE = re.compile(
    rf"(?:(?:tel[eéè]fon\w{{0,30}}|tel\.?|tlf\.?|llama\w{{0,30}}|truca\w{{0,30}}|chama\w{{0,30}}|deitu\w{{0,30}}|call|ring|dial|phone|telefonoa?){_ATTACHED}(?P<named>{_SERVICES}|1\d{{2}})"
    rf"|(?:informaci\w{{0,4}}|informazioa?|al|número|line){_ATTACHED}(?P<bare>{_SERVICES}))\b(?!\s?(?:\d|%|€|eur))",
    re.IGNORECASE,
)
"""Any short number after a word for telephone; after other words, which amounts and counts follow as well, only those of the
public services."""
ANYWHERE = re.compile(
    r"electronic|telematic|elektronik|internet|cualquier|qualsevol|calquera|edozein|\bany\b|\byour\b|\bnearest\b|mas (?:cercan|proxim)\w+|mes proper\w*|mais proxim\w+|hurbilen\w*|de (?:su|tu|cada|la seva|seu) (?:provincia|municipio|municipi|localidad|domicilio|domicili|barrio)"
)
BARE_SHORT_PHONE = re.compile(
    r"(?:^\W{0,3}|(?<!modelo )(?<!impreso )(?<!formulario )\b(?:en el|al|el|no|ao|a l['’]|en o) )(?P<bare>0(?:10|12|16|24|60|61|62|80|85))\b(?![\s.,/:-]?\d)",
    re.IGNORECASE,
)
"""A short number without a word for telephone: "en el 010"."""
ALTERNATIVE = re.compile(
    r"\d(?:\s?\([^()\d]{0,60}|,?\s(?:o|u|ou|edo|or|y|i|e|and|eta)\s(?:al |ao |el |on )?|\s?/\s?)$"
)
OTHERWISE = re.compile(
    r"(?:,|(?<![\s,]))\s{1,3}(?:o|u|ou|edo|or|y|i|e|and|eta)\s{1,3}(?:bien\s{1,3})?(?=(?:por|per|pola?|en|a|al|na|no|at|in|on|mediante|through)\b)",
    re.IGNORECASE,
)
"""Between two ways to apply on one line."""
BRACKETS = re.compile(r"\(([^()]{8,160})\)")
PREPOSITION = re.compile(r"^(?:En|A|Al|Na|No) (?:la |el |l['’]|las |los |les |els |o |a )?(?=[A-ZÁÉÍÓÚ])")
LEADS = re.compile(
    r"(?:(?:Presencial(?:mente?)?|En persona|En persoa|In person|Aurrez aurre),? )?(?:En|A|Al|Als|Na|No|At|In) (?:la |el |l['’]|las |los |les |els |o |a |the )?",
    re.IGNORECASE,
)
AFTER = re.compile(
    r"(?:(?<![\s.,;·|(–-])[\s.,;·|(–-]++)?\b(?:tel[eé]?f?o?n?o?a?|t[ef]l?no?|tlf|phone|fax|horari\w{0,30}|ordutegia|opening hours|correo|correu|e-?mail)\b[.:]*\s|,? (?:(?:de|from|calquera|cualquier|qualsevol|any) )?(?:lunes|martes|mi[eé]rcoles|jueves|viernes|xoves|dilluns|luns|astelehen\w{0,30}|monday|\d{1,2}(?:[:.]\d{2})?(?: h)? (?:a|to)) |,? (?:o|u|ou|edo|or|y|i|e|and) (?:bien )?(?:por|per|en|a|mediante|through|on|online|internet)\b.*$",
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


def places(
    applying: Sequence[PagePart],
    where: Sequence[PagePart],
    page_links: Sequence[tuple[TextLink, SectionLine]],
    buttons: frozenset[str] = frozenset(),
) -> FieldValue:
    """`donde_solicitar`: urls, direcciones, cita_previa_url. `buttons`: the targets of links styled as buttons."""
    links = [(link, line) for part in applying for line in part.lines for link in line.links]
    starts = [
        (link, line)
        for part in applying
        for line in part.lines
        for link in line.links
        if is_start(link)
        or leads_to_start(link)
        or (part.field != "contacto" and (is_written_out(link) or _is_entered(link, line)))
    ]
    starts += [
        (link, line)
        for link, line in page_links
        if (is_start(link) and STARTS.search(fold_text(link.text)))
        or (link.url in buttons and is_application_link(link) and not ASIDE.search(fold_text(link.text)))
    ]
    appointments = [(link, line) for link, line in [*links, *page_links] if is_appointment(link)]
    streets = _streets(applying, where)
    value: dict[str, object] = {}
    if starts:
        value["urls"] = list(dict.fromkeys(link.url for link, _ in starts))
    if streets:
        value["direcciones"] = list(dict.fromkeys(text for text, _ in streets))
    if appointments:
        value["cita_previa_url"] = appointments[0][0].url
    used = [line for _, line in [*starts, *appointments[:1]]] + [line for _, line in streets]
    return FieldValue(value, spans_of(used)) if value else NO_VALUE


def is_appointment(link: TextLink) -> bool:
    address = urlsplit(link.url)
    return bool(
        APPOINTMENT.search(fold_text(link.text))
        or APPOINTMENT.search(address.path.lower().replace("-", " "))
        or APPOINTMENT.match((address.hostname or "").lower())
    )


def is_start(link: TextLink) -> bool:
    """Whether the link leads to the start of the procedure: not a file, a law or an appointment."""
    if not is_application_link(link):
        return False
    parts = urlsplit(link.url)
    host = (parts.hostname or "").lower()
    return (
        bool(STARTS.search(fold_text(link.text)))
        or "sede" in host
        or host.startswith("seu")
        or "egoitza" in host
        or "seuelectronica" in host
    )


def is_application_link(link: TextLink) -> bool:
    return (
        link.url.startswith(("http://", "https://"))
        and not FILES.search(link.url)
        and not LAW.search(link.url)
        and not HELP.search(urlsplit(link.url).path.lower())
        and not is_appointment(link)
    )


def leads_to_start(link: TextLink) -> bool:
    """Whether the address looks like the start of a procedure. Only reliable in sections about applying."""
    return is_application_link(link) and bool(START_PATH.search(urlsplit(link.url).path.lower()))


def is_written_out(link: TextLink) -> bool:
    """Whether the text of the link is its address. In sections about applying, that is where one applies."""
    address = urlsplit(link.url)
    written = link.text.removeprefix("https://").removeprefix("http://").rstrip("/").lower()
    target = f"{address.hostname or ''}{address.path}".rstrip("/").lower()
    return is_application_link(link) and written.removeprefix("www.") == target.removeprefix("www.")


def _is_entered(link: TextLink, line: SectionLine) -> bool:
    """Whether a step tells people to enter the site that it links to."""
    return is_application_link(link) and ENTERS.match(fold_text(line.text)) is not None


def _streets(applying: Sequence[PagePart], where: Sequence[PagePart]) -> list[tuple[str, SectionLine]]:
    streets = [(text, line) for part in applying for line in part.lines for text in streets_in(line.text)]
    starts = {line.start for _, line in streets}
    for part in where:
        for line in without_header_rows(part.lines):
            if (
                line.start not in starts
                and PLACE.search(fold_text(line.text))
                and not line.links
                and not ANYWHERE.search(fold_text(line.text))
                and not line.text.endswith(":")
                and not number_in(line.text)
            ):
                streets.append((line.text.rstrip("."), line))
                starts.add(line.start)
    return sorted(streets, key=lambda pair: pair[1].start)


def streets_in(text: str) -> list[str]:
    """The street addresses in a text: a street with a number or postcode."""
    addresses = []
    for piece in SENTENCE.split(text):
        has_street = STREET.search(piece) or BASQUE_STREET.search(piece)
        has_number = POSTCODE.search(piece) or HOUSE.search(piece)
        if not (has_street and has_number) and not is_address(piece):
            continue
        _, colon, after_colon = piece.partition(": ")
        address = (
            after_colon
            if colon and (STREET.search(after_colon) or BASQUE_STREET.search(after_colon))
            else piece
        )
        bracketed = next(
            (
                inner
                for inner in BRACKETS.findall(address)
                if STREET.search(inner) or BASQUE_STREET.search(inner)
            ),
            "",
        )
        addresses.append(_address(bracketed or address))
    return addresses


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
    return len(words) >= FEWEST_CLAUSE_WORDS and not PLACE.match(fold_text(before)) and words[1][0].islower()


def telephone(parts: Sequence[PagePart]) -> FieldValue:
    """The telephone numbers of the first line that has one: a short number, and the one to call from elsewhere."""
    for part in parts:
        for line in part.lines:
            if number := number_in(line.text, titled=part.title):
                further = [number_as_written(match[0]) for match in PHONE.finditer(line.text)]
                numbers = dict.fromkeys(
                    [number, *(other for other in further if _is_alternative(line.text, other))]
                )
                return FieldValue(" / ".join(numbers), spans_of([line]))
    return NO_VALUE


def _is_alternative(text: str, number: str) -> bool:
    """Whether a number stands beside another one for the same purpose: in brackets after it, or after "o"."""
    before = text[: text.find(number)] if number in text else ""
    return ALTERNATIVE.search(before) is not None


def number_as_written(text: str) -> str:
    return " ".join(text.split())


def number_in(text: str, titled: str = "") -> str:
    """A telephone number as it is written. Short numbers (010, 060) only next to a word for telephone."""
    titled = f"{titled}: " if "tel" in fold_text(titled) else ""
    short = SHORT_PHONE.search(f"{titled}{text}") or BARE_SHORT_PHONE.search(f"{titled}{text}")
    match = PHONE.search(f"{titled}{text}")
    if match and (short is None or match.start() < short.end()):
        return number_as_written(match[0])
    return short[short.lastgroup or 0] if short else ""

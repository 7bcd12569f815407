"""How to apply: the steps by way of application, and the channel that follows from them."""

import re
from collections.abc import Sequence
from dataclasses import replace

from headwater.text.folding import fold_text
from headwater_recipes.procedures.fields.addresses import streets_in
from headwater_recipes.procedures.fields.entries import NOTE
from headwater_recipes.procedures.fields.money import NOTHING_TO_PAY
from headwater_recipes.procedures.fields.responsible import responsible_in
from headwater_recipes.procedures.fields.start_links import (
    is_appointment,
    is_start,
    is_written_out,
    leads_to_start,
)
from headwater_recipes.procedures.fields.telephones import number_in
from headwater_recipes.procedures.fields.value import FieldValue, spans_of
from headwater_recipes.procedures.labels.recognise import lists_ways, recognise
from headwater_recipes.procedures.sections.parts import PagePart, SectionLine, TextLink
from headwater_recipes.procedures.sections.sentences import sentences
from headwater_recipes.procedures.sections.table_rows import without_header_rows

ONLINE = re.compile(
    r"sede electronica|seu electronica|egoitza elektronik|por internet|per internet|internet|en linea\b|en linia|en lina\b|online|on line|telematic|telematik|electronica(?:mente)?\b|(?<!correo )electronico\b|(?<!correu )electronic\b|electronicament|elektronik|electronicall|via web|mitjans electronics|medios electronicos|medios telematicos|bitarteko elektroniko|formulario web|en la aplicacion\b|a l aplicacio\b|na aplicacion\b|d(?:es|en)de (?:la|a|l) aplicaci\w+\b|\bla app\b|app movil|desde el movil|des del mobil|formular\w{1,4} (?:de|da|en|a) (?:la |a )?(?:sede|seu|web)|plataforma|certificado digital|cl ve|clave permanente|certificat digital|ziurtagiri digital|\bweb(?:site|gune\w*)?\b|\bupload|\bpuj[ae]\w* (?:els|les|l)\b|\bpola rede\b|\bpor la red\b(?! de\b)|\bchave365\b|\bidcat\b|\bd(?:es|en)de? (?:l |el |o )?(?:ordinador|ordenador|mobil|movil)\b|\bsubir todo\b|\bsubelo\b|\bdes ?de (?:la )?casa\b|\bdende casa\b|\betxetik\b|sen sair da casa|sin salir de casa|(?:bustia|carpeta|buzon|finestra|ventana) (?:ciutadana|ciudadana|cidada|digital)"
)
IN_PERSON = re.compile(
    r"presencial|en perso[na]a?\b|in person|oficinas?\b|oficines|oficina|bulego|aurrez aurre|offices?\b|ventanilla|registro (?:general|de entrada|municipal)|registre (?:general|d entrada)|rexistro xeral|mostrador|acudir|acudiendo|centros? de atencion|centres? d atencio|\bcita\b|aurretiko hitzordu|hitzordu|appointment|face to face|dependencias|personandose|adrecant|achegandose|(?:en|a) (?:la |las |nuestras? |su |tu |la nostra )delegacion(?:es)?\b|comisaria|comissaria|police station|consulado|consolat|consulate|embajada|embassy|secretaria|\btaulell\b|leihatila|\bconser[jgx]eri\w*|\bcall in (?:at|to)\b|\bdrop (?:in|by)\b|at the (?:town hall|registry)|\b(?:at|to) the (?:\w+ ){0,3}desk\b|\bvenint\b|\bviniendo\b|\b(?:acerqu\w+|acercate|pasese|pase por|passeu|passi|venga|veniu|vine a|acuda|acudid|achegu\w+|achegate|etorri|hurbildu|presentarse en|presentese en|come to|hable con|parleu amb)\b|mesa de entrada|mesa d entrada|\brexistros\b|\bregistros\b|\bregistres\b|cara a cara"
)
PHONE = re.compile(
    r"por telefono|telefonicamente|per telefon|telefonicament|telefonoz|by (?:tele)?phone|llamando|trucant|chamando|deituz|call(?:ing)? (?!in (?:at|to)\b|at\b|into\b)|\b(?:llam[ae]r?|llamad|trucar?|truqueu|truqui|cham[ae]r?|telefon[ae]r?) (?:al|a los|a l|als|ao|aos|por)\b|\bdeitu\b|\b(?:ring|dial) |\b(?:marque|marca|marqueu|telefonee|telefoneu) (?:el|al|o|l) (?:(?:numero|telefono?|num) )?(?=\d)|\b(?:en el|al|ao|no|el|a l) 0(?:10|12|16|24|60|61|62)\b"
)
CALLED = re.compile(
    r"^(?:en el|al|ao|no) 0\d{2}$|\b(?:llamando|trucant|chamando|calling) (?:al|a|ao|to)?\b|\bdeituz\b|^(?:por telefono|per telefon|telefonoz|by (?:tele)?phone|telefonicamente?)\b"
)
POST = re.compile(
    r"correo (?:postal|certificado|administrativo)|correu (?:postal|certificat)|oficinas de correos|posta bidez|by post\b|por correo\b|(?:registered|certified) mail|\bby mail\b|\b(?:envi\w{1,12}|mand\w{1,12}|remit\w{1,12}|send) .{0,40}\b(?:en papel|en paper|on paper)\b|por carta\b|^(?:no|en|por) correos?\b(?! electron)|\b(?:envi|mand|remit|ech|bot|tramet)\w* .{0,40}\b(?:no|en|a|por) correos?\b(?! electron)|\bapartado (?:postal|de correos)\b|\bapartat de correus\b|\bpo box\b|^post (?:it|the|them|your|a)\b"
)
VIRTUAL = re.compile(
    r"(?:electronic|online|virtual) office|\be (?:office|oficina)\b|oficina (?:virtual|electronica)|bulego (?:birtual|elektroniko)\w*|ventanilla (?:virtual|electronica)|registro electronico|registre electronic|rexistro electronico|secretaria (?:virtual|electronica|en lin\w+)"
)
NOT_ONLINE = re.compile(
    r"\bnon? (?:\w+ ){0,4}(?:por internet|per internet|pola rede|en linea|en lina|electronica\w*|telematica\w*|online)|not available online"
)
SEMICOLON = re.compile(r";")
CONJUNCTION = re.compile(r",?(?<!\s)\s(?:o bien|o bé|o|u|edo|or|y|i|e|and|eta)\s", re.IGNORECASE)
GALICIAN = re.compile(r"\b(?:ao|aos|coa|do|na|nas|ou|pola|polo|unha)\b", re.IGNORECASE)
GALICIAN_CONJUNCTION = re.compile(r",?(?<!\s)\s(?:ou ben|ou|e)\s", re.IGNORECASE)
"""In Galician, "o" is an article."""
ENGLISH = re.compile(r"\b(?:the|you|or|with|your)\b", re.IGNORECASE)
LONGEST_DIVIDED = 400
AT_A_PLACE = re.compile(
    r"(?:(?:se|es) \w+ |(?:bien|bé|ben) )?(?:en|a|al|na|no|at|ante) (?:(?:cualquier\w*|qualsevol|calquera|any|las?|el|los|les|els|the) )+(?:\w+ ){0,2}?(?:centr\w+|delegaci\w+|subdelegaci\w+|oficina\w*|ayuntamiento|ajuntament|concello|bibliotec\w+|office\w*|escola|escuela|consell)\b"
)
"""A clause that begins with the place to which one goes."""
NAMED = re.compile(r"(?:^|[;.]\s+)([^:;.]{3,30}):\s")
BOOKED = re.compile(
    r"\b(?:citas?(?: previa)?|appointments?|hitzordu\w*)(?: (?!(?:o|u|ou|edo|or|y|i|e|eta|and|bien)\b)\w+){0,2}? (?:online|on line|por internet|per internet|en linea|en linia|internet bidez)\b"
)
"""Only the appointment is made online."""
OR_ONLINE = re.compile(
    r"\b(?:o|u|ou|edo|or|y|i|e|eta|and|tambien|tambe|tamen|also) (?:bien )?(?:(?:por|per|a traves de|mediante|en|a|on|through|via) )?(?:la |el |l |the )?(?:internet|online|on line|sede electronica|seu electronica|web|electronic office|linea|linia)\b"
)
REFUSES = re.compile(
    r"(?:\w+ ){0,2}?(?:no|non|not|ez) (?:(?:se|es|s) )?(?:admit|admet|acept|accept|permit|permet|pode|puede|pot|es posible|es possible|e posible|onartzen|atend)\w*|(?:applications|requests) (?:by|sent) .{0,40} (?:are|is) not"
)
HOST = re.compile(
    r"(?<![\w@.-])(?:https?://)?(?:[a-z0-9-]{2,40}\.){1,4}(?:example|com|org|net|es|cat|eus|gal|eu)\b(?!@)"
)
"""The address of a site, and not of a mail box."""
READS_THERE = re.compile(
    r"descarg|descarreg|\bbaix|download|deskarg|informaci|informazi|consult|modelo|impres|more\b"
)
HOW = re.compile(r"(?:Por|Per|Pola?|Des de|Desde|Dende|En|A|Al|Na|No|By|On|In)\b")
"""The beginning of a label that says how."""
SENDS = re.compile(r"\b(?:envi|mand|remit|escrib|escriu|bidal|idatz|send|write|mail)\w*")
POSTS = re.compile(
    r"^post (?:it|the|them|your|a)\b|\b(?:envi(?:ando|andolo|andola|ar|arlo|arla|e|en|a|ad|eu|ant|arse)|remit(?:iendo|iendolo|ir|irse|a|e)|mand(?:ando|ar|arlo|e|a)|tramet(?:ent|re|eu|i)|send(?:ing)?(?: it| them)?|bidali\w{0,4})\b"
)
"""What is sent to a street goes by post."""
VISITS = re.compile(
    r"presencial|en perso[na]a?\b|in person|aurrez aurre|\b(?:en|na) (?:(?:la|nuestra|nosa|la nostra) )?(?:oficina|bulego)|ventanilla|mostrador|taulell"
)
GOES = re.compile(
    r"^(?:\w+ ){0,3}?(?:acerqu\w+|acercate|pase|pasese|passa|passeu|ven|venga|vine|veniu|vai|acuda|acude|achegu\w+|achegate|etorri|hurbildu|come|go|present\w+|entreg\w+|deix\w+|deja\w*|lleva\w*|porta\w*|puede\w*|podeu|pots|pode|podes)\b"
)
"""What people are told to do, at the beginning of a sentence."""
TO_A_PLACE = re.compile(
    r"(?:[Ee]n|[Aa]l?s?|[Aa] l['’]|[Nn][ao]s?|[Aa]t|[Ii]n|[Aa]nte) (?:(?:la|el|las|los|les|els|the|any|cualquiera?|qualsevol|calquera) |l['’])?(?:de (?:las|los|les) )?\w"
)
"""A place to which one goes, and not only its name."""
ASKS = re.compile(
    r"\b(?:dud|dubt|dubid|doubt|question|pregunt|consult|galder|informaci|informazio|help|ayud|ajud|axud|laguntz|stuck|encall|atasc|problem)\w*"
)
BARE_NUMBER = re.compile(r"[\d ]{3,}")
OPEN_WAYS = frozenset({"general", "paso"})
"""Steps whose words decide how one applies."""
WAYS = {"online": ONLINE, "presencial": IN_PERSON, "telefono": PHONE, "correo": POST}
LONGEST_NUMBER, LONGEST_LEAD = 24, 4
LONGEST_OFFICE, FEWEST_OFFICES = 5, 2
VIA_NAMES = {
    "online": "online",
    "presencial": "presencial",
    "telefono": "telefono",
    "correo": "correo",
    "cita": "presencial",
}


def application_steps(parts: Sequence[PagePart]) -> FieldValue:
    """A list of {via, detalle}. `via` is online, presencial, telefono, correo, paso for one of several numbered steps, or general for a text that names no way. A sentence
    that names several ways is listed under each. Lines that only list the ways are left out where the ways are described."""
    steps: list[dict[str, str]] = []
    lines: list[SectionLine] = []
    for part in parts:
        ordered = _are_steps(part.lines)
        rows = _without_offices(without_header_rows(part.lines))
        pieces = [(piece, row) for row in rows for piece in _split_ways(row)]
        for line, row in pieces:
            alternative = line.text != row.text and _only_way(line, line.text) == "telefono"
            for step in _steps(part, line, ordered=ordered, calls=alternative):
                if step not in steps:
                    steps.append(step)
                    lines.append(line)
    if any(way["via"] not in OPEN_WAYS for way in steps):
        pairs = [
            pair
            for pair in zip(steps, lines, strict=True)
            if pair[0]["via"] != "general" or TO_A_PLACE.match(pair[0]["detalle"])
        ]
        steps, lines = [way for way, _ in pairs], [line for _, line in pairs]
    if any(way["via"] != "general" for way in steps):
        described = [pair for pair in zip(steps, lines, strict=True) if not lists_ways(pair[0]["detalle"])]
        steps, lines = [way for way, _ in described], [line for _, line in described]
    return FieldValue(steps, spans_of(lines)) if steps else FieldValue()


def _without_offices(lines: Sequence[SectionLine]) -> list[SectionLine]:
    """The lines without a list of offices and their addresses, where the line before says that one applies there."""
    offices = [line for line in lines if _is_office(line)]
    others = [line for line in lines if line not in offices]
    if len(offices) < FEWEST_OFFICES or not any(IN_PERSON.search(fold_text(line.text)) for line in others):
        return list(lines)
    return [replace(line, text=line.text.rstrip(": ")) if line.kind == "text" else line for line in others]


def _is_office(line: SectionLine) -> bool:
    """Whether a line is an address, behind the name of its place at most."""
    streets = streets_in(line.text)
    if len(streets) != 1 or _via_of_label(line.text.partition(":")[0]):
        return False
    rest = line.text.replace(streets[0], "").strip(" .:,–-")
    return len(rest.split()) <= LONGEST_OFFICE and not IN_PERSON.search(fold_text(rest))


def steps_and_ways(how: Sequence[PagePart], where: Sequence[PagePart]) -> FieldValue:
    """The steps of the sections about how to apply. Where those name no way, with the ways of the sections about where; where nobody is
    told to come, with the offices that these list."""
    steps, ways = application_steps(how), steps_in_places(where)
    if steps and ways and all(step["via"] == "paso" for step in steps.value):
        steps = _joined(steps, ways)
    steps = steps or ways
    if any(step["via"] == "presencial" for step in steps.value or ()):
        return steps
    return _joined(steps, offices_to_visit(where))


def _joined(first: FieldValue, second: FieldValue) -> FieldValue:
    if not first or not second:
        return first or second
    return FieldValue([*first.value, *second.value], tuple(sorted({*first.spans, *second.spans})))


def offices_to_visit(where: Sequence[PagePart]) -> FieldValue:
    """The offices with their streets that sections about where to apply list."""
    lines = [
        line
        for part in where
        for line in without_header_rows(part.lines)
        if streets_in(line.text) and not line.links and "@" not in line.text
    ]
    steps = [{"via": "presencial", "detalle": _office(line)} for line in lines]
    return FieldValue(steps, spans_of(lines)) if steps else FieldValue()


def _office(line: SectionLine) -> str:
    if line.kind == "row":
        return ": ".join(cell for cell in line.cells if cell)
    return line.rest if line.lead and line.rest else line.text


def steps_in_places(parts: Sequence[PagePart]) -> FieldValue:
    """The ways that sections about where to apply describe: "Acérquese al registro o llame al 010"."""
    described = [
        replace(part, lines=tuple(line for line in part.lines if _describes_way(line))) for part in parts
    ]
    steps = application_steps([part for part in described if part.lines])
    return steps if any(step["via"] != "general" for step in steps.value or ()) else FieldValue()


def _describes_way(line: SectionLine) -> bool:
    """Whether a line says how to apply, and not only where the office is."""
    name, colon, _ = line.text.partition(":")
    if colon and len(name.split()) <= LONGEST_LEAD and _ways_in_words(fold_text(name)):
        return True
    ways = ways_of(line)
    goes = GOES.search(fold_text(line.text)) or TO_A_PLACE.match(line.text)
    written_out = any(is_written_out(link) for link in line.links)
    return len(ways) > 1 or (bool(ways) and (goes is not None or written_out))


def _split_ways(line: SectionLine) -> list[SectionLine]:
    """Split a line that describes several ways, each named before a colon."""
    cuts = [
        match.start(1) for match in NAMED.finditer(line.text) if match.start(1) and _via_of_label(match[1])
    ]
    if not cuts:
        return _split_sentences(line)
    ends = [*cuts[1:], len(line.text)]
    texts = [line.text[: cuts[0]], *(line.text[start:end] for start, end in zip(cuts, ends, strict=True))]
    first = replace(line, text=texts[0].strip(" ;"), rest="", lead="")
    return [first, *(replace(line, text=text.strip(" ;"), lead="", rest="", links=()) for text in texts[1:])]


def _split_sentences(line: SectionLine) -> list[SectionLine]:
    """Split a paragraph whose sentences each describe another way."""
    whole = [line.text] if line.kind == "item" and not line.lead else []
    if line.kind == "text" and not line.lead:
        whole = _with_questions(sentences(line.text))
    if len(whole) > 1:
        whole = [piece for piece in whole if not _is_aside(piece)]
        if not whole:
            return []
    pieces = [clause for piece in whole for clause in _clauses(line, piece)]
    if len({way for piece in pieces if (way := _only_way(line, piece))}) > 1:
        pieces = [piece for piece in pieces if ways_of(replace(line, text=piece, links=()))]
    ways = [_only_way(line, piece) for piece in pieces]
    if len(pieces) < 2 or "" in ways or len(set(ways)) < len(ways):
        return [replace(line, text=" ".join(whole)) if whole else line]
    return [replace(line, text=piece, links=_links_in(line, piece)) for piece in pieces]


def _with_questions(pieces: Sequence[str]) -> list[str]:
    """The sentences, each short question together with its answer: "¿Dudas? Llame al 010"."""
    joined: list[str] = []
    for piece in pieces:
        if joined and joined[-1].endswith("?") and len(joined[-1].split()) <= LONGEST_LEAD:
            joined[-1] = f"{joined[-1]} {piece}"
        else:
            joined.append(piece)
    return joined


def _is_aside(sentence: str) -> bool:
    """Whether a sentence says something else than how to apply: whom to ask, who is responsible, that it is free."""
    folded = fold_text(sentence)
    if responsible_in(sentence) or NOTHING_TO_PAY.match(folded) or refuses_way(sentence):
        return True
    if not number_in(sentence, "tel"):
        return False
    bare = len(BARE_NUMBER.sub("", folded).split()) <= LONGEST_LEAD
    return ASKS.search(folded) is not None or (bare and not _ways_in_words(folded))


def refuses_way(sentence: str) -> bool:
    """Whether a sentence says how one cannot apply: "No se admiten solicitudes por fax"."""
    folded = fold_text(sentence)
    return REFUSES.match(folded) is not None and names_way(folded)


def _clauses(line: SectionLine, sentence: str) -> list[str]:
    """The clauses of a sentence, between semicolons or conjunctions, if each names another way."""
    if len(sentence) > LONGEST_DIVIDED:
        return [sentence]  # a hostile sentence would take long to divide
    is_galician = GALICIAN.search(sentence) and not ENGLISH.search(sentence)
    conjunction = GALICIAN_CONJUNCTION if is_galician else CONJUNCTION
    for between in (SEMICOLON, conjunction):
        clauses, ways = _joined_by_way(line, sentence, between)
        if len(clauses) > 1 and "" not in ways and len(set(ways)) == len(ways):
            return clauses
    return [sentence]


def _joined_by_way(line: SectionLine, sentence: str, between: re.Pattern[str]) -> tuple[list[str], list[str]]:
    """The clauses with the way of each; clauses that name none or the same as the one before belong to that one."""
    starts = [0, *(match.end() for match in between.finditer(sentence))]
    ends = [*(match.start() for match in between.finditer(sentence)), len(sentence)]
    spans: list[tuple[int, int]] = []
    ways: list[str] = []
    for start, end in zip(starts, ends, strict=True):
        way = _only_way(line, sentence[start:end])
        names_way = way or ways_of(_clause_line(line, sentence[start:end]))
        if spans and (not names_way or way == ways[-1] != ""):
            spans[-1] = (spans[-1][0], end)
            ways[-1] = _only_way(line, sentence[spans[-1][0] : end])
        else:
            spans.append((start, end))
            ways.append(way)
    return [sentence[start:end].strip() for start, end in spans], ways


def _clause_line(line: SectionLine, clause: str) -> SectionLine:
    return replace(line, text=clause, links=_links_in(line, clause))


def _only_way(line: SectionLine, clause: str) -> str:
    ways = ways_of(_clause_line(line, clause))
    return ways[0] if len(ways) == 1 else ""


def _links_in(line: SectionLine, piece: str) -> tuple[TextLink, ...]:
    return tuple(link for link in line.links if link.text in piece)


def _are_steps(lines: Sequence[SectionLine]) -> bool:
    """Whether numbered lines follow one another, and are not the ways to choose from."""
    numbered = [line for line in lines if _has_number(line)]
    ways = [via_of(line.text) for line in numbered]
    return len(numbered) > 1 and ("general" in ways or len(set(ways)) < len(ways))


def _has_number(line: SectionLine) -> bool:
    return line.numbered or (line.kind == "row" and line.cells[0].isdigit())


def _steps(part: PagePart, line: SectionLine, *, ordered: bool, calls: bool) -> list[dict[str, str]]:
    """The step that the line describes, once for each way that it names. `calls`: a call is one of several ways."""
    step = _step(part, line, calls=calls)
    if step is None or step["via"]:
        return [step] if step else []
    if ordered and _has_number(line):
        return [{**step, "via": "paso"}]
    return [{**step, "via": way} for way in ways_of(line) or ["general"]]


def _step(part: PagePart, line: SectionLine, *, calls: bool) -> dict[str, str] | None:
    """`via` is empty where no label names the way."""
    if NOTE.match(line.text) or (line.kind == "text" and line.text.endswith(":")):
        return None
    folded = fold_text(line.text)
    calls = calls or bool((part.key == "telefono" and PHONE.search(folded)) or CALLED.search(folded))
    asks = ASKS.match(folded)
    if not calls and number_in(line.text, "tel") and (len(line.text) <= LONGEST_NUMBER or asks):
        return None  # a number alone, or one to ask, is a contact and not a way to apply
    if line.links and fold_text(line.text) == fold_text(line.links[0].text) and _is_button(part, line):
        return None  # its target is listed in another field
    detail = line.text
    if line.kind == "row":
        cells = ": ".join(cell for cell in line.cells[_has_number(line) :] if cell)
        detail = _without_button(cells, line.links)
    elif HOST.fullmatch(line.text.rpartition(": ")[2].strip(" .")) and ": " in line.text:
        detail = line.text
    elif line.lead and line.rest and _via_of_label(line.lead):
        return {"via": _via_of_label(line.lead), "detalle": _without_button(line.rest, line.links)}
    elif (
        line.lead and line.rest and len(line.lead.split()) <= LONGEST_LEAD and via_of(line.text) != "general"
    ):
        return {"via": via_of(line.text), "detalle": _without_button(line.rest, line.links)}
    else:
        detail = _without_button(line.text, line.links)
        name, colon, detail_text = detail.partition(":")
        if colon and detail_text.strip() and len(name.split()) <= 6 and _via_of_label(name):
            return {"via": _via_of_label(name), "detalle": detail_text.strip()}
    return {"via": VIA_NAMES.get(part.key) or _via_of_label(part.title), "detalle": detail}


def _without_button(detail: str, links: Sequence[TextLink]) -> str:
    """The text without the link to apply that stands behind it: "Con certificado digital. Ir a la solicitud"."""
    for link in links:
        text = detail.rstrip(" .")
        leads_in = is_start(link) or leads_to_start(link) or is_appointment(link)
        is_way_in = leads_in and not is_written_out(link)
        if link.text and is_way_in and text.endswith(link.text):
            before = text.removesuffix(link.text).rstrip(" -–—→>»")
            if before.endswith((".", ":", "!", ";")) and len(before.split()) > 1:
                return before.rstrip(" .:;") if before.endswith((":", ";")) else before
    return detail


def _is_button(part: PagePart, line: SectionLine) -> bool:
    return not part.key or any(other is not line and not other.links for other in part.lines)


def _via_of_label(name: str) -> str:
    label = recognise(name)
    if label is not None and label.field == "como_solicitar":
        return VIA_NAMES.get(label.key, "")
    says_how = label is None and len(name.split()) <= LONGEST_LEAD and HOW.match(name)
    ways = _ways_in_words(fold_text(name)) if says_how else []
    return ways[0] if len(ways) == 1 else ""


def via_of(text: str) -> str:
    """The only way that a text mentions. `general` when it mentions none or several."""
    ways = _ways_in_words(VIRTUAL.sub("internet", fold_text(text)))
    return ways[0] if len(ways) == 1 else "general"


def ways_of(line: SectionLine) -> list[str]:
    """Every way that a line names: by its words, by a street address, by a mail address, by a link that starts the procedure."""
    folded = BOOKED.sub("", VIRTUAL.sub("internet", fold_text(line.text)))
    ways = set(_ways_in_words(NOT_ONLINE.sub("", folded)))
    if POST.match(folded) and "online" not in ways:
        return ["correo"]
    if any(is_start(link) or is_written_out(link) for link in line.links) or _names_site(line.text):
        ways.add("online")
    if streets_in(line.text):
        posted = POSTS.search(folded) and not ways & {"online", "telefono"} and not GOES.match(folded)
        goes = not posted or VISITS.search(folded)
        ways = (
            (ways - {"presencial"}) | ({"correo"} if posted else set()) | ({"presencial"} if goes else set())
        )
    if "@" in line.text and SENDS.search(folded):
        ways.add("correo")
    if not ways and AT_A_PLACE.match(folded):
        return ["presencial"]
    return [name for name in WAYS if name in ways]


def _names_site(text: str) -> bool:
    """Whether the text has the address of a site, and not as a place to download from or to read more."""
    match = HOST.search(text)
    return match is not None and not READS_THERE.search(fold_text(text[: match.start()]))


def names_way(folded: str) -> bool:
    return bool(_ways_in_words(folded))


def _ways_in_words(folded: str) -> list[str]:
    return [name for name, pattern in WAYS.items() if pattern.search(folded)]


def _starts_online(line: SectionLine) -> bool:
    """Whether the line has a button to apply online."""
    return any(
        is_start(link) and ONLINE.search(VIRTUAL.sub("internet", fold_text(link.text))) for link in line.links
    )


def channel(
    steps: Sequence[dict[str, str]],
    parts: Sequence[PagePart],
    urls: Sequence[str],
    addresses: Sequence[str] = (),
) -> str | None:
    """electronico, presencial or mixto, by the ways of the steps. Where those are general, the text of the sections about
    applying decides; where it names no way either, an address means presencial. None when nothing says it."""
    ways = {way["via"] for way in steps}
    general = [way["detalle"] for way in steps if way["via"] in OPEN_WAYS]
    folded = fold_text(
        " ".join(general if ways - OPEN_WAYS else [f"{part.title} {part.text}" for part in parts])
    )
    folded = BOOKED.sub("cita", VIRTUAL.sub("internet", folded))
    online = "online" in ways or (bool(ONLINE.search(folded)) and not NOT_ONLINE.search(folded))
    online = online or any(_starts_online(line) for part in parts for line in part.lines)
    online = online or any(OR_ONLINE.search(fold_text(way["detalle"])) for way in steps)
    mail_details = [way["detalle"] for way in steps if way["via"] == "correo"]
    online = online or any("@" in detail for detail in mail_details)
    posted = any("@" not in detail for detail in mail_details)
    person = "presencial" in ways or posted or bool(IN_PERSON.search(folded) or POST.search(folded))
    online = online or bool(urls and not ways - OPEN_WAYS)
    if online and person:
        return "mixto"
    return "electronico" if online else "presencial" if person or addresses else None

"""How to apply: ways and steps; and the channel that follows from them."""

import re
from collections.abc import Sequence
from dataclasses import replace

from headwater.text.folding import fold_text
from headwater_recipes.procedures.fields import places
from headwater_recipes.procedures.fields.entries import NOTE
from headwater_recipes.procedures.fields.value import FieldValue, spans_of
from headwater_recipes.procedures.labels.recognise import lists_ways, recognise
from headwater_recipes.procedures.sections.parts import PagePart, TextLine

ONLINE = re.compile(
    r"sede electronica|seu electronica|egoitza elektronik|por internet|per internet|internet|en linea\b|en linia|en lina\b|online|on line|telematic|telematik|electronica(?:mente)?\b|(?<!correo )electronico\b|(?<!correu )electronic\b|electronicament|elektronik|electronicall|via web|mitjans electronics|medios electronicos|medios telematicos|bitarteko elektroniko|formulario web|plataforma|certificado digital|cl ve|clave permanente|certificat digital|ziurtagiri digital"
)
IN_PERSON = re.compile(
    r"presencial|en perso[na]a?\b|in person|oficinas?\b|oficines|oficina|bulego|aurrez aurre|offices?\b|ventanilla|registro (?:general|de entrada|municipal)|registre (?:general|d entrada)|rexistro xeral|mostrador|acudir|acudiendo|centros? de atencion|centres? d atencio|\bcita\b|aurretiko hitzordu|hitzordu|appointment|face to face|dependencias|personandose|adrecant|achegandose|comisaria|comissaria|police station|consulado|consolat|consulate|embajada|embassy|secretaria|\btaulell\b|leihatila|at the (?:town hall|registry)"
)
PHONE = re.compile(
    r"por telefono|telefonicamente|per telefon|telefonicament|telefonoz|by (?:tele)?phone|llamando|trucant|chamando|deituz|call(?:ing)? |\b(?:llam[ae]|llamad|truca|truqueu|truqui|cham[ae]) (?:al|a los|a l|als|ao|aos|por)\b|\bdeitu\b"
)
POST = re.compile(
    r"correo (?:postal|certificado|administrativo)|correu (?:postal|certificat)|oficinas de correos|posta bidez|by post\b|por correo\b"
)
VIRTUAL = re.compile(
    r"electronic office|online office|oficina (?:virtual|electronica)(?: \\w+)?|bulego (?:birtual|elektroniko)\\w*|ventanilla (?:virtual|electronica)|registro electronico|registre electronic|rexistro electronico"
)
NOT_ONLINE = re.compile(
    r"no (?:\w+ ){0,4}(?:por internet|en linea|electronica\w*|telematica\w*|online)|not available online"
)
NAMED = re.compile(r"(?:^|[;.]\s+)([^:;.]{3,30}):\s")
BOOKED = re.compile(
    r"\b(?:citas?(?: previa)?|appointments?|hitzordu\w*)(?: \w+){0,2}? (?:online|on line|por internet|per internet|en linea|en linia|internet bidez)\b"
)
"""Only the appointment is made there."""
LONGEST_NUMBER = 24
VIA_NAMES = {
    "online": "online",
    "presencial": "presencial",
    "telefono": "telefono",
    "correo": "correo",
    "cita": "presencial",
}


def application_steps(parts: Sequence[PagePart]) -> FieldValue:
    """What only counts the ways is left out where they are told. A list of {via, detalle}: online, presencial, telefono, correo, or general for steps that hold for all."""
    found: list[dict[str, str]] = []
    lines: list[TextLine] = []
    for part in parts:
        for line in [one for whole in part.lines for one in _apart(whole)]:
            told = _way(part, line)
            if told and told not in found:
                found.append(told)
                lines.append(line)
    if any(way["via"] != "general" for way in found):
        told_more = [pair for pair in zip(found, lines, strict=True) if not lists_ways(pair[0]["detalle"])]
        found, lines = [way for way, _ in told_more], [line for _, line in told_more]
    return FieldValue(found, spans_of(lines)) if found else FieldValue()


def _apart(line: TextLine) -> list[TextLine]:
    """A line that goes through several ways, each named before a colon, as one line each."""
    cuts = [
        found.start(1) for found in NAMED.finditer(line.text) if found.start(1) and _via_of_label(found[1])
    ]
    if not cuts:
        return [line]
    ends = [*cuts[1:], len(line.text)]
    texts = [line.text[: cuts[0]], *(line.text[start:end] for start, end in zip(cuts, ends, strict=True))]
    first = replace(line, text=texts[0].strip(" ;"), rest="", lead="")
    return [first, *(replace(line, text=text.strip(" ;"), lead="", rest="", links=()) for text in texts[1:])]


def _way(part: PagePart, line: TextLine) -> dict[str, str] | None:
    if NOTE.match(line.text) or (line.kind == "text" and line.text.endswith(":")):
        return None
    calls = part.key == "telefono" and PHONE.search(fold_text(line.text))
    if not calls and places.number_in(line.text, "tel") and len(line.text) <= LONGEST_NUMBER:
        return None  # a number alone is whom to call, not how to apply
    if line.links and fold_text(line.text) == fold_text(line.links[0].text) and _is_button(part, line):
        return None  # where it leads is told elsewhere
    detail = line.text
    if line.kind == "row":
        detail = ": ".join(cell for cell in line.cells if cell)
    elif line.lead and line.rest and _via_of_label(line.lead):
        return {"via": _via_of_label(line.lead), "detalle": line.rest}
    else:
        name, colon, rest = line.text.partition(":")
        if colon and rest.strip() and len(name.split()) <= 6 and _via_of_label(name):
            return {"via": _via_of_label(name), "detalle": rest.strip()}
    return {"via": VIA_NAMES.get(part.key) or _via_of_label(part.title) or via_of(detail), "detalle": detail}


def _is_button(part: PagePart, line: TextLine) -> bool:
    return not part.key or any(one is not line and not one.links for one in part.lines)


def _via_of_label(name: str) -> str:
    label = recognise(name)
    return VIA_NAMES.get(label.key, "") if label and label.field == "como_solicitar" else ""


def via_of(text: str) -> str:
    """The one way that a text speaks of; `general` when it speaks of none or of several."""
    bare = VIRTUAL.sub("internet", fold_text(text))
    told = [
        name
        for name, pattern in (
            ("online", ONLINE),
            ("presencial", IN_PERSON),
            ("telefono", PHONE),
            ("correo", POST),
        )
        if pattern.search(bare)
    ]
    return told[0] if len(told) == 1 else "general"


def _starts_online(line: TextLine) -> bool:
    """A button by which to apply there and then."""
    return any(
        places.is_start(link) and ONLINE.search(VIRTUAL.sub("internet", fold_text(link.text)))
        for link in line.links
    )


def channel(told: Sequence[dict[str, str]], parts: Sequence[PagePart], urls: Sequence[str]) -> str | None:
    """electronico, presencial or mixto, by the ways that are told and, where those are general, by what the parts
    about applying say; nothing when they say nothing."""
    named = {way["via"] for way in told}
    general = [way["detalle"] for way in told if way["via"] == "general"]
    bare = fold_text(
        " ".join(general if named - {"general"} else [f"{part.title} {part.text}" for part in parts])
    )
    bare = BOOKED.sub("cita", VIRTUAL.sub("internet", bare))
    online = "online" in named or (bool(ONLINE.search(bare)) and not NOT_ONLINE.search(bare))
    online = online or any(_starts_online(line) for part in parts for line in part.lines)
    posted = any(way["via"] == "correo" and "@" not in way["detalle"] for way in told)
    person = "presencial" in named or posted or bool(IN_PERSON.search(bare) or POST.search(bare))
    online = online or bool(urls and not named - {"general"})
    if online and person:
        return "mixto"
    return "electronico" if online else "presencial" if person else None

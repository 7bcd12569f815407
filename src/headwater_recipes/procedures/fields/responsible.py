"""The body that a sentence names as responsible: "Lo gestiona el Servicio de Consumo"."""

import re

from headwater.text.folding import fold_text
from headwater_recipes.procedures.fields.citations import DATA_PROTECTION
from headwater_recipes.procedures.fields.unit_names import BASQUE_NAME, ENGLISH_NAME, NAME
from headwater_recipes.procedures.labels.recognise import recognise

_ACTS = r"(?:tramit|gestion|xestion|prest|port|llev|organi[zt]+|convoc|coordin|entreg|lliur|imparti|instru)\w{1,3}|conced\w{1,4}|resuelve|resol|resolve|expid\w|expedeix|instruye|ocupa|encarg\w{1,2}|encarrega|dona|dóna|atorga|otorga|outorga"
_FILL = r"(?:(?!(?:en|ante|al|amb|con|na|no|por|a|davant|no)\b)[a-zà-ÿ]+ ){0,4}(?:a )?(?:l['’])?"
RESPONSIBLE = (
    re.compile(
        rf"(?:\b(?i:lo|la|los|las|ho|els|les|os|as|o|se|que|quien|qui|en|s['’]) ?(?:{_ACTS})|\b(?:Organiza|Organitza|Convoca|Gestiona|Xestiona|Tramita|Concede|Atiende|Atende|Atén|Responde|Resuelve|Instruye|Lévao|Xestiónao|Trámítao|Tramítao|Convócao):?)\s{_FILL}({NAME})"
    ),
    re.compile(
        rf"\b(?i:(?:órgano|òrgan|organismo|organisme|departamento|unidad|unitat)?\s?(?:competente?|responsable|encargad[oa]|encarregat|encarregada|gestora?) (?:es|és|é)|(?:es )?(?:cosa|competencia|competència|responsabilidad|responsabilitat) (?:de|da|do)|(?:a cargo|a càrrec|depende|depèn|depende) (?:de|da|do|del)|corresponde?n? (?:a|al|á)) {_FILL}({NAME})"
    ),
    re.compile(
        rf"\b(?:[Aa]rdurat(?:zen|uko)|[Kk]udeatzen|[Tt]ramitatzen|[Ee]ramaten|[Ee]basten|[Ee]bazten) (?:den|duen)a(?: da)?:? ({BASQUE_NAME})\b"
    ),
    re.compile(
        rf"(?<![\w'’·\-])({BASQUE_NAME})k? (?:\w+ ){{0,3}}(?:arduratzen|kudeatzen|tramitatzen|eramaten|ebazten|antolatzen|ematen) (?:da|du|ditu)\b"
    ),
    re.compile(
        rf"\b(?i:kept|run|managed|handled|issued|organised|organized|provided|granted|decided|processed|administered) by (?:the )?({ENGLISH_NAME})"
    ),
)
DEALS = re.compile(
    rf"(?<![\w'’·\-])(?:The )?({ENGLISH_NAME}) (?:deals with|handles|is (?:responsible for|in charge of)|manages|processes|runs|grants|decides|issues|gives|pays|lends|looks after|takes care of)\b"
)
ACTING = re.compile(
    rf"^(?:(?:El|La|L['’]|O|A|Os|Els|Els|Los) ?)?({NAME}),? (?:que (?:es|é|és) (?:la|el|o|a|qui) ?(?:que )?|que |qui )?(?i:lo |la |ho |o |a |los |las |les )?(?:{_ACTS}|contesta|respon\w{{0,2}}|decide\w?|decideix|aprueba|concedeix)\b"
)
"""The department is the subject of the sentence: "El Servicio de Consumo, que es el que lleva el programa"."""
NAMED = re.compile(r"^([^:.]{3,40}):\s(\S[^:]{3,120})$")
LONGEST_SENTENCE = 400  # a hostile sentence would slow the search down


def responsible_in(sentence: str) -> str:
    """The name, or nothing. A sentence about personal data names who keeps the data."""
    if len(sentence) > LONGEST_SENTENCE or DATA_PROTECTION.search(fold_text(sentence)):
        return ""
    if (name := _after_label(sentence)) or ((match := DEALS.search(sentence)) and (name := match[1])):
        return name
    if match := ACTING.match(sentence):
        return match[1].strip(" ,")
    matches = (pattern.search(sentence) for pattern in RESPONSIBLE)
    return next((match[1].strip(" ,") for match in matches if match is not None), "")


def _after_label(sentence: str) -> str:
    """The name in a sentence that is a label and its value: "Responsible body: Housing Agency."."""
    match = NAMED.match(sentence.rstrip(" ."))
    label = recognise(match[1]) if match is not None else None
    return match[2] if match is not None and label is not None and label.field == "organismo" else ""

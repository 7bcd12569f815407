"""The body that a sentence names as responsible: "Lo gestiona el Servicio de Consumo"."""

import re

from headwater.text.folding import fold_text
from headwater_recipes.procedures.fields.citations import DATA_PROTECTION
from headwater_recipes.procedures.labels.recognise import recognise

_LOWER = r"(?:de|del|d|i|y|e|la|las|los|les|els|o|a|do|da|dos|das|per|para|l)"
_WORD = r"[A-ZÁÉÍÓÚÀÈÌÒÙÜÏÑÇ][\wÀ-ÿ'’·\-]*"
_UNITS = (
    r"(?:Servicio|Servei|Servizo|Departament[oa]?|Área|Àrea|Negociad[oa]|Negociat|Secci[oó]n?|Unidad|Unitat|Unidade|Oficina|Secretar[ií]a|Comisi[oó]n|Comissi[oó]"
    r"|Organism[oe]|Centr[oe]|Comisaría|Comissaria|Subdirecci[oó]n?|Direcci[oó]n?|Vicesecretaría|Concejalía|Regidoria|Concellar?ía|Concellería|Consejería|Conselleria|Consellería|Institut[oa]?"
    r"|Agencia|Agència|Axencia|Ministeri[oa]?|Patronato|Consorci[oa]?|Jefatura|Delegaci[oó]n?|Gerencia|Tesorería|Policía|Ayuntamiento|Ajuntament|Concello|Diputaci[oó]n?"
    r"|Deputaci[oó]n|Cabildo|Consell|Fundaci[oó]n?|Mancomuni\w+|Xunta|Junta|Gobierno|Govern|Generalitat)"
)
_NAME = rf"{_UNITS}(?:,? (?:{_LOWER} ){{0,3}}(?:[dl]['’])?{_WORD}){{1,12}}"
_ENGLISH_NAME = rf"(?:{_WORD} (?:and |of |for )?){{1,6}}(?:Office|Unit|Department|Directorate|Section|Division|Agency|Service|Council|Ministry|Board|Authority)\b|(?:Directorate(?:-General)?|Department|Ministry|Office|Agency) (?:for|of) {_WORD}(?:,? (?:and )?{_WORD}){{0,6}}"
_BASQUE_NAME = (
    rf"(?:{_WORD} ){{1,5}}(?:Saila|Batzordea|Zuzendaritza|Zerbitzua|Bulegoa|Agentzia|Institutua|Udala)"
)
_ACTS = r"(?:tramit|gestion|xestion|prest|port|llev|organi[zt]+|convoc|coordin|entreg|lliur|imparti|instru)\w{1,3}|conced\w{1,4}|resuelve|resol|resolve|expid\w|expedeix|instruye"
_FILL = r"(?:(?!(?:en|ante|al|amb|con|na|no|por|a|davant|no)\b)[a-zà-ÿ]+ ){0,4}(?:a )?(?:l['’])?"
RESPONSIBLE = (
    re.compile(
        rf"(?:\b(?i:lo|la|los|las|ho|els|les|os|as|o|se|que|quien|qui|en) (?:{_ACTS})|\b(?:Organiza|Organitza|Convoca|Gestiona|Xestiona|Tramita|Concede|Atiende|Atende|Atén|Responde|Resuelve|Instruye|Lévao|Xestiónao|Trámítao|Tramítao|Convócao):?)\s{_FILL}({_NAME})"
    ),
    re.compile(
        rf"\b(?i:(?:órgano|òrgan|organismo|organisme|departamento|unidad|unitat)?\s?(?:competente?|responsable|encargad[oa]|encarregat|encarregada|gestora?) (?:es|és|é)|(?:es )?(?:cosa|competencia|competència|responsabilidad|responsabilitat) (?:de|da|do)|(?:a cargo|a càrrec|depende|depèn|depende) (?:de|da|do|del)|corresponde?n? (?:a|al|á)) {_FILL}({_NAME})"
    ),
    re.compile(
        rf"\b(?:[Aa]rdurat(?:zen|uko)|[Kk]udeatzen|[Tt]ramitatzen|[Ee]ramaten|[Ee]basten|[Ee]bazten) (?:den|duen)a(?: da)?:? ({_BASQUE_NAME})\b"
    ),
    re.compile(
        rf"(?<![\w'’·\-])({_BASQUE_NAME})k? (?:\w+ ){{0,3}}(?:arduratzen|kudeatzen|tramitatzen|eramaten|ebazten|antolatzen|ematen) (?:da|du|ditu)\b"
    ),
    re.compile(
        rf"\b(?i:kept|run|managed|handled|issued|organised|organized|provided|granted|decided|processed|administered) by (?:the )?({_ENGLISH_NAME})"
    ),
)
DEALS = re.compile(
    rf"(?<![\w'’·\-])(?:The )?({_ENGLISH_NAME}) (?:deals with|handles|is (?:responsible for|in charge of)|manages|processes)\b"
)
NAMED = re.compile(r"^([^:.]{3,40}):\s(\S[^:]{3,120})$")
LONGEST_SENTENCE = 400  # a hostile sentence would slow the search down


def responsible_in(sentence: str) -> str:
    """The name, or nothing. A sentence about personal data names who keeps the data."""
    if len(sentence) > LONGEST_SENTENCE or DATA_PROTECTION.search(fold_text(sentence)):
        return ""
    if (name := _after_label(sentence)) or ((match := DEALS.search(sentence)) and (name := match[1])):
        return name
    matches = (pattern.search(sentence) for pattern in RESPONSIBLE)
    return next((match[1].strip(" ,") for match in matches if match is not None), "")


def _after_label(sentence: str) -> str:
    """The name in a sentence that is a label and its value: "Responsible body: Housing Agency."."""
    match = NAMED.match(sentence.rstrip(" ."))
    label = recognise(match[1]) if match is not None else None
    return match[2] if match is not None and label is not None and label.field == "organismo" else ""

"""The names of public bodies and of their departments within a sentence, in five languages."""

import re
from collections.abc import Iterator

from headwater.text.folding import fold_text

_LOWER = r"(?:de|del|d|i|y|e|la|las|los|les|els|o|a|do|da|dos|das|per|para|l)"
_WORD = r"[A-ZÁÉÍÓÚÀÈÌÒÙÜÏÑÇ][\wÀ-ÿ'’·\-]*"
_UNITS = (
    r"(?:Servicio|Servei|Servizo|Departament[oa]?|Área|Àrea|Negociad[oa]|Negociat|Secci[oó]n?|Unidad|Unitat|Unidade|Oficina|Secretar[ií]a|Comisi[oó]n|Comissi[oó]"
    r"|Organism[oe]|Centr[oe]|Comisaría|Comissaria|Subdirecci[oó]n?|Direcci[oó]n?|Vicesecretaría|Concejalía|Regidoria|Concellar?ía|Concellería|Consejería|Conselleria|Consellería|Institut[oa]?"
    r"|Agencia|Agència|Axencia|Ministeri[oa]?|Patronato|Consorci[oa]?|Jefatura|Delegaci[oó]n?|Gerencia|Tesorería|Policía|Equipo?|Servi(?:cios|cis|zos)|Serveis|Ayuntamiento|Ajuntament|Concello|Diputaci[oó]n?"
    r"|Deputaci[oó]n|Cabildo|Consell|Fundaci[oó]n?|Mancomuni\w+|Xunta|Junta|Gobierno|Govern|Generalitat)"
)
NAME = rf"{_UNITS}(?:,? (?:{_LOWER} ){{0,3}}(?:[dl]['’])?{_WORD}){{1,12}}"
ENGLISH_NAME = rf"(?:{_WORD} (?:and |of |for )?){{1,6}}(?:Office|Unit|Department|Directorate|Section|Division|Agency|Service|Council|Ministry|Board|Authority)\b|(?:Directorate(?:-General)?|Department|Ministry|Office|Agency) (?:for|of) {_WORD}(?:,? (?:and )?{_WORD}){{0,6}}"
BASQUE_NAME = rf"(?:{_WORD} (?:eta )?){{1,6}}(?:Saila|Batzordea|Zuzendaritza|Zerbitzua|Bulegoa|Agentzia|Institutua|Arloa|Unitatea|Udala)"
ANY = re.compile(rf"(?<![\w'’·\-])(?:{NAME}|{BASQUE_NAME}(?=\w{{0,4}}\b)|{ENGLISH_NAME})")
WHOLE = re.compile(
    r"^(?:ayuntamiento|ajuntament|concello|diputacio|deputacion|cabildo|consell\b|mancomun|xunta|junta|gobierno|govern|generalitat|minister)|\b(?:udala|council|ministry|government)$"
)
"""A whole administration, which has departments."""
HOUSE_NUMBER = re.compile(r",? (?:\d|s/n)")
COUNTER = re.compile(
    r"oficina (?:virtual|electronica)|atenci|informaci|registr|rexistr|ciudadan|ciutadan|cidada|herritar|citizen|customer|visitor|comunicaci|aeat|tributaria$|seguridad social|seguretat social"
)
"""The desk of a town hall serves every department, and some bodies of the state have to do with every procedure."""


def departments_in(sentence: str) -> Iterator[str]:
    """The departments that a sentence names: no whole administration, no desk that serves all of them."""
    for match in ANY.finditer(sentence):
        name = match[0]
        if HOUSE_NUMBER.match(sentence, match.end()) and "," in name:
            name = name.rpartition(",")[0]  # its street follows
        folded = fold_text(name)
        if not WHOLE.search(folded) and not COUNTER.search(folded):
            yield name.strip(" ,")

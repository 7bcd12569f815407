"""Norms that a running text cites: "según la Ley 39/2006, de 14 de diciembre"."""

import re

_DATE = r"(?:del?|do|of) \d{1,2}\.?º? (?:del? |d['’]|do |of )?[a-zçñà-ÿ]{3,10}"
_NAMES = (
    r"(?:Ley|Llei|Lei)(?: Orgánica| Orgànica| Foral)?|(?:Real|Reial|Royal) [Dd]ecret(?:o|e)?(?:[ -][Ll](?:ey|lei|ei|egislati(?:vo|u)))?"
    r"|Decreto?(?:[ -][Ll](?:ey|lei|ei|egislati(?:vo|u))| Foral)?|Orden?|Ordre|Resoluci(?:ón?|ó)|Reglamento|Reglament|Regulamento|Law|Act|Decree|Order|Resolution"
)
_SUBJECT = r", (?:de la |del? |d['’]|do |da |sobre |p(?:el|er la) qual (?:es|s['’])|por (?:el|la) que se |pol[ao] que se )(?!\d)[^.,;:()\d]{4,90}(?=[.,;)]|$)"
_NUMBERED = (
    rf"(?:{_NAMES}) (?:n\.?º |núm\. )?(?:[A-Z]{{2,4}}/)?\d{{1,5}}/\d{{4}}(?:,? {_DATE}(?:{_SUBJECT})?)?"
)
_DATED = rf"(?:{_NAMES}) {_DATE} (?:del? |do )?\d{{4}}"
_BASQUE = r"\d{1,4}/\d{4} (?:Foru )?(?:Legea|Dekretua|Lege Organikoa|Errege Dekretua|Agindua|Araua|Ordenantza)\w{0,4}\b(?:(?: dago| daude)?, \w{4,14} \d{1,2}ko\w{1,4})?"
_LOCAL = rf"(?:Ordenan[zç]a|Reglamento|Reglament|Regulamento)(?: (?!(?:y|e|i|o|que|si|se)\b)[\wà-ÿ'’·-]+){{1,7}}?(?: n\.?º ?\d{{1,3}}\b|,? {_DATE} (?:del? |do )?\d{{4}}| ?\([^()]{{0,20}}\d[^()]{{0,40}}\))"
CITATION = re.compile(rf"\b(?:{_NUMBERED}|{_DATED}|{_BASQUE}|{_LOCAL})")
DATA_PROTECTION = re.compile(
    r"\b(?:2016/679|3/2018|tratamiento de (?:sus |los )?datos|datos (?:personales|facilitados)|proteccion de datos|proteccio de dades|dades personals|datos persoais|personal data|data protection|datu pertsonal)"
)


def citations_in(text: str) -> list[str]:
    """The norms that a text cites by number or date, in its words, each once."""
    return list(dict.fromkeys(match[0].strip(" ,") for match in CITATION.finditer(text)))

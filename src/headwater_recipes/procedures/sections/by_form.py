"""Recognises the field of a section by the form of its text alone: laws, a telephone number, an address, the name of a public
body, what is paid. Such texts mean the same under any heading."""

import re
from collections.abc import Sequence

from headwater.text.folding import fold_text
from headwater_recipes.procedures.labels.recognise import recognise
from headwater_recipes.procedures.labels.vocabulary import Label
from headwater_recipes.procedures.sections.parts import SectionLine

NORM = re.compile(
    r"(?:(?:Ley|Llei|Lei)(?: Orgánica| Orgànica| Foral)?|Real Decreto(?: Ley| Legislativo)?|Reial [Dd]ecret(?: llei)?|Real decreto|Decreto(?: Ley| Foral)?|Decret(?: llei)?|Orden|Ordre|Orde|Ordenan[zç]a|Reglamento|Reglament|Regulamento)\b.*\d"
    r"|\d{1,3}/\d{4} (?:Legea|Dekretua|Foru Araua|Ordenantza)|(?:Royal Decree|Law|Act|Decree|Order) (?:[A-Z]{2,4}/)?\d"
)
CITATION_LEAD = re.compile(
    r"^[^\d:;]{0,120}?\b(?:regul\w+|rige\w*|regeix|rexe\w*|apoy\w+|aprob\w+|aprov\w+|bas[ae]\w*|ampar\w+|fundament\w+|establec\w+|govern\w+|based|laid down|set out)\s(?:[\wàèéíòóú]+\s){0,4}?(?:l['’])?(?=(?:Ley|Llei|Lei|Lege|Real Decreto|Reial [Dd]ecret|Decreto|Decret|Orden|Ordre|Orde|Ordenan\w+|Reglament\w*|Regulamento|Constituci\w+|Resoluci\w+|Law|Royal Decree|Decree|Order|Act)\b)"
)
"""What leads to a citation within a sentence: "Lo regula la Ley 3/2020"."""
PHONE = re.compile(r"(?<!\d)[6789]\d{2}[ .]?\d{3}[ .]?\d{3}(?!\d)")
ADDRESS = re.compile(
    r"^[^.;?!]{3,80},\s?(?:n\.?º\s?)?(?:\d{1,4}|s/n)\b.{0,60}\b(?:0[1-9]|[1-4]\d|5[0-2])\d{3}\s+[A-ZÁÉÍÓÚÀÈÒÑ]"
)
BODY = re.compile(
    r"^(?:La |El |L['’]|O |A |The )?(?:(?:Servicio|Servei|Servizo|Departament[oa]?|Área|Àrea|Negociad[oa]|Negociat|Secci[oó]n?|Unidad|Unitat|Unidade|Oficina|Secretar[ií]a|Comisi[oó]n|Comissi[oó]|Subdirecci[oó]n?|Direcci[oó]n?|Vicesecretaría|Concejalía|Regidoria|Concellaría|Consejería|Conselleria|Consellería|Institut[oa]?|Agencia|Agència|Axencia|Ministeri[oa]?|Patronato|Consorci[oa]?|Jefatura|Delegaci[oó]n?|Gerencia|Tesorería|Policía Local|Centr[oe] Municipal)\b"
    r"(?:,? [\wÀ-ÿ'’·-]+){1,13}"
    r"|(?:[\wÀ-ÿ-]+ ){1,6}(?:Saila|Batzordea|Zuzendaritza|Zerbitzua|Bulegoa|Agentzia|Institutua|Sekretaritza|Idazkaritza|Arloa|Unitatea|Udala)"
    r"|(?:[A-Z][\w-]+ (?:and |of |for )?){1,6}(?:Office|Unit|Department|Directorate|Section|Division|Agency|Service|Secretariat|Bureau|Authority|Board)"
    r"|(?:Sub)?(?:Department|[Dd]irectorate|Office|Ministry|Agency|Division|Unit|Bureau|Secretariat) (?:for|of)(?:,? [\w-]+){1,10})$"
)
MONEY = re.compile(r"\d[\d.,]{0,12}\s?(?:€|euros?\b|eur\b)", re.IGNORECASE)
PAID = re.compile(
    r"\b(?:se |que se )?(?:pagan?|abonan?|ingresan?|paguen|ordain\w+)\b|\b(?:pagar|abonar|aboar|paid|pay|payable)\b|\b(?:le|lle|te|che|us|os|li) cobra(?:mos|n|m|rem\w*)\b|\bno pagan\b"
)
FREE = re.compile(
    r"^(?:nada|res|nothing|ezer|no|non|ez)?\b ?(?:\w+ ){0,3}(?:(?:no|non|ez) (?:\w+ ){0,2}(?:cost\w+|cobra\w*|cobre\w*|paga\w*|custa\w*|suposa\w*)(?: \w+){0,4}|costs? nothing|gratuit\w*|gratis|doan|free)$"
)
GETS = re.compile(r"ayuda|ajut|axuda|subvenci|prestaci|beca|laguntz|grant|benefit|recib|saldo|premi")
LONGEST_TITLE, FEW_WORDS, MOST_PAID_WORDS, LONGEST_NAME = 8, 14, 25, 200
OPEN = frozenset({"", "requisitos", "plazos", "descripcion", "datos_importantes"})
"""Fields that the heading may name by mistake where the text is an address or a public body."""


def label_by_form(title: str, label: Label | None, lines: Sequence[SectionLine]) -> Label | None:
    """The label that the text has by its form. None where the form says nothing or the heading says it better."""
    if not lines:
        return None
    field = label.field if label else ""
    if field in OPEN and all(is_address(_after_name(line.text)) for line in lines):
        return Label("donde_solicitar")
    if field in {"", "requisitos"} and len(lines) == 1 and is_body(lines[0].text):
        return Label("organismo")
    if field in {"", "requisitos", "descripcion", "donde_solicitar"} and mostly_norms(title, lines):
        return Label("base_legal")
    if not field and len(title.split()) <= LONGEST_TITLE:
        return _by_number(title, " ".join(line.text for line in lines))
    return None


def mostly_norms(title: str, lines: Sequence[SectionLine]) -> bool:
    norms = [NORM.match(CITATION_LEAD.sub("", line.text, count=1)) is not None for line in lines]
    return len(title.split()) <= LONGEST_TITLE and norms[0] and sum(norms) * 2 >= len(lines)


def is_body(text: str) -> bool:
    """Whether the text is nothing but the name of a public body or of one of its offices."""
    return len(text) <= LONGEST_NAME and len(text.split()) <= FEW_WORDS and BODY.match(text) is not None


def is_address(text: str) -> bool:
    """Whether the text has the form of an address: a name, a number, a postcode and a town."""
    return ADDRESS.match(text) is not None


def _after_name(text: str) -> str:
    """The address after the name of the building: "Centro cívico: calle Mayor, 3"."""
    name, colon, address = text.partition(": ")
    return address if colon and len(name.split()) <= LONGEST_TITLE else text


def says_free(folded: str) -> bool:
    """Whether a short text says that nothing is paid, in whatever words."""
    return len(folded.split()) <= FEW_WORDS and FREE.match(folded) is not None


def _by_number(title: str, words: str) -> Label | None:
    folded = fold_text(words)
    if len(words.split()) <= FEW_WORDS and PHONE.search(words) and recognise(title) is None:
        return Label("contacto")
    if says_free(folded):
        return Label("tasas")
    paid = MONEY.search(words) and PAID.search(folded) and not GETS.search(fold_text(f"{title} {words}"))
    return Label("tasas") if paid and len(words.split()) <= MOST_PAID_WORDS else None

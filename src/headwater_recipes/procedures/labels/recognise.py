"""Recognises the field that a heading names."""

import re
from functools import lru_cache

from headwater.text.folding import fold_text
from headwater_recipes.procedures.labels.questions import label_of_question
from headwater_recipes.procedures.labels.vocabulary import ENDINGS, NOUNS, OTHERWISE, RULES, Label

_ORDINAL = r"primer[oa]?|segund[oa]|tercer[oa]?|cuart[oa]|quint[oa]|sext[oa]|s[eé]ptim[oa]|octav[oa]|noven[oa]|d[eé]cim[oa]|[uú]nic[oa]"
NUMBER = re.compile(
    rf"^\s*(?:(?:art[ií]culo|artigo|article|art\.|base|apartado|paso|pas|punto|cl[aá]usula|secci[oó]n)\s+(?:\d{{1,3}}|[ivx]{{1,5}}|{_ORDINAL})"
    rf"|\d{{1,2}}(?:\.\d{{1,2}})*|[ivx]{{1,4}}|[a-z]|(?:{_ORDINAL}))\s*[.)\-–—ºª:]+\s*(?=\S)",
    re.IGNORECASE,
)
LEAD = re.compile(
    r"(?:(?:comprueb|comprob|comprov|revis|reun|prepar|junt|recopil|verific|egiaztatu|prestatu|check|gather|prepare|get)\w* (?=\w))?"
    r"(?:(?:cual|cuales|quin|quina|quins|quines|cal|cales|zein|zeintzuk|what|which) (?:es|son|e|da|dira|is|are) )?"
    r"(?:(?:el|la|los|las|els|les|os|as|the|your|tu|tus|su|sus|ver|consulta\w*|conoce|apartado) )?"
)
ASKS = re.compile(
    r"(?:que|quins|quina|quines|cal|cales|zer|zein|what|which|hay|hi ha|hai|tiene|te|ten|is there|are there) (?:algun\w* |cap |any |an |a )?"
)
JOINED = re.compile(
    r"\s*(?:/|\||,| y |(?<! do)(?<! can)(?<! must)(?<! am)(?<! will)(?<!^do) i | e | o | eta | and | & | – | - )\s*",
    re.IGNORECASE,
)
STATUS = re.compile(  # a badge, not a label
    r"(?:(?:plazo|termini|prazo)s? (?:abiert|cerrad|obert|tancat|abert|pechad|finalizad|finalitzat)\w*|(?:en|fuera de|fora de) (?:plazo|termini|prazo)|epea (?:zabalik|itxita)\w*)$"
)
LONGEST_LABEL = 14
LONGEST_LETTERS = 240
LONGEST, LONGEST_PLAIN, LONGEST_WEAK, LONGEST_HALF = 16, 8, 6, 4
ENDS_A_SENTENCE = re.compile(r"[.;,!…]$")
ASKING = frozenset(
    {
        *(
            "quien",
            "quienes",
            "qui",
            "quen",
            "nork",
            "who",
            "como",
            "com",
            "nola",
            "how",
            "donde",
            "on",
            "onde",
            "non",
        ),
        *(
            "where",
            "cuando",
            "quan",
            "cando",
            "noiz",
            "when",
            "que",
            "zer",
            "what",
            "cuanto",
            "quant",
            "canto",
            "zenbat",
        ),
    }
)
SOFT_TAIL = re.compile(
    r"(?:\s|^)(?:de|del|la|el|los|las|y|i|e|o|a|al|en|para|per|por|da|do|das|dos|d|l|les|els|eta|and|of|for|to|the|your|you|"
    r"solicitud\w*|solicit\w*|sol|licit\w*|present\w*|aport\w*|tramit\w*|procedim\w*|procedem\w*|necesari\w*|necessari\w*|exigid\w*|requerid\w*|"
    r"obligatori\w*|aplicable\w*|resol\w*|ayuda\w*|ajut\w*|axuda\w*|prestac\w*|certificad\w*|inscrip\w*|servic\w*|beneficiari\w*|"
    r"documentac\w*|document\w*|hac\w*|fac\w*|fer|ho|lo|se|es|puede\w*|pot|pode|demanar\w*|pedir\w*|pedirlo|hay|que|cal|"
    r"administrati\w*|electronic\w*|legal\w*|maxim\w*|general\w*|apply|application|required|needed|need|can|do|it|is|"
    r"eska\w*|aurkez\w*|beharre\w*|izapid\w*|dezake|daiteke|da|du|egin|interes\w*|adjunt\w*|acompan\w*|adicional\w*|"
    r"pag\w*|abon\w*|inici\w*|telefon\w*|contact\w*|informac\w*|atenc\w*|ciudadan\w*|responsabl\w*|compet\w*|tramitador\w*|gestor\w*|"
    r"deb\w*|cumpl\w*|reun\w*|acces\w*|cost\w*|cuesta|custa|tard\w*|triga|formular\w*|notific\w*|realiz\w*|quien|dirig\w*|tien\w*|derecho)(?=\s|$)"
)


def recognise(heading: str) -> Label | None:
    """The label of a heading. None when it names no field of a procedure."""
    return _recognise(heading) if len(heading) <= LONGEST_LETTERS else None


@lru_cache(maxsize=8192)
def _recognise(heading: str) -> Label | None:
    folded = plain_label(heading)
    if not folded or len(folded.split()) > LONGEST or STATUS.match(folded):
        return None
    if any(rule.label.field == "ignored" and rule.pattern.fullmatch(folded) for rule in RULES):
        return Label("ignored")
    for rule in ENDINGS:
        if rule.pattern.search(folded):
            return rule.label
    if (label := label_of_question(folded)) is not None:
        return label
    for candidate in dict.fromkeys((folded, LEAD.sub("", folded, count=1), ASKS.sub("", folded, count=1))):
        for rule in RULES:
            if candidate and rule.pattern.match(candidate):
                return rule.label
    return _label_of_noun(folded) or _label_of_first_half(heading)


def _label_of_first_half(heading: str) -> Label | None:
    """The label of the first half of a heading that joins two labels."""
    first, *remaining = [part for part in JOINED.split(NUMBER.sub("", heading)) if part.strip()] or [""]
    second = recognise(remaining[0]) if len(remaining) == 1 else None
    if second is None or len(first.split()) > LONGEST_HALF:
        return None
    label = recognise(first)
    return second if label is not None and label.field == "ignored" else label


def _label_of_noun(folded: str) -> Label | None:
    """The label of the first word that belongs to only one field, for headings that no rule matches."""
    words = folded.split()
    if len(words) > LONGEST_WEAK or OTHERWISE.search(folded):
        return None
    nouns = [(place, noun.label) for noun in NOUNS if (place := _place(words, noun.pattern)) is not None]
    return min(nouns, key=lambda pair: pair[0])[1] if nouns else None


def _place(words: list[str], pattern: re.Pattern[str]) -> int | None:
    return next((place for place, word in enumerate(words) if pattern.fullmatch(word)), None)


def plain_label(heading: str) -> str:
    return fold_text(NUMBER.sub("", heading))


def recognise_plain(line: str) -> Label | None:
    """The label of a line without heading markup: it must be short, not a sentence, and hardly more than the label."""
    return _recognise_plain(line) if len(line) <= LONGEST_LETTERS else None


@lru_cache(maxsize=8192)
def _recognise_plain(line: str) -> Label | None:
    text = line.strip()
    words = plain_label(text).split()
    if not 0 < len(words) <= LONGEST_PLAIN or ENDS_A_SENTENCE.search(text) or text[0].islower():
        return None
    label = recognise(text)
    if (
        label is None
        or (label.field == "ignored" and len(words) > 4)
        or _label_of_noun(plain_label(text)) is label
        or lists_ways(text)
    ):
        return None
    decided_last = any(rule.pattern.search(" ".join(words)) for rule in ENDINGS)
    return label if decided_last or _is_only_label(text, words) else None


def lists_ways(text: str) -> bool:
    """Whether the text only lists channels, like "Electrónico y presencial". That is a value, not a label."""
    if ENDS_A_SENTENCE.search(text) or len(text) > LONGEST_LETTERS:
        return False
    labels = [recognise(part) for part in JOINED.split(text) if part.strip()]
    ways = {
        label.key for label in labels if label is not None and label.field == "como_solicitar" and label.key
    }
    return len(ways) > 1 and all(label is not None and label.key in ways for label in labels)


def _is_only_label(text: str, words: list[str]) -> bool:
    if text.endswith((":", "?")) or len(words) <= 2 or (len(words) <= 4 and words[0] in ASKING):
        return True
    folded = " ".join(words)
    remaining = SOFT_TAIL.sub(" ", f" {folded} ").split()
    return len(remaining) <= 1 or (len(words) <= 4 and len(remaining) <= 2)


def recognise_both(heading: str) -> tuple[Label, ...]:
    """The labels of a heading that names two fields ("Objeto y requisitos"), in order."""
    parts = [part for part in JOINED.split(NUMBER.sub("", heading)) if part.strip()]
    if not 1 < len(parts) <= 4:
        return ()
    labels = [label for part in parts if (label := recognise(part)) is not None]
    if any(label.field == "ignored" for label in labels):
        return ()
    distinct = tuple(dict.fromkeys(labels))
    return distinct if len({label.field for label in distinct}) > 1 and len(labels) == len(parts) else ()

"""What one sentence lists: the papers that it asks for ("Trae el carné, una foto y el recibo"), the conditions that it sets ("hace falta
que residas aquí y que no tengas deudas")."""

import re

ASKS = re.compile(
    r"\b(?:tra(?:er|e|iga|igan|igas|édnos|édme|ednos|ete|éte|éis|eos)|tráe\w*|tráig\w*|llev(?:a|e|es|ar|ad|en)|necesita(?:s|mos|rás|r|n)?|pedi(?:mos|remos)|pide(?:n|s)?|"
    r"(?:aport|present|entreg|adjunt|acompañ|inclu|remit|envi|mand|prepar|enseñ|mostr)\w{0,8}|dej(?:a|e|ad|ar|arnos|anos)|"
    r"port(?:a|eu|i|ar|eu-nos)|cal(?:en|drà)?|du(?:s|eu|gueu|r|gui)|demane?m|demanarem|lliur\w{1,6}|"
    r"tra(?:er|e|ia|ede|end[oa])|achegu?\w{1,5}|xunt\w{1,5}|entregar\w{0,4}|precisa(?:s|mos|n|r)?|"
    r"bring|send|attach|enclose|hand in|show|need|include|submit|provide)\b",
    re.IGNORECASE,
)
DETERMINER = r"(?:(?:el|la|los|las|un|una|unos|unas|tu|su|vuestr[oa]s?|tus|sus|otr[oa]s?|els|les|uns|unes|el teu|la teva|o|os|a|as|unha|uns|unhas|o teu|a túa|the|an|a|your) |l['’])"
PAPER = r"(?:(?:foto)?c[oò]p(?:ia|ies|ias)|fotograf\w+|DNI|NIE|certificad\w*|certificat\w*|justificant\w*|pasaporte|passport|proof|resguardo|resguard)\b"
BEGINS_THING = re.compile(rf"(?:{DETERMINER}|{PAPER})", re.IGNORECASE)
AND_THING = re.compile(rf", (?:(?:y|i|e|and) )?| (?:y|i|e|and) (?={DETERMINER}|{PAPER})", re.IGNORECASE)
REMARK = re.compile(
    r"(?:que|which|si|se|if|per si|por si|en su caso|si escau|a ser posible|a poder ser|a través|a poder|o bien|o en|as soon|a la vez|o sea)\b",
    re.IGNORECASE,
)
SETS = re.compile(
    r"\b(?:hace falta|hay que|es necesario|es preciso|basta(?: con)?|pedimos|pide|exige|exigimos|siempre|se requiere|condici[oó]n\w*|cal|fa falta|demanem|sempre|[ée] preciso|pedimos|provided|as long as|condition)\b",
    re.IGNORECASE,
)
THAT = re.compile(r"(?:, (?:(?:y|i|e|and) )?| (?:y|i|e|and) )(?:de )?(?=(?:que|that)\b)", re.IGNORECASE)
FIRST_THAT = re.compile(r"\b(?:que|that)\s", re.IGNORECASE)
LONGEST_THING, FEWEST_THINGS, AFTER_VERB, LONGEST_BEGINNING = 14, 2, 30, 110


def papers_listed(sentence: str) -> list[str]:
    """The papers that a sentence asks for, each in its own words; none where it does not plainly list them."""
    asks = ASKS.search(sentence)
    if asks is None or asks.start() > LONGEST_BEGINNING:
        return []
    thing = BEGINS_THING.search(sentence, asks.end(), asks.end() + AFTER_VERB)
    if thing is None:
        return []
    pieces: list[str] = []
    in_remark = False
    for piece in AND_THING.split(sentence[thing.start() :].rstrip(".;!")):
        in_remark = bool(REMARK.match(piece)) or (in_remark and not BEGINS_THING.match(piece))
        if not pieces or (BEGINS_THING.match(piece) and not in_remark):
            pieces.append(piece)
        elif not in_remark:
            pieces[-1] += f", {piece}"
    short = all(len(piece.split()) <= LONGEST_THING for piece in pieces)
    return pieces if len(pieces) >= FEWEST_THINGS and short else []


def conditions_listed(sentence: str) -> list[str]:
    """The conditions that a sentence sets one after another, each from its "que" on; none where there are fewer than two."""
    sets = SETS.search(sentence)
    first = FIRST_THAT.match(sentence, sets.end() + 1) if sets else None
    if first is None:
        return []
    pieces = THAT.split(sentence[first.start() :].rstrip(".;"))
    return pieces if len(pieces) >= FEWEST_THINGS else []

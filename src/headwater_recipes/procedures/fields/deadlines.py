"""Deadlines by purpose."""

import re
from collections.abc import Sequence

from headwater.text.folding import fold_text
from headwater_recipes.procedures.fields.citations import CITATION
from headwater_recipes.procedures.fields.entries import NOTE
from headwater_recipes.procedures.fields.responsible import responsible_in
from headwater_recipes.procedures.fields.term_order import terms_in_order
from headwater_recipes.procedures.fields.value import FieldValue, spans_of
from headwater_recipes.procedures.labels.recognise import recognise
from headwater_recipes.procedures.sections.parts import PagePart, SectionLine
from headwater_recipes.procedures.sections.sentences import sentences
from headwater_recipes.procedures.sections.table_rows import without_header_rows

SILENCE = re.compile(
    r"silenci|isiltasun|\b(?:entend|enten|entiend|consider)\w{0,8} (?:des)?(?:estimad|concedid|aprobad|denegad|estimat|concedi|aprovad)\w*|\bfalta de (?:resoluc|resposta|respuesta|notificac|contestac)\w{0,30}|efect\w{1,30} (?:des)?estimatori|\bsilence\b|(?:estimad|desestimad|desestimatori|estimatori|entender)\w{0,30} (?:\w{1,30} ){0,4}(?:silencio|solicitud)|sin (?:respuesta|resolucion|notificac|contestac)|sense (?:resposta|resolucio|notificac|contestac)|sen (?:resposta|resolucion|contestac)"
)
_NUMBER = r"(?:\d{1,3}|un|una|uno|dos|dues|dous|duas|tres|catro|cuatro|quatre|cinco|cinc|seis|sis|nueve|diez|deu|quince|quinze|veinte|treinta|trenta|one|two|three|six|ten|bi|hiru|lau|sei)"
TERM_FIRST = re.compile(
    rf"(?:(?:en|el plazo|el termini|o prazo|maximo|maxim|es de|es|de|la administracion|se|resuelve|resol|resolve|within|we|decide|answer) ){{0,7}}{_NUMBER} (?:\w+ )?(?:dias?|dies|mes(?:es|os)?|semanas?|setmanes|months?|days?|weeks?)\b(?: \w+){{0,6}}? (?:con|amb|with|y|i|e|and|si|se|if)\b.*(?:silenci|no (?:contest|respon|resuelv|resol|answer))"
)
LONGEST_SENTENCE = 400  # a hostile sentence would slow the search down
UNANSWERED = re.compile(
    r"\b(?:si|se|if)\b.*\b(?:no|non|not)\b.*(?:contest|respo|resuelv|resol|answer|reply|respuest|respost|notific).*(?:estimad|desestimad|conced|deneg|aprobad|rechazad|granted|refused|accept|entend|enten)"
)
UNHEARD = re.compile(
    r"\b(?:si|se|if)\b.{0,60}\b(?:no|non|not|nada|res|silent)\b|\b(?:sin|sense|sen|without) (?:noticias|noticies|novas|news|saber)\b|\bez bad\w+|ik ezean\b|\bcallar\b"
)
MEANS = re.compile(
    r"\b(?:entiend|entend|vol dir|significa|means?\b|equival|consider|quiere decir|quere dicir|joko d|conced|deneg|turned down|refus|granted|reject|estimad|desestimad|ezets|onets)"
)
"""What silence means: nobody has answered, and a consequence follows."""
APPEAL = re.compile(
    r"recurso|recurs\b|recurs de|alzada|alcada|reposicion|reposicio|contencios|errekurtso|\bappeal|impugn"
)
DECISION = re.compile(
    r"resol(?:ver|ucion|ucio|dre|uc|ved|vera|utoria)|\bresoldra|resuelv|notificar|notificaci|ebatz|ebazpen|erantzu|decision|decide|processing|resolv|tramitacion (?:es|dura)|respuesta|resposta|se (?:hace|fa|fai|realiza|realitza|expide) en|expedir|emitir|se entrega|\bdecided|ebaz|resultad|resultat|emaitza|\b(?:se|es) publicar|\bpublicar(?:a|an|ase)\b|\blist\w{0,4} (?:definitiv|provisional)|\b(?:is|are|will be) (?:sent|issued|posted|delivered)\b|^(?:en el acto|al moment|en el momento|no momento|on the spot|immediately|inmediat)|jakingo|\bsabr(?:as|a|eu|an|emos)\b|hear (?:from|back)|\b(?:to|we) (?:reply|answer|respond)\b|argitaratu|recibir(?:as?|an|eis)\b|rebr(?:as?|eu|an)\b|recibira\w*|haurem (?:respost|contestat)|habremos (?:respondido|contestado)|\btrig(?:arem|uem|a)\b|\btard(?:aremos|amos|a)\b|\bpubli(?:camos|caremos|quem|carem)\b|\bwe publish\b"
    r"|\b(?:le|lle|te|che|us|os|li|et) (?:(?:el|la|lo|los|las|els|les|o|a) )?(?:respond|contest|dire|dona|donem|damos|daremos|confirma|avisa|entrega|comunica)\w*"
    r"|\b(?:damos|resolvemos|entregamos|respondemos|contestamos)\w{0,4}\b|\b(?:resolvemo|damo)\w{1,5}\b|se (?:le |te |os |lle |us )?(?:confirma|comunica|concede)\b"
)
OPEN_ALWAYS = re.compile(
    r"todo el ano|tot l any|todo o ano|urte osoan|all year|any time|(?:cualquier|qualsevol|calquera|any) (?:momento?|moment|dia|day|epoca|data)|edozein unetan"
)
"""A time to apply, whatever the heading says."""
OUTRIGHT = re.compile(
    r"(?:plazo|termini|prazo)(?: maxim\w+)? (?:de|para|per a?|pera) (?:la |dictar )?(?:resol\w+|notific\w+)[^.]{0,60}\b(?:dias?|dies|meses|mes|mesos|semanas?)\b"
    r"|(?:resolucion?o?|resolucio|resposta|respuesta)\b[^.]{0,40}\b(?:en un|en el|en) (?:plazo|termini|prazo)\b[^.]{0,40}\b(?:dias?|dies|meses|mes|mesos|semanas?)\b"
)
SILENT = re.compile(
    r"(?:por|per|pola?) silenci\w{0,30}(?: administrati\w{1,30})?$|(?:estimad|desestimad)\w{0,30} por silenci|silenci\w{0,30} administrati\w{1,30} (?:es|sera|te|tiene)"
)
AFTER_IT = re.compile(
    r"(?:siguientes?|seguents?|posteriores?|desde|dende|a partir|tras|despues|despres|despois|des de|from|after|following)\b(?: \w+){0,9} (?:resol|notific|decision)"
)
"""A decision after which the time to apply begins."""
FOLLOWS = re.compile(
    r";\s|,\s(?=(?:transcurrid|transcorregu|pasad[oa]|passat|vencid|vençu)\w* )|,?\s(?:y|i|e|and|eta)\s(?=(?:se entender|s['’]entendr|enten|si |tens |tienes |ten |you (?:have|may|can) |contra )|(?:cabe|procede|podrá?s?|puede) )"
)
"""Before what follows from a term."""
TELEPHONE = re.compile(r"(?<!\d)(?:0\d{2}|[6789]\d{2}[ .]?\d{3}[ .]?\d{3}|[6789]\d{2}(?: \d{2}){3})(?!\d)")
FEW_WORDS = 4
TERMS = frozenset({"solicitud", "resolucion"})
OTHER_TERMS = {
    "justificacion": re.compile(
        r"(?:plazo de |prazo de |termini de )?(?:la |a )?(?:justifi|xustifi|zuriket)"
    ),
    "subsanacion": re.compile(r"subsana|esmena|emenda|zuzenket"),
    "ejecucion": re.compile(
        r"(?:para|per|plazo de|termini d|prazo de)? ?(?:la |l )?(?:ejecu|execu|exekuzio)"
    ),
}
"""Terms after the application that have a name of their own."""
WORKS = re.compile(r"\b(?:obras?|obres) (?:\w+ ){0,3}(?:termin|acab|ejecut|execut|empez|comenz|comenc|remat)")
"""When works must begin or end: the key ejecucion."""
CONSEQUENCES = frozenset({"silencio_administrativo", "recurso"})
SAYS_WHEN = re.compile(
    r"\d|\b(?:dias?|dies|mes|meses|mesos|semanas?|setman\w+|anos?|anys?|ano|any|horas?|hores|hilabete\w*|egun\w*|aste\w*|urte\w*|ordu\w*|days?|months?|weeks?|years?|hours?)\b"
    r"|plazo|termini|prazo|epe|moment|fecha|data\b|silenci|estimad|enten|entiend|antes|abans|despues|despres|despois|lehen|ondoren|before|after|always|siempre|sempre|cada|cuando|quan\b|cando|inmediat|immediat|berehala|same|mism|mateix|propi|curso|curs\b|temporada|verano|estiu|hasta|fins|ata\b|arte\b|until|at once|on the spot|acto\b|acte\b|periodo|period|calendario|convocatoria|abiert|obert|abert|irek|open"
)
"""Any word about time, or about what follows from it."""
OUTSIDE = re.compile(
    r"^(?:fuera|fora) d|^(?:passat|pasado|transcurrido) (?:aquest|ese|este|ese) termini\b|\bno(?:n)? se admit\w+|\bno s admet\w+"
)
"""When one cannot apply."""
APPLYING = re.compile(
    r"solicit|sol licit|present|inscrip|apunta|\bpeticion|eska|appl|submit|abierto|obert|aberto|todo el ano|tot l any|cualquier momento|qualsevol moment|calquera momento|urte osoan|edozein|any time|all year"
)


def deadlines(parts: Sequence[PagePart], everything: Sequence[PagePart] = ()) -> FieldValue:
    """Keys solicitud, resolucion, silencio_administrativo, recurso, and others by their name on the page. The time for the
    decision and the meaning of silence may come from other sections, where a sentence states them explicitly."""
    texts_by_key: dict[str, list[str]] = {}
    lines: list[SectionLine] = []
    for part in parts:
        for line in without_header_rows(part.lines):
            if NOTE.match(line.text):
                continue
            for key, text in _keyed_texts(part, line):
                if text not in texts_by_key.setdefault(key, []):
                    texts_by_key[key].append(text)
                lines.append(line)
    for key, text, line in _explicit_statements(everything, texts_by_key):
        texts_by_key[key] = [text]
        lines.append(line)
    value = {key: " ".join(texts) for key, texts in _telling(texts_by_key).items()}
    return FieldValue(value, spans_of(lines)) if value else FieldValue()


def _telling(texts_by_key: dict[str, list[str]]) -> dict[str, list[str]]:
    """The texts that say when, without those around them that say something else: who decides, what it is based on."""
    timed = {
        key: [text for text in _with_time(texts) if not responsible_in(text)] if key in TERMS else texts
        for key, texts in texts_by_key.items()
    }
    timed = {key: texts for key, texts in timed.items() if texts}
    return timed or texts_by_key


def _with_time(texts: Sequence[str]) -> list[str]:
    """The texts that name a time; without any, a few words say when, whatever they are: "Permanente"."""
    return [text for text in texts if _names_time(text)] or [text for text in texts if _says_when(text)]


def _says_when(text: str) -> bool:
    return len(text.split()) <= FEW_WORDS or _names_time(text)


def _names_time(text: str) -> bool:
    return SAYS_WHEN.search(fold_text(TELEPHONE.sub("", CITATION.sub("", text)))) is not None


def _explicit_statements(
    parts: Sequence[PagePart], texts_by_key: dict[str, list[str]]
) -> list[tuple[str, str, SectionLine]]:
    explicit: dict[str, tuple[str, str, SectionLine]] = {}
    for part in parts:
        if part.field in {"plazos", "ignored", "base_legal"}:
            continue
        for line in part.lines:
            for sentence in sentences(line.text):
                folded = fold_text(sentence)
                key = (
                    "resolucion"
                    if OUTRIGHT.search(folded)
                    else "silencio_administrativo"
                    if SILENT.search(folded)
                    else ""
                )
                if key and key not in texts_by_key:
                    explicit.setdefault(key, (key, sentence, line))
    return list(explicit.values())


def _keyed_texts(part: PagePart, line: SectionLine) -> list[tuple[str, str]]:
    if line.kind == "row":
        return _row(line)
    if part.key not in {"", "solicitud", "resolucion"}:
        return [(part.key, line.text)]
    if line.lead and line.rest:
        return [(_key_of_label(line.lead), line.rest)]
    statements = [
        statement for sentence in sentences(line.text) for statement in _term_and_consequence(sentence)
    ]
    if len(statements) == 1:
        key, text = _named_term(statements[0])
        return [(key or _key(fold_text(text), part.key), text)]
    named = [_named_term(statement) for statement in statements]
    stated = ["" if key else _key(fold_text(text), "") for key, text in named]
    terms = [
        place
        for place, (key, text) in enumerate(named)
        if not key and (stated[place] in CONSEQUENCES or _names_time(text))
    ]
    order = terms_in_order([named[place][1] for place in terms], [stated[place] for place in terms], part.key)
    keys = dict(zip(terms, order, strict=True))
    return [
        (key or keys.get(place) or _key(fold_text(text), part.key), text)
        for place, (key, text) in enumerate(named)
    ]


def _named_term(statement: str) -> tuple[str, str]:
    """The key that the name of the term before a colon decides, or nothing, and what is said about it: "Para resolver: diez días"."""
    name, colon, term = statement.partition(": ")
    if not (colon and term and len(name.split()) <= FEW_WORDS):
        return "ejecucion" if WORKS.search(fold_text(statement)) else "", statement
    folded = fold_text(name)
    if other := _other_term(folded):
        return other, term
    key = _key(folded, "")
    plain = key in TERMS or (key in CONSEQUENCES and recognise(name) is not None)
    return (key, term) if plain else ("", statement)


def _term_and_consequence(sentence: str) -> list[str]:
    """Split a term from what follows it: what silence means, the time to appeal."""
    for match in FOLLOWS.finditer(sentence[:LONGEST_SENTENCE]):
        term, consequence = sentence[: match.start()], sentence[match.end() :]
        if _key(fold_text(consequence), "") in CONSEQUENCES - {_key(fold_text(term), "")} and _names_time(
            term
        ):
            return [term, consequence]
    return [sentence]


def _row(line: SectionLine) -> list[tuple[str, str]]:
    name, *values = [cell for cell in line.cells if cell] or [""]
    if not values or fold_text(name) in {
        "plazo",
        "tramite",
        "fase",
        "concepto",
        "termini",
        "actuacion",
        "epea",
    }:
        return []
    return [(_key_of_label(name), " ".join(values))]


def _key_of_label(name: str) -> str:
    folded = fold_text(name)
    return _other_term(folded) or _key(folded, "") or _slug(name)


def _other_term(folded: str) -> str:
    return next((key for key, pattern in OTHER_TERMS.items() if pattern.match(folded)), "")


def _key(folded: str, default: str) -> str:
    """The key of a sentence. Silence and appeals have their own key in any section; a sentence that first says how long the
    decision takes, and then what silence means, is about the decision."""
    if TERM_FIRST.match(folded):
        return "resolucion"
    if SILENCE.search(folded):
        return "silencio_administrativo"
    if APPEAL.search(folded):
        return "recurso"
    if default == "solicitud" and OUTSIDE.search(folded):
        return default
    short = len(folded) <= LONGEST_SENTENCE
    if short and (UNANSWERED.search(folded) or (UNHEARD.search(folded) and MEANS.search(folded))):
        return "silencio_administrativo"
    if default == "resolucion" and OPEN_ALWAYS.search(folded) and not DECISION.search(folded):
        return "solicitud"
    if default == "resolucion" or (default and AFTER_IT.search(folded)):
        return default
    if DECISION.search(folded) and not (
        default
        and APPLYING.search(folded)
        and not re.match(
            r"(?:el )?(?:plazo|termini|prazo)?\w{0,30} ?(?:maxim\w{1,30} )?(?:de|para|per)? ?(?:resol|la resol|notif)",
            folded,
        )
    ):
        return "resolucion"
    if APPLYING.search(folded):
        return "solicitud"
    return default


def _slug(text: str) -> str:
    return fold_text(text).replace(" ", "_")[:40] or "solicitud"

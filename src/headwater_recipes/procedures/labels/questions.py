"""Labels that are questions: a question word and a topic, in five languages.

A site may phrase its questions freely ("¿Hasta cuándo tengo tiempo?", "Quen o leva"). The question word and one other word
decide which field answers. All patterns match folded text: lower case, no accents.
"""

import re

from headwater_recipes.procedures.labels.vocabulary import Label

_ASKS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(pattern))
    for name, pattern in (
        ("long", r"(?:(?:en|dentro de|in) )?(?:cuanto|quant|canto)(?: de)? (?:tiempo|temps|tempo)\b|zenbat denbora\w*|how long"),
        ("much", r"(?:cuant[oa]s?|quant[as]?|quants|cant[oa]s?|zenbat|how much)\b"),
        ("why", r"(?:para que|per a que|per que|pera que|zertarako|what for|what is it for)\b"),
        ("who", r"(?:(?:a|para|per a|pera|por|per) )?(?:quien|quienes|qui|quen|nork|nor|nori|norentzat|zeinek|who|whom)\b"),
        ("when", r"(?:(?:hasta|desde|fins|fins a|des de|ata|dende|a partir de|until|from|by) )?(?:cuando|quan|cando|noiz|noiztik|noiz arte|when)\b"),
        ("where", r"(?:(?:a|en|de|desde) )?(?:donde|adonde|onde|aonde|non|nora|where)\b|on(?= \w)"),
        ("means", r"(?:por|per|a traves de|con) (?:que|quin|cual) (?:medios?|vias?|canal\w*|mitja\w*)\b"),
        ("how", r"(?:de que manera|de que forma|como|com|nola|how)\b"),
        ("what", r"(?:que|zer|what|which|quin|quina|quins|quines|cual|cuales|cal|cales|zein|zeintzuk)\b"),
    )
)  # fmt: skip
_ABOUT: dict[str, re.Pattern[str]] = {
    name: re.compile(rf"\b(?:{pattern})")
    for name, pattern in {
        "silence": r"(?:si|se|if) (?:\w+ ){0,3}?(?:no|non|not|nobody|nadie|ningu|ninguen)\b.*(?:contest|respo|resuelv|resol|answer|reply|decid)|ez (?:bada|badute|badidate) (?:erantzu|ebatz)",
        "appeal": r"recurr|recorr|impugn|reclam\w+|errekurr|errekurtso|appeal|disagree|(?:no|non) (?:estoy|estic|estou|estas|se esta) (?:de acuerdo|d acord|de acordo)|me (?:la |lo )?denieg|deneg",
        "charges": r"(?:(?:le|lle|te|che|us|os|li|et|me|em) )?cobra(?:mos|n|m|ran|remos)\b|cobrem\b|cobrarem\b",
        "hands_in": r"(?:hacer|hacerl\w+|fer|facer|facel\w*|fer ho|get\w*) (?:\w+ ){0,2}?(?:llegar|arribar|chegar|to us)\b",
        "reach": r"(?:llegar|arribar|chegar|get)(?: hi| ata nos| hasta aqui| here| there)?$",
        "starts": r"empez\w*|empiez\w*|comenz\w*|comienz\w*|comenc\w*|start\w*|hasi\b",
        "decide": r"tendre\w*|tindr\w*|terei|dira\w*|diran|llegar\w*|arribar\w*|chegar\w*|jakingo|wait|have it|tarda\w*|triga\w*|demora\w*|resolv\w*|resolu\w*|resoldr\w*|resuelv\w*|resol\b|contest\w*|respon\w*|respuest\w*|respost\w*|conced\w*|concess?\w*|sabre\w*|sabras|notific\w*|ebatz\w*|ebazt\w*|ebazpen\w*|erantzu\w*|irauten|decid\w*|decision|takes?|answer\w*|reply|response|hear (?:from|back)|tiempo de espera|entrega(?:n|ran) (?:el|la)",
        "gets": r"estalvi\w*|ahorr\w*|aforr\w*|cobr\w*|recib\w*|rebr\w*|rebo\b|percib\w*|perceb\w*|me dan\b|dan\b|donen|donaran|me pagan|em paguen|pagan\b|diner\w*|dinero|din eiro|dineiro|corresponde\w*|jaso\w*|kobra\w*|receive|get\b|paid",
        "pays": r"pag\w*|cuesta\w*|cost\w*|custa\w*|vale\b|val\b|abon\w*|aboar|ordain\w*|balio|kosta\w*|precio|preu|prezo|tasas?|taxes|taxas?|pay|fee|charge|gratis|gratuit\w*|free|doan\w*",
        "law": r"norm\w+|ley(?:es)?\b|llei\w*|leis?\b|lege\w*|legisl\w*|regula\w*|se bas[ea]\w*|es basa|oinarri\w*|arau\w*|laws?\b|rules?\b",
        "handles": r"(?:lo |la |ho |o |se |s en |s )?(?:lleva|porta|leva|tramita|gestiona|xestiona|encarga|ocupa|resuelve|resol\b|concede|convoca|organiza|emite|expide|expedeix|kudeatzen|izapidetzen|ebazten|ematen|handles|manages|processes|deals|runs|issues|grants|responsible|responsable|in charge|competent\w*|atiende)\b",
        "brings": r"(?:me|em|te|et|nos|os) (?:\w+ a )?(?:pid|ped|deman|exig|solicit)\w*|present\w*|aport\w*|acheg\w*|llevar|lleva\b|portar|port\b|traer|traigo|trae\b|dur\b|levar|traer|adjunt\w*|entreg\w*|acompan\w*|lliur\w*|document\w*|papel\w*|papers?\b|pape[il]s?\b|impres\w*|justific\w*|agiri\w*|dokument\w*|aurkez\w*|ekarri|eraman|bring|submit|provide|enclos\w*|attach|need\b|necesit\w*|necessit\w*|precis\w*|falta|beharrezko\w*|behar d\w+|behar dut|pide\w*|piden|demanen|require\w*|exig\w*",
        "rules": r"requisit\w*|condici\w*|baldintza\w*|conditions?|requirements?|eskakizun\w*|cumpl\w*|compl\w*|reun\w*|bete\w*",
        "quiet": r"silenci\w*|isiltasun\w*|silence",
        "settled": r"(?:plazo|termini|prazo|epe|tiempo|temps|tempo|time)\w*\b.{0,60}\b(?:resolver|resoldre|resolv|resolu|contest|respond|notific|decid|ebatz|ebaz|erantzu)",
        "aid": r"ayuda|ajut|ajuda|axuda|prestaci|subvenci|beca|bolsa|pension|laguntza|grant\b|benefit|subsidi",
        "does": r"(?:hay que|tengo que|debo|he de|cal|hai que|teno que|has de|must i|do i have to|should i) (?:hacer|fer|facer|do)|zer egin|pasos|passos|steps",
        "dates": r"plazos?|terminis?|prazos?|epe\w*|fechas?|dat[ae]s?\b|deadline\w*",
        "asks": r"help\w*|ayud[ae]\w*|ajud[ae]\w*|axud[ae]\w*|lagun\w+|dud\w*|dubt\w*|dubid\w*|informa\w*|ayuda\b|ajuda|axuda me|pregunt\w*|zalantz\w*|questions?|contact\w*|llam\w*|truc[ao]\w*|trucar|chamar|deitu|call\b",
        "offices": r"oficin\w*|ventanilla|sitio|lugar|lloc|bulego\w*|office",
        "applies": r"solicit\w*|sol licit\w*|pedi\w*|demana\w*|eska\w*|tramit\w*|inscri\w*|apunt\w*|inici\w*|apply|applic\w*|hacer\w*|fer\b|fer ho|facer\w*|egi\w*|realiz\w*|obten\w*|consegu\w*|lort\w*|do it",
        "being": r"(?:puedo|puc|podo|can i|dezaket) (?:hacer|fer|facer|do|egin)|es\b|e\b|son\b|da\b|dira\b|is\b|are\b|consig\w*|consegu\w*|obten\w*|s obte|lortzen|trata|tracta|consiste\w*|datza|serv\w*|sirv\w*",
    }.items()
}  # fmt: skip
_SOLICITUD, _RESOLUCION = Label("plazos", "solicitud"), Label("plazos", "resolucion")
_SILENCIO, _RECURSO = Label("plazos", "silencio_administrativo"), Label("plazos", "recurso")
_ANSWERS: dict[str, tuple[tuple[str, Label], ...]] = {
    "long": (("gets", _RESOLUCION), ("decide", _RESOLUCION), ("applies", _SOLICITUD), ("brings", _SOLICITUD)),
    "much": (
        ("decide", _RESOLUCION),
        ("charges", Label("tasas")),
        ("gets", Label("cuantias")),
        ("pays", Label("tasas")),
        ("aid", Label("cuantias")),
    ),
    "why": (("", Label("descripcion")),),
    "who": (("handles", Label("organismo")), ("asks", Label("contacto")), ("", Label("requisitos"))),
    "when": (
        ("decide", _RESOLUCION),
        ("gets", _RESOLUCION),
        ("pays", Label("plazos", "pago")),
        ("", _SOLICITUD),
    ),
    "where": (
        ("asks", Label("contacto")),
        ("law", Label("base_legal")),
        ("starts", Label("como_solicitar")),
        ("", Label("donde_solicitar")),
    ),
    "how": (
        ("appeal", _RECURSO),
        ("hands_in", Label("como_solicitar")),
        ("reach", Label("donde_solicitar")),
        ("decide", _RESOLUCION),
        ("pays", Label("tasas")),
        ("asks", Label("contacto")),
        ("applies", Label("como_solicitar")),
        ("brings", Label("como_solicitar")),
    ),
    "means": (("", Label("como_solicitar")),),
    "must": (("pays", Label("tasas")), ("brings", Label("documentos_necesarios"))),
    "what": (
        ("quiet", _SILENCIO),
        ("settled", _RESOLUCION),
        ("does", Label("como_solicitar")),
        ("law", Label("base_legal")),
        ("dates", _SOLICITUD),
        ("rules", Label("requisitos")),
        ("pays", Label("tasas")),
        ("offices", Label("donde_solicitar")),
        ("brings", Label("documentos_necesarios")),
        ("being", Label("descripcion")),
    ),
}
_BEFORE = re.compile(
    r"^(?:(?:y|i|e|and|eta|[0-9]{1,2}) )?(?:(?:a|con|de|en|sobre|amb|from|with) (?=que|quin|what|zer|cuant|quant|cant[oa]\b))?"
)
_INSIDE = re.compile(
    r"^(?:tiempo|temps|tempo|plazo|termini|prazo) (?:maxim\w+ )?(?:que|en que|en el que|en) "
)
_MUST = re.compile(
    r"(?:hay que|cal|hai que|debes?|deberas?|tiene\w* que|tens que|tes que|ha de|has de|you (?:must|need to|have to)) (?=\w)"
)
_BEFORE_STARTING = re.compile(
    r"(?:antes de (?:empezar|comenzar|iniciar|solicitar)|abans de (?:comencar|sol licitar)|antes de comezar|hasi aurretik|before you (?:start|begin|apply))\b"
)
_AFTERWARDS = re.compile(
    r"(?:despues de (?:solicitar|presentar|enviar)\w*|despres de (?:sol licitar|presentar)|despois de (?:solicitar|presentar)|after (?:you (?:apply|submit)|applying)|what happens (?:next|after)|eskaeraren ondoren)\b"
)
_THOSE_WHO = re.compile(
    r"^(?!recurs|document|papel|paper|plazo|termini|prazo|tramit|lugar|lloc|oficin|medio|canal|via|forma|ayuda|gasto|dia|dies|dias|dinero|diners|cartos|euros|tiempo|temps|tempo|hora|cosa|cantidad|importe|fecha|data|documento)(?:\w+ ){1,3}(?:que|qui|who|that) (?:lo |la |ho |o |el |hi |s hi |se |es )?(?:pued|pod|pot\b|poden|can\b|may\b)"
)
LONGEST = 14


def label_of_question(folded: str) -> Label | None:
    """The label of a folded question. None when it is not a question about a known field."""
    if len(folded.split()) > LONGEST:
        return None
    if _ABOUT["silence"].search(folded):
        return _SILENCIO
    question = _BEFORE.sub("", folded, count=1)
    for kind, pattern in _ASKS:
        if (match := pattern.match(question)) is not None:
            return _answer(kind, question[match.end() :].strip())
    if (match := _MUST.match(question)) is not None:
        return _answer("must", question[match.end() :])
    if _BEFORE_STARTING.match(question):
        return Label("documentos_necesarios")
    if _AFTERWARDS.match(question):
        return _RESOLUCION
    if _THOSE_WHO.match(question):
        return Label("requisitos")
    if _INSIDE.match(question) and _ABOUT["decide"].search(question):
        return _RESOLUCION
    return None


def _answer(kind: str, topic: str) -> Label | None:
    for about, label in _ANSWERS[kind]:
        if not about or _ABOUT[about].search(topic):
            return label
    return None

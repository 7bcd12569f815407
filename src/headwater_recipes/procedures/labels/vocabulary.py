"""The labels of sections on portals, in Spanish, Catalan, Galician, Basque and English, and the fields they name."""

import re
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Label:
    """`field` of the document. `key` divides some fields: the purpose of a deadline, the way to apply."""

    field: str
    key: str = ""


@dataclass(frozen=True, slots=True)
class LabelRule:
    label: Label
    pattern: re.Pattern[str]


def label_rules(label: Label, phrases: Iterable[str]) -> tuple[LabelRule, ...]:
    return tuple(LabelRule(label, re.compile(phrase)) for phrase in phrases)


_A = r"(?:(?:a|o|el|la|los|las|els|les|os|as|the|l) )?"

NOT_FOR_FIELDS = (
    r"requisitos (?:tecnicos|informaticos|del (?:navegador|equipo|sistema)|de (?:accesibilidad|navegacion|firma|software))",
    r"requisits tecnics|(?:baldintza|eskakizun|betekizun) teknikoak|technical requirements|system requirements",
    r"(?:informacion|informacio|informazio)\S* (?:\w+ ){0,3}(?:proteccion de datos|proteccio de dades|datuen babes\w*|privacidad)",
    r"(?:proteccion|tratamiento) (?:de )?(?:los )?datos|(?:proteccio|tractament) de (?:les )?dades|datu\w* (?:pertsonal\w* )?(?:babes|tratamendu)\w*",
    r"(?:data protection|privacy|privacidad|privacitat|privacidade|politica de|politica d|pribatutasun)",
    r"(?:base|finalidad|finalitat|finalidade|responsable|plazo|legitimacion|legitimacio|derechos|drets) (?:\w+ ){0,2}(?:tratamiento|tractament|tratamento|conservacion|conservacio|interesados?|datos|dades)",
    r"(?:aviso|avis|aviso|lege) (?:legal|oharra)|legal notice|terms (?:of|and)|cookies|condiciones de uso|condicions d us|condicions de uso",
    r"(?:accesibilidad|accessibilitat|accesibilidade|irisgarritasun\w*|accessibility)$|declaracion de accesibilidad",
    r"(?:comentarios|comentaris|iruzkin\w*|comments|opiniones|opinions|opinions de|valora\w*|tu opinion|danos tu|puntua|encuesta|enquesta|rate)\b",
    r"(?:lotutako|vinculad\w+|vinculat\w*|enlaces|enllacos|ligazons|ligazons|estekak|links|useful links|related|relacionad\w+|relacionats|erlazionatu\w*)\b",
    r"(?:tramites|tramits|procedimientos|procediments|procedementos|izapide\w*|servicios|serveis|otros|otras|altres|outros|outras|beste|other|documentos|documents|contenidos?|continguts?) (?:\w+ )?(?:relaciona\w*|erlazionatu\w*|tramites|tramits|procedimientos|similares|de interes|d interes|izapide\w*|procedures|services)",
    r"(?:te puede|le puede|tambien te|et pot|pode|you may)\w* (?:\w+ )?(?:interes\w*|interest\w*|also)",
    r"(?:(?:tambien|tambe|tamen|ere|quiza\w*|potser|tal vez|quizais|igual|you) )*(?:(?:te|le|os|us|che|lle|et|li|vos|it|this) )?(?:puede\w*|podria\w*|pode\w*|pot\w*|may|might)? ?(?:(?:te|le|os|us|che|lle|also|be) )*(?:interes(?:s?ar\w*|s?an?|s?en|t|ting))(?: (?:also|tambien|tambe|tamen))?$",
    r"(?:compart\w+|comparteix|partekatu|share|redes sociales|xarxes socials|siguenos|segueix nos|follow us)\b",
    r"(?:notas?|notes?|oharrak?) (?:al pie|a peu|a pe|pie)|footnotes?$",
    r"(?:ultima|darrera|azken|last|fecha|data) (?:\w+ )?(?:actualizacion|actualitzacio|modificacion|eguneratze\w*|update\w*|revision)",
    r"(?:novas|novidades|actualidad|actualitat|actualidade|gaurkotasuna|noticias|noticies|novedades|novetats|albisteak|news|agenda|newsletter|boletin|butlleti|suscri\w+|mapa web|imprim\w+|buscador|buscar|cercador|menu|navegadores|glosario)\b|(?:inicio|inici|hasiera|home)$",
    r"(?:asistencia|soporte|incidencias|suport|problemas) (?:tecnic\w+|informatic\w+)|(?:ayuda|ajuda|axuda|laguntza) (?:tecnica|teknikoa)",
    r"(?:volver|tornar|itzuli|back)\b",
    r"(?:mas|mes|mais|otros|otras|altres|outros|outras|gehiago|beste|more|other|ultimos|darrers) (?:tramites?|tramits|procedimientos?|procediments|procedementos|servicios|serveis|servizos|ayudas|ajuts|axudas|izapide\w*|services|procedures)\b",
    r"(?:vease|vegeu|veure|vexase|vexa|veja|ikus|see)(?: (?:tambien|tambe|tamen|also|gainera))\b|lo mas (?:visto|leido|consultado|buscado)|el mes (?:vist|consultat)|o mais visto|(?:tambien|tambe|tamen) (?:vieron|vist\w*|consult\w+|buscar\w*)|(?:otr[oa]s|altres|outr[oa]s) (?:usuari\w+|personas|persones|persoas)",
    r"(?:impresos?|formularios?|formularis?|modelos?|models?|inprimaki\w*|forms?|annexos|anexos|descargas?|descarregues|downloads?)(?: (?:asociad\w+|associa\w+|relaciona\w+|descargables?|disponibles?|y modelos|i models|para descargar|per descarregar|de (?:la )?solicitud|de sol licitud|normalizad\w+|normalitza\w+|deskargatzeko))*$",
    r"(?:fecha|data) (?:de|d) (?:publicaci\w+|alta|creaci\w+|inserci\w+|ultima)|publicad[oa]\b|publicat\b",
)

NAME = (
    r"(?:denominacion|denominacio|nombre|nom|nome|titulo|titol)(?: completo| oficial)?(?: (?:del?|do|da|de la) (?:tramite|tramit|procedimiento|procediment|procedemento|servicio|servei|servizo|ayuda|prestacion))?$",
    r"(?:izapidearen |prozeduraren |zerbitzuaren )?(?:izena|izenburua)$|(?:name|title)(?: of (?:the )?(?:procedure|service))?$|(?:procedure|service) name$",
    r"(?:tramite|tramit|procedimiento administrativo|izapidea)$",
)
OTHER_NAMES = (
    r"(?:tambien|tambe|tamen) (?:se )?(?:conocid\w|conegut|conegud\w|conecid\w|llamad\w|anomenat|chamad\w|denominad\w)",
    r"(?:otr[oa]s|altres|outr[oa]s) (?:nombres|noms|nomes|denominacion\w*)|nombres? alternativos?|also known as|alternative names?",
    r"beste izen\w*|ezaguna",
)
CODE = (
    r"(?:codigo|codi|codigo do|kodea)(?: (?:sia|del? (?:tramite|procedimiento)|do procedemento|del? procediment))?$",
    r"(?:n(?:umero|um|º|o)? )?sia(?: kodea| code)?$|sia code|procedure code",
)
HANDLED = (
    r"(?:quien|qui|quen|nork) (?:lo |ho |o |la |se |s )*(?:tramita|gestiona|resuelve|resol|xestiona|convoca|encarga|ocupa|es (?:el |la )?responsable|e (?:o |a )?responsable|kudeatzen|izapidetzen|ebazten)\w*",
    r"who (?:handles|manages|processes|deals|runs|is (?:responsible|in charge))\b",
)
BODY = (
    r"(?:lo|la|ho|o|se) (?:tramita|gestiona|xestiona)$|organo?s? (?:de|d) (?:la )?(?:tramitaci\w+|gesti\w+|xesti\w+|instrucci\w+)|organismo\w*(?! (?:colabora|que regula))|organisme\w*|organo?s? (?:xestor|convocant|emisor|concedent|responsable|competente?|gestora?|que|resolut|instruct|tramitador|de resolucion|de resolucio|administrativ|eskudun|arduradun|kudeatzaile)|organo?$|organ$",
    r"(?:unidad|unitat|unidade|unitate)\w* (?:responsable|tramitadora|gestora|organica|administrativa|competente?|eskudun|arduradun|kudeatzaile|de tramitacion)\w*",
    r"(?:entidad|entitat|entidade|ens|ente|erakunde|administracion|administracio|administrazio)\w*(?: (?:responsable|competente?|convocante|convocant|gestora?|xestora|kudeatzaile\w*|concedente|arduradun\w*|eskudun\w*))?$",
    r"(?:departamento|departament|consejeria|conselleria|concejalia|regidoria|concellaria|ministerio|ministeri|servicio|servei|servizo|area|saila|centro (?:directivo|gestor|responsable)|direccion general|delegacion)(?: (?:responsable|competente?|gestora?|tramitador|arduraduna|eskuduna))?$",
    r"(?:responsable|arduraduna)(?: (?:del?|do|de la) (?:tramite|tramit|procedimiento|procedemento|procediment))?$",
    r"(?:quien|qui|quen|nork) (?:lo |ho |o |la )?(?:tramita|gestiona|resuelve|resol|xestiona|convoca|es el responsable|kudeatzen|izapidetzen|ebazten)",
    r"(?:body|authority|department|office|unit|ministry) (?:in charge|responsible)\b|(?:responsible|competent|managing|processing|issuing) (?:body|authority|department|unit|organisation|organization|administration|office)|(?:authority|department|organisation|organization|body|administration)(?: responsible| in charge)?$|who (?:handles|manages|processes|is responsible)",
)

SILENCE = (
    r"(?:efectos?|efectes?|sentido|sentit|regimen|caracter)(?: y \w+)? (?:del?|do|de la|da) (?:silencio?|falta)|efect\w+ (?:de )?silencio?\b",
    r"silencio?(?: administrati[vu]\w*)?\b|(?:administrazio\w* )?isiltasun\w*|(?:administrative|effect\w* of(?: administrative)?) silence|silence$",
    r"(?:que (?:pasa|ocurre|sucede|pasara|passa|acontece) si|y si|i si|e se|what (?:happens )?if) (?:\w+ )?(?:no|non|nobody|they (?:do not|don t))\b.*(?:contest|respo|resuelv|resol|answer|reply|respond)\w*",
    r"(?:consecuencias?|consequencies|efectos?|efectes) (?:de|d) (?:la )?(?:falta|no|manca)|falta de (?:respuesta|resolucion|resposta|resolucio)|(?:inactividad|inactivitat|inactividade) (?:de|da)\b|effects? of (?:no|not|lack|failure)\b|(?:no|lack of|absence of|without) (?:answer|response|decision)$|en (?:caso|cas) de (?:no|falta|ausencia|absencia|manca)\b.*(?:contest|resp|resol)\w*|erantzun\w* (?:ez|ezean|ezik)\b|ebazpen\w* (?:ez|ezean|ezik)\b|si no (?:me |se |hay |te |em )?(?:contesta|responde|respuesta|responen|contesten|resuelve)\w*|no reply|if (?:you (?:get|receive) )?no (?:answer|reply)|what if .* not answer",
)
DECISION = (
    r"(?:plazos?|terminis?|prazos?|tiempos?|temps|tempos?)(?: (?:maximo|maxim|medio|legal|estimado|mitja|orientativo|previsto))* (?:de|para|per a|per|en|pera) (?:la |l |a |su )?(?:resol\w+|tramitac\w+|respuest\w+|respost\w+|contest\w+|notific\w+|emision|expedicion|concesion|entrega|obtencion)",
    r"(?:duracion|durada|duracio) (?:estimad\w+ |aproximad\w+ |mitjana |media )?(?:del?|de la) (?:tramite?|tramit|tramitaci\w+|gestion?o?|procedimiento|procediment|procedemento)|izapidearen iraupena|(?:tiempo|temps|tempo) (?:estimad\w+|estimat|aproximad\w+|aproximat|medio|mitja|maxim\w*)$|(?:se|es) (?:resuelve|resol|resolve|contesta|responde|respon|entrega|expide|concede) (?:en|no|nun|en un)\b|(?:plazos?|terminis?|prazos?) (?:maxim\w+ legal\w*|legal\w* maxim\w+)$",
    r"(?:cuando|quan|cando) (?:se |es |em |me |o |ho )?(?:resol\w+|resuelv\w+|recib\w+|rebr\w+|contest\w+|respon\w+|tendr\w+)",
    r"(?:cuanto|quant|canto)(?: de temps| tiempo| tempo)? (?:tarda\w*|triga\w*|demora\w*|se tarda)|(?:resolucion|resolucio)(?: (?:y|i|e) notificaci\w+)?$|(?:resolucion|resolucio) del? (?:procedimiento|procediment|procedemento|tramite|expediente)$",
    r"(?:terminos?|termos?) (?:maxim\w+ )?(?:para|de|d) (?:la )?(?:resol|notific)\w*|(?:espera\w*|wait for) (?:la |a |the )?(?:respuesta|resposta|resolucion|resolucio|answer|decision)|(?:y |i |e )?(?:la |a )?(?:respuesta|resposta|erantzuna|answer|reply)(?: (?:de|d|da) (?:la |l )?administracio?n?)?$|administrazioaren erantzuna$|ebazpen\w*|ebazteko\w*|erantzuteko\w*|zenbat (?:denbora )?(?:irauten|behar da|tardatzen)",
    r"(?:processing|decision|resolution|response|waiting) (?:time|period|deadline|term)s?|time (?:limit )?(?:for|to) (?:a |the )?(?:decision|resolution|resolve|decide|reply|response)|how long (?:does|will)|(?:decision|resolution)(?: period)?$|maximum (?:time|period)",
)
APPEAL = (
    r"(?:plazos?|terminis?|prazos?) (?:de|para|per a|per|d) (?:la |el |l )?(?:interp\w+|recurs\w*|recurri\w+|impugn\w+|alegaci\w+|reclam\w+)",
    r"(?:posibles?|possibles) recurs\w*$|recurs(?:o|os)? (?:que|contra|qu[ei])\b.{0,60}$",
    r"recurs(?:o|os)?(?: (?:administrati\w+|que|contra|procedentes?|admisibles?|que (?:\w+ ?){1,3}|de (?:alzada|reposicion|reposicio)|y reclamaci\w+|i reclamaci\w+|d alcada|procedents?))?$|(?:vias?|medios?) de (?:recurso|impugnacion)|(?:como|com) (?:puedo |puc |podo |se |es )?(?:recurr\w+|recorr\w+|impugn\w+|reclam\w+)|impugnaci\w+|reclamaci\w+$|(?:si |se )?(?:no|non) (?:esta|estas|estoy|estic|estem|estou|esteu|s esta|se esta) (?:de acuerdo|conforme?|d acord|de acordo)|errekurtso\w*",
    r"(?:right|rights|how|ways?) (?:of|to) appeal|if you (?:disagree|are not satisfied|want to appeal)|objections?\b|appeals?\b|how to appeal|right of appeal|remedies|challenging|if you disagree|if (?:it is |you are |your application is )?(?:refused|rejected|denied)|(?:en caso de|si (?:me |te |se )?(?:la |lo )?) ?(?:denegacion|denieg\w+|deneg\w+)",
)
PAYMENT_TERM = (
    r"(?:plazos?|terminis?|prazos?|periodos?|periodes?) (?:de |para |per |voluntario )*(?:pago|pagar|pagament|pagamento|cobro|cobrament|abono|ingreso)",
)
PERIOD = (
    rf"{_A}(?:vigencia (?:y|i|e) )?(?:plazos?|terminis?|prazos?)\b",
    r"terminos? (?:para|de) (?:la )?(?:solicit|present|pedir)\w*",
    r"(?:momento|moment) (?:de|d|para|per) (?:la |l )?(?:presenta|solicit|sol licit|inicia|pedir|demanar)\w*|vigencia (?:de|da) (?:la |l )?convocatoria$",
    r"(?:con|amb|with) (?:cuant[oa]|quant[a]?|cant[oa]|how much) (?:de )?(?:tiempo|temps|tempo|antelaci\w+|time|notice)\b",
    r"(?:inicio|inici|apertura|obertura|comienzo|comenzo|start|opening) (?:y|i|e|and) (?:fin|fi|final|cierre|tancament|peche|remate|end|closing)\b",
    r"(?:hasta |desde |fins |des de |ata |dende )?(?:cuando|quan|cando|noiz|when|until when|by when)\b",
    r"(?:fechas?|data|dates?|datas|datak|calendario|calendari|periodos?|periodes?|periodoa|epe\w*|epealdia)(?= (?:de|d|per|para|limite?|limit|maxim\w+|y|i|e|clave|importantes?)\b|$)",
    r"(?:deadlines?|time ?limits?|time ?frames?|timelines?|time periods?|closing dates?|opening dates?|key dates|application (?:period|window|deadline)|period\b|submission (?:period|deadline))",
)
FEES = (
    r"(?:me|em|te|et|nos|os|se|es) (?:\w+ a )?(?:cobr|pag)\w+",
    r"(?:hay que|cal|hai que|tengo que|se) (?:pag\w+|abon\w+)|(?:debo|he de) pagar|(?:es|e) (?:gratu\w+|grati\w+|de pago)|pag[oa] de (?:la |las |les )?ta[sx]\w+|pagament de taxes",
    r"(?:importes?|import|cuantia|quantia|contia) (?:de|a|d) (?:la |las |les |a )?(?:ta[sx]as?|taxes|tasa|pagar|abonar|ingresar|aboar|precio|preu)",
    r"derechos de examen|drets d examen|dereitos de exame|autoliquidaci\w+|s ha de pagar|(?:cuotas?|quotes|kuota\w*)\b|(?:tasas?|taxes|taxas?|tasak?|tasa\w*|tarifas?|tarifes|tarifak|aranceles|exacciones)\b",
    r"(?:coste?s?|cost|costos?|custos?|custo|kostua\w*|precios?|preus?|prezos?|prezioa\w*|gastos(?! (?:subvencion|elegib|financia|justific|que|cubiertos)))\b(?! de la vida)",
    r"(?:cuanto (?:cuesta|vale|hay que pagar|tengo que pagar|se paga)|quant (?:costa|val|cal pagar|s ha de pagar|es paga)|canto (?:custa|vale|hai que pagar)|zenbat (?:balio|kosta\w*|ordaindu))",
    r"(?:cuanto|quant|canto|zenbat|how much)$|gratu\w+$|gratis$|doakoa?$|doan$|dohainik$|free(?: of charge)?$|ordaindu beharreko\w*|ordainketa$|ordainsari\w*|pago$|pagament$|pagamento$",
    r"fees?\b|costs?\b|price\b|pricing|how much does it cost|how much (?:is it|do i (?:have to )?pay|must)|charges?\b|is (?:it|there a) (?:free|fee)|payment(?: of (?:the )?fee)?$|amount (?:to pay|payable|due)",
)
AMOUNTS = (
    r"(?:ayuda|ajut|ajuda|axuda|subvencion|subvencio|intensidad|intensitat|intensidade) (?:maxim\w+|(?:de|da) (?:la |l )?(?:ayuda|ajut|ajuda|axuda|subvenci\w+))$",
    rf"{_A}(?:cuantias?|quantia|quanties|contias?|importes?|imports?|dotacion|dotacio|zenbateko\w*|diru kopuru\w*|kopurua)\b",
    r"(?:cuanto|quant|canto) (?:se |es |voy a |vaig a |vou |puedo |puc |podo |dinero |me |em |nos |diners )*(?:don\w+|dar\w+|cobr\w+|recib\w+|rebr\w+|percib\w+|corresponde\w*|dan|pagan)|zenbat (?:jaso\w*|kobra\w*)",
    r"(?:benefit|grant|aid|subsidy)? ?amounts?\b|max(?:imum)? (?:grant|aid|benefit|subsidy|funding)|how much (?:will|do|can|could|may) (?:you|i) (?:get|receive|be paid)|how much (?:is|are) the (?:benefit|grant|aid)|how much (?:you|we|it|they) (?:can |will |may )?(?:get|receive|pays?|be paid)|value of the (?:grant|aid|benefit)",
)
LAW = (
    r"(?:normativas?|normas?(?: (?:aplicables?|reguladoras?|legales|de aplicacion))?|normes?)(?! de uso)\b",
    r"(?:que|quines|quina|cales|what|which) (?:normas?|normativas?|normes|leyes|ley|lleis|llei|leis|lei|legislaci\w+|laws?|rules|regulations?|araudi\w*)\b",
    r"(?:legislacion|legislacio|lexislacion|legislation|legeria|legedia|leyes|leis|lleis)\b",
    r"(?:base|bases|respaldo|suport|amparo|cobertura|encaje|marco|marc|fundament\w*|fonament\w*|regimen|soporte|referencias|referencies|fonts|fuentes|fontes) (?:legal\w*|juridi[cq]\w*|xuridic\w*|normati\w*|regulador\w*)",
    r"(?:reglamento|reglament|regulament)s?$|(?:regulacion|regulacio|regulamento|reglamentacion|disposicion(?:e?s)? (?:legale?s|aplicables|reguladore?a?s|normativ\w+)|ordenanzas?(?: (?:aplicable|reguladora|fiscal)\w*)?$|convocatoria (?:y|i|e) bases)\b",
    r"(?:aplikatu\w* |aplikagarri\w* )?(?:araudi\w*|arautegi\w*)|lege[- ]?(?:oinarri|esparru)\w*|legezko oinarri\w*|oinarri (?:juridiko|legal)\w*|arau aplikagarri\w*",
    r"legal (?:basis|framework|references?|grounds|provisions|texts)|(?:applicable|relevant|governing|current) (?:law|laws|legislation|regulations?|rules)|regulations?$|rules$|rules that apply|rules and regulations|laws?$|which law",
)
PAPERS = (
    r"(?:documentacion|documentacio|dokumentazio\w*)\b(?! (?:relacionada|descargable|tecnica))",
    r"(?:documentos?|documents?|dokumentuak|dokumentu|agiriak|agiri|papeles|papeis|papers|evidence|proof)\b(?! (?:relacionad|de interes|d interes|descarg|asociad|relacionat))",
    r"(?:que|quina|quins|quines|cales|cuales|what|which|zer|zein) (?:documentos?|documents?|documentaci\w+|documentation|papeles|papers|dokumentu\w*|dokumentazio\w*|agiri\w*|impresos)",
    r"(?:que|what) (?:se )?(?:necesit\w+|necessit\w+|precis\w+|hace falta|fa falta|fai falta|hay que (?:presentar|aportar|llevar|adjuntar|entregar)|cal (?:presentar|aportar|portar|adjuntar)?|s ha d\w* (?:presentar|aportar)|tengo que (?:presentar|aportar|llevar)|debo (?:presentar|aportar|llevar|adjuntar)|debes? (?:presentar|aportar|llevar)|debe (?:presentar|aportar)|(?:he|has) de (?:presentar|aportar|portar)|teno que (?:presentar|achegar|levar)|hai que (?:presentar|achegar)|do (?:i|you) need|you (?:will )?need|i need|to (?:bring|submit|provide))",
    r"(?:informaci\w+|dades|datos|data|information) (?:que|a|you) (?:\w+ ){0,3}?(?:facilitar|aportar|adjuntar|presentar|proporcionar|indicar|portar|traer|achegar|must provide|need to provide|provide)\b",
    r"(?:todo |tot )?(?:lo|el|allo|aquello|o) que (?:\w+ ){0,3}?(?:adjuntar|aportar|presentar|entregar|llevar|traer|portar|achegar|acompan\w+|necesit\w+|necessit\w+|precis\w+)\b",
    r"(?:anexos?|annexos?) (?:a|que|para) (?:\w+ ){0,2}?(?:presentar|aportar|adjuntar|achegar|cumplimentar)\b",
    r"eskaerarekin batera|que (?:me |te |nos |em |et )?(?:piden|pide|demanen|demana|pediran|exigen)\b",
    r"(?:zer (?:behar|aurkeztu|ekarri)|aurkeztu beharreko|eraman beharreko|beharrezko (?:agiri|dokumentu|dokumentazio))\w*",
    r"(?:required|necessary|supporting) (?:documents?|documentation|paperwork|papers)|paperwork|documentation|justificantes?$",
)
CONDITIONS = (
    r"(?:requisitos?|requisits?|requerimientos)\b",
    r"(?:quien|quienes|qui|quen|nork|nor|who)\b(?= (?:puede|pueden|lo|la|los|las|ho|el|o|pot|poden|pode|tiene|te|ten|debe|ha|hi|eska|eskatu|egin|jaso|aurkez|can|may|is|are|should|must|qualifies|qualify|needs|gets|benefits|izan|eska\w*|es|esta|e|son)\b)",
    r"(?:a|para|per a|pera) (?:quien|qui|quen)(?:es)?\b|(?:nori|norentzat|for whom|who for|zeinek)\b",
    r"(?:condiciones|condicions|condicion|condicio|baldintza\w*|eskakizun\w*|betekizun\w*|conditions?)\b(?! (?:de uso|d us))",
    r"(?:beneficiari\w+|destinatari\w+|destinatari|perceptores|onuradun\w*|hartzaile\w*|eskatzaile\w*|beneficiaries|applicants?|recipients)\b",
    r"col lectius?\b|(?:personas?|persones|persoas|poblacion|poblacio|colectivo|pertsona) (?:destinatari\w+|beneficiari\w+|interesad\w+|interessad\w+|solicitantes?|sol licitants?|onuradun\w*|hartzaile\w*|interesdun\w*|usuari\w+)",
    r"(?:dirigid[oa]s?|adrecat|adrecada|va dirigit|dirixid[oa]s?|destinad[oa]s?|zuzendu\w*|aimed) (?:a|o|to|para|al|als|as|at)?\b|dirigido$|interesad[oa]s(?: solicitantes)?$|interessats$|interesdun\w*$",
    r"(?:(?:es|e) (?:para|per a) mi|me interesa|m interessa|interesame|is it for me|niretzat da)$",
    r"eska dezake\w*$|norentzako\b|betebehar\w*$|am i entitled|legitimad[oa]s$|usuari[oa]?s$|titulars?(?:es)?(?: del? (?:derecho|dret|dereito))?$|public[o]? (?:objetivo|objectiu|obxectivo|destinatari\w*)",
    r"(?:pued[ae]n?|podran?|poden?|pot|podra) (?:solicitar|sol licitar|pedir|demanar|beneficiar|acceder|accedir|optar|acollir|acoller)\w*(?: ho)?$",
    r"perfil\w*(?: (?:del?|de la|dos?|das?|d) (?:las |los |les |els )?(?:persona |persones |personas )?(?:solicitant\w*|sol licitant\w*|beneficiari\w*|interesad\w*|destinatari\w*))?$",
    r"(?:personas?|persones|persoas) (?:a (?:qui|quien|quienes|quen|las que|les que|as que)|as que)\b",
    r"(?:comprueb\w+|comprov\w+|comprob\w+|mira|verifi\w+|averigua|asegurate|check|find out|see|egiaztatu) (?:de )?(?:si|que|se|if|whether|you|ea) (?:\w+ )?(?:pued\w*|cumpl\w*|compl\w*|pots?|pode\w*|pot|can|are eligible|qualify|tienes derecho|tens dret|ere|betetzen)\b",
    r"(?:sujetos?|personas|subxectos) (?:legitimad\w+|obligad\w+|activos?)",
    r"(?:tengo|tinc|teno|tes|tienes|do i have) (?:derecho|dret|dereito|a right)|qui s hi (?:pot|poden)\b",
    r"(?:puedo|podeis|puedes|puc|podo|podes|can i|am i|do i) (?:solicit\w+|pedir\w*|demanar\w*|apply|eligible|qualify|acceder|optar)|(?:eligib\w+|entitle\w+|requirements?)\b|what (?:are the )?(?:requirements|conditions)",
    r"(?:ambito|ambit) (?:subjetivo|de aplicacion|d aplicacio|personal)|solicitantes?$|sol licitants?$|legitimacion$",
)
ONLINE = (
    r"(?:por |via |per |a traves de |de forma |de manera |mediante |tramitacion |tramitacio |presentacion |presentacio |solicitud |sol licitud |acceso |canal |medio |en |la |na )*(?:internet|internetez|en linea|en linia|en lina|on ?line|electronica(?:mente?)?|electronic(?:ament)?|electronico|telematica(?:mente?)?|telematic(?:ament)?|telematico|web|sede electronica|seu electronica|sede electronica)(?: (?:con|amb|sin|sense|de|en|a) .{0,40})?$",
    r"(?:internet bidez|elektronikoki|telematikoki|egoitza elektroniko\w*|online(?: bidez)?|elektronikoa)$|(?:online|on line|electronically|by internet|over the internet|via the (?:web|internet)|apply online|electronic (?:submission|filing|channel|office))$",
)
IN_PERSON = (
    r"(?:de forma |de manera |tramitacion |tramitacio |presentacion |presentacio |atencion |atencio |solicitud |canal |modalidad )*(?:presencial(?:mente?)?|en persona|en persoa|presencialment|(?:en |por |per |na |a la |en la |a )?(?:ventanilla|finestreta|mostrador|taulell)|en (?:las? )?oficinas?|oficina(?! (?:de|d|del|da|do)\b)|(?:en |no |nos |al |als |a |por )(?:el |los |l |les )?(?:registros?|rexistros?|registres?)(?! (?:electron|telemat))|udaletxean|en el ayuntamiento|a l ajuntament|no concello|en mano|en papel|en paper|paperean|on paper|leihatilan|over the counter|at the counter)(?: .{0,40})?$",
    r"(?:en|a|al|na|no|at|in) (?:la |el |l |the |any |cualquier |qualsevol |calquera )?(?:bibliote\w+|centros? (?:civicos?|de|educativ\w+|deportiv\w+)|escuela|escola|ayuntamiento|ajuntament|concello|juzgado|consulado|comisaria|estacion|taquilla|sucursal|jefatura|secretaria|town hall|library|registry)\b.{0,40}$",
    r"(?:aurrez aurre|bertaratu\w*|presentzial\w*|buruz buru|zuzenean)\w*$|(?:in person|face to face|on site|at (?:an|the|our) offices?)$",
)
BY_PHONE = (
    r"(?:por telefono|per telefon|telefonicamente?|(?:canal |medio |via )?telefonic[oa](?:mente?)?|telefonic(?:ament)?|atencion telefonica|atencio telefonica|via telefonica|telefonoz|telefono bidez|by (?:tele)?phone|over the phone)(?: .{0,30})?$",
)
BY_POST = (
    r"(?:por |per |via |mediante |a traves de )*(?:correo|correu|posta) (?:electronic[oa]?|elektroniko\w*)(?: bidez)?$|(?:por |per |by |via )(?:e ?mail)$|emailez$",
    r"(?:por correo(?: (?:postal|certificado|ordinario))?|per correu(?: (?:postal|certificat))?|correo postal|correu postal|posta bidez|postaz|by (?:post|mail))$",
)
APPOINTMENT = (
    r"(?:pide |pedir |solicita\w* |solicitar |reserva\w* |concertar |demana\w* |demanar |coller |con |amb |sense |sin )?(?:cita|hora) ?(?:previa)\b|aurretiko hitzordu\w*|hitzordu\w*|(?:book (?:an )?|make an |by )?appointments?\b",
)
HOW = (
    r"(?:como|com|nola|how)\b(?= (?:se|es|ho|lo|la|el|o|a|as|puedo|puc|podo|solicit\w*|sol|hac\w*|fer\w*|fac\w*|trami\w*|pedir\w*|demanar\w*|presentar\w*|inici\w*|realiz\w*|realitz\w*|obten\w*|obtenir|conseg\w*|consegu\w*|acced\w*|inscri\w*|apunt\w*|dar\w*|donar\w*|renov\w*|paga\w*|eska\w*|egi\w*|izapide\w*|aurkez\w*|lortu|jaso|to|do|can|is|you|i)\b)|(?:como|com|nola|how)$",
    r"(?:present[ae]|entreg[ae]|envi[ae]|haz|fes|fai|rellen[ae]|cumpliment[ae]|omple|cubre|submit|send|complete|fill in) (?:la |tu |el |su |a |l |your |the )?(?:solicitud\w*|sol licitud|formulario|formulari|instancia|application|form)\b|paso a paso|pas a pas|urratsez urrats|step by step|(?:pasos|passos|urrats\w*|fases|etapas|steps)\b|(?:tramitacion|tramitacio|tramitazio\w*|izapidetze\w*|gestion|gestio)(?! (?:electronica|presencial|telematica))\b",
    r"(?:procedimientos?|procediments?|procedementos?|prozedura\w*|prozesu\w*|proceso|proces|procedure|process)\b",
    r"(?:formas?|formes|modos?|maneras?|maneres|moduak|modalidad(?:es)?|modalitats?|modalidade|vias?|medios?|mitjans|canal(?:es)?|canals|canles?|canle|kanal\w*|bideak)(?: (?:y|i|e) (?:\w+))?(?: (?:de|d|para|per|per a|pera) (?:la |el |las |l |a )?(?:present(?:ar|aci)\w*(?: (?:la |las |les |l )?(?:solicitud\w*|sol licitud\w*|solicitude\w*))?|tramitaci\w+|solicit\w*|sol licit\w*|inici\w+|acceso|acces|atenci\w+|realizaci\w+|hacerlo|fer ho|facelo|demanar\w*|pedir\w*|tramitar\w*|entrega))?$",
    r"(?:presentacion|presentacio|iniciacion|iniciacio|inicio(?= d)|inici(?= d)|realizacion|realitzacio)(?: (?:de|d|del|do|da) (?:la |las |les |l |a )?(?:solicitud\w*|sol licitud\w*|instancia\w*|procedimiento|procediment|procedemento|tramite|tramit))?$",
    r"(?:solicitud(?:es)?|sol licituds?|solicitudes?|eskaera|eskabidea|application|submission)(?: (?:del?|de la|do|da|process|procedure|nola egin) ?(?:tramite|ayuda|prestacion)?)?$|(?:ways?|methods?|channels?) (?:to|of|for) \w+|apply$|applying$|to apply$|channels?$",
    r"(?:instrucciones|instruccions|instructions|jarraibideak|argibideak)(?: (?:de|para|per|for|d) .{0,40})?$",
    r"application (?:steps|procedure|process|form and process)|how (?:it|this|the process) works|the process$",
    r"(?:que (?:hay que|debo|tengo que|cal|he de) (?:hacer|fer|facer)|what (?:do i|you) (?:have to|need to|must) do|zer egin behar)",
)
WHERE = (
    rf"(?:on|non)$|(?:a )?(?:donde|adonde|onde|aonde|where)\b|(?:a que|en que|a quina|a cal) (?:oficina|ventanilla|sitio|lugar|lloc)\b|(?:on)\b(?= (?:es|puc|cal|s|ho|adrecar|dirigir|sol|presentar|anar|fer|demanar|em|podeu|pots|tramitar|lliurar|he|haig|hem|vaig|trob\w+))|nora (?:joan|jo|zuzendu)\w*|non\b(?= (?:eska|aurkez|egin|izapide|lortu|jo|dago|entrega)\w*)|{_A}(?:lugar(?:es)?|llocs?|lekua\w*|tokia\w*|place|locations?)\b",
    r"(?:oficinas?|oficines|oficina|bulego\w*|offices?|registros?|registres|dependencias|sedes? (?:fisica\w*|presencial\w*))\b(?! virtual)",
    r"(?:puntos?|punts?|arreta)[ -](?:de|d|gune\w*) ?(?:atenci\w+|informaci\w+|tramitaci\w+|presentaci\w+|recogida)?|(?:direccion|direcciones|adreces|adreca|enderezos?|helbidea\w*|address(?:es)?)(?: (?:postal\w*|de (?:la |las )?oficinas?|presencial))?$",
)
CONTACT = (
    r"(?:contact\w*|telefon\w*|telf|tel|harremanetarako\w*|kontaktu\w*|phone|telephone|helpline|enquiries|get in touch|questions|who to contact|dudas|dubtes|consultas|consultes)\b(?!.*(?:recurso))",
    r"(?:tiene\w*|tens|teniu|ten|tes|alguna|do you have|any|mas|mes|zalantza\w*) ?(?:alguna |cap |algunha |any )?(?:dudas?|dubtes?|dubidas?|questions?|preguntas?|consultas?)|zalantzarik|necesitas? ayuda|necessites ajuda|need help",
    r"(?:mas |mes |mais )?(?:datos|dades|datuak|informacion|informacio) (?:de|y|i|e) contact\w*|(?:atencion|atencio) (?:a |al |a la )?(?:ciudadan\w+|ciutadan\w+|cidadan\w+|publico|telefonica)|correo electronico$|correu electronic$|e ?mail$|posta elektronikoa$",
)
REMARKS = (
    r"(?:observaciones|observacions|observacion|oharrak|oharra|remarks|advertencias?|advertiments?|avisos?|aclaraciones|recomendaciones|consejos)\b",
    r"(?:importante|important|garrantzitsua|recuerda|recorda|recorde|gogoratu|atencion$|atencio$|ojo$|remember|please note|good to know|important information)\b",
    r"(?:informacion|informacio|informazio|information|datos|dades|otros datos|otra informacion|altra informacio|outra informacion|otras cuestiones|altres dades) ?(?:importante?|adicional\w*|addicional\w*|complementari\w*|complementaria|de interes|d interes|relevante?|util|gehigarri\w*|osagarri\w*|interesgarri\w*)$",
    r"(?:a tener en cuenta|ten en cuenta|tenga en cuenta|tenir en compte|tingues en compte|tingueu en compte|cal tenir en compte|que debes saber|debes saber|conviene (?:saber|recordar)|debe saber|cal saber|has de saber|convem saber|bo saber|jakin beharrekoa|a ter en conta|ten en conta|kontuan (?:hartu|izan)\w*|things to (?:know|bear)|bear in mind|additional (?:information|notes)|further (?:information|details)|other (?:information|details))",
    r"(?:otros datos|otra informacion|altra informacio|outra informacion|outros datos|beste datu\w*|bestelako informazio\w*|mas informacion|mes informacio|mais informacion|informazio gehiago|more information|efectos$|obligaciones|obligacions|notas?$|notes?$)",
)
WHAT = (
    r"(?:que|zer|what) (?:es|e|son|da|dira|is|are)\b|(?:en que|zertan|de que|de que se|de que es) (?:consiste\w*|consisteix|datza|trata|tracta|va)\b|(?:para que|per a que|per que|pera que|zertarako) (?:sirve|serveix|serve|balio|da)?\b",
    r"(?:descripcion|descripcio|descricion|deskribapen\w*|azalpen\w*|description|definicion|definicio|definition|introduccion|introduccio|introducion|introduction|sarrera)\b",
    rf"{_A}(?:objetos?|objecte|obxecto|objektua|xedea\w*|helburu\w*|objetivos?|objectius?|obxectivos?|finalidad|finalitat|finalidade|purpose|objectives?|aims?|proposito)\b",
    r"(?:informacion|informacio|informazio|information|datos|dades|datu)\w* (?:general\w*|xeral\w*|basic\w*|orokor\w*|oinarrizko\w*|del? (?:tramite|tramit|procedimiento|procediment)|do procedemento)|general information|basic information",
    r"naturaleza(?: del? (?:tramite|procedimiento|ayuda))?$|presentacio?n? del? (?:servicio|servei|tramite?)$|que (?:se|es) (?:puede|pot|pode) (?:hacer|fer|facer)$",
    r"(?:acerca de|sobre|quant a|in brief|in short|in a nutshell|key facts|at a glance|background|en breve|en resum|labur)\b(?! (?:nosotros|nosaltres|nos|us|la sede|la seu))",
    r"(?:resumen|resum|resumo|laburpen\w*|summary|overview|about|presentacion del tramite|sobre (?:este|esta|el|la|aquest|aquesta) (?:tramite|tramit|procedimiento|ayuda|ajut|servicio|prestacion)|at a glance|what (?:does it|it) (?:consist|involve))\b",
)

RULES: tuple[LabelRule, ...] = (
    *label_rules(Label("ignored"), NOT_FOR_FIELDS),
    *label_rules(Label("nombre"), NAME),
    *label_rules(Label("nombre_alternativo"), OTHER_NAMES),
    *label_rules(Label("codigo_sia"), CODE),
    *label_rules(Label("organismo"), HANDLED),
    *label_rules(Label("plazos", "silencio_administrativo"), SILENCE),
    *label_rules(Label("plazos", "resolucion"), DECISION),
    *label_rules(Label("plazos", "recurso"), APPEAL),
    *label_rules(Label("plazos", "pago"), PAYMENT_TERM),
    *label_rules(Label("como_solicitar", "cita"), APPOINTMENT),
    *label_rules(Label("como_solicitar", "online"), ONLINE),
    *label_rules(Label("como_solicitar", "presencial"), IN_PERSON),
    *label_rules(Label("como_solicitar", "telefono"), BY_PHONE),
    *label_rules(Label("como_solicitar", "correo"), BY_POST),
    *label_rules(Label("tasas"), FEES),
    *label_rules(Label("cuantias"), AMOUNTS),
    *label_rules(Label("documentos_necesarios"), PAPERS),
    *label_rules(Label("requisitos"), CONDITIONS),
    *label_rules(Label("plazos", "solicitud"), PERIOD),
    *label_rules(Label("base_legal"), LAW),
    *label_rules(Label("organismo"), BODY),
    *label_rules(Label("contacto"), CONTACT),
    *label_rules(Label("datos_importantes"), REMARKS),
    *label_rules(Label("descripcion"), WHAT),
    *label_rules(Label("donde_solicitar"), WHERE),
    *label_rules(Label("como_solicitar"), HOW),
)

# The last word decides.
ENDINGS: tuple[LabelRule, ...] = (
    *label_rules(
        Label("plazos", "resolucion"),
        (
            r"\b(?:decision|resolution|processing|response|answer) (?:period|deadlines?|time limits?)$",
            r"(?:ebaz|erantzu|izapide)\w* .*ep(?:ea|eak|emuga)$|(?:ebazpen)\w*-?epea$",
        ),
    ),
    *label_rules(Label("plazos", "recurso"), (r"errekurtso\w* .*ep(?:ea|eak)$|appeal deadlines?$",)),
    *label_rules(
        Label("plazos", "solicitud"),
        (
            r"\b(?:application|submission|opening|closing|key|enrolment|registration) dates?$|\bep(?:ea|eak|emuga)$|\bdeadlines?$|\btime limits?$|\bperiod$",
        ),
    ),
    *label_rules(
        Label("documentos_necesarios"),
        (
            r"\b(?:dokumentazioa|agiriak|dokumentuak)$|\b(?:required|needed) documents$|(?<!de )\bdocuments (?:required|needed|to (?:submit|provide|bring))$",
        ),
    ),
    *label_rules(
        Label("requisitos"),
        (r"\b(?:baldintzak|eskakizunak|betekizunak|requirements|eligibility|onuradunak)$",),
    ),
    *label_rules(Label("base_legal"), (r"\b(?:araudia|legeria|arautegia|legislation)$",)),
    *label_rules(Label("tasas"), (r"\b(?:tasak?|prezioa|kostua|fees?)$",)),
    *label_rules(Label("cuantias"), (r"\b(?:zenbatekoa|zenbatekoak)$",)),
    *label_rules(Label("donde_solicitar"), (r"\b(?:lekua|lekuak|tokia|bulegoak)$",)),
    *label_rules(
        Label("organismo"),
        (
            r"\b(?:organoa|erakundea|saila) (?:arduraduna|eskuduna)$|\barduraduna$|^ardura duen (?:saila|organoa|erakundea|zerbitzua)$",
        ),
    ),
    *label_rules(
        Label("como_solicitar"),
        (
            r"\b(?:izapidetzea|tramitazioa|urratsak|prozedura|modua|moduak|bideak|bidea)$|nola (?:egin|eskatu|aurkeztu|izapidetu|tramitatu)\w*(?: \w+)?$",
        ),
    ),
    *label_rules(Label("descripcion"), (r"\b(?:deskribapena|azalpena|xedea|helburua|zer da(?: \w+)?)$",)),
)

# Words that belong to only one field, anywhere in a short heading.
NOUNS: tuple[LabelRule, ...] = (
    *label_rules(
        Label("descripcion"),
        (r"descripcion|descripcio|descricion|deskribapena|description|overview|summary",),
    ),
    *label_rules(
        Label("requisitos"),
        (
            r"colectivos?|dirigid\w+|dirige|dirixe|dirixid\w+|adreca\w*|zuzendu\w*|requisit\w+|solicitantes|beneficiari\w+|destinatari\w+|baldintzak|onuradunak|eligib\w+|requirements|applicants",
        ),
    ),
    *label_rules(
        Label("documentos_necesarios"),
        (
            r"documentos|documentacion|documentacio|documents|dokumentazioa|dokumentuak|agiriak|documentation|paperwork",
        ),
    ),
    *label_rules(
        Label("plazos", "solicitud"),
        (r"plazos?|terminis?|prazos?|epea|epeak|deadlines?|antelacion|antelacio",),
    ),
    *label_rules(Label("tasas"), (r"tasas?|taxes|taxas|tasak|fees?|tarifas?",)),
    *label_rules(
        Label("base_legal"),
        (r"normativa|legislacion|legislacio|lexislacion|araudia|legislation|ordenanzas?",),
    ),
    *label_rules(Label("donde_solicitar"), (r"oficinas|oficines|bulegoak|offices|donde|onde|where",)),
    *label_rules(
        Label("contacto"), (r"contacto|contacte|kontaktu\w*|contact|telefon\w*|consultas|consultes",)
    ),
    *label_rules(
        Label("como_solicitar"), (r"tramitacion|tramitacio|tramitazioa|presentacion|presentacio|izapidetzea",)
    ),
)
OTHERWISE = re.compile(
    r"horari|descarg|estado|estat |consulta de|seguimiento|buscador|relaciona|formulari|modelo|model |noticia|histor|expediente|tecnic|datos personales|privaci|cookie|busqueda|estadistic|plantilla|anexo|annex|ley |decreto|orden |llei |lei |decret|avance|resumen de prensa|acuerdo|publicacion|vigencia|firma|certificad"
)

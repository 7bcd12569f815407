"""Whether a page describes a procedure, and not something that only looks like one: a tender, a job offer, a press release."""

import re
from collections.abc import Sequence
from urllib.parse import urlsplit

from headwater.text.folding import fold_text
from headwater_recipes.procedures.sections.parts import PagePart, has_content, parts_of_field


def _patterns(*alternatives: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(rf"\b(?:{words})") for words in alternatives)


REQUIRED = frozenset({"requisitos", "documentos_necesarios", "como_solicitar"})
CORE = frozenset({*REQUIRED, "plazos", "tasas", "cuantias", "donde_solicitar"})
LISTING = re.compile(
    r"(?:resultad\w+|llistat|listado|listaxe|catalogo de (?:tramites|procedimientos|servicios)|cataleg de|relacion de|relacio de|indice|index|buscador|cercador|directorio|bilaket\w*|search results|list of|tramites mas|tots els tramits|todos los tramites|mapa (?:del|de la|do|web)|(?:como )?(?:se )?(?:leer?|interpretar) (?:la |una |las |el |este )?(?:fichas?|sede|portal|catalogo|buscador|web))\b"
)
JOB = re.compile(
    r"\b(?:proceso selectivo|proces selectiu|hautaketa prozesua|selection process)\b|\b(?:bolsa|borsa|oferta|ofertas|convocatoria) (?:publica )?(?:de|d) (?:\w+ ){0,2}(?:empleo|trabajo|treball|ocupacio|emprego|plazas|places|prazas)|\boposici\w+|\boposizio\w*|lan (?:eskaintza|poltsa)|\b(?:job|vacancy|vacancies)\b"
)
EVENT = re.compile(
    r"(?:(?:[ivxl]{1,6}|\d{1,3}(?: ?[aoe]r?a?)?) )?(?:curso|cursos|curs|taller|tallers|talleres|obradoiro|tailerra|exposicion|exposicio|erakusketa|concierto|concert|feria|fira|feira|azoka|jornadas?|jornades|congreso|congres|visitas?|visites|charla|conferencia|festival|teatro|teatre|carrera|cursa|torneo|fiestas?|course|workshop|exhibition|concert|fair)\b"
)
ABOUT_THE_SITE = re.compile(
    r"^(?:(?:la |nuestra |la nostra |a nosa |our )?(?:politica|politique|policy|declaracion|declaracio|informacion|informacio|aviso|avis|clausula)\w* (?:de |d |sobre |legal|about |on )?(?:\w+ ){0,3}?(?:cookies?|privacidad|privacitat|privadesa|privacidade|privacy|datos personales|dades personals|accesibilidad|accessibilitat|legal)|cookies?\b|cookieak|cookie policy|(?:privacy|accessibility) (?:policy|statement|notice)|privacidad|privacitat|privadesa|privacidade|pribatutasun\w*|proteccion de datos|proteccio de dades|aviso legal|avis legal|lege oharra|legal notice|condiciones (?:generales )?de uso|condicions d us|terms (?:of use|and conditions)|mapa web|accesibilidad$|(?:(?:preguntas|preguntes|cuestiones|dudas|dubtes|questions|galderak)(?: (?:mas |mes |mais )?(?:frecuentes|frequents))?|faqs?|frequently asked questions|ayuda|ajuda|axuda|help|ohiko galderak) (?:sobre|about|on|de|del|da|do|with|con|amb)(?: (?:el |l |o |the )?(?:uso|us|funcionamiento|funcionament|use) (?:de|del|da|do|of)\b)?(?: l?[ae]s?t?a?| o| this| our| nuestr\w| aquest\w?)? (?:sitio|web\w*|sede|seu|portal|site|page|pagina|lloc))"
)
_ARTICLE = r"(?:(?:la|el|las|los|les|els|o|a|os|as|the) |l )?"
USING_THE_SITE = re.compile(
    rf"(?:(?:como|com|nola|how to|guia (?:de|d)|guide to|manual (?:de|d)) )?(?:(?:se )?(?:usar|utilizar|utilitzar|fer servir|navegar (?:por|en|per)|buscar en|use|using|erabili)|us|uso) (?:de |d |of |this |our |esta |este |aquest\w? |nuestra |da |do )?{_ARTICLE}(?:\w+ )?(?:sede|seu|portal|web\w*|sitio|site|pagina|catalogo|cataleg|buscador|fichas?|egoitza|ataria|atari|oficina virtual|carpeta|e ?office)\b|(?:egoitza(?: elektronikoa)?|ataria|webgunea) nola erabili"
)
NORM_TEXT = re.compile(
    r"(?:proyecto de |projecte d |texto (?:integro|consolidado) de (?:la |el )?|modificacion de la )?(?:ordenanza|ordenanca|reglamento|reglament|regulamento|ordenantza|araudia|by ?law|estatutos?|estatuts|plan general|pla general|instruccion)(?: \w+){0,2} (?:reguladora?|general|municipal|fiscal|local|organico|organic|de|d|del|on|of|sobre|numero|n)\b"
)
PUBLIC_NOTICE = re.compile(
    r"(?:anuncio|anunci|edicto|edicte|iragarkia|public notice)\b|(?:consulta|audiencia|informacion|informacio|exposicion|exposicio)(?: \w+)? public[ao]\b(?! de empleo)|consulta (?:publica )?previa|public consultation|jendaurre\w*|(?:aprobacion|aprovacio|onarpena|approval) (?:inicial|provisional|definitiva|of)|hasierako onarpena|behin betiko onarpena"
)
REPORT = re.compile(
    r"(?:memoria|informe|balance|balanc) anual\b|annual report|urteko (?:txostena|memoria)|(?:memoria|informe|balance|balanc|cuenta|comptes?|cuentas|estadisticas?|estadistiques|anuario|anuari|annual report|yearly report|report on|report of|statistics|urteko txostena|memoria anual|presupuestos?|pressupost(?:os)?|orzamentos?|aurrekontua?k?|budget)(?: (?:general(?:es)?|anual(?:es)?|municipal(?:es)?|economic\w*|de gestion|de gestio|de actividades?|d activitats?|of|de|del|da|do|per|para|on))* ?(?:(?:la|el|the|ano|any|ejercicio|exercici|year) )*\d{4}\b"
)
OUTCOME = re.compile(
    r"(?:fallo|veredicto|veredicte|ganador\w*|guanyador\w*|gainador\w*|irabazle\w*|winners?|premiad\w+|lista\w* (?:de |d |da |do )?(?:provisional|definitiv|admitid|espera|admes|admesos)\w*|llista\w* (?:de |d )?(?:provisional|definitiv|admes|admesos)\w*|(?:relacion|relacio) (?:de |d )?(?:admitid|admes|beneficiari|aprobad)\w*|behin (?:betiko|behineko) zerrenda\w*|resultad\w+|resultats|emaitzak)\b"
    r"|(?:subvencion\w*|subvencions|ayudas?|ajuts|ajudes|axudas|becas|beques|bolsas|premios|premis|laguntzak|dirulaguntzak|grants?)(?: \w+){0,4}? (?:concedid|concedit|otorgad|atorgat|adxudicad|emandako|awarded|granted)\w*"
)
OUTING = re.compile(
    r"(?:ruta|rutas|rutes|sendero|sender|itinerario|itinerari|ibilbidea|museo|museu|museum|playa|platja|praia|hondartza|piscinas?|igerileku\w*|walk|trail|route)\b"
)
MINUTES = re.compile(
    r"\bacta (?:de la |del |da |do |de )?(?:sesion|sessio|pleno|ple|junta|reunion)|\borden del dia|\bordre del dia|\bminutes of|\bbilkura(?:ren)? akta|\bbando\b"
)
NOTICE = re.compile(
    r"\bno (?:estara|funcionara|prestara|habra) |\bfuera de servicio|\binterrupcion|\binterrupcio\b|\bcortes? de (?:servicio|agua|luz|trafico|suministro)|\bparada (?:tecnica|programada)|\btrabajos de mantenimiento|\bnot be available\b|\bmaintenance\b|\bez da (?:\w+ ){0,2}erabilgarri"
)
TENDER = _patterns(
    r"licitaci|licitador|lizitazio|\btender|\bbid(?:s|ders?)?\b",
    r"contrato de (?:obras?|servicios?|suministros?|concesion)|objeto del contrato|objecte del contracte|obxecto do contrato|kontratuaren xedea|procurement|contract value|contrataci\w+ (?:del sector )?public|contractacio publica|kontratazio",
    r"presupuesto (?:base|de licitacion)|valor estimado|pressupost (?:base|de licitacio)|orzamento base|tipo de licitacion|canon",
    r"criterios? (?:de )?(?:adjudicaci|valoraci)|criteris d adjudicacio|award criteria|adjudicaci|adjudikazio|esleip",
    r"solvencia|solvencia (?:tecnica|economica)|kaudimen|clasificacion empresarial",
    r"pliegos?\b|plecs?\b|prego\b|sobre (?:cerrado|unico|a\b|b\b)|mesa de contratacion|plataforma de contrataci|perfil (?:del|de) contratante|\bofertas?\b|\bofertes\b|eskaintza ekonomiko",
)
JOB_OFFER = _patterns(
    r"retribuci|salari|sueldo|soldata|euros brutos|brutos (?:al|anual)|\bsalary",
    r"jornada (?:completa|parcial|laboral)|a tiempo completo|xornada completa|lanaldi|full time|part time",
    r"interin|contrato (?:laboral|temporal|indefinido|de relevo)|personal laboral|funcionari\w* (?:de carrera|interin)|contracte (?:laboral|temporal)|contrato de traballo|aldi baterako|bitarteko funtzionari|employment contract",
    r"curriculum|\bcv\b|vida laboral actualizada|experiencia (?:profesional|laboral) (?:minima|previa|acreditada)",
    r"puestos? de trabajo|plazas? (?:de|vacantes?|convocadas?|ofertadas?)|una plaza|lloc de treball|posto de traballo|lanpostu|plaza bat|\bvacanc(?:y|ies)|bolsa de (?:empleo|trabajo)|borsa de treball",
)
SELECTION = _patterns(
    r"oposici|oposizio|lehiaketa|concurso de meritos|fase de (?:concurso|oposicion)|temario|temari\b|tribunal (?:calificador|qualificador)|proceso selectivo|proces selectiu|pruebas? (?:selectiva|teorica|practica|fisica)|supuesto practico|cuestionario de|entrevista personal|proves selectives|epaimahai|proba fisiko|azterketa teoriko|interview",
    r"funciones (?:del puesto|a desempenar|principales)|tasques principals|we are looking for|buscamos|se busca|busca una persona|contratara|hartuko du",
)
REPORTED = re.compile(
    r"\b(?:ha|han|ha querido) (?:dicho|explicado|anunciado|destacado|senalado|asegurado|subrayado|recordado|afirmado|informado|adelantado|presentado|manifestado|declarado|valorado|agradecido|visitado|inaugurado|dit|explicat|anunciat|destacat|remarcat|assegurat|afirmat|presentat|visitat)\b"
    r"|\b(?:dijo|explico|anuncio que|destaco|senalo|aseguro que|subrayo|afirmo|indico que|recordo que|dixo|explicou|anunciou|destacou|sinalou|asegurou|lembrou|visitou|presentou|said|announced|explained|told|esan (?:du|zuen)|azaldu (?:du|zuen)|iragarri (?:du|zuen)|nabarmendu (?:du|zuen)|adierazi (?:du|zuen))\b"
    r"|\b(?:segun|segons|segundo) (?:ha |han |las? |els? |el |o |a )?(?:\w+ ){0,3}(?:explicado|fuentes|informado|explicat|fonts|fontes|concejal|regidor|alcald\w+|ministr\w+|conseller\w+)"
)
PRESS = re.compile(
    r"gabinete de prensa|gabinet de premsa|nota de prensa|notas de prensa|nota de premsa|comunicado de prensa|press (?:release|office)|prentsa (?:oharra|bulegoa)|para mas informacion los medios|medios de comunicacion"
)
NEWS_PATH = re.compile(
    r"/(?:noticias?|noticies|noticia|novas|nova|albisteak|albistea|news|prensa|premsa|prentsa|actualidad|actualitat|actualidade|sala-de-prensa|notas-de-prensa|press|blog)(?:/|-|$)"
)
LEADERS = re.compile(r"(?:\.{4}|(?:\s\.){4}|…{2}|_{4})\s{0,3}\d{1,4}\s?$")
FEWEST_LEADERS, FEWEST_TENDER, FEWEST_JOB, FEWEST_NAMED_JOB, FEWEST_COOKIES = 3, 3, 3, 2, 5
ENOUGH_NEWS = 2


def is_procedure(parts: Sequence[PagePart]) -> bool:
    """Whether the page answers at least two questions of a procedure, one of them about what to bring, be or do."""
    fields = {part.field for part in parts if part.lines}
    return bool(fields & REQUIRED) and len(fields & CORE) >= 2


def other_content(parts: Sequence[PagePart], title: str, url: str) -> str:
    """What the page is instead of a procedure: a listing, a job offer, an event, and so on. Empty for a procedure."""
    if not any(has_content(line) for part in parts if part.field in CORE for line in part.lines):
        return "listing"
    if _offers_files_only(parts):
        return "publication"
    names = (part.title for part in parts if part.level == 1 or (part.level == 2 and part.label is None))
    titles = [fold_text(title), *(fold_text(name) for name in names)]
    text = fold_text("\n".join(f"{part.title}\n{part.text}" for part in parts))
    applying = {part.field for part in parts if part.lines} & {"documentos_necesarios", "como_solicitar"}
    # A title may say "waiting list" or "statutes" of what one applies for; then the page says how.
    applies = "como_solicitar" in applying
    kinds = (
        ("listing", any(LISTING.match(line) for line in titles) or _has_leaders(parts)),
        ("about the site", _is_about_the_site(titles, applies=applies) or _is_about_cookies(text)),
        ("help with the site", not applies and any(USING_THE_SITE.match(line) for line in titles)),
        ("norm", not applies and any(NORM_TEXT.match(line) for line in titles)),
        ("public notice", not applies and any(PUBLIC_NOTICE.match(line) for line in titles)),
        ("report", not applies and any(REPORT.match(line) for line in titles)),
        ("outcome", not applies and any(OUTCOME.match(line) for line in titles)),
        ("minutes", any(MINUTES.search(line) for line in titles)),
        ("notice", any(NOTICE.search(line) for line in titles)),
        ("tender", _count(TENDER, text) >= FEWEST_TENDER),
        ("job offer", _is_job_offer(parts, titles, text)),
        ("news", news_signs(parts, text, url) >= ENOUGH_NEWS),
        ("event", not applying and any(EVENT.match(line) for line in titles)),
        ("outing", not applies and any(OUTING.match(line) for line in titles)),
    )
    return next((kind for kind, matches in kinds if matches), "")


def signs_of_other_content(parts: Sequence[PagePart], text: str, url: str) -> list[float]:
    """How much a page looks like a tender, a job offer, a competition, news, a page about cookies, a table of contents."""
    return [
        _count(TENDER, text) / FEWEST_TENDER,
        _count(JOB_OFFER, text) / FEWEST_JOB,
        float(_count(SELECTION, text)),
        news_signs(parts, text, url) / ENOUGH_NEWS,
        min(FEWEST_COOKIES, text.count("cookie")) / FEWEST_COOKIES,
        float(_has_leaders(parts)),
    ]


def _offers_files_only(parts: Sequence[PagePart]) -> bool:
    """Whether nothing is asked of anybody: the only documents are links, such as the annexes of a budget."""
    required_parts = [part for part in parts if part.field in REQUIRED and part.lines]
    return {part.field for part in required_parts} == {"documentos_necesarios"} and not any(
        has_content(line) for part in required_parts for line in part.lines
    )


def _count(patterns: Sequence[re.Pattern[str]], text: str) -> int:
    return sum(pattern.search(text) is not None for pattern in patterns)


def _is_job_offer(parts: Sequence[PagePart], titles: Sequence[str], text: str) -> bool:
    named = any(JOB.search(line) for line in titles)
    if named and not parts_of_field(parts, "documentos_necesarios"):
        return True
    # Aids for those who hire or lost their work use the same words, but nobody is examined for them.
    selected = named or _count(SELECTION, text) > 0
    signs = _count((*JOB_OFFER, *SELECTION), text)
    return selected and signs >= (FEWEST_NAMED_JOB if named else FEWEST_JOB)


def _is_about_the_site(titles: Sequence[str], *, applies: bool) -> bool:
    """By the title of the page; by its other headings only where it does not say how to apply, because below that a procedure may
    have questions about the site as well."""
    return any(ABOUT_THE_SITE.match(line) for line in (titles[:1] if applies else titles))


def _is_about_cookies(text: str) -> bool:
    return len(re.findall(r"\bcookies?\b|\bcookie\w+", text)) >= FEWEST_COOKIES


def _has_leaders(parts: Sequence[PagePart]) -> bool:
    """Whether it is a table of contents: lines that lead to page numbers."""
    return (
        sum(LEADERS.search(line.text) is not None for part in parts for line in part.lines) >= FEWEST_LEADERS
    )


def news_signs(parts: Sequence[PagePart], text: str, url: str) -> int:
    """How many signs say that the page reports: an address among the news, reported speech, the press office, quotations."""
    quoted = sum(line.text.startswith(("«", "“", '"', "—")) for part in parts for line in part.lines)
    return (
        bool(NEWS_PATH.search(f"{urlsplit(url).path.lower()}/"))
        + min(2, len(REPORTED.findall(text)))
        + bool(PRESS.search(text))
        + bool(quoted)
    )

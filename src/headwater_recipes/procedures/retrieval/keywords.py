"""Keywords of procedures, for a matcher that counts which of them occur in a query."""

import re
from collections.abc import Iterator, Sequence

from headwater.text.folding import fold_accents, fold_text
from headwater_recipes.procedures.registry.territory import territory_of


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


STOP_WORDS = _words(
    """
    a al amb an and ao aos as con d da das de del dels do dos e el els en eta for i l la las les lo los
    na no o of on os para pel pels per pera por que se sen sense sin su sus the to un una unha y
    """
)
# Words of questions, not of what people want.
QUESTION_WORDS = _words(
    """
    cal com como cual cuales cuando donde es estoy eu fa fem hacer hago have how is it me mi my need necesito
    nola non on onde pedir pido poder podria puc puedo qual quan quando quant que quen quero quien quiero saber
    ser seu sobre son soy tengo tinc vull want what when where who zein zer
    """
)
GENERIC = _words(
    """
    acces acceso ajuda ajut ajuts alta altas anual apoyo application autoritzacio autorizacion
    autorizacions axuda axudas ayuda ayudas baixa baja cambio canvi certificacion certificado certificat
    certificate ciudadania ciutadania concesion convocatoria cuenta declaracion documento documents
    entrega eskaera estatal expedicion familia familiar formulario general gestion grant informacion
    informe inscripcio inscripcion laguntza laguntzak licence licencia llicencia local mayores menores
    modificacion municipal nueva obtencion oficial permit persona personal personas persones
    presentacion prestacio prestacion procedemento procediment procedimiento procedure programa public
    publica publico realizacion reconocimiento regional registre registro renovacio renovacion request
    rexistro servei service servicio servicios solicitar solicitud solicitude subvencio subvencion
    subvenciones subvencions tarjeta titulo titulos trabajo tramit tramitacion tramite vivienda
    ziurtagiria
    actividad actividades alumnado alumnos anuales areas asociaciones basica busca calle casa centro centros ciudad
    ciudadana ciudadano ciudadanos ciutat colectivo comun concello condiciones consulta control cuota curso datos derecho
    derechos digital directa diversas economica economicas economico electronica electronico empresa empresas entidad
    entidades entitats espacio espanola especial espanol estado fiesta grado grupos hogar interes joven jovenes joves
    laboral laborales libre lugar major mayor medios menor menors mercado mujeres natural necesaria nuevas nuevo numero
    number objeto obras ordinaria pagar pago particular particulares perdida permanent permanente persoas place plazas poblacion
    premio primer primera profesional profesionales propia proyecto proyectos rural rurales sector sectores seguro
    sistema sobre social sociales special state temporal temporada territorio tiempo titular titularidad tracto unidad
    urbana urbano using vecinos vehicle vehiculo venta visita young
    """
)
# Beginnings of words about which the assistant's own files are asked. Alone they belong to those files; ours are found by
# their whole names.
TOPICS = (
    *(
        "abogad",
        "acogid",
        "adopci",
        "afilia",
        "alquil",
        "arraig",
        "asilo",
        "asisten",
        "avoca",
        "ayuda",
        "beca",
        "bono",
        "chomage",
    ),
    *(
        "comedor",
        "contributiv",
        "convalid",
        "cotiza",
        "depend",
        "desemple",
        "desocup",
        "direccion",
        "disab",
        "discapac",
        "domicili",
    ),
    *(
        "educa",
        "electric",
        "empadr",
        "emple",
        "enferm",
        "equivalen",
        "estranger",
        "estudi",
        "exclusi",
        "extranj",
        "famil",
        "foreign",
    ),
    *(
        "habitat",
        "hijo",
        "homolog",
        "hospital",
        "identi",
        "infan",
        "ingres",
        "inserci",
        "internacional",
        "invalid",
        "jubila",
    ),
    *(
        "justici",
        "lloguer",
        "luz",
        "maternidad",
        "matricul",
        "medic",
        "minim",
        "minusval",
        "municip",
        "nacimi",
        "naciona",
        "padr",
    ),
    *(
        "papel",
        "paro",
        "paternid",
        "pension",
        "permis",
        "piso",
        "pobre",
        "prestac",
        "protec",
        "reagrup",
        "refugi",
        "registr",
    ),
    *(
        "regular",
        "renova",
        "renta",
        "resid",
        "salud",
        "sanida",
        "sanitar",
        "scholarship",
        "segurid",
        "subsidi",
        "trabaj",
    ),
    *("tribunal", "unemploy", "universi", "urgenc", "valora", "vital", "vivien", "vulnera"),
)
COMMON = _words(
    """
    acultura adversidad agricultura alimentos alojamiento aparcamiento aparentar apariencia apartamento
    aportar aprender aprobar armonia arquitectura arrender ascenso ascensor asegurado asegurar
    asistencia astronomia atender ausencia automovil autonomia auxilio bandera bienestar capital
    capitulo carretera cartera ceremonia ciudadano ciudadanos comida compartir comprender comprobante
    comprobar comunicacion comunidad concilio conferencia conocimiento consistencia constitucion
    construir contrario contratar contrato correspondencia crecimiento cualquiera cuarenta cuidado
    cultura departamento deporte descendencia desempleo destruir diferencia dificultad diversidad
    documento documentos domicilio economia electricidad elementos empadronamiento empleado empleados
    empresa encontrar encuentro entender entera enterar entrenamiento escalera escultura establecimiento
    estructura existencia experiencia extender facilidad facultad felicidad fisonomia frontera
    fundamentos hospital hospitales impartir importancia importante independencia infraestructura
    inmovil inseguridad institucion instituto instruir lectura madera malestar maltratar manera
    manufactura matrimonio medicamentos medida momentos movimiento nacimiento necesidad necesitar
    obstruir parlamentos particular partida partido pasaporte patrimonio perdida presencia presentar
    pretender primera procedimiento provincia publicidad quisiera recapitular reconocimiento reconstruir
    reempleo referencia reglamentos renta repartir reporte representacion representante representar
    residencia restitucion retratar salida seguridad seguro siquiera soltera soporte sorprender
    sustitucion tarjetas tercera testimonio transporte transportes tratamiento tratar treinta
    universidad urgencia vender vida
    asociacion autorizacion ayuntamiento certificacion certificado comunicado conformacion conseguir consigo contratacion
    declaracion documentacion embarazada enfermedad espana extranjeria financiacion gestionar habitacion informacion
    informado informarme inscripcion instalacion ministerio municipio necesito nacionalidad obtener obtengo ocupacion
    participacion prestacion presentacion programacion reclamacion registrarme relacion renovacion renovar situacion
    solicita solicitante solicitar solicito solicitud solicitudes subvencion trabajar trabajador tramitacion
    transformacion transportar valoracion verificacion vinculacion vivienda
    """
)
# Words that people use instead of official ones, unless the curated knowledge base has its own entry for them.
COLLOQUIAL: tuple[tuple[str, str], ...] = (
    ("bienes inmuebles", "contribucion urbana"),
    ("bienes inmuebles", "recibo del ibi"),
    ("residuos", "recibo de la basura"),
    ("basuras", "recibo de la basura"),
    ("vida laboral", "cuanto he cotizado"),
    ("permiso de conduccion", "carnet de conducir"),
    ("permiso de conducir", "carnet de conducir"),
    ("familia numerosa", "carnet de familia numerosa"),
    ("parejas de hecho", "pareja de hecho"),
    ("parelles estables", "pareja de hecho"),
    ("obra menor", "permiso para obras"),
    ("obras menores", "permiso para obras"),
    ("nacimiento", "partida de nacimiento"),
    ("escuela infantil", "plaza de guarderia"),
    ("escola bressol", "placa de guarderia"),
    ("ocupacion de via publica", "permiso para terraza"),
    ("terrazas", "permiso para terraza"),
    ("vado", "vado permanente"),
    ("teleasistencia", "boton rojo"),
    ("antecedentes penales", "certificado de penales"),
)


SHORTEST_KEYWORD = 5
MOST_KEYWORDS = 40
LONG, ENDING = 10, 4
FEWEST_ENDINGS, TOPIC_ENDINGS = 1, 5
BETWEEN = re.compile(r"[^\w·]+")
# Many towns have one of the same name, and people name it when they ask about something else.
DEPARTMENT = re.compile(
    r"^(?:comisaria|comissaria|concejalia|concelleria|concellaria|regidoria|negociado|negociat|servicios?|servei|servizos?|area|oficina"
    r"|centro|centre|unidad|unitat|unidade|seccion|seccio|departamento|departament|department|secretaria|delegacion|delegacio"
    r"|direccion|direccio|subdireccion|subdireccio)\b|\b(?:saila|batzordea|department|office|unit|section)$"
)


def _is_department(organism: str) -> bool:
    """Whether the name says neither of which town, province or community it is, nor that it is the state's."""
    return DEPARTMENT.search(fold_for_matching(organism)) is not None and not territory_of(organism, "")


def keywords_for(
    name: str, other_names: Sequence[str], organism: str, abbreviation: str, identity: str
) -> list[str]:
    """The whole name, its distinctive words or their stems, the organism unless it is a department, colloquial words, the id.

    No keyword is shorter than five letters, part of a common word, or a repetition with other accents. Partial phrases of
    the name are left out: they may be the name of another procedure, which the whole name must outrank.
    """
    candidates = [*_of_name(name)]
    for other in other_names:
        candidates += _of_name(other)
    candidates += [
        bare
        for text in (organism, abbreviation)
        if len(bare := fold_for_matching(text)) >= SHORTEST_KEYWORD and not _is_department(text)
    ]
    candidates += [words for term, words in COLLOQUIAL if term in fold_text(name)]
    candidates.append(identity)
    distinct = list(dict.fromkeys(text for text in candidates if _is_usable(text)))
    if len(distinct) < 3:
        distinct = list(dict.fromkeys([*distinct, *_extra_keywords(name, organism)]))
    return distinct[:MOST_KEYWORDS]


def _of_name(name: str) -> Iterator[str]:
    full_name = " ".join(fold_for_matching(name).split()).strip(" .,;:")
    words = BETWEEN.split(full_name)
    yield full_name
    yield from _inflections(full_name, words)
    for word in words:
        if _is_distinctive(word):
            stem = _stem(word)
            yield word if is_fragment(stem) else stem


def _inflections(full_name: str, words: Sequence[str]) -> Iterator[str]:
    """The whole name with shorter endings. They match when the whole name does, so that it outranks a shorter name within it
    and the assistant's own files about its topic."""
    endings = FEWEST_ENDINGS + len(words) // 2
    if any(_is_topic(word) for word in words):
        endings = max(endings, TOPIC_ENDINGS)
    for letters in range(1, endings + 1):
        if len(full_name) - letters >= SHORTEST_KEYWORD:
            yield full_name[:-letters].strip()


def _is_distinctive(word: str) -> bool:
    """Whether the word alone asks for this procedure: not a generic word, not a topic of the assistant's own files."""
    return (
        len(word) >= SHORTEST_KEYWORD
        and not {word, word.removesuffix("s"), word.removesuffix("es")}
        & (GENERIC | STOP_WORDS | QUESTION_WORDS)
        and not _is_topic(word)
    )


def _is_topic(word: str) -> bool:
    return word.startswith(TOPICS)


def _stem(word: str) -> str:
    """What inflections share: people ask to be "matriculados", not for the "matriculación". The word itself is not a keyword
    beside it: the matcher would count both."""
    return word[: len(word) - ENDING] if len(word) >= LONG else word


def _extra_keywords(name: str, organism: str) -> Iterator[str]:
    """More keywords for names of one word, because the schema requires three."""
    bare = fold_for_matching(name)
    yield f"tramite {bare}"
    yield f"solicitud {bare}"
    if organism:
        yield f"{bare} {fold_for_matching(organism)}"


def _is_usable(text: str) -> bool:
    if len(text.strip()) < SHORTEST_KEYWORD:
        return False
    if " " in text or "-" in text:
        return True
    return not is_fragment(text)


def is_fragment(word: str) -> bool:
    """Whether it occurs inside a common word, but not at its beginning."""
    return any(word in common and not common.startswith(word) for common in COMMON)


def count_matches(query: str, candidates: Sequence[str]) -> int:
    """How many of the keywords occur in the query."""
    folded = fold_for_matching(query)
    return sum(fold_for_matching(keyword) in folded for keyword in candidates if keyword.strip())


def fold_for_matching(text: str) -> str:
    """The text as the matcher compares it: lower case, without accents."""
    return fold_accents(text.lower().strip())

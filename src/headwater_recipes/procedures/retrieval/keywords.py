"""Keywords of procedures, for a matcher that counts which of them occur in a query."""

import re
from collections.abc import Iterator, Sequence

from headwater.text.folding import fold_accents, fold_text


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
    """
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
BETWEEN = re.compile(r"[^\w·]+")


def keywords_for(
    name: str, other_names: Sequence[str], organism: str, abbreviation: str, identity: str
) -> list[str]:
    """The whole name, its distinctive words and their stems, the organism, colloquial words, the id.

    No keyword is shorter than five letters, part of a common word, or a repetition with other accents. Partial phrases of
    the name are left out: they may be the name of another procedure, which the whole name must outrank.
    """
    candidates = [*_of_name(name)]
    for other in other_names:
        candidates += _of_name(other)
    candidates += [
        bare for text in (organism, abbreviation) if len(bare := fold_for_matching(text)) >= SHORTEST_KEYWORD
    ]
    candidates += [words for term, words in COLLOQUIAL if term in fold_text(name)]
    candidates.append(identity)
    distinct = list(dict.fromkeys(text for text in candidates if _is_usable(text)))
    if len(distinct) < 3:
        distinct = list(dict.fromkeys([*distinct, *_extra_keywords(name, organism)]))
    return distinct[:MOST_KEYWORDS]


def _of_name(name: str) -> Iterator[str]:
    full_name = " ".join(fold_for_matching(name).split()).strip(" .,;:")
    yield full_name
    if full_name.isalpha() and len(full_name) > SHORTEST_KEYWORD:
        # A single word counts twice (as a word and as the whole), or a longer name with that word would match as often.
        yield full_name[: max(SHORTEST_KEYWORD, len(full_name) - ENDING - 2)]
    for word in BETWEEN.split(fold_for_matching(name)):
        if len(word) >= SHORTEST_KEYWORD and word not in GENERIC and word not in STOP_WORDS:
            yield word
            yield from _stem(word)


def _stem(word: str) -> Iterator[str]:
    """The stem that inflections share: people ask to be "empadronados", not for the "empadronamiento"."""
    if len(word) >= LONG:
        yield word[: len(word) - ENDING]


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

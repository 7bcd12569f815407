"""Words that make poor keywords, and words that people use instead of the official ones."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


SMALL = _words(
    """
    a al amb an and ao aos as con d da das de del dels do dos e el els en eta for i l la las les lo los
    na no o of on os para pel pels per pera por que se sen sense sin su sus the to un una unha y
    """
)
# What people say around what they want.
ASKING = _words(
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
# Only where the curated knowledge base has no entry of its own: a word that it answers to is left to it.
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

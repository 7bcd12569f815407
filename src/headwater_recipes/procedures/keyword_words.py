"""Words that make poor keywords, and words that people use instead of the official ones."""

SMALL = frozenset(
    "a al amb an and as con da das de del dels do dos e el els en eta for i l la las les lo los na no o of on os para per "
    "pera pel pels por que se sen sense sin su sus the to un una unha y d al ao aos".split()
)
GENERIC = frozenset(
    """
    acceso acces ajuda ajut ajuts alta altas apoyo ayuda ayudas axuda axudas baja baixa cambio canvi certificado
    certificat certificacion ciudadania ciutadania concesion convocatoria declaracion documento documents entrega
    expedicion familia familiar formulario general gestion grant informacion informe inscripcion inscripcio laguntza
    laguntzak licencia llicencia modificacion municipal nueva obtencion oficial personal persona personas persones
    presentacion prestacion prestacio procedimiento procediment procedemento procedure programa publica publico
    realizacion registro registre rexistro renovacion renovacio reconocimiento request servicio servicios servei
    service solicitar solicitud solicitude subvencion subvenciones subvencio subvencions tarjeta trabajo tramitacion
    tramite tramit titulo titulos ziurtagiria eskaera application certificate licence permit autorizacion autoritzacio
    autorizacions cuenta vivienda menores mayores anual local estatal regional public
    """.split()
)
COMMON = frozenset(
    """
    ascensor ascenso cuarenta treinta apariencia diferencia referencia conferencia experiencia existencia provincia
    urgencia ausencia presencia residencia independencia correspondencia asistencia consistencia descendencia
    comprobante comprobar aprobar encontrar contrario encuentro documento documentos empleado empleados empresa
    reempleo desempleo capital capitulo recapitular hospital hospitales comunidad comunicacion importante importancia
    transporte transportes deporte pasaporte reporte soporte aportar apartamento departamento compartir repartir
    impartir particular partido cuidado ciudadano ciudadanos asegurado seguridad asegurar inseguridad seguro
    presentar representar representante representacion contratar contrato tratar tratamiento retratar maltratar
    entender extender atender pretender vender arrender aprender comprender sorprender bienestar malestar necesitar
    necesidad universidad diversidad adversidad dificultad facultad facilidad felicidad publicidad electricidad
    automovil inmovil domicilio concilio auxilio instituto institucion constitucion sustitucion restitucion
    construir instruir destruir obstruir reconstruir estructura infraestructura manufactura lectura arquitectura
    agricultura cultura escultura acultura renta aparentar enterar entera cartera carretera frontera primera
    tercera cualquiera siquiera quisiera manera bandera madera escalera soltera entrenamiento alojamiento aparcamiento
    movimiento nacimiento conocimiento reconocimiento establecimiento crecimiento procedimiento empadronamiento
    matrimonio patrimonio testimonio ceremonia armonia economia autonomia fisonomia astronomia alimentos elementos
    momentos fundamentos reglamentos parlamentos medicamentos tarjetas comida salida partida medida vida perdida
    """.split()
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

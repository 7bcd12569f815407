"""Values of fields as they stand on pages: channels, numbers, addresses, tables, and what follows the text without being part
of it."""

import pytest
from tests.pure.test_procedures_decisions import BASE, read

from headwater_recipes.procedures.fields import addresses, channels
from headwater_recipes.procedures.fields.money import MONEY, amounts
from headwater_recipes.procedures.fields.telephones import number_in
from headwater_recipes.procedures.normalise import parts_by_rules

LAW = "<h2>Normativa</h2><ul><li>Ley 39/2015, de 1 de octubre.</li></ul>"


def read_one(main: str) -> dict:
    (document,) = read(main)
    return document


@pytest.mark.parametrize(
    ("text", "channel"),
    [
        ("En persona con cita previa, o por internet.", "mixto"),
        ("Con cita previa o por internet.", "mixto"),
        ("Pidiendo cita previa por internet.", "presencial"),
    ],
)
def test_p17_an_appointment_or_the_internet_are_two_channels(text: str, channel: str):
    assert read_one(f"{BASE}<h2>Cómo solicitarlo</h2><p>{text}</p>")["canal"] == channel


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("Más información en el 060.", "060"),
        ("Llame al 010.", "010"),
        ("Telèfon 012", "012"),
        ("Información: 060.", "060"),
        ("010 (desde fuera de la ciudad, 91 555 20 10)", "010 / 91 555 20 10"),
        ("Impreso modelo 060.", None),
        ("Entre 010 y 020 puntos.", None),
        ("Llame al 112.", "112"),
    ],
)
def test_short_telephone_numbers_need_no_word_for_telephone(text: str, number: str | None):
    assert read_one(f"{BASE}<h2>Contacto</h2><p>{text}</p>").get("telefono") == number


@pytest.mark.parametrize(
    "text",
    [
        "Información de tasas: 120 euros por solicitud.",
        "Información: 150 plazas disponibles",
        "Oficina de atención. Información 180 euros.",
        "Informazioa: 150 plaza",
        "La ayuda llega al 100 por cien.",
        "Expediente número 134",
        "Teléfono: 112 €",
    ],
)
def test_amounts_and_counts_are_no_telephone_numbers(text: str):
    assert number_in(text) == ""


def test_a_short_number_alone_is_a_way_to_apply():
    document = read_one(f"{BASE}<h2>Cómo solicitarlo</h2><ul><li>En el 010</li><li>Por internet</li></ul>")
    assert document["como_solicitar"] == [
        {"via": "telefono", "detalle": "En el 010"},
        {"via": "online", "detalle": "Por internet"},
    ]


def test_the_electronic_office_is_not_an_address():
    main = f"{BASE}<h2>Dónde presentarlo</h2><p>Por internet, en la sede, o en el Registro General, plaza Mayor, 1.</p>"
    assert read_one(main)["donde_solicitar"] == {"direcciones": ["Registro General, plaza Mayor, 1"]}
    main = f"{BASE}<h2>Dónde presentarlo</h2><p>Por internet, en la sede del Ayuntamiento.</p>"
    assert "donde_solicitar" not in read_one(main)


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("Gratuito. El duplicado también.", None),
        ("Gratuito. El duplicado cuesta 12 EUR.", ["El duplicado cuesta 12 EUR."]),
        ("Gratuito. El duplicado cuesta 12.", ["El duplicado cuesta 12."]),
    ],
)
def test_the_price_of_a_second_copy_is_a_note(text: str, note: list[str] | None):
    document = read_one(f"{BASE}<h2>Tasas</h2><p>{text}</p>")
    assert document["tasas"] == "Gratuito"
    assert document.get("datos_importantes") == note


def test_leaders_stand_between_a_name_and_an_amount():
    text = "## Cuantía\n\n- Niños ........ 20 €\n- Según baremo ......\n"
    assert amounts(parts_by_rules(text)).value == {"Niños": "20 €", "importe": "Según baremo ......"}
    assert amounts(parts_by_rules("## Cuantía\n\n- ........ 20 €\n")).value == {"importe": "........ 20 €"}


@pytest.mark.parametrize("text", ["18,75 euroko tasa", "12 €-ko tasa", "300 eurokoa", "20 euro"])
def test_amounts_in_basque_are_amounts(text: str):
    assert MONEY.search(text)


@pytest.mark.parametrize(
    "line",
    [
        "REQUISITOS: Ser mayor de edad. DOCUMENTACIÓN NECESARIA: DNI en vigor. PLAZO: Diez días. TASA: 12 euros",
        "Requisitos: Ser mayor de edad. Documentación: DNI en vigor. Plazo de solicitud: Diez días. Tasa: 12 euros",
        "Requisitos: Ser mayor de edad Documentación: DNI en vigor Plazo: Diez días Tasa: 12 euros",
    ],
)
def test_several_labels_on_one_line_are_several_sections(line: str):
    document = read_one(f"<p>{line}</p>")
    assert [text.rstrip(".") for text in document["requisitos"]] == ["Ser mayor de edad"]
    assert [text.rstrip(".") for text in document["documentos_necesarios"]] == ["DNI en vigor"]
    assert document["plazos"]["solicitud"].rstrip(".") == "Diez días"
    assert document["tasas"] == "12 euros"


def test_p19_languages_that_alternate_in_a_list_are_separated():
    document = read_one(
        "<h2>Requisitos / Requisits</h2><ul><li>Ser mayor de edad y vivir en el municipio desde hace un año.</li>"
        "<li>Ser major d'edat i viure al municipi des de fa un any.</li><li>No tener deudas pendientes con el Ayuntamiento.</li>"
        "<li>No tenir deutes pendents amb l'Ajuntament.</li></ul><h2>Documentación / Documentació</h2>"
        "<ul><li>Documento de identidad de la persona solicitante.</li><li>Document d'identitat de la persona sol·licitant.</li></ul>"
    )
    assert document["requisitos"] == [
        "Ser mayor de edad y vivir en el municipio desde hace un año.",
        "No tener deudas pendientes con el Ayuntamiento.",
    ]
    assert document["documentos_necesarios"] == ["Documento de identidad de la persona solicitante."]


@pytest.mark.parametrize(
    "trailing",
    [
        "<p>Madrid, a 12 de enero de 2026.</p><p>El Director General, Rafael Olmedo Prieto</p>",
        "<p>Muestra, 3 de marzo de 2026</p><p>La Alcaldesa</p><p>Fdo.: Ana Ruiz</p>",
        "<p>La información de esta página es orientativa y no tiene valor jurídico.</p>",
        '<p>Compartir en:</p><p><a href="https://f.example/x">Facebook</a> <a href="https://f.example/y">WhatsApp</a></p>',
        '<p>También te puede interesar:</p><ul><li><a href="/a">Licencia de obra</a></li><li><a href="/b">Padrón</a></li></ul>',
        '<p>You may also be interested in</p><ul><li><a href="/a">Building permit</a></li></ul>',
        "<p>¿Te ha sido útil esta información?</p><p>Sí</p><p>No</p>",
        "<p>(1) Solo para menores de edad.</p>",
        "<p><sup>1</sup> Solo para menores de edad.</p>",
        "<p>Última actualización: 3 de marzo de 2026</p>",
        "<p>Documento firmado electrónicamente. CSV: A1B2C3</p>",
    ],
)
def test_p18_what_follows_the_text_is_no_value(trailing: str):
    assert read_one(f"{LAW}{BASE}{trailing}")["documentos_necesarios"] == ["Documento de identidad."]
    assert read_one(f"{BASE}{LAW}{trailing}")["base_legal"] == ["Ley 39/2015, de 1 de octubre"]


def test_a_star_that_the_text_refers_to_begins_a_note():
    main = "<h2>Requisitos</h2><p>Ser mayor de edad.</p><h2>Documentación</h2><ul><li>Pasaporte*</li></ul><p>* Solo los extranjeros.</p>"
    assert read_one(main)["documentos_necesarios"] == ["Pasaporte"]


@pytest.mark.parametrize(
    ("label", "head", "rows", "field", "value"),
    [
        ("Documentación", ("Documento", "Obligatorio"), (("DNI", "Sí"), ("Foto", "No")), "documentos_necesarios", ["DNI", "Foto"]),
        ("Tasas", ("Modalidad", "Importe"), (("Ordinaria", "12 €"), ("Reducida", "Exenta")), "tasas", "Ordinaria: 12 €; Reducida: Exenta"),
        ("Plazos", ("Actuación", "Tiempo"), (("Solicitud", "Un mes"), ("Resolución", "Tres meses")), "plazos", {"solicitud": "Un mes", "resolucion": "Tres meses"}),
        ("Cómo solicitarlo", ("Canal", "Detalle"), (("Internet", "En la sede"), ("Presencial", "En el registro")), "como_solicitar",
         [{"via": "online", "detalle": "En la sede"}, {"via": "presencial", "detalle": "En el registro"}]),
    ],
)  # fmt: skip
def test_headers_of_tables_are_no_values(label: str, head: tuple, rows: tuple, field: str, value: object):
    cells = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    table = f"<table><tr>{''.join(f'<th>{cell}</th>' for cell in head)}</tr>{cells}</table>"
    requirements = "<h2>Requisitos</h2><p>Ser mayor de edad.</p><h2>Cuándo</h2><p>Todo el año.</p>"
    document = read_one(f"{requirements}<h2>{label}</h2>{table}")
    if field == "plazos":
        assert document[field]["resolucion"] == "Tres meses"
        assert "Tiempo" not in str(document[field])
    else:
        assert document[field] == value


def test_conditions_among_documents_are_requirements():
    document = read_one(
        "<h2>Requisitos</h2><p>Ser mayor de edad.</p><h2>Documentación</h2><ul><li>DNI</li><li>Estar empadronado en el municipio.</li>"
        "<li>Estar en posesión del título.</li></ul>"
    )
    assert document["requisitos"] == ["Ser mayor de edad.", "Estar empadronado en el municipio."]
    assert document["documentos_necesarios"] == ["DNI", "Estar en posesión del título."]


def test_a_sentence_that_names_several_ways_is_divided_between_them():
    text = "Acérquese al registro, calle Mayor, 3, o envíe el impreso a tramites@villaclara.example."
    document = read_one(f"{BASE}<h2>Cómo solicitarlo</h2><p>{text}</p>")
    assert document["como_solicitar"] == [
        {"via": "presencial", "detalle": "Acérquese al registro, calle Mayor, 3"},
        {"via": "correo", "detalle": "envíe el impreso a tramites@villaclara.example."},
    ]


def test_the_galician_article_divides_no_sentence():
    undivided = "Presente na sede electrónica o impreso asinado no Rexistro Xeral."
    document = read_one(f"{BASE}<h2>Cómo solicitarlo</h2><p>{undivided}</p>")
    assert document["como_solicitar"] == [
        {"via": "online", "detalle": undivided},
        {"via": "presencial", "detalle": undivided},
    ]


def test_a_sentence_whose_ways_cannot_be_divided_is_listed_under_each():
    text = "Envíe el impreso por internet al registro general."
    document = read_one(f"{BASE}<h2>Cómo solicitarlo</h2><p>{text}</p>")
    assert document["como_solicitar"] == [
        {"via": "online", "detalle": text},
        {"via": "presencial", "detalle": text},
    ]


def test_a_sentence_that_excludes_a_way_names_none():
    text = "En el Registro General, calle Mayor, 3, o por correo certificado. No se admiten solicitudes por fax ni por correo."
    document = read_one(f"{BASE}<h2>Cómo solicitarlo</h2><p>{text}</p>")
    assert document["como_solicitar"] == [
        {"via": "presencial", "detalle": "En el Registro General, calle Mayor, 3"},
        {"via": "correo", "detalle": "por correo certificado."},
    ]


def test_offices_are_ways_to_apply_where_nothing_else_says_that_one_may_come():
    online = "<h2>Cómo solicitarlo</h2><p>Por internet, en la sede electrónica.</p>"
    offices = "<h2>Lugar de presentación</h2><ul><li>Oficina Comarcal, calle Nueva, 7.</li></ul>"
    document = read_one(f"{BASE}{online}{offices}")
    assert document["como_solicitar"] == [
        {"via": "online", "detalle": "Por internet, en la sede electrónica."},
        {"via": "presencial", "detalle": "Oficina Comarcal, calle Nueva, 7."},
    ]
    assert document["canal"] == "mixto"


def test_a_box_of_facts_beside_the_text_is_read_whatever_its_labels():
    facts = "<dl><dt>Sabrás si te toca</dt><dd>Respondemos en dos meses</dd><dt>Lo que pagas</dt><dd>9 euros al mes</dd><dt>Habla con nosotros</dt><dd>922 555 154</dd></dl>"
    document = read_one(f"{BASE}<aside>{facts}</aside>")
    assert document["telefono"] == "922 555 154"
    assert document["tasas"] == "9 euros al mes"


def test_a_box_of_links_beside_the_text_is_no_part_of_it():
    links = "".join(f'<dt><a href="/n/{n}">Noticia larga número {n}</a></dt><dd>Hoy</dd>' for n in range(4))
    document = read_one(f"{BASE}<aside><dl>{links}</dl></aside>")
    assert "Noticia" not in str(document)


def test_rows_with_labels_below_a_heading_about_the_procedure_are_fields():
    rows = "<tr><th>What you pay</th><td>110 euros a day</td></tr><tr><th>You will hear back</th><td>within 5 working days</td></tr><tr><th>Talk to</th><td>965 555 938</td></tr><tr><th>If we stay silent</th><td>take it as a no</td></tr>"
    document = read_one(f"{BASE}<h2>At a glance</h2><table>{rows}</table>")
    assert document["tasas"] == "110 euros a day"
    assert document["telefono"] == "965 555 938"


def test_the_name_of_a_form_stays_in_its_sentence_where_it_is_a_link():
    papers = '<li>Solicitud normalizada (<a href="/mc4.pdf">modelo MC-04</a>).</li><li>El <a href="/p.pdf">formulario</a> de pedido firmado.</li>'
    document = read_one(f"{BASE}<h2>Documentación</h2><ul>{papers}</ul>")
    assert document["documentos_necesarios"][-2:] == [
        "Solicitud normalizada (modelo MC-04).",
        "El formulario de pedido firmado.",
    ]


@pytest.mark.parametrize(
    ("text", "ways"),
    [
        ("Por la red de oficinas de asistencia.", ["presencial"]),
        (
            "Descargue el modelo en www.villaclara.example y preséntelo en el registro general.",
            ["presencial"],
        ),
        ("Marque el número 971 555 456.", ["telefono"]),
        ("En el caso de menores, firmará su tutor.", ["general"]),
        ("Desde el mapa de quemas.villaclara.example, marcando la parcela.", ["online"]),
    ],
)
def test_words_that_only_resemble_a_way_name_none(text: str, ways: list[str]):
    document = read_one(f"{BASE}<h2>Cómo solicitarlo</h2><p>{text}</p>")
    assert [step["via"] for step in document["como_solicitar"]] == ways


@pytest.mark.parametrize(
    "text",
    [
        "Gratuito. Para empresas, 35 €.",
        "Gratuita. A partir del segundo año se pagan 20 €.",
        "No hay tasas. El depósito de la memoria cuesta 40 €.",
    ],
)
def test_a_price_for_others_or_later_is_no_free_procedure(text: str):
    assert read_one(f"{BASE}<h2>Tasas</h2><p>{text}</p>")["tasas"] == text


def test_a_term_with_dates_is_no_page_number():
    document = read_one(f"{BASE}<h2>Plazo de solicitud</h2><p>Del 1/9 al 30/9</p>")
    assert document["plazos"] == {"solicitud": "Del 1/9 al 30/9"}


@pytest.mark.parametrize(
    ("beginning", "name"),
    [
        ("El Servicio de Deportes ayuda a los clubes modestos.", "Servicio de Deportes"),
        ("La Agencia Tributaria comprueba los datos de renta.", "Ayuntamiento de Muestra"),
        (
            "El Servicio de Estacionamiento Regulado funciona de lunes a viernes, de nueve a dos, en todas las calles del centro.",
            "Ayuntamiento de Muestra",
        ),
    ],
)
def test_the_body_that_does_what_the_page_is_about_is_responsible(beginning: str, name: str):
    assert read_one(f"<h2>Descripción</h2><p>{beginning}</p>{BASE}")["organismo"] == name


@pytest.mark.parametrize("unit", ["a y ", "No y ", "Calle Mayor 1, ", "12 Harbour Street ", "familia "])
def test_a_hostile_item_is_read_with_few_searches(unit: str, monkeypatch: pytest.MonkeyPatch):
    """Searches are counted, not seconds: with twice the text there may be no four times as many."""
    calls = []
    for module, name in ((channels, "ways_of"), (addresses, "place_name")):
        function = getattr(module, name)
        monkeypatch.setattr(
            module, name, lambda *a, f=function: calls.append(sum(map(len, map(str, a)))) or f(*a)
        )
    sizes = []
    for length in (4_000, 8_000):
        calls.clear()
        read(f"{BASE}<h2>Cómo solicitarlo</h2><ul><li>{(unit * length)[:length]}</li></ul>")
        sizes.append(sum(calls))
    assert sizes[1] <= 2.5 * sizes[0] + 1_000


def test_applying_by_mail_or_in_person_is_a_mixed_channel():
    text = "Acérquese al registro, calle Mayor, 3, o envíe el impreso a tramites@villaclara.example."
    assert read_one(f"{BASE}<h2>Cómo solicitarlo</h2><p>{text}</p>")["canal"] == "mixto"


def test_clauses_between_semicolons_that_name_one_way_each_are_listed_apart():
    text = "Por internet, en la sede electrónica; en persona, en el registro general."
    document = read_one(f"{BASE}<h2>Cómo solicitarlo</h2><p>{text}</p>")
    assert document["como_solicitar"] == [
        {"via": "online", "detalle": "Por internet, en la sede electrónica"},
        {"via": "presencial", "detalle": "en persona, en el registro general."},
    ]


@pytest.mark.parametrize(
    ("text", "detail"),
    [
        ("Con certificado digital. {}", "Con certificado digital."),
        (
            "Con el certificado de la persona que firma, por internet: {}",
            "Con el certificado de la persona que firma, por internet",
        ),
        ("Entre en la sede y pulse {}", "Entre en la sede y pulse Iniciar la solicitud"),
    ],
)
def test_the_link_to_apply_behind_a_way_is_no_part_of_its_text(text: str, detail: str):
    link = '<a href="https://sede.villaclara.example/solicitar">Iniciar la solicitud</a>'
    document = read_one(f"{BASE}<h2>Cómo solicitarlo</h2><p>{text.format(link)}</p>")
    assert [step["detalle"] for step in document["como_solicitar"]] == [detail]
    assert document["donde_solicitar"]["urls"] == ["https://sede.villaclara.example/solicitar"]


def test_a_section_about_where_to_apply_says_how_if_nothing_else_does():
    text = "Deje la solicitud en la biblioteca, calle del Pozo, 7, o llame al 949 555 010."
    document = read_one(f"{BASE}<h2>Dónde hay que ir</h2><p>{text}</p>")
    assert [step["via"] for step in document["como_solicitar"]] == ["presencial", "telefono"]
    assert document["donde_solicitar"] == {"direcciones": ["biblioteca, calle del Pozo, 7"]}


def test_laws_in_a_sentence_are_cited_without_it():
    text = (
        "Esta ayuda se apoya en el Real Decreto 307/2005, de 18 de marzo, y en la Ley 17/2015, de 9 de julio."
    )
    document = read_one(f"{BASE}<h2>Normativa</h2><p>{text}</p>")
    assert document["base_legal"] == ["Real Decreto 307/2005, de 18 de marzo", "Ley 17/2015, de 9 de julio"]


def test_a_term_with_the_meaning_of_silence_is_the_term_of_the_decision():
    text = "Tres meses, con silencio administrativo positivo."
    document = read_one(f"{BASE}<h2>Plazo de resolución</h2><p>{text}</p>")
    assert document["plazos"] == {"resolucion": text}


def test_a_host_for_appointments_is_no_start_of_the_procedure():
    main = f'{BASE}<h2>Cómo solicitarlo</h2><p>Venga con <a href="https://citas.villaclara.example/x">hora reservada</a>.</p>'
    assert read_one(main)["donde_solicitar"] == {"cita_previa_url": "https://citas.villaclara.example/x"}


def test_an_amount_below_a_heading_of_its_own_has_that_name():
    main = f"{BASE}<h2>Cuantía de la ayuda</h2><h3>Primer hijo</h3><p>1.200 euros</p><h3>Segundo hijo</h3><p>2.400 euros</p>"
    assert read_one(main)["cuantias"] == {"Primer hijo": "1.200 euros", "Segundo hijo": "2.400 euros"}


@pytest.mark.parametrize(
    ("text", "fee"),
    [
        ("Nada. La tarjeta no cuesta ni un euro.", "Gratuito"),
        ("No, there is nothing to pay.", "Gratuito"),
        ("No: 24 euros al año.", "No: 24 euros al año."),
    ],
)
def test_an_answer_that_begins_with_no_and_names_no_price_says_that_it_is_free(text: str, fee: str):
    assert read_one(f"{BASE}<h2>Tasas</h2><p>{text}</p>")["tasas"] == fee


def test_an_address_ends_with_its_town_and_means_that_one_applies_in_person():
    main = f"{BASE}<h2>Lugar de presentación</h2><p>Calle Tesoro, 9, 49099 Castroviejo; pida hora antes de venir.</p>"
    document = read_one(main)
    assert document["donde_solicitar"]["direcciones"] == ["Calle Tesoro, 9, 49099 Castroviejo"]
    assert document["canal"] == "presencial"


def test_an_address_written_out_where_one_applies_is_a_place_to_apply():
    link = '<a href="https://salud.islas.example/tarjeta">salud.islas.example/tarjeta</a>'
    document = read_one(f"{BASE}<h2>Dónde solicitarlo</h2><p>En línea, en {link}.</p>")
    assert document["donde_solicitar"]["urls"] == ["https://salud.islas.example/tarjeta"]


def test_numbered_labels_in_capitals_divide_a_printed_page_whose_running_lines_are_left_out():
    running = "<p>Cabildo de Alborada · Avenida del Puerto, 30</p><p>Hoja nº 12 Pág. {} de 2</p>"
    main = (
        "<p><b>BECAS DE TRANSPORTE</b></p><p>1. OBJETO</p><p>Contribuir a los gastos de viaje del alumnado.</p>"
        "<p>2. REQUISITOS</p><p>a) Residir en la isla.</p><p>b) Estar matriculado.</p>"
        f"{running.format(1)}<p>3. DOCUMENTACIÓN</p><p>- Certificado de residencia.</p><p>- Resguardo de matrícula.</p>"
        f"<p>4. PLAZO DE PRESENTACIÓN</p><p>Veinte días hábiles.</p>{running.format(2)}"
    )
    document = read_one(main)
    assert document["requisitos"] == ["Residir en la isla.", "Estar matriculado."]
    assert document["documentos_necesarios"] == ["Certificado de residencia.", "Resguardo de matrícula."]
    assert document["plazos"] == {"solicitud": "Veinte días hábiles."}


def test_the_department_below_the_title_is_responsible():
    main = f"<p>Consejería de Vivienda · Dirección General de Arquitectura</p>{BASE}"
    assert read_one(main)["organismo"] == "Consejería de Vivienda"

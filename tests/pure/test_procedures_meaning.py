"""Sections under unknown headings are recognised by what they say, and the record says so."""

from headwater.model.outcomes import ExtractHints, Reading
from headwater_recipes.procedures.labels.vocabulary import Label
from headwater_recipes.procedures.normalise import Procedure, parts_of
from headwater_recipes.procedures.page.reader import read_procedure
from headwater_recipes.procedures.sections.page_statements import page_statements
from headwater_recipes.procedures.sections.parts import PagePart, lines_of
from headwater_recipes.procedures.sections.placing import place_by_meaning
from headwater_recipes.procedures.sections.statement_network import MODEL, page_shares
from headwater_recipes.procedures.sections.word_meaning import text_meaning
from headwater_recipes.procedures.standalone import procedures_from

URL = "https://sede.muestra.example/tramites/uno"
SMALL_FILE = 1_600_000


def part(title: str, text: str, label: Label | None = None) -> PagePart:
    return PagePart(title=title, level=2, label=label, lines=tuple(lines_of(text)))


def read(main: str) -> list[Procedure]:
    page = f'<!doctype html><html lang="es"><head><title>Bono - Ayuntamiento de Muestra</title></head><body><main><h1>Bono de muestra</h1><p>Descuento para quienes viven en el municipio.</p>{main}</main></body></html>'
    reading = read_procedure(page.encode(), ExtractHints(url=URL))
    assert isinstance(reading, Reading)
    return list(procedures_from(reading, URL))


def test_a_page_in_other_words_is_read_by_its_meaning():
    (procedure,) = read(
        "<h2>Tu situación</h2><ul><li>Tener más de 65 años.</li><li>Vivir en el municipio desde hace un año.</li></ul>"
        "<h2>El sobre que traerás</h2><ul><li>Fotocopia del DNI.</li><li>Certificado de empadronamiento.</li></ul>"
        "<h2>Bolsillo</h2><p>12,50 euros al año</p>"
    )
    assert procedure.document["requisitos"] == [
        "Tener más de 65 años.",
        "Vivir en el municipio desde hace un año.",
    ]
    assert procedure.document["documentos_necesarios"] == [
        "Fotocopia del DNI.",
        "Certificado de empadronamiento.",
    ]
    assert procedure.document["tasas"] == "12,50 euros al año"
    assert procedure.placed_by["documentos_necesarios"] == "model"
    assert procedure.placed_by["nombre"] == "rule"


def placed(*parts: PagePart) -> list[PagePart]:
    return place_by_meaning(parts, "\n".join(part.text for part in parts))


def test_sections_about_something_else_stay_unplaced():
    for title, text in (
        ("Historia", "El edificio se construyó en 1890 y fue escuela hasta 1970."),
        ("Nuestro equipo", "Ana Ruiz dirige el museo desde hace diez años."),
    ):
        (section,) = placed(part(title, text))
        assert section.field not in {"requisitos", "documentos_necesarios", "tasas", "plazos"}


def test_the_model_is_small_and_gives_shares_of_one():
    assert MODEL.stat().st_size < SMALL_FILE
    text = "- Ley 39/2015, de 1 de octubre.\n- Decreto 12/2020, de 3 de mayo."
    section = part("Lo manda", text)
    statements = page_statements([section], text)
    shares = page_shares(statements, [section])
    assert shares.shape[0] == 2
    assert abs(shares.sum(1) - 1).max() < 1e-5
    assert page_shares([], []).shape[0] == 0


def test_a_question_that_seems_to_ask_for_something_else_is_placed_by_its_answer():
    question = part(
        "Lo que puedes recibir",
        "Ayuda de 650 euros al mes. Subvención máxima de 2.000 euros.",
        Label("requisitos"),
    )
    conditions = part("Requisitos", "- Ser mayor de edad.", Label("requisitos"))
    papers = part("Documentación", "- DNI\n- Declaración de la renta", Label("documentos_necesarios"))
    term = part("Plazo", "Del 1 al 30 de mayo.", Label("plazos", "solicitud"))
    assert placed(conditions, papers, question, term)[2].field == "cuantias"


def test_no_line_of_a_very_long_section_is_lost_and_the_other_sections_are_read():
    facts = ("Hay que traer el DNI número {}.", "Cuesta {} euros al año.", "Se contesta en {} días hábiles.")
    text = "\n".join(facts[number % 3].format(number) for number in range(900))
    everything = PagePart(title="Todo", level=1, label=None, lines=tuple(lines_of(text)))
    papers = part(
        "El sobre que traes", "- Fotocopia del DNI\n- Certificado de empadronamiento\n- Una fotografía"
    )
    sections = placed(everything, papers)
    assert sum(len(section.lines) for section in sections) == 903
    assert sections[-1].field == "documentos_necesarios"


def test_a_section_that_a_rule_plainly_knows_keeps_its_label():
    papers = part("Documentación", "- DNI\n- Fotografía", Label("documentos_necesarios"))
    (section,) = placed(papers)
    assert section == papers


def test_prose_below_the_title_is_divided_between_the_fields_of_its_sentences():
    text = (
        "Ayuda para quienes cuidan de un familiar en casa. Pueden solicitarla las personas mayores de 65 años que estén empadronadas en el municipio. "
        "Hay que entregar una fotocopia del DNI, el certificado de empadronamiento y el informe médico. Se pide del 3 al 28 de marzo. "
        "El Ayuntamiento contesta en dos meses. Si no contesta en ese tiempo, la solicitud se entiende desestimada."
    )
    sections = place_by_meaning(
        [PagePart(title="Respiro", level=1, label=None, lines=tuple(lines_of(text)))], text
    )
    assert sections[0].title == "Respiro"
    assert {"requisitos", "documentos_necesarios", "plazos"} <= {
        section.field for section in sections if section.by_model
    }
    assert "silencio_administrativo" in {section.key for section in sections}


def test_a_section_with_two_time_limits_is_divided_between_them():
    (procedure,) = read(
        "<h2>Requisitos</h2><ul><li>Tener más de 65 años.</li></ul><h2>Documentación</h2><ul><li>DNI</li></ul>"
        "<h2>El reloj corre</h2><p>La solicitud se presenta del 1 al 30 de junio. El Ayuntamiento resuelve en un plazo máximo de tres meses.</p>"
    )
    assert procedure.document["plazos"] == {
        "solicitud": "La solicitud se presenta del 1 al 30 de junio.",
        "resolucion": "El Ayuntamiento resuelve en un plazo máximo de tres meses.",
    }


def test_levels_that_a_page_chose_by_their_looks_mean_nothing():
    (procedure,) = read(
        "<h4>Requisitos</h4><ul><li>Tener más de 65 años.</li></ul><h3>Importe de la ayuda</h3><p>50 euros al mes.</p>"
        "<h5>Échalo a la carpeta</h5><ul><li>Fotocopia del DNI.</li><li>Certificado de empadronamiento.</li></ul>"
        "<h2>Plazo</h2><p>Hasta el 3 de mayo.</p><h4>Normativa</h4><p>Ley 39/2015, de 1 de octubre.</p>"
    )
    assert procedure.document["cuantias"] == {"importe": "50 euros al mes."}
    assert len(procedure.document["documentos_necesarios"]) == 2


def test_the_foot_of_a_site_without_markup_is_no_value():
    (procedure,) = read(
        "<div>Villa Clara</div><h2>Requisitos</h2><ul><li>Tener más de 65 años.</li></ul><h2>Documentación</h2><ul><li>DNI</li></ul><h2>Órgano</h2><p>Oficina de Turismo</p>"
        "<div>Cookies: puede aceptarlas o rechazarlas.</div><div>Aviso legal | Accesibilidad | Privacidad | Mapa web</div>"
    )
    assert "Aviso legal" not in str(procedure.document)


def test_p6_a_page_that_only_offers_files_is_no_procedure():
    links = "".join(f'<li><a href="/{name}.pdf">{name}</a></li>' for name in ("Memoria", "Bases", "Informe"))
    assert read(f"<h2>Gastos</h2><p>Personal: 16.902.000 €</p><h2>Documentación</h2><ul>{links}</ul>") == []


def test_words_of_one_meaning_are_near_each_other_in_any_language():
    fee = text_meaning("precio")
    for near, far in (
        ("coste", "requisito"),
        ("pagar", "solicitante"),
        ("tarifa", "documento"),
        ("preu", "ley"),
    ):
        assert fee @ text_meaning(near) > fee @ text_meaning(far)
    assert not text_meaning("").any()


def test_a_word_that_the_table_does_not_have_is_read_by_its_beginning():
    assert text_meaning("solicitarziutxo") @ text_meaning("solicitar") > 0.5


def test_a_heading_above_known_sections_is_no_section_of_its_own():
    text = (
        "# Servicio de muestra\n\n## Baja del servicio\n\nPara dejar de usar el servicio de muestra en casa.\n\n"
        "### Requisitos\n\nNo deber nada.\n\n### Documentación\n\nÚltimo recibo."
    )
    (chapter,) = [part for part in parts_of(text) if part.title == "Baja del servicio"]
    assert chapter.label is None

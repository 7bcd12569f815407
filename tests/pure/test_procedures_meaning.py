"""Sections under unknown headings are recognised by what they say, and the record says so."""

from headwater.model.outcomes import ExtractHints, Reading
from headwater_recipes.procedures.labels.vocabulary import Label
from headwater_recipes.procedures.normalise import Procedure, parts_of
from headwater_recipes.procedures.page.reader import read_procedure
from headwater_recipes.procedures.sections.classifier import MODEL, guesses_in_order, section_shares
from headwater_recipes.procedures.sections.meaning import place_by_meaning
from headwater_recipes.procedures.sections.parts import PagePart, lines_of
from headwater_recipes.procedures.sections.word_meaning import text_meaning
from headwater_recipes.procedures.standalone import procedures_from

URL = "https://sede.muestra.example/tramites/uno"
SMALL_FILE = 200_000


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


def test_the_model_places_nothing_where_a_rule_has():
    papers = part("Documentación", "- DNI", Label("documentos_necesarios"))
    unknown = part("El sobre", "- Fotocopia del DNI.\n- Certificado de empadronamiento.")
    assert [placed.field for placed in place_by_meaning([papers, unknown])] == ["documentos_necesarios", ""]
    (placed,) = place_by_meaning([unknown])
    assert placed.by_model
    assert placed.field == "documentos_necesarios"


def test_sections_about_something_else_stay_unplaced():
    for title, text in (
        ("Historia", "El edificio se construyó en 1890 y fue escuela hasta 1970."),
        ("Nuestro equipo", "Ana Ruiz dirige el museo desde hace diez años."),
    ):
        (placed,) = place_by_meaning([part(title, text)])
        assert placed.field not in {"requisitos", "documentos_necesarios", "tasas", "plazos"}


def test_the_model_is_small_and_gives_the_same_answer_every_time():
    assert MODEL.stat().st_size < SMALL_FILE
    lines = tuple(lines_of("- Ley 39/2015, de 1 de octubre."))
    first, second = ([section_shares.__wrapped__("Lo manda", lines)] for _ in range(2))
    assert guesses_in_order(first) == guesses_in_order(second)
    assert [guess.label for guess in guesses_in_order(first)] == [Label("base_legal")]


def test_a_section_is_understood_together_with_its_neighbours():
    unknown = part("Mira esto primero", "- La casa tiene luz y agua.\n- Los vecinos están conformes.")
    papers = part("Documentación", "- DNI", Label("documentos_necesarios"))
    fees = part("Tasas", "12 euros", Label("tasas"))
    alone = place_by_meaning([unknown])[0]
    assert alone.field != "requisitos"
    assert place_by_meaning([unknown, papers, fees])[0].field == "requisitos"


def test_a_question_that_seems_to_ask_for_something_else_is_placed_by_its_answer():
    question = part(
        "Lo que puedes recibir",
        "Ayuda de 650 euros al mes. Subvención máxima de 2.000 euros.",
        Label("requisitos"),
    )
    conditions = part("Requisitos", "- Ser mayor de edad.", Label("requisitos"))
    assert place_by_meaning([conditions, question])[1].field == "cuantias"


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

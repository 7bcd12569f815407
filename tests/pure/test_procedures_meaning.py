"""Sections under unknown headings are recognised by what they say, and the record says so."""

from headwater.model.outcomes import ExtractHints, Reading
from headwater_recipes.procedures.labels.vocabulary import Label
from headwater_recipes.procedures.normalise import Procedure
from headwater_recipes.procedures.page.reader import read_procedure
from headwater_recipes.procedures.sections.classifier import MODEL, guess_section
from headwater_recipes.procedures.sections.meaning import place_by_meaning
from headwater_recipes.procedures.sections.parts import PagePart, lines_of
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
    assert guess_section("Lo manda", lines) == guess_section("Lo manda", lines)
    assert guess_section("Lo manda", lines).label == Label("base_legal")

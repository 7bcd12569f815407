"""Sentences that list papers or conditions, and labels that no rule knows, become the entries that a person would write down."""

import pytest

from headwater.model.outcomes import ExtractHints, Reading
from headwater_recipes.procedures.fields.listed import conditions_listed, papers_listed
from headwater_recipes.procedures.normalise import sections_by_rules
from headwater_recipes.procedures.page.reader import read_procedure
from headwater_recipes.procedures.standalone import procedures_from

URL = "https://sede.muestra.example/tramites/uno"


def read_one(main: str) -> dict:
    page = f'<!doctype html><html lang="es"><head><title>Bono - Ayuntamiento de Muestra</title></head><body><main><h1>Bono de muestra</h1><p>Descuento para quienes viven en el municipio.</p>{main}</main></body></html>'
    reading = read_procedure(page.encode(), ExtractHints(url=URL))
    assert isinstance(reading, Reading)
    (procedure,) = procedures_from(reading, URL)
    return dict(procedure.document)


@pytest.mark.parametrize(
    ("sentence", "papers"),
    [
        (
            "Tráete el carné, el papel de la pensión y una foto pequeña.",
            ["el carné", "el papel de la pensión", "una foto pequeña"],
        ),
        (
            "A la petición se adjuntará el alta en el impuesto, una declaración firmada y un certificado de la cuenta.",
            ["el alta en el impuesto", "una declaración firmada", "un certificado de la cuenta"],
        ),
        (
            "Hay que entregar una copia del título y un volante de convivencia, que se expide gratis aquí.",
            ["una copia del título", "un volante de convivencia"],
        ),
        ("Bring your passport and a recent photograph.", ["your passport", "a recent photograph"]),
        ("Hay que entregar una copia del título.", []),
        ("La oficina abre los lunes, los martes y los jueves.", []),
    ],
)
def test_p17_a_sentence_that_asks_for_papers_lists_them(sentence: str, papers: list[str]):
    assert papers_listed(sentence) == papers


def test_p17_a_sentence_that_sets_conditions_lists_them():
    sentence = "Hace falta que el recibo esté a tu nombre, que vivas en la casa y que no tengas deudas."
    assert conditions_listed(sentence) == [
        "que el recibo esté a tu nombre",
        "que vivas en la casa",
        "que no tengas deudas",
    ]
    assert conditions_listed("Hace falta que el recibo esté a tu nombre.") == []
    assert conditions_listed("La casa que alquilas y que habitas.") == []


def test_p17_lines_with_unknown_labels_are_sections():
    text = (
        "# Bono\n\n**Gente a la que va:** mayores de 65 años.\n\n**La carpeta:** copia del DNI.\n\n**Bolsillo:** dos euros al año.\n\n"
        "## Otra cosa\n\n- Lunes: de 9 a 14\n- Nota"
    )
    sections = [(part.title, part.text) for part in sections_by_rules(text)]
    assert ("La carpeta", "copia del DNI.") in sections
    assert ("Bolsillo", "dos euros al año.") in sections
    assert ("Lunes", "de 9 a 14") not in sections
    spans = {part.title: part.lines[0] for part in sections_by_rules(text) if part.lines}
    line = spans["La carpeta"]
    assert text[line.start : line.end] == "copia del DNI."


def test_p13_the_first_of_two_elements_in_a_box_is_a_label_in_any_words():
    rows = "".join(
        f'<div class="kv"><span class="k">{label}</span><span class="v">{value}</span></div>'
        for label, value in (
            ("Gente a la que va", "Personas de más de 65 años empadronadas"),
            ("El sobre que traerás", "Fotocopia del DNI y certificado de empadronamiento"),
            ("Lo que vas a pagar", "12,50 euros al año"),
            ("Te contestamos en", "Tres meses"),
        )
    )
    document = read_one(rows)
    assert document["tasas"] == "12,50 euros al año"
    assert "Te contestamos en" not in str(document["plazos"])


def test_p13_numbered_bold_lines_are_headings_of_the_lines_below():
    document = read_one(
        "<p><b>1. REQUISITOS</b><br>1.1. Ser mayor de edad.<br>1.2. Vivir en el municipio.<br><b>2. OBSERVACIONES</b><br>"
        "La tarjeta caduca a los dos años.<br><b>3. DOCUMENTACIÓN</b><br>a) Fotocopia del DNI.<br>b) Fotografía.</p>"
    )
    assert document["requisitos"] == ["Ser mayor de edad.", "Vivir en el municipio."]
    assert document["documentos_necesarios"] == ["Fotocopia del DNI.", "Fotografía."]


def test_p17_what_is_sent_to_a_street_goes_by_post():
    base = "<h2>Requisitos</h2><p>Ser mayor de edad.</p><h2>Documentación</h2><ul><li>DNI</li></ul><h2>Cómo solicitarlo</h2>"
    document = read_one(
        f"{base}<p>Enviando el impreso a la Oficina de Padrón, calle Mayor, 3, 28001 Muestra.</p>"
    )
    assert [step["via"] for step in document["como_solicitar"]] == ["correo"]
    document = read_one(
        f"{base}<p>Entregando el impreso en la Oficina de Padrón, calle Mayor, 3, 28001 Muestra.</p>"
    )
    assert [step["via"] for step in document["como_solicitar"]] == ["presencial"]


def test_p17_a_law_stands_without_the_clause_before_it():
    base = "<h2>Requisitos</h2><p>Ser mayor de edad.</p><h2>Documentación</h2><ul><li>DNI</li></ul><h2>Normativa</h2>"
    document = read_one(f"{base}<p>Todo esto sale del Reglamento municipal de celebración de bodas.</p>")
    assert document["base_legal"] == ["Reglamento municipal de celebración de bodas"]

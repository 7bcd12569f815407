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
        (
            "Hay que entregar una copia del título y un volante, que se expide en Correos, bancos y estancos.",
            ["una copia del título", "un volante"],
        ),
        ("Presente el DNI, a ser posible en vigor.", []),
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
    assert conditions_listed("Hace falta ser mayor de edad, que vivas aquí y que no tengas deudas.") == []
    assert conditions_listed("Hay que vivir en una casa que tenga agua y que esté habitada.") == []


def test_p17_lines_with_unknown_labels_are_sections():
    text = (
        "# Bono\n\n**Gente a la que va:** mayores de 65 años.\n\n**La carpeta:** copia del DNI.\n\n**Bolsillo:** dos euros al año.\n\n"
        "## Otra cosa\n\n- Lunes: de 9 a 14\n- Nota"
    )
    sections = [(part.title, part.text) for part in sections_by_rules(text)]
    assert ("La carpeta", "copia del DNI.") in sections
    assert ("Bolsillo", "dos euros al año.") in sections
    assert ("Lunes", "de 9 a 14") not in sections


def test_p17_a_table_with_a_header_and_unknown_labels_is_divided_into_its_rows():
    rows = "\n".join(
        f"| {label} | {value} |"
        for label, value in (
            ("Concepto", "Detalle"),
            ("Gente a la que va", "mayores de 65 años"),
            ("La carpeta", "copia del DNI"),
            ("Bolsillo", "dos euros"),
            ("Te contestamos", "en tres meses"),
        )
    )
    titles = [part.title for part in sections_by_rules(f"# Bono\n\n## Cosas\n\n{rows}")]
    assert titles == ["Bono", "Cosas", "Gente a la que va", "La carpeta", "Bolsillo", "Te contestamos"]


def test_p26_the_value_behind_an_unknown_label_has_its_own_place():
    text = (
        "# Bono\n\n## Cosas\n\n- [Te contestamos](https://a.example/y): en tres meses\n- Bolsillo: dos euros\n- Sitio: calle Mayor\n\n"
        "## Otras\n\na) **Lugar** abierto a las 10:30 horas\n\nb) **Otro** abierto a las 11:30 horas\n\nc) **Más** cerrado a las 12:30 horas"
    )
    values = {part.title: part.lines[0] for part in sections_by_rules(text) if part.lines}
    assert len(values) >= 6
    for line in values.values():
        assert text[line.start : line.end] == line.text


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
    document = read_one(f"{base}<p>El Código Civil establece el régimen y la Ley 3/2020 lo completa.</p>")
    assert "Código Civil" in str(document["base_legal"])


def test_a_row_without_cells_is_read():
    document = read_one(
        "<h2>Requisitos</h2><p>Ser mayor de edad.</p><h2>Documentación</h2><ul><li>DNI</li></ul><pre>| a\n| b</pre>"
    )
    assert document["documentos_necesarios"][0] == "DNI"

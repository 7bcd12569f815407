"""Parts of pages that are recognised by their structure, where few of their labels are known."""

import pytest
from tests.pure.test_procedures_decisions import BASE, read
from tests.pure.test_procedures_forms import read_site

from headwater.model.outcomes import ExtractHints, Reading
from headwater_recipes.procedures.citation_policy import citation_address
from headwater_recipes.procedures.field_places import field_places
from headwater_recipes.procedures.fields.responsible import responsible_in
from headwater_recipes.procedures.labels.recognise import recognise
from headwater_recipes.procedures.link_type import is_home_page
from headwater_recipes.procedures.normalise import Procedure, parts_by_rules, parts_of
from headwater_recipes.procedures.page.page import ProcedurePage
from headwater_recipes.procedures.page.reader import read_procedure
from headwater_recipes.procedures.sections.parts import lines_of
from headwater_recipes.procedures.sections.statements import statements_in
from headwater_recipes.procedures.standalone import page_from, procedures_from


def titles(text: str) -> list[str]:
    return [part.title for part in parts_by_rules(text) if part.title]


def read_one(main: str) -> dict:
    (document,) = read(main)
    return document


def test_p13_sections_in_a_list_that_is_named_like_a_menu_are_text():
    steps = "".join(
        f'<li class="step-nav"><div class="step-nav__head"><h2>{label}</h2></div><div class="step-nav__panel">{text}</div></li>'
        for label, text in (("Requisitos", "<p>Vivir aquí.</p>"), ("Documentación", "<p>Una foto.</p>"))
    )
    (document,) = read_site("", f'<p>Permite usar la pista.</p><ol class="step-nav">{steps}</ol>')
    assert document["requisitos"] == ["Vivir aquí."]
    assert read_site("", f'{BASE}<div class="nav"><a href="/a">Requisitos</a> <a href="/b">Tasas</a></div>')


def test_p13_bold_beginnings_that_end_with_a_stop_make_bold_lines_labels():
    main = (
        "<p><b>Requisitos.</b> Vivir en la villa.</p><p><b>Cosas para la mochila.</b></p><ul><li>Una copia de la llave</li><li>Una fotografía del DNI</li></ul>"
        "<p><b>Tasas.</b> Dos euros.</p><p><b>Plazo de solicitud.</b> En mayo.</p>"
    )
    assert read_one(main)["requisitos"] == ["Vivir en la villa."]


def test_p13_bold_beginnings_are_labels_on_a_page_that_nothing_else_divides():
    text = "# Bono\n\n**Requisitos** Vivir aquí.\n\n**Bolsillo** Dos euros.\n\n**Las fechas buenas** En mayo.\n\n**Normativa** Ley 1/2001."
    assert titles(text) == ["Bono", "Requisitos", "Bolsillo", "Las fechas buenas", "Normativa"]
    assert "Bolsillo" not in titles(f"{text}\n\n## Otra parte\n\nMás.")


def test_p13_bold_lines_in_capitals_are_on_one_level():
    text = "**Bono**\n\n**QUÉ HAY QUE HACER**\n\nVen.\n\n**LO QUE VALE**\n\nDos euros.\n\n**NORMATIVA**\n\nLey 1/2001."
    levels = {part.level for part in parts_by_rules(text) if part.title}
    assert len(levels) == 1


def test_p17_lines_that_count_from_one_are_steps():
    main = f"{BASE}<h2>Cómo solicitarlo</h2><div>1 Rellena la ficha.</div><div>2 Ven a la charla.</div>"
    assert [step["via"] for step in read_one(main)["como_solicitar"]] == ["paso", "paso"]
    main = f"{BASE}<h2>Cómo solicitarlo</h2><div>12 Oficinas te atienden.</div><div>En persona.</div>"
    assert "paso" not in [step["via"] for step in read_one(main)["como_solicitar"]]


def test_p17_steps_that_name_no_way_stand_beside_the_ways_to_the_office():
    main = (
        f"{BASE}<h2>Cómo solicitarlo</h2><ol><li>Paga la tasa.</li><li>Guarda el recibo.</li></ol>"
        "<h2>Dónde presentarlo</h2><p>En la sede electrónica.</p>"
    )
    assert [step["via"] for step in read_one(main)["como_solicitar"]] == [
        "paso",
        "paso",
        "online",
    ]


@pytest.mark.parametrize(
    ("text", "fee"),
    [
        ("Nada. El duplicado tampoco se paga.", "Gratuito"),
        ("Nada. El duplicado, 6 euros.", "Gratuito"),
    ],
)
def test_p17_free_is_free_whatever_a_second_copy_costs(text: str, fee: str):
    assert read_one(f"{BASE}<h2>Tasas</h2><p>{text}</p>")["tasas"] == fee


def test_p17_the_head_of_a_table_is_no_amount_even_with_a_number():
    table = "<table><tr><td>Hijos</td><td>Hasta los 3 años</td></tr><tr><td>Dos</td><td>100 €</td></tr><tr><td>Tres</td><td>225 €</td></tr></table>"
    assert read_one(f"{BASE}<h2>Cuantía de la ayuda</h2>{table}")["cuantias"] == {
        "Dos": "100 €",
        "Tres": "225 €",
    }


@pytest.mark.parametrize(
    "sentence",
    [
        "Honetaz arduratzen dena: Hezkuntza Batzordea.",
        "Hezkuntza Batzordeak kudeatzen du.",
    ],
)
def test_p17_a_basque_sentence_names_the_responsible_body(sentence: str):
    assert responsible_in(sentence) == "Hezkuntza Batzordea"


def test_p17_an_english_sentence_or_a_label_within_a_text_names_the_responsible_body():
    for sentence in ("The Housing Office deals with all files.", "Responsible body: Housing Office."):
        assert responsible_in(sentence) == "Housing Office"


def test_p17_a_department_signs_the_page_before_its_town_hall():
    (document,) = read(BASE, around="<footer>Servicio de Deportes - Ayuntamiento de Muestra</footer>")
    assert document["organismo"] == "Servicio de Deportes"


@pytest.mark.parametrize("owner", ["Ayuntamiento de Muestra", "Gobierno de Cantabria"])
@pytest.mark.parametrize(
    "contact",
    [
        "<h2>Órgano responsable</h2><p>Servicio de Deportes y Juventud, teléfono 942 555 134 (pregunten por Ana).</p>",
        "<h2>Información</h2><p>Tramita: Servicio de Deportes y Juventud</p>",
    ],
)
def test_p17_the_department_that_a_label_names_is_responsible(owner: str, contact: str):
    (document,) = read_site(owner, f"{BASE}{contact}")
    assert document["organismo"] == "Servicio de Deportes y Juventud"


def test_p6_a_procedure_may_have_questions_about_the_site():
    questions = "<h2>Preguntas frecuentes sobre la sede</h2><p>Borre la memoria del navegador.</p>"
    assert read(f"{BASE}<h2>Cómo solicitarlo</h2><p>Por internet, en la sede electrónica.</p>{questions}")
    assert read(f"{BASE}{questions}") == []


def test_p13_lines_that_are_placed_one_by_one_are_joined_to_paragraphs():
    lines = (
        (10, "<b>1. Requisitos</b>"), (28, "Vivir en la villa desde hace más de un año"), (46, "y no tener deudas."),
        (80, "<b>2. Precio del servicio</b>"), (98, "Una hora ..... dos euros"), (116, "Dos horas ..... tres euros"),
        (150, "<b>3. Documentación</b>"), (168, "• Una foto"),
    )  # fmt: skip
    main = "".join(
        f'<p style="position:absolute;top:{top}px;left:9px;white-space:nowrap">{text}</p>'
        for top, text in lines
    )
    document = read_one(main)
    assert document["requisitos"] == ["Vivir en la villa desde hace más de un año y no tener deudas."]
    assert document["tasas"] == "Una hora: dos euros. Dos horas: tres euros"


def test_p13_labels_in_boxes_of_their_own_are_recognised_by_their_places():
    parts = (
        ("Quién entra aquí", "Vivir aquí."),
        ("Mete en el bolso", "Una foto."),
        ("Bolsillo", "Dos euros."),
        ("Y luego", "Nada."),
    )
    main = "".join(
        f'<div class="s"><div class="h"><div class="k9"><span>{label}</span></div></div><div class="v"><div>{text}</div></div></div>'
        for label, text in parts
    )
    page = f"<html lang=es><body><div role=heading aria-level=1>Bono</div>{main}</body></html>"
    reading = read_procedure(page.encode(), ExtractHints(url="https://a.example/b", media_type="text/html"))
    assert isinstance(reading, Reading)
    assert titles(reading.text) == ["Bono", *(label for label, _ in parts)]


def test_p8_a_route_of_a_script_is_no_home_page():
    assert not is_home_page("https://www.villa.example/#/tramites/huerto")
    assert citation_address("https://www.villa.example/#/tramites/huerto").url.endswith("#/tramites/huerto")
    assert is_home_page("https://www.villa.example/#arriba")


def test_p17_a_directorate_general_at_the_top_of_the_site_is_a_regional_body():
    (document,) = read_site(
        "Dirección General de Pesca", f"{BASE}<h2>Organismo</h2><p>Servicio de Recursos</p>"
    )
    assert document["territorio"] == {"nivel": "autonomico"}


def test_p17_administrative_silence_is_recognised_in_the_genitive():
    label = recognise("Administrazioaren isiltasuna")
    assert label is not None
    assert label.key == "silencio_administrativo"


PROSE = (
    "<html lang=es><head><title>Carné de pesca</title></head><body><main><h1>Carné de pesca en el pantano</h1>"
    "<p>El carné permite pescar en el pantano municipal durante una temporada.</p>"
    "<p>Pueden pedirlo las personas mayores de 14 años que vivan en la comarca. Con la solicitud hay que entregar una fotografía, "
    "la copia del DNI y el justificante del pago.</p>"
    "<p>Las solicitudes se admiten del 1 de febrero al 31 de marzo. La decisión se notifica en un plazo de dos meses; si no hay "
    "respuesta, se entiende denegada.</p>"
    "<p>Se pagan 12 euros por temporada. La petición se deja en la oficina de la calle del Pozo, 4, o se envía por internet "
    "desde la sede electrónica.</p></main></body></html>"
)


def read_prose(body: str) -> tuple[Procedure, ProcedurePage]:
    url = "https://www.villa.example/pesca"
    reading = read_procedure(body.encode(), ExtractHints(url=url, media_type="text/html"))
    assert isinstance(reading, Reading)
    (procedure,) = procedures_from(reading, url)
    return procedure, page_from(reading, url)


def test_p13_sentences_of_plain_prose_are_fields_and_name_their_places_within_the_paragraph():
    procedure, page = read_prose(PROSE)
    assert procedure.document["tasas"] == "Se pagan 12 euros por temporada."
    assert procedure.document["plazos"] == {
        "solicitud": "Las solicitudes se admiten del 1 de febrero al 31 de marzo.",
        "resolucion": "La decisión se notifica en un plazo de dos meses",
        "silencio_administrativo": "si no hay respuesta, se entiende denegada.",
    }
    by_model = {"tasas", "donde_solicitar", "canal"}
    assert {procedure.placed_by[name] for name in by_model} == {"model"}
    assert {procedure.placed_by[name] for name in ("nombre", "descripcion")} == {"rule"}
    (place,) = field_places(procedure, page)["como_solicitar"]
    assert (place["path"], place["start"]) == ("/html/body[1]/main[1]/p[4]", 33)


def test_p13_rows_with_unknown_labels_are_sections():
    rows = (
        ("Sujetos que caben", "Personas físicas con residencia acreditada en la isla"),
        ("Papeles del interesado", "Copia del DNI; Fotografía; Justificante de matrícula"),
        ("Término para instar", "Dentro de los 60 días siguientes al viaje"),
        ("Amparo", "Decreto 8/2021, de 4 de octubre, de movilidad marítima."),
    )
    table = "".join(f"| {label} | {value} |\n" for label, value in rows)
    text = f"# Bono de barco\n\n| Datos |  |\n| --- | --- |\n{table}"
    parts = {part.title: part for part in parts_of(text)}
    assert parts["Término para instar"].field == "plazos"
    assert parts["Término para instar"].by_model
    (line,) = parts["Término para instar"].lines
    assert text[line.start : line.end] == "Dentro de los 60 días siguientes al viaje"


def test_p17_sentences_of_a_paragraph_that_name_their_amounts_are_amounts_of_their_own():
    main = f"{BASE}<h2>Cuantía de la ayuda</h2><p>Luz y gas: hasta 400 euros. Comida: hasta 600 euros.</p>"
    assert read_one(main)["cuantias"] == {"Luz y gas": "hasta 400 euros", "Comida": "hasta 600 euros"}


def test_p13_a_sentence_that_stands_twice_in_a_long_paragraph_is_placed_where_it_was_read():
    again = "Se pagan 12 euros por temporada."
    history = " ".join(
        f"El pantano número {number} tiene un mirador con bancos de piedra." for number in range(9)
    )
    body = PROSE.replace(again, f"{again} {history} {again}")
    procedure, page = read_prose(body)
    paragraph = body.split("<p>")[-1].split("</p>")[0]
    places = field_places(procedure, page)
    assert [paragraph[place["start"] : place["end"]] for place in places["como_solicitar"]] == [
        "La petición se deja en la oficina de la calle del Pozo, 4, o se envía por internet desde la sede electrónica"
    ]
    assert [place["start"] for place in places["tasas"]] == [0, paragraph.rindex("Se pagan")]


def test_p13_sentences_that_belong_to_no_field_are_additional_text():
    remark = "El pantano se construyó en 1954 y tiene un mirador."
    body = PROSE.replace("se entiende denegada.", f"se entiende denegada. {remark}")
    procedure, _ = read_prose(body)
    assert procedure.document["datos_adicionales"] == {"Carné de pesca en el pantano": remark}


def test_p13_a_link_belongs_to_the_sentence_that_it_stands_in():
    text = "Se pagan 12 euros. Pague con [**tarjeta**](https://pagos.example/). Venga a [ ](https://mapa.example/) la oficina."
    (line,) = lines_of(text)
    statements = statements_in(line, text)
    assert [[link.url for link in statement.links] for statement in statements] == [
        [], ["https://pagos.example/"], ["https://mapa.example/"],
    ]  # fmt: skip

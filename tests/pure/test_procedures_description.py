"""The one paragraph that says what a procedure is for."""

import pytest

from headwater_recipes.procedures.fields.description import description_of
from headwater_recipes.procedures.normalise import parts_by_rules

NAME = "Préstamo de bicicletas municipales"
PURPOSE = "El Ayuntamiento presta bicicletas a los vecinos que van a trabajar al centro."
CONTEXT = "El servicio nació en 2011 con doce bicicletas. Hoy tiene noventa y tres estaciones."
ANSWERS = "## Requisitos\n\n- Ser mayor de edad.\n\n## Plazo\n\nTodo el año.\n"


def describe(below_title: str, after: str = "") -> tuple[str, str]:
    parts = parts_by_rules(f"# {NAME}\n\n{below_title}\n\n{ANSWERS}\n{after}\n")
    value, remainder = description_of(parts, NAME, "")
    return value.value, remainder.value


@pytest.mark.parametrize(
    "further",
    [
        CONTEXT,
        "A RELLENAR POR LA PERSONA SOLICITANTE",
        "[ ] Adulto [ ] Infantil [ ] Con remolque",
        "...vecinas y vecinos mayores de edad, que responden de la bicicleta.",
        "Esta traducción se ofrece solo a título informativo.",
    ],
)
def test_p16_paragraphs_below_the_description_are_no_part_of_it(further: str):
    assert describe(f"{PURPOSE}\n\n{further}")[0] == PURPOSE
    assert describe(f"## Objeto\n\n{PURPOSE} Se devuelven por la noche.\n\n{further}") == (
        f"{PURPOSE} Se devuelven por la noche.",
        further,
    )


def test_p16_a_section_after_the_answers_of_the_procedure_does_not_replace_the_text_below_the_title():
    after = f"## Para qué sirve el servicio\n\n{CONTEXT}\n"
    assert describe(PURPOSE, after) == (PURPOSE, CONTEXT)
    assert describe("", after)[0] == CONTEXT


def test_p16_a_strange_paragraph_above_the_description_is_passed_over():
    assert describe(f"Temporada 2026. Quedan plazas.\n\n{PURPOSE}")[0] == PURPOSE


def test_p16_a_description_has_at_most_two_sentences_and_the_others_are_not_lost():
    text = f"{PURPOSE} Cada bicicleta tiene su candado. El casco lo pone cada uno."
    assert describe(f"## Objeto\n\n{text}") == (
        f"{PURPOSE} Cada bicicleta tiene su candado.",
        "El casco lo pone cada uno.",
    )


def test_p16_a_description_that_introduces_a_list_has_its_items():
    listed = "## Objeto\n\nEste servicio permite:\n\n- Alquilar una bicicleta\n- Reservar un remolque\n\nOtra cosa que se cuenta aparte. Y más."
    assert describe(listed)[0] == "Este servicio permite: Alquilar una bicicleta. Reservar un remolque."


def test_a_description_loses_only_the_sentences_that_say_whom_to_call():
    text = "## Descripción\n\nCarné joven. Sirve para el 010 y el transporte. Llame al 010.\n"
    value, _ = description_of(parts_by_rules(text), "", "")
    assert value.value == "Carné joven. Sirve para el 010 y el transporte."


def test_a_heading_about_cookies_above_the_title_is_left_out():
    text = "## Esta sede emplea cookies\n\nPuede leer nuestra política de cookies.\n\nPréstamo de bicicletas\n\n## Requisitos\n\nSer mayor de edad.\n"
    titles = [(part.title, part.text) for part in parts_by_rules(text)]
    assert titles == [("", "Préstamo de bicicletas"), ("Requisitos", "Ser mayor de edad.")]

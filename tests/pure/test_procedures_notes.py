"""Notes that matter for a procedure, sentence by sentence, whatever section they stand in."""

import pytest
from tests.pure.test_procedures_decisions import BASE, read

from headwater_recipes.procedures.fields.notes import is_background, obliges, states_consequence


def notes_of(more: str) -> list[str] | None:
    (document,) = read(f"{BASE}{more}")
    return document.get("datos_importantes")


def test_each_sentence_of_a_section_of_notes_is_a_note_and_background_is_none():
    section = (
        "<h2>Observaciones</h2><p>El bono dura seis meses. No se puede ceder a otra persona.</p>"
        "<p>El primer bono se entregó en 1987 y era de cartón. Lo conserva el archivo.</p>"
        "<p>Necesita un navegador actualizado para firmar.</p><p>Información: 955 123 456</p>"
    )
    assert notes_of(section) == ["El bono dura seis meses.", "No se puede ceder a otra persona."]


@pytest.mark.parametrize(
    ("section", "note"),
    [
        (
            "<h2>Normativa</h2><p>Ley 3/2020, de 4 de mayo.</p><p>El bono caduca al año.</p>",
            "El bono caduca al año.",
        ),
        (
            "<h2>Contacto</h2><p>955 123 456</p><p>Hay que llevar el bono encima.</p>",
            "Hay que llevar el bono encima.",
        ),
        (
            "<h2>Plazo</h2><p>Del 1 al 15 de mayo.</p><p>Con lluvia el bono queda sin efecto.</p>",
            "Con lluvia el bono queda sin efecto.",
        ),
    ],
)
def test_a_note_may_stand_in_a_section_about_something_else(section: str, note: str):
    assert notes_of(section) == [note]
    (document,) = read(f"{BASE}{section}")
    assert all(note not in str(document.get(name)) for name in ("base_legal", "plazos", "telefono"))


@pytest.mark.parametrize(
    "section",
    [
        "<h2>Contacto</h2><p>955 123 456</p><p>Hay que entregar dos copias en el registro.</p>",
        "<h2>Normativa</h2><p>Ley 3/2020, de 4 de mayo.</p><p>El bono lo creó en 1990 un maestro que no podía pagar el autobús.</p>",
        "<h2>Contacto</h2><p>Si no hay respuesta, la petición debe entenderse denegada.</p>",
    ],
)
def test_papers_background_and_silence_are_no_notes(section: str):
    assert notes_of(section) is None


@pytest.mark.parametrize(
    "sentence",
    [
        "No es poden cedir a ningú.",
        "Non se admiten cans no recinto.",
        "Dogs are not allowed in the hall.",
        "Ezin da beste inori utzi.",
        "Qui falti tres dies perd la plaça.",
        "The card is valid for two years.",
        "Txartelak urtebeteko balioa du.",
    ],
)
def test_prohibitions_losses_and_validity_are_recognised_in_five_languages(sentence: str):
    assert states_consequence(sentence)


def test_obligations_and_background_are_told_apart():
    assert obliges("Cal avisar amb un dia d'antelació.")
    assert obliges("Giltza itzuli behar da.")
    assert is_background(["It opened in 1931 with one room.", "Now it has six."])
    assert not is_background(["It opened in 1931.", "You must not smoke there."])

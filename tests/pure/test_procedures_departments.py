"""The department that a page names as responsible, in a box, in a sentence, beside its telephone or on a line of its own."""

import pytest
from tests.pure.test_procedures_decisions import URL

from headwater.model.outcomes import ExtractHints, Reading
from headwater_recipes.procedures.fields.departments import names_contact
from headwater_recipes.procedures.fields.responsible import responsible_in
from headwater_recipes.procedures.fields.unit_names import departments_in
from headwater_recipes.procedures.page.reader import read_procedure
from headwater_recipes.procedures.registry.territory import territory_of
from headwater_recipes.procedures.standalone import procedures_from

PAGE = (
    "<title>Permiso de pesca</title><header>{owner}</header><main><h1>Permiso de pesca</h1>"
    "<p>Permite pescar con caña desde el muelle durante un año entero.</p>"
    "<h2>Requisitos</h2><p>Ser mayor de edad y vivir en el municipio.</p>"
    "<h2>Documentación</h2><ul><li>DNI</li><li>Fotografía reciente</li></ul>"
    "<h2>Cómo solicitarlo</h2><p>En la sede electrónica, con certificado digital.</p>{more}</main>{beside}"
)


def organism(more: str = "", beside: str = "", owner: str = "Ayuntamiento de Muestra") -> str:
    page = PAGE.format(more=more, beside=beside, owner=owner)
    reading = read_procedure(page.encode(), ExtractHints(url=URL))
    assert isinstance(reading, Reading)
    (procedure,) = procedures_from(reading, URL)
    return procedure.document["organismo"]


@pytest.mark.parametrize(
    ("more", "name"),
    [
        ("<h2>Unidad responsable</h2><p>Negociado de Pesca</p>", "Negociado de Pesca"),
        (
            "<h2>Servicio responsable</h2><p>El equipo de Mar y Playas del municipio, con Ana Rúa al frente</p>",
            "Mar y Playas del municipio",
        ),
        (
            "<h2>Servicio responsable</h2><p>Servicio de Playas, que abre por las mañanas</p>",
            "Servicio de Playas",
        ),
        ("<p>Le atiende el Negociado de Pesca y Mar en el 955 123 456.</p>", "Ayuntamiento de Muestra"),
        ("<h2>Contacto</h2><p>Servicio de Pesca</p><p>955 123 456</p>", "Ayuntamiento de Muestra"),
        ("<p>El Área de Pesca, que es la que lleva los permisos, contesta siempre.</p>", "Área de Pesca"),
        ("<p>Pásese por la Concejalía de Pesca cualquier mañana.</p>", "Concejalía de Pesca"),
        (
            "<p>En caso de urgencia, la Policía Local responde en el 955 123 456.</p>",
            "Ayuntamiento de Muestra",
        ),
        ("<p>Pásese por la Oficina de Atención Ciudadana.</p>", "Ayuntamiento de Muestra"),
    ],
)
def test_the_department_that_the_page_names_is_responsible(more: str, name: str):
    assert organism(more) == name


def test_a_box_beside_the_text_that_has_labels_belongs_to_the_page():
    box = "<aside><h3>Departamento</h3><p>Servicio de Pesca</p><h3>Véase también</h3><ul><li><a href='/x'>Otro permiso</a></li></ul></aside>"
    news = "<aside><h3>Noticias</h3><p><a href='/n'>El Servicio de Pesca abre plazo de solicitudes</a></p></aside>"
    assert organism(beside=box) == "Servicio de Pesca"
    assert organism(beside=news) == "Ayuntamiento de Muestra"


def test_an_agency_in_the_header_below_its_ministry_owns_the_site():
    owner = "Gobierno de España · Ministerio de Puertos · Instituto Nacional de la Pesca"
    assert organism(owner=owner) == "Instituto Nacional de la Pesca"
    assert organism(owner="Gobierno de España · Ministerio de Puertos · Trámites") == "Ministerio de Puertos"


@pytest.mark.parametrize(
    ("sentence", "name"),
    [
        ("De su concesión se ocupa la Jefatura de la Policía Local.", "Jefatura de la Policía Local"),
        ("Lo lleva el Equipo de Acción Social.", "Equipo de Acción Social"),
        ("The Harbour Agency grants a single payment to every crew.", "Harbour Agency"),
        ("Kirol eta Gazteria Arloa arduratzen da honetaz.", "Kirol eta Gazteria Arloa"),
        ("El Servicio de Pesca abrió en 1990.", ""),
    ],
)
def test_a_sentence_names_who_is_responsible(sentence: str, name: str):
    assert responsible_in(sentence) == name


def test_whole_administrations_and_desks_are_no_departments():
    text = "Acuda al Ayuntamiento de Muestra, al Registro General o a la Concejalía de Mar, nunca a la Oficina de Atención al Público."
    assert list(departments_in(text)) == ["Concejalía de Mar"]


@pytest.mark.parametrize(
    ("text", "contact"),
    [
        ("Concellaría de Mar", True),
        ("Servizo de Mar, 986 123 456", True),
        ("986 123 456", True),
        ("Ser maior de idade", False),
        ("Informe del Servicio de Mar sobre la barca", False),
    ],
)
def test_a_line_that_only_says_whom_to_call_is_no_entry_of_a_list(text: str, contact: bool):
    assert names_contact(text) is contact


@pytest.mark.parametrize(
    ("name", "level"),
    [
        ("Government of Spain", "estatal"),
        ("Govern d'Espanya", "estatal"),
        ("Regional Ministry of Ports", "autonomico"),
        ("Region of Altamira", "autonomico"),
        ("Town Hall of Portonovo", "local"),
        ("Mendialde Foru Aldundia", "local"),
    ],
)
def test_the_level_of_an_administration_follows_from_its_name(name: str, level: str):
    assert territory_of(name, "www.muestra.example")["nivel"] == level

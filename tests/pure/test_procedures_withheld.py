"""Pages whose procedure gets a file, although something about the page is unusual."""

import pytest
from benchmarks.first_contact import Page
from benchmarks.procedures import documents_with_files

from headwater_recipes.procedures.link_type import is_home_page
from headwater_recipes.procedures.registry.portals import expected_languages, packaged_registry

ENGLISH = """<h1>Registration of small drones</h1><p>Everyone who flies a small drone outdoors has to register it once.</p>
<h2>Who can apply</h2><ul><li>Owners of a drone of more than 250 grams who live in the country.</li></ul>
<h2>Documents required</h2><ul><li>Your identity card or passport.</li><li>The invoice of the drone.</li></ul>
<h2>Deadline</h2><p>Before the first flight, and at any time of the year.</p>"""
SPANISH = """<h2>Requisitos</h2><ul><li>Vivir en el municipio desde hace más de un año y ser mayor de edad.</li></ul>
<h2>Documentación</h2><ul><li>Documento de identidad en vigor.</li><li>Recibo del último mes de la vivienda.</li><li>Certificado de la pensión o de la nómina de cada adulto.</li></ul>
<h2>Plazo</h2><p>Durante todo el mes de octubre de cada año, sin excepciones, incluidos los sábados por la mañana.</p>"""
INTRODUCTION = "<p>Reducción del precio del agua para los hogares con menos ingresos.</p>"
LINKED = """<script type="application/ld+json">{"@context": "https://schema.org", "@graph": [
{"@type": "GovernmentService", "name": "Bono del agua", "serviceOperator": {"@id": "#town"}},
{"@type": "GovernmentOrganization", "@id": "#town", "name": "Ayuntamiento de Muestra",
 "contactPoint": [{"@type": "ContactPoint", "telephone": "+34 967 555 350"}]}]}</script>"""


def page(main: str, *, url: str, language: str = "es", head: str = "", frame: str = "") -> Page:
    body = f'<!doctype html><html lang="{language}"><head><title>Ficha</title>{head}</head><body>{frame}<main>{main}</main></body></html>'
    return Page(url=url, path="page", body=body.encode(), media_type="text/html", template="", truth={})


def test_p26_english_pages_of_state_portals_are_not_withheld():
    documents, reasons = documents_with_files(
        page(ENGLISH, url="https://www.sepe.es/en/drones/register", language="en")
    )
    assert reasons == []
    assert documents[0]["idioma"] == "en"


def test_p26_a_language_that_a_portal_cannot_have_is_still_unexpected():
    registry = packaged_registry()
    state, town = (
        registry.owner("https://www.sepe.es/a/b"),
        registry.owner("http://sede.marusia.demo.gob.es/a/b"),
    )
    assert state is not None
    assert town is not None
    assert expected_languages(state) == {"es", "en", "ca", "eu", "gl"}
    assert expected_languages(town) == {"es", "en", "gl"}


def test_p17_organism_and_telephone_may_stand_in_linked_data_alone():
    main = f"<h1>Bono del agua</h1>{INTRODUCTION}{SPANISH}"
    documents, reasons = documents_with_files(page(main, url="https://agua.example/a/bono", head=LINKED))
    assert reasons == []
    assert documents[0]["organismo"] == "Ayuntamiento de Muestra"
    assert documents[0]["telefono"] == "+34 967 555 350"
    assert documents[0]["territorio"] == {"nivel": "local", "municipio": "muestra"}


def test_p26_a_page_without_description_is_described_by_its_name():
    frame = "<header>Ayuntamiento de Muestra</header>"
    main = f"<h1>Bono del agua</h1>{SPANISH}"
    documents, reasons = documents_with_files(page(main, url="https://muestra.example/a/bono", frame=frame))
    assert reasons == []
    assert documents[0]["descripcion"] == "Bono del agua (Ayuntamiento de Muestra)"


@pytest.mark.parametrize(
    ("url", "home"),
    [
        ("https://muestra.example/", True),
        ("https://muestra.example/es/", True),
        ("https://muestra.example/es/index.html", True),
        ("https://muestra.example/bono-del-agua", False),
        ("https://muestra.example/?tramite=41", False),
    ],
)
def test_p35_only_the_address_of_a_whole_site_is_withheld_as_a_home_page(url: str, home: bool):
    assert is_home_page(url) is home
    frame = "<header>Ayuntamiento de Muestra</header>"
    _, reasons = documents_with_files(
        page(f"<h1>Bono del agua</h1>{INTRODUCTION}{SPANISH}", url=url, frame=frame)
    )
    assert reasons == (["homepage"] if home else [])

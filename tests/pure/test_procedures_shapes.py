"""Shapes of pages that carry a procedure's parts, and lines that do not belong to it."""

from itertools import pairwise

import pytest

from headwater.model.outcomes import ExtractHints, Reading
from headwater_recipes.procedures.labels.recognise import lists_ways, recognise, recognise_plain
from headwater_recipes.procedures.labels.vocabulary import Label
from headwater_recipes.procedures.page.label_elements import preformatted_lines
from headwater_recipes.procedures.page.links import is_breadcrumb
from headwater_recipes.procedures.page.reader import read_procedure
from headwater_recipes.procedures.registry.territory import most_specific

ADDRESS = "https://www.villa.example/tramites/uno"


def _text(body: str) -> str:
    page = f"<html lang=es><head><title>Uno</title></head><body><h1>Licencia de una cosa</h1>{body}</body></html>"
    reading = read_procedure(page.encode(), ExtractHints(url=ADDRESS, media_type="text/html"))
    assert isinstance(reading, Reading)
    return reading.text


@pytest.mark.parametrize(
    "body",
    [
        (
            "<ul><li>Requisitos<ul><li>Ser mayor.</li></ul></li><li>Tasas<ul><li>Dos euros.</li></ul></li>"
            "<li>Plazo<ul><li>Un mes.</li></ul></li></ul>"
        ),
        (
            "<x-item header='Requisitos'>Ser mayor.</x-item><x-item header='Tasas'>Dos euros.</x-item>"
            "<x-item header='Plazo'>Un mes.</x-item>"
        ),
        "<div data-th='Requisitos'>Ser mayor.</div><div data-th='Tasas'>Dos euros.</div><div data-th='Plazo'>Un mes.</div>",
        "<img alt='Requisitos'><p>Ser mayor.</p><img alt='Tasas'><p>Dos euros.</p><img alt='Plazo'><p>Un mes.</p>",
        "<pre>REQUISITOS\n---\nSer mayor.\n\nTASAS\n---\nDos euros.\n\nPLAZO: Un mes.</pre>",
        (
            "<table><tr><th rowspan=2>Alta</th><th>Requisitos</th><td>Ser mayor.</td></tr><tr><th>Tasas</th>"
            "<td>Dos euros.</td></tr><tr><th>Fin</th><th>Plazo</th><td>Un mes.</td></tr></table>"
        ),
    ],
)
def test_p16_labels_are_found_wherever_a_site_puts_them(body: str):
    lines = [line.casefold() for line in _text(body).split("\n") if line]
    below = {before.strip("# *"): after.lstrip("- ") for before, after in pairwise(lines)}
    assert below["requisitos"] == "ser mayor."
    assert below["tasas"] == "dos euros."
    assert below["plazo"] == "un mes."


def test_a_list_of_channels_is_not_a_label():
    assert lists_ways("Electrónico y presencial")
    assert not lists_ways("Por internet, en la sede electrónica.")
    assert recognise_plain("Electrónico y presencial") is None


@pytest.mark.parametrize(
    "heading",
    [
        "Tamén che pode interesar",
        "Potser us interessa",
        "También le puede interesar",
        "You may also be interested",
    ],
)
def test_p16_related_links_are_not_part_of_the_procedure(heading: str):
    assert recognise(heading) == Label("ignored")
    assert recognise("Interesados") == Label("requisitos")


def test_a_breadcrumb_is_not_text():
    assert is_breadcrumb("[Seu electrònica](https://www.a.example/) » Procediments")
    assert not is_breadcrumb("Vegeu [la norma](https://www.a.example/) » article 3.")
    assert not is_breadcrumb("Renta > 3.000 euros")


def test_preformatted_lines_are_divided_into_titles_and_text():
    assert list(preformatted_lines("TASA: 2 euros\nOBJETO\n---\nVender.")) == [
        ("TASA", True), ("2 euros", False), ("OBJETO", True), ("Vender.", False),
    ]  # fmt: skip


def test_a_department_without_a_region_belongs_to_that_of_the_site():
    regional = {"nivel": "autonomico", "ccaa": "galicia"}
    assert most_specific([{"nivel": "autonomico"}, {"nivel": "local"}, regional]) == regional
    assert most_specific([{"nivel": "estatal"}, regional]) == {"nivel": "estatal"}
    assert most_specific([]) == {}

"""Every field of a procedure names where it stands in the captured page."""

import re
from typing import Any

import pytest
from benchmarks.first_contact import read_batch
from selectolax.lexbor import LexborHTMLParser

from headwater.model.outcomes import ExtractHints, Reading
from headwater_recipes.procedures.field_places import field_places, place_text
from headwater_recipes.procedures.normalise import Procedure, normalise
from headwater_recipes.procedures.page.page import ProcedurePage
from headwater_recipes.procedures.page.reader import read_procedure
from headwater_recipes.procedures.page.source_text import letters_of
from headwater_recipes.procedures.standalone import page_from

URL = "https://sede.muestra.example/tramites/uno"
STEP = re.compile(r"([\w-]+)\[(\d+)\]")
HTML = """<!doctype html><html lang="es"><head><title>Bono de agua</title>
<script type="application/ld+json">{"@type": "GovernmentService", "provider": {"@type": "GovernmentOrganization",
"name": "Ayuntamiento de Muestra", "telephone": "967 555 350"}}</script></head><body><main><h1>Bono de agua</h1>
<p>Descuento en el recibo del agua para las familias del municipio.</p><h2>Requisitos</h2><ul><li>Ser mayor de edad.</li>
<li>Vivir en el municipio.</li></ul><table><tr><th>Documentación</th><td>Documento de identidad</td></tr>
<tr><th>Tasas</th><td>No tiene coste</td></tr><tr><th>Plazo</th><td>Un mes</td></tr></table></main></body></html>"""


def read(body: bytes, media_type: str = "text/html", url: str = URL) -> list[tuple[Procedure, ProcedurePage]]:
    reading = read_procedure(body, ExtractHints(url=url, media_type=media_type))
    assert isinstance(reading, Reading)
    page = page_from(reading, url)
    return [(procedure, page) for procedure in normalise(page)]


def element_text(body: bytes, path: str) -> str:
    """The text of the element at an XPath."""
    selector = STEP.sub(r"\1:nth-of-type(\2)", path.strip("/").replace("/", " > "))
    node = LexborHTMLParser(body.decode("utf-8", "replace")).css_first(selector)
    assert node is not None, path
    return node.text(deep=True)


@pytest.mark.parametrize("batch", ["batch-4", "batch-12", "batch-13", "batch-15"])
def test_every_field_has_a_place_and_the_passage_stands_there(batch: str):
    fields = 0
    for page, _ in read_batch(batch):
        for procedure, source in read(page.body, page.media_type, page.url):
            for name, places in field_places(procedure, source).items():
                fields += 1
                assert places, (page.path, name)
                for place in places:
                    assert "derived" not in place, (page.path, name)
                    _check_passage(page.body, page.media_type, place)
    assert fields >= 50


def _check_passage(body: bytes, media_type: str, place: dict[str, Any]) -> None:
    if media_type != "text/html" or "start" not in place or "/@" in place["path"]:
        assert {"page", "text", "path", "json_ld", "frame"} & place.keys()
        return
    text = element_text(body, place["path"])[place["start"] : place["end"]]
    if not place["passage"].endswith("…"):
        bare = letters_of(place["passage"])
        assert letters_of(text)[:40] == bare[: len(letters_of(text))][:40]


def test_places_name_cells_linked_data_and_the_words_of_a_normalised_value():
    ((procedure, page),) = read(HTML.encode())
    places = field_places(procedure, page)
    assert procedure.document["tasas"] == "Gratuito"
    (fee,) = places["tasas"]
    assert fee["passage"] == "No tiene coste"
    assert fee["path"].endswith("table[1]/tbody[1]/tr[2]/td[1]")
    assert [place_text(place) for place in places["organismo"]] == ["JSON-LD GovernmentService.provider.name"]
    assert places["telefono"] == [
        {"json_ld": "GovernmentService.provider.telephone", "passage": "967 555 350"}
    ]
    assert [place["path"].rsplit("/", 1)[1] for place in places["requisitos"]] == ["li[1]", "li[2]"]
    assert place_text(places["requisitos"][0]).endswith("/li[1] [0:17]")


def test_places_in_a_pdf_are_pages_with_boxes():
    page = next(page for page, _ in read_batch("batch-4") if page.media_type == "application/pdf")
    ((procedure, source),) = read(page.body, page.media_type, page.url)
    (place, *_) = field_places(procedure, source)["requisitos"]
    left, top, right, bottom = place["box"]
    assert place["page"] == 1
    assert 0 < left < right < 600
    assert 0 < top < bottom < 850

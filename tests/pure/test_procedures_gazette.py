"""The gazette and the open-data catalogue as sources."""

import json
from datetime import UTC, date, datetime

import pytest
from tests.support.poll_sessions import answer, make_source, run_session

from headwater.model.errors import Permanent
from headwater.model.outcomes import ExtractHints
from headwater_demo.procedures.gazette import CALL, document, summary
from headwater_recipes.procedures.adapters.boe import discover_gazette, summary_items
from headwater_recipes.procedures.adapters.datos import discover_open_data
from headwater_recipes.procedures.page.reader import read_procedure
from headwater_recipes.procedures.standalone import procedures_from

NOW = datetime(2026, 11, 13, 9, 0, tzinfo=UTC)
API = "http://boletin.demo.gob.es/api/boe/sumario/"


def _gazette(request):
    assert request.headers["Accept"] == "application/json"
    day = date.fromisoformat(request.url.rsplit("/", 1)[-1])
    body = summary(day)
    return answer(request, body or '{"data":""}', status=200 if body else 404, media_type="application/json")


def test_p5_items_are_found_at_every_level_of_nesting():
    content = json.loads(summary(date(2026, 11, 13)))
    assert [item["identificador"] for item in summary_items(content)] == [
        "BOE-A-2026-99001",
        CALL,
        "BOE-B-2026-40001",
    ]
    assert [item["identificador"] for item in summary_items(content, ("3",))] == [CALL]
    borme = {"data": {"sumario": {"diario": {"seccion": {"codigo": "A", "item": {"identificador": "X"}}}}}}
    assert [item["identificador"] for item in summary_items(borme)] == ["X"]
    assert list(summary_items({"status": {"code": "404"}, "data": ""})) == []


def test_p5_each_day_is_polled_once_but_today_until_it_is_over_and_sundays_are_not_failures():
    source = make_source("boe", API, options={"words": ["ayuda", "ayudas"], "days": 7})
    outcome = run_session(discover_gazette(source, NOW), _gazette)
    assert len(outcome.requests) == 7
    assert [lead.identity for lead in outcome.leads] == [CALL]
    assert outcome.discovery.watermark == {"last": "2026-11-12"}
    second_poll = make_source("boe", API, watermark=dict(outcome.discovery.watermark))
    (request,) = run_session(discover_gazette(second_poll, NOW), _gazette).requests
    assert request.url.endswith("20261113")  # a supplement may follow


def test_p14_a_call_in_the_gazette_is_a_procedure_that_rests_on_its_references():
    url = f"http://boletin.demo.gob.es/diario_boe/xml.php?id={CALL}"
    (procedure,) = procedures_from(
        read_procedure(document(CALL), ExtractHints(url=url, media_type="application/xml")), url
    )
    content = procedure.document
    assert content["source_type"] == "boe"
    assert content["base_legal"] == [
        "Ley 38/2003, de 17 de noviembre, General de Subvenciones (BOE-A-2003-20977)"
    ]
    assert content["cuantias"] == {"importe": "La cuantía máxima será de 6.000 euros por biblioteca."}
    assert "veinte días hábiles" in content["plazos"]["solicitud"]
    other = "http://boletin.demo.gob.es/diario_boe/xml.php?id=BOE-A-2026-99001"
    assert (
        procedures_from(
            read_procedure(
                document("BOE-A-2026-99001"), ExtractHints(url=other, media_type="application/xml")
            ),
            other,
        )
        == []
    )


def test_a_malformed_summary_is_reported():
    source = make_source("boe", API, options={"days": 1})
    with pytest.raises(Permanent, match="not JSON"):
        run_session(
            discover_gazette(source, NOW), lambda request: answer(request, "<html>", media_type="text/html")
        )


def test_p5_datasets_yield_their_readable_distributions():
    dataset = {
        "_about": "https://datos.gob.es/catalogo/uno",
        "title": [{"_value": "Ayudas", "_lang": "es"}, {"_value": "Aid", "_lang": "en"}],
        "modified": "Thu, 12 Nov 2026 00:00:00 GMT+0100",
        "distribution": [
            {"accessURL": "https://sede.muestra.example/ayudas", "format": {"value": "text/html"}},
            {"accessURL": "https://sede.muestra.example/ayudas.csv", "format": {"value": "text/csv"}},
        ],
    }
    single = {
        "_about": "x",
        "title": "Una",
        "distribution": {"accessURL": "https://sede.muestra.example/una.pdf", "format": "application/pdf"},
    }

    def catalogue(request):
        datasets = [dataset, single] if "_page=0" in request.url else []
        return answer(request, json.dumps({"result": {"items": datasets}}), media_type="application/json")

    source = make_source("datos", "https://datos.gob.es/apidata/catalog/dataset/keyword/tramites")
    outcome = run_session(discover_open_data(source, NOW), catalogue)
    assert outcome.urls == ["https://sede.muestra.example/ayudas", "https://sede.muestra.example/una.pdf"]
    assert outcome.leads[0].hints["attributes"]["dataset_title"] == "Ayudas"
    assert len(outcome.requests) == 2

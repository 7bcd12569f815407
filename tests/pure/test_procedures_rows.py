"""Rows of the acceptance list that need no portal: seeds, comparison with curated files, error classes, schedules, structure."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from headwater.model.document import Document
from headwater.model.errors import Refused
from headwater.model.outcomes import Drop
from headwater.runtime.maintenance import MAINTENANCE_TASKS, replay_recipes
from headwater_recipes.procedures.definition import build_recipe, registered_sources
from headwater_recipes.procedures.knowledge_base.catalogue import FAILURES, status_of
from headwater_recipes.procedures.knowledge_base.comparison import compare_folders
from headwater_recipes.procedures.normalise import normalise
from headwater_recipes.procedures.page.page import ProcedurePage
from headwater_recipes.procedures.steps import FindProcedures

NOW = datetime(2026, 11, 13, 9, 0, tzinfo=UTC)
URL = "https://sede.muestra.example/tramites/bono"
TEXT = "# Bono de agua\n\n## Requisitos\n\n- Ser mayor de edad.\n\n## Documentación\n\n- DNI.\n"


def write(folder: Path, name: str, **content: Any) -> None:
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.json").write_text(
        json.dumps({"nombre": "Bono de agua", "fuente_url": URL} | content), "utf-8"
    )


def test_p8_the_seed_list_is_a_source_of_the_registry():
    (seeds,) = [source for source in registered_sources() if source.kind == "seeds"]
    assert len(seeds.options["urls"]) == 8


def test_p8_generated_files_are_compared_with_curated_ones_field_by_field(tmp_path: Path):
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    write(
        ours,
        "local-bono",
        requisitos=["Ser mayor de edad y vivir aquí."],
        telefono="967 555 350",
        plazos={"solicitud": "Un mes"},
    )
    write(
        theirs,
        "bono",
        requisitos=["Vivir aquí", "Ser mayor de edad"],
        documentos=["DNI"],
        plazos={"solicitud": "Del 1 al 5 de mayo"},
    )
    write(theirs, "otro", nombre="Licencia de caza", fuente_url="https://otra.example/a/b")
    rows = {(row.curated, row.field): row.verdict for row in compare_folders(ours, theirs)}
    assert rows == {
        ("bono", "nombre"): "agrees",
        ("bono", "requisitos"): "agrees",
        ("bono", "documentos"): "missing",
        ("bono", "plazos"): "differs",
        ("bono", "telefono"): "added",
        ("otro", ""): "missing",
    }


@pytest.mark.parametrize(
    ("lead", "document", "reason", "status"),
    [
        ("quarantined", None, None, "fetch_failed"),
        ("fetched", "aside", "too_few_words", "extraction_failed"),
        ("fetched", "quarantined", "requires_ocr", "extraction_failed"),
        ("fetched", "aside", "anything_else", "normalization_failed"),
        ("fetched", "aside", "language_not_allowed", "unexpected_language"),
        ("fetched", "duplicate", "same_text", "duplicate"),
        ("fetched", "dropped", "not_a_procedure", "skipped"),
        ("fetched", "kept", None, "stored"),
        ("new", None, None, "queued"),
    ],
)
def test_p26_every_page_has_one_error_class(lead: str, document: str | None, reason: str | None, status: str):
    assert status_of({"state": lead, "document_state": document, "document_reason": reason}) == status


def test_p26_all_error_classes_are_failures_of_a_run():
    assert set(FAILURES) == {
        "fetch_failed",
        "extraction_failed",
        "normalization_failed",
        "unexpected_language",
    }


def test_p15_a_page_without_two_sections_of_a_procedure_is_dropped_with_what_it_has():
    text = "# Bono\n\n## Requisitos\n\n- Ser mayor de edad.\n\n## Historia\n\nEl edificio es de 1890."
    document = Document(
        id="d", recipe="procedures", source="s", lead="l", url=URL, text=text, title="Bono", language="es"
    )
    assert FindProcedures()([document], None) == [
        Drop("not_a_procedure", evidence={"sections": ["requisitos"]})
    ]  # type: ignore[arg-type]


def test_p5_the_title_of_a_dataset_is_another_name_of_its_procedure():
    page = ProcedurePage(
        url=URL,
        text=TEXT,
        attributes={"dataset_title": "Ayudas al agua", "dataset": "https://datos.gob.es/1"},
    )
    (procedure,) = normalise(page)
    assert procedure.document["nombre_alternativo"] == ["Ayudas al agua"]
    assert "ayudas al agua" in procedure.document["keywords"]


def test_p4_feeds_are_polled_daily_and_portals_weekly():
    recipe = build_recipe()
    assert recipe.triggers["feed"].every == timedelta(days=1)
    assert recipe.trigger.every == timedelta(days=7)


def test_p25_stored_pages_are_read_again_every_month_and_one_replay_at_a_time():
    starts: list[tuple[str, datetime]] = []

    def start(recipe: str, since: datetime, until: datetime, now: datetime) -> str:
        if starts:
            raise Refused("replay_under_way", "one at a time")
        starts.append((recipe, since))
        return "replay-1"

    app: Any = SimpleNamespace(
        clock=lambda: NOW,
        recipes={"procedures": build_recipe(), "other": SimpleNamespace(replay_monthly=False)},
        replays=SimpleNamespace(start=start),
    )
    assert MAINTENANCE_TASKS["replay_recipes"].trigger.cron == "0 3 1 * *"
    assert replay_recipes(app) == {"procedures": "replay-1"}
    assert replay_recipes(app) == {"procedures": "replay_under_way"}
    assert [name for name, _ in starts] == ["procedures"]

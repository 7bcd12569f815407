"""The commands over a knowledge base (review, metrics, search, checks) as an operator calls them."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.flow.command_line import CommandResult, call
from tests.support.scene import Scene, kept_result, make_lead, make_source

from headwater.app import App
from headwater.model.jobs import Task
from headwater.model.outcomes import ExtractHints
from headwater.settings.settings import Settings
from headwater_demo.procedures.portal_pages import procedure_pages
from headwater_recipes.procedures.knowledge_base.layout import (
    KnowledgeBaseLayout,
    stable_json,
    with_seal,
    write_if_changed,
)
from headwater_recipes.procedures.knowledge_base.review import ReviewQueue
from headwater_recipes.procedures.page.reader import read_procedure
from headwater_recipes.procedures.standalone import procedures_from

RunCli = Callable[..., CommandResult]
MOMENT = "2026-11-13T09:00:00+00:00"


@pytest.fixture
def base(tmp_path: Path) -> KnowledgeBaseLayout:
    """A knowledge base of a few procedures, and one proposal for a file that a person wrote."""
    app = App(Settings(data=str(tmp_path)))
    app.store.engine.dispose()
    layout = KnowledgeBaseLayout(tmp_path / "out" / "procedures")
    for page in procedure_pages()[:5]:
        procedures = procedures_from(
            read_procedure(page.body, ExtractHints(url=page.url)), page.url.replace("http:", "https:")
        )
        document = dict(procedures[0].document) | {"extracted_at": MOMENT}
        write_if_changed(layout.procedure(document["id"]), stable_json(with_seal(document)))
    curated = json.loads(layout.procedure("local-valdemora-licencia-obra-menor").read_bytes())
    write_if_changed(
        layout.procedure(curated["id"]), stable_json(curated | {"verificado": True, "tasas": "10 euros"})
    )
    ReviewQueue(layout).propose(curated, ["curated"], {"tasas": "10 euros"})
    return layout


@pytest.fixture
def run_cli(
    base: KnowledgeBaseLayout,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> RunCli:
    monkeypatch.setenv("COLUMNS", "120")
    return lambda *words: call(capsys, monkeypatch, "--data", str(tmp_path), *words)


def test_a_proposal_is_listed_shown_and_accepted(
    base: KnowledgeBaseLayout, run_cli: RunCli, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(App, "close_run", lambda self, recipe: None)
    key = "local-valdemora-licencia-obra-menor"
    (row,) = run_cli("review", "list", "--json").records
    assert (row["id"], row["reasons"], row["proposal"]) == (key, ["curated"], True)
    assert "35 euros" in run_cli("review", "show", key).out
    assert run_cli("review", "accept", key).code == 0
    accepted = json.loads(base.procedure(key).read_bytes())
    assert accepted["tasas"].startswith("35 euros")
    assert accepted["verified_by"] == "manual"
    assert run_cli("review", "list").out.strip() == "Nothing is waiting for review."


def test_a_rejected_proposal_does_not_come_back_until_its_page_changes(
    base: KnowledgeBaseLayout, run_cli: RunCli
):
    key = "local-valdemora-licencia-obra-menor"
    proposed = ReviewQueue(base).proposal(key)["proposed"]
    before = base.procedure(key).read_bytes()
    assert run_cli("review", "reject", key, "--json").record == {"id": key, "rejected": True}
    assert base.procedure(key).read_bytes() == before
    assert not ReviewQueue(base).propose(proposed, ["curated"], None)
    assert ReviewQueue(base).propose(proposed | {"content_hash": "b" * 64}, ["curated"], None)


def test_accepting_an_unknown_proposal_is_refused_in_one_sentence(run_cli: RunCli):
    answer = run_cli("review", "accept", "no-such-thing")
    assert answer.code != 0
    assert "headwater review list" in answer.err
    assert "Traceback" not in answer.err


def test_p24_procedures_are_listed_by_filters_and_found_by_questions(run_cli: RunCli):
    names = {row["nombre"] for row in run_cli("procedures", "list", "--kind", "licencia", "--json").records}
    assert names == {"Licencia de obra menor"}
    assert run_cli("procedures", "list", "--language", "eu").out.strip() == "No procedure matches."
    answer = run_cli("procedures", "find", "cómo pido la tarjeta de estacionamiento", "--json").record
    assert answer["id"].startswith("local-valdemora-tarjeta-estacionamiento")
    assert run_cli("procedures", "find", "xyzzy").out.strip() == "No procedure answers this question."


def test_p30_p31_p32_a_sound_folder_passes_and_a_broken_file_is_named(
    base: KnowledgeBaseLayout, run_cli: RunCli
):
    assert run_cli("procedures", "check").code == 0
    procedure = json.loads(base.procedure("local-valdemora-licencia-obra-menor").read_bytes())
    write_if_changed(
        base.procedure("local-x-otra"),
        stable_json(procedure | {"fuente_url": "https://es.wikipedia.org/wiki/Obra", "idioma": "xx"}),
    )
    answer = run_cli("procedures", "check", "--json")
    assert answer.code == 1
    complaints = " ".join(row["problem"] for row in answer.record["problems"])
    assert "may not be cited" in complaints
    assert "idioma" in complaints


def test_p27_metrics_come_as_a_table_and_as_json(run_cli: RunCli):
    metrics = run_cli("procedures", "metrics", "--json").record
    assert metrics["stored"] == 5
    assert metrics["waiting_for_review"] == 1
    assert sum(metrics["completeness"]["histogram"].values()) == 5
    assert "completeness" in run_cli("procedures", "metrics").out


def test_drift_is_reported_for_every_file(run_cli: RunCli):
    rows = run_cli("procedures", "drift", "--json").records
    assert len(rows) == 5
    assert {row["status"] for row in rows} <= {"current", "stale", "drifted"}


def test_a_file_is_read_without_an_installation(tmp_path: Path, capsys, monkeypatch):
    page = procedure_pages()[0]
    path = tmp_path / "page.html"
    path.write_bytes(page.body)
    (procedure,) = call(capsys, monkeypatch, "procedures", "read", str(path), "--url", page.url).records
    assert procedure["nombre"] == page.truth["nombre"]
    missing = call(capsys, monkeypatch, "procedures", "read", str(tmp_path / "none.pdf"))
    assert missing.code != 0
    assert "cannot be read" in missing.err


def test_p29_pages_answer_where_keywords_do_not(base: KnowledgeBaseLayout, run_cli: RunCli, tmp_path: Path):
    procedure = json.loads(base.procedure("local-valdemora-licencia-obra-menor").read_bytes())
    app = App(Settings(data=str(tmp_path)))
    scene = Scene(app.store, source=make_source("Town", recipe="procedures"))
    scene.poll(make_lead("works", source=scene.source, body="page"))
    (draft,) = scene.claim(Task.REFINE, recipe="procedures")
    scene.refine(
        kept_result(
            draft, title="Obras", text="Alicatar la cocina sin tocar tabiques.", url=procedure["fuente_url"]
        )
    )
    app.store.engine.dispose()
    question = "quiero alicatar mi cocina"
    assert run_cli("procedures", "find", question).out.strip() == "No procedure answers this question."
    assert run_cli("procedures", "find", question, "--pages", "--json").record["id"] == procedure["id"]
    assert (
        run_cli("procedures", "find", "capital de francia", "--pages").out.strip()
        == "No procedure answers this question."
    )

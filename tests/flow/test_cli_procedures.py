"""The verbs over a knowledge base: review, metrics, search, checks; as an operator calls them."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.flow.command_line import Answer, call
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

Ask = Callable[..., Answer]
MOMENT = "2026-11-13T09:00:00+00:00"


@pytest.fixture
def base(tmp_path: Path) -> KnowledgeBaseLayout:
    """A knowledge base of a few procedures, and one proposal for a file that a person wrote."""
    app = App(Settings(data=str(tmp_path)))
    app.store.engine.dispose()
    layout = KnowledgeBaseLayout(tmp_path / "out" / "procedures")
    for page in procedure_pages()[:5]:
        found = procedures_from(
            read_procedure(page.body, ExtractHints(url=page.url)), page.url.replace("http:", "https:")
        )
        document = dict(found[0].document) | {"extracted_at": MOMENT}
        write_if_changed(layout.procedure(document["id"]), stable_json(with_seal(document)))
    told = json.loads(layout.procedure("local-valdemora-licencia-obra-menor").read_bytes())
    write_if_changed(
        layout.procedure(told["id"]), stable_json(told | {"verificado": True, "tasas": "10 euros"})
    )
    ReviewQueue(layout).propose(told, ["curated"], {"tasas": "10 euros"})
    return layout


@pytest.fixture
def ask(
    base: KnowledgeBaseLayout,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> Ask:
    monkeypatch.setenv("COLUMNS", "120")
    return lambda *words: call(capsys, monkeypatch, "--data", str(tmp_path), *words)


def test_a_proposal_is_listed_shown_and_accepted(
    base: KnowledgeBaseLayout, ask: Ask, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(App, "close_run", lambda self, recipe: None)
    key = "local-valdemora-licencia-obra-menor"
    (row,) = ask("review", "list", "--json").records
    assert (row["id"], row["reasons"], row["proposal"]) == (key, ["curated"], True)
    assert "35 euros" in ask("review", "show", key).out
    assert ask("review", "accept", key).code == 0
    told = json.loads(base.procedure(key).read_bytes())
    assert told["tasas"].startswith("35 euros")
    assert told["verified_by"] == "manual"
    assert ask("review", "list").out.strip() == "Nothing is waiting for review."


def test_a_rejected_proposal_does_not_come_back_until_its_page_changes(base: KnowledgeBaseLayout, ask: Ask):
    key = "local-valdemora-licencia-obra-menor"
    proposed = ReviewQueue(base).proposal(key)["proposed"]
    before = base.procedure(key).read_bytes()
    assert ask("review", "reject", key, "--json").record == {"id": key, "rejected": True}
    assert base.procedure(key).read_bytes() == before
    assert not ReviewQueue(base).propose(proposed, ["curated"], None)
    assert ReviewQueue(base).propose(proposed | {"content_hash": "b" * 64}, ["curated"], None)


def test_what_does_not_wait_is_told_in_one_sentence(ask: Ask):
    answer = ask("review", "accept", "no-such-thing")
    assert answer.code != 0
    assert "headwater review list" in answer.err
    assert "Traceback" not in answer.err


def test_p24_procedures_are_listed_by_filters_and_found_by_questions(ask: Ask):
    names = {row["nombre"] for row in ask("procedures", "list", "--kind", "licencia", "--json").records}
    assert names == {"Licencia de obra menor"}
    assert ask("procedures", "list", "--language", "eu").out.strip() == "No procedure matches."
    found = ask("procedures", "find", "cómo pido la tarjeta de estacionamiento", "--json").record
    assert found["id"].startswith("local-valdemora-tarjeta-estacionamiento")
    assert ask("procedures", "find", "xyzzy").out.strip() == "No procedure answers this question."


def test_p30_p31_p32_a_sound_folder_passes_and_a_broken_file_is_named(base: KnowledgeBaseLayout, ask: Ask):
    assert ask("procedures", "check").code == 0
    told = json.loads(base.procedure("local-valdemora-licencia-obra-menor").read_bytes())
    write_if_changed(
        base.procedure("local-x-otra"),
        stable_json(told | {"fuente_url": "https://es.wikipedia.org/wiki/Obra", "idioma": "xx"}),
    )
    answer = ask("procedures", "check", "--json")
    assert answer.code == 1
    complaints = " ".join(row["problem"] for row in answer.record["problems"])
    assert "may not be cited" in complaints
    assert "idioma" in complaints


def test_p27_metrics_come_as_a_table_and_as_json(ask: Ask):
    told = ask("procedures", "metrics", "--json").record
    assert told["stored"] == 5
    assert told["waiting_for_review"] == 1
    assert sum(told["completeness"]["histogram"].values()) == 5
    assert "completeness" in ask("procedures", "metrics").out


def test_drift_is_told_for_every_file(ask: Ask):
    rows = ask("procedures", "drift", "--json").records
    assert len(rows) == 5
    assert {row["status"] for row in rows} <= {"current", "stale", "drifted"}


def test_a_file_is_read_without_an_installation(tmp_path: Path, capsys, monkeypatch):
    page = procedure_pages()[0]
    path = tmp_path / "page.html"
    path.write_bytes(page.body)
    (told,) = call(capsys, monkeypatch, "procedures", "read", str(path), "--url", page.url).records
    assert told["nombre"] == page.truth["nombre"]
    missing = call(capsys, monkeypatch, "procedures", "read", str(tmp_path / "none.pdf"))
    assert missing.code != 0
    assert "cannot be read" in missing.err


def test_p29_pages_answer_where_keywords_do_not(base: KnowledgeBaseLayout, ask: Ask, tmp_path: Path):
    told = json.loads(base.procedure("local-valdemora-licencia-obra-menor").read_bytes())
    app = App(Settings(data=str(tmp_path)))
    scene = Scene(app.store, source=make_source("Town", recipe="procedures"))
    scene.poll(make_lead("works", source=scene.source, body="page"))
    (draft,) = scene.claim(Task.REFINE, recipe="procedures")
    scene.refine(
        kept_result(
            draft, title="Obras", text="Alicatar la cocina sin tocar tabiques.", url=told["fuente_url"]
        )
    )
    app.store.engine.dispose()
    asked = "quiero alicatar mi cocina"
    assert ask("procedures", "find", asked).out.strip() == "No procedure answers this question."
    assert ask("procedures", "find", asked, "--pages", "--json").record["id"] == told["id"]
    assert (
        ask("procedures", "find", "capital de francia", "--pages").out.strip()
        == "No procedure answers this question."
    )

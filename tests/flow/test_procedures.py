"""Procedures end to end over the demo's portals: every way of finding them, the files, and later changes."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import cached_property
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from sqlalchemy import select
from tests.support.deadline import LONGEST_RUN
from tests.support.environments import EnvironmentUnderTest
from tests.support.installed_recipes import install_recipes
from tests.support.recipe_run import QuickClock

from headwater.app import App
from headwater.cli.render.document_history import history_tree
from headwater.engine.context import JobContext
from headwater.model.jobs import State
from headwater.runtime.inline import run_inline
from headwater.settings.settings import Settings
from headwater.settings.sources import SourceLine, make_source
from headwater.store.connect import read_transaction
from headwater.store.reads.explanation import explain
from headwater.store.schema.flow import deliveries, documents
from headwater_demo.internet import Internet, host_table, running
from headwater_demo.procedures.portal_pages import pages_without_procedure, procedure_pages
from headwater_demo.sites.portal_sites import RAISED_AFTER, procedure_sources
from headwater_recipes.procedures import NAME, recipe
from headwater_recipes.procedures.citation_policy import judge_citation
from headwater_recipes.procedures.knowledge_base.catalogue import run_metrics
from headwater_recipes.procedures.knowledge_base.layout import KnowledgeBaseLayout
from headwater_recipes.procedures.knowledge_base.review import ReviewQueue
from headwater_recipes.procedures.registry.portals import PortalRegistry
from headwater_recipes.procedures.retrieval.files import KeywordRetriever, unfindable_documents
from headwater_recipes.procedures.schema import schema_problems

HOST = "www.puertoclaro.demo.gob.es"
STEM = "local-puerto-claro-annual-mooring-permit-for-small-boats"


@dataclass
class ProceduresRun:
    """An installation with the procedures recipe alone, in one process."""

    folder: Path
    internet: Internet
    only: tuple[str, ...] = ()
    environment: EnvironmentUnderTest = field(default_factory=EnvironmentUnderTest)
    clock: QuickClock = field(default_factory=QuickClock)

    @cached_property
    def app(self) -> App:
        settings = Settings(
            data=str(self.folder),
            database=self.environment.database,
            archive=self.environment.archive,
            hosts=host_table(self.internet.base_url),
            requests_per_second=0,
            log_level="error",
        )
        lines = [
            SourceLine(**line) for line in procedure_sources() if not self.only or line["name"] in self.only
        ]
        own_recipe = replace(
            recipe(), sources=tuple(make_source(line, NAME, where=line.name) for line in lines)
        )
        app = App(settings, clock=self.clock)
        install_recipes(app, {NAME: own_recipe})
        app.store.register(own_recipe.sources, self.clock())
        return app

    @cached_property
    def context(self) -> JobContext:
        return self.app.context("office", fetching=True)

    @property
    def out(self) -> Path:
        return self.app.output(NAME)

    def run(self) -> None:
        assert run_inline(self.context, [NAME], horizon=timedelta(seconds=20), longest=LONGEST_RUN), (
            "not idle in time"
        )
        self.app.close_run(NAME)

    def poll_again(self, *, later: timedelta = timedelta(0)) -> None:
        self.clock.advance(later)
        self.app.operations.wake(NAME, self.clock())
        self.run()

    def files(self) -> dict[str, dict[str, Any]]:
        return {
            path.stem: json.loads(path.read_bytes())
            for path in sorted((self.out / "tramites").glob("*.json"))
        }

    def catalogue(self, name: str) -> dict[str, Any]:
        return json.loads((self.out / "ingestion" / f"{name}.json").read_bytes())

    def file_contents(self) -> dict[str, bytes]:
        return {
            str(path.relative_to(self.out)): path.read_bytes()
            for path in self.out.rglob("*")
            if path.is_file()
        }

    def rows(self) -> list[dict[str, Any]]:
        with read_transaction(self.app.store.engine) as connection:
            return [dict(row) for row in connection.execute(select(documents)).mappings()]


@contextmanager
def open_run(
    folder: Path, internet: Internet, *only: str, environment: EnvironmentUnderTest | None = None
) -> Iterator[ProceduresRun]:
    procedures_run = ProceduresRun(folder, internet, only, environment or EnvironmentUnderTest())
    try:
        yield procedures_run
    finally:
        if "context" in procedures_run.__dict__ and procedures_run.context.fetcher is not None:
            procedures_run.context.fetcher.close()
        procedures_run.app.store.engine.dispose()


@pytest.fixture(scope="module")
def internet() -> Iterator[Internet]:
    with running(size="small") as started:
        yield started


@pytest.fixture(scope="module")
def finished_run(
    tmp_path_factory: pytest.TempPathFactory, internet: Internet, environment: EnvironmentUnderTest
) -> Iterator[ProceduresRun]:
    with open_run(tmp_path_factory.mktemp("procedures"), internet, environment=environment) as procedures_run:
        procedures_run.run()
        yield procedures_run


def test_p1_every_procedure_of_the_portals_becomes_a_file(finished_run: ProceduresRun):
    expected = {page.truth["nombre"] for page in procedure_pages()}
    names = {document["nombre"] for document in finished_run.files().values()}
    assert expected <= names
    assert len(names - expected) == 1  # the gazette's call
    assert len(finished_run.files()) == len(procedure_pages()) + 1


def test_p2_every_procedure_went_through_the_stages_in_order(finished_run: ProceduresRun):
    kept_rows = [row for row in finished_run.rows() if row["state"] == State.KEPT]
    steps = ["extract", *(step.name for step in finished_run.app.recipe(NAME).steps)]
    explanations = [explain(finished_run.app.store.engine, row["id"]) for row in kept_rows]
    # A crawl captures a page before it knows whether the page is a lead.
    listed = [document for document in explanations if document["source"]["kind"] == "sitemap"]
    assert len(listed) >= 15
    for document in listed:
        (capture,) = document["captures"]
        (delivery,) = document["deliveries"]
        assert document["lead"]["first_seen_at"] <= capture["fetched_at"] <= delivery["created_at"]
        assert [entry["step"] for entry in document["document"]["trail"]] == steps
        assert delivery["receipt"].startswith("stored ")


def test_other_pages_have_no_file(finished_run: ProceduresRun):
    urls = {
        document["source_url"].replace("https://", "http://") for document in finished_run.files().values()
    }
    assert not urls & {page.url for page in pages_without_procedure()}
    dropped = [row for row in finished_run.rows() if row["state"] == State.DROPPED]
    assert {row["reason"] for row in dropped} == {"not_a_procedure"}
    assert len(dropped) == 4


def test_p31_p33_every_file_is_valid_and_complete(finished_run: ProceduresRun):
    files = finished_run.files()
    assert [problem for document in files.values() for problem in schema_problems(document)] == []
    full = sum(document["completeness_score"] >= 0.70 for document in files.values())
    assert full >= 0.9 * len(files)


def test_p32_the_assistant_may_cite_every_file_of_the_demo(finished_run: ProceduresRun):
    rules = {
        judge_citation(document["fuente_url"], PortalRegistry()).rule
        for document in finished_run.files().values()
    }
    assert rules == {"gob.es"}  # the one rule that needs no list of domains


def test_p22_p30_every_file_loads_and_its_own_name_finds_it(finished_run: ProceduresRun):
    folder = finished_run.out / "tramites"
    retriever = KeywordRetriever(folder)
    for stem, document in finished_run.files().items():
        assert document["tramite"] == stem == document["id"]
        assert {"keywords", "nombre", "fuente_url", "verificado", "source_domain"} <= document.keys()
        answer = retriever.retrieve(document["nombre"])
        assert answer is not None
        assert answer.tramite == stem
    assert unfindable_documents(folder) == []


def test_p13_p21_raw_extracted_and_catalogue_files_are_in_place(finished_run: ProceduresRun):
    for stem, document in finished_run.files().items():
        record = json.loads((finished_run.out / "extracted" / f"{stem}.extracted.json").read_bytes())
        assert record["source_url"] == document["source_url"]
        text = record["extracted_text"]
        for start, end in record["spans"].get("requisitos", []):
            assert text[start:end].strip()
    metas = list((finished_run.out / "raw").rglob("*.meta.json"))
    assert len(metas) == len(finished_run.files())
    meta = json.loads(metas[0].read_bytes())
    assert {"status", "headers", "etag", "last_modified", "fetched_at"} <= meta.keys()
    assert len(metas[0].name.partition(".")[0]) == 16


def test_p3_p4_p23_the_catalogues_list_what_was_discovered_fetched_and_stored(finished_run: ProceduresRun):
    queue, log, catalogue = (
        finished_run.catalogue(name) for name in ("discovery_queue", "fetch_log", "ingestion_catalog")
    )
    assert {row["method"] for row in queue["urls"]} == {"sitemap", "crawl", "feed", "seeds", "boe"}
    assert {row["status"] for row in queue["urls"]} == {"stored", "skipped", "extraction_failed"}
    assert not [row for row in queue["urls"] if "/agenda/" in row["url"]]
    assert any(row["lastmod"] for row in queue["urls"] if row["method"] == "sitemap")
    assert log["total"] == len(log["fetches"]) >= len(finished_run.files())
    assert catalogue["total_documents"] == len(finished_run.files())
    entry = catalogue["documents"][0]
    assert set(entry) == {
        "tramite_id", "source_url", "source_domain", "source_type", "extracted_at", "last_verified_at", "content_hash",
        "word_count", "section_count", "completeness_score", "verification_status", "ingestion_method",
    }  # fmt: skip


def test_every_field_names_its_place_in_the_files_and_in_explain(finished_run: ProceduresRun):
    for stem in finished_run.files():
        record = json.loads((finished_run.out / "extracted" / f"{stem}.extracted.json").read_bytes())
        assert set(record["placed_by"].values()) <= {"rule", "model"}
        assert record["placed_by"].keys() <= record["places"].keys()
        assert not [name for name, places in record["places"].items() if not places or "derived" in places[0]]
    row = next(
        row for row in finished_run.rows() if row["state"] == State.KEPT and row["media_type"] == "text/html"
    )
    console = Console(width=400, record=True, file=StringIO())
    history = explain(finished_run.app.store.engine, row["id"])
    assert history is not None
    console.print(history_tree(history, {}, lambda _: ""))
    assert "fields of the recipe" in (text := console.export_text())
    assert "requisitos" in text
    assert "/html/body[1]" in text


def test_p27_the_metrics_add_up(finished_run: ProceduresRun):
    provenance = finished_run.app.provenance
    document = run_metrics(
        provenance.leads(NAME),
        len(provenance.fetched_captures(NAME)),
        finished_run.catalogue("ingestion_catalog"),
        0,
    )
    assert document["stored"] == len(finished_run.files()) == document["normalised"]
    assert sum(document["completeness"]["histogram"].values()) == document["stored"]
    assert document["errors"] == {"extraction_failed": 2}
    assert document["skipped"] == 4
    assert document["discovered"] >= document["extracted"] >= document["normalised"]


def test_p12_p25_a_week_later_all_requests_are_conditional_and_no_file_changes(
    tmp_path: Path, internet: Internet
):
    with open_run(
        tmp_path,
        internet,
        HOST,
        "sede.valdemora.demo.gob.es",
        "sede.marusia.demo.gob.es",
        "boletin.demo.gob.es",
    ) as procedures_run:
        procedures_run.run()
        before, times = (
            procedures_run.file_contents(),
            {path: path.stat().st_mtime_ns for path in procedures_run.out.rglob("*") if path.is_file()},
        )
        internet.clear_log()
        procedures_run.poll_again(later=timedelta(days=7))
        pages = [row for row in internet.log() if not row["path"].startswith(("/robots", "/api/"))]
        assert pages
        assert {row["status"] for row in pages} == {304}
        assert procedures_run.file_contents() == before
        assert {path: path.stat().st_mtime_ns for path in times} == times


def test_p12_p25_crawled_portals_are_requested_conditionally(tmp_path: Path, internet: Internet):
    crawled = [line["name"] for line in procedure_sources() if line["kind"] == "crawl"]
    assert crawled
    internet.clear_log()
    with open_run(tmp_path, internet, *crawled) as procedures_run:
        procedures_run.run()
        before = procedures_run.file_contents()
        first = [row for row in internet.log() if row["path"] != "/robots.txt" and row["status"] == 200]
        internet.clear_log()
        procedures_run.poll_again(later=timedelta(days=7))
        again = [row for row in internet.log() if row["path"] != "/robots.txt" and row["status"] < 400]
        assert len(again) == len({(row["host"], row["path"]) for row in first}) > len(procedures_run.files())
        assert all("if-none-match" in {name.lower() for name in row["headers"]} for row in again)
        assert {row["status"] for row in again} == {304}
        assert procedures_run.file_contents() == before


def test_p13_a_changed_page_changes_its_file_and_the_version_before_is_kept(tmp_path: Path):
    with running(size="small") as internet, open_run(tmp_path, internet, HOST) as procedures_run:
        procedures_run.run()
        first = procedures_run.files()[STEM]
        internet.advance(RAISED_AFTER)
        procedures_run.poll_again(later=timedelta(days=7))
        second = procedures_run.files()[STEM]
        assert (first["tasas"], second["tasas"]) == ("240 euros a year.", "260 euros a year.")
        (previous,) = (procedures_run.out / "versions" / STEM).glob("*.json")
        assert json.loads(previous.read_bytes()) == first
        raw = sorted(
            path.name.partition(".")[2]
            for path in (procedures_run.out / "raw" / "puertoclaro.demo.gob.es").glob("*")
            if "previous" in path.name
        )
        assert raw == ["previous.html", "previous.meta.json"]


def test_a_curated_file_is_never_overwritten_and_its_update_waits_for_review(
    tmp_path: Path, internet: Internet
):
    with open_run(tmp_path, internet, HOST) as procedures_run:
        curated = procedures_run.out / "tramites" / f"{STEM}.json"
        curated.parent.mkdir(parents=True)
        body = json.dumps({"nombre": "Mooring", "keywords": ["mooring"], "verificado": True}).encode()
        curated.write_bytes(body)
        procedures_run.run()
        assert curated.read_bytes() == body
        queue = ReviewQueue(KnowledgeBaseLayout(procedures_run.out))
        (waiting,) = queue.list_proposals()
        assert waiting["reasons"] == ["curated"]
        assert any(line.startswith("+") and "240 euros" in line for line in waiting["diff"])
        path = queue.accept(STEM, "2026-11-14T08:00:00+00:00")
        accepted = json.loads(path.read_bytes())
        assert accepted["tasas"] == "240 euros a year."
        assert (accepted["verificado"], accepted["fecha_verificacion"]) == (True, "2026-11-14")
        assert queue.list_proposals() == []
        (previous,) = (procedures_run.out / "versions" / STEM).glob("*.json")
        assert previous.read_bytes() == body
        assert schema_problems(accepted) == []


def test_p25_extracting_again_from_the_archive_returns_the_same_bytes(tmp_path: Path, internet: Internet):
    with open_run(tmp_path, internet, "sede.valdemora.demo.gob.es") as procedures_run:
        procedures_run.run()
        before = procedures_run.file_contents()
        for path in [
            *(procedures_run.out / "tramites").glob("*.json"),
            *(procedures_run.out / "extracted").glob("*.json"),
        ]:
            path.unlink()
        internet.clear_log()
        with procedures_run.app.store.engine.begin() as connection:
            connection.execute(
                documents.update().values(
                    next_capture_id=documents.c.capture_id, due_at=procedures_run.clock()
                )
            )
            connection.execute(deliveries.update().values(sent_revision=0))
        procedures_run.run()
        assert internet.log() == []
        assert procedures_run.file_contents() == before

"""The sink of the knowledge base: what it writes, what it leaves unchanged, and that writing again changes nothing."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from headwater.model.document import Document
from headwater.model.errors import Refused, Temporary
from headwater.model.http import Capture
from headwater.model.outcomes import Drop, Sent
from headwater.model.recipe import Envelope
from headwater_recipes.procedures.knowledge_base.layout import KnowledgeBaseLayout
from headwater_recipes.procedures.knowledge_base.review import ReviewQueue
from headwater_recipes.procedures.knowledge_base.sink import ProcedureFiles

MOMENT = datetime(2026, 11, 13, 9, 0, tzinfo=UTC)
URL = "https://sede.muestra.example/tramites/bono"


def procedure(**content: Any) -> dict[str, Any]:
    fields = {
        "version": 1,
        "id": "local-muestra-bono",
        "tramite": "local-muestra-bono",
        "nombre": "Bono de muestra",
        "source_url": URL,
        "fuente_url": URL,
        "source_type": "local",
        "organismo": "Ayuntamiento de Muestra",
        "descripcion": "Descuento de muestra para todos.",
        "keywords": ["bono de muestra", "muestra", "local-muestra-bono"],
        "idioma": "es",
        "content_hash": "a" * 64,
        "word_count": 90,
        "completeness_score": 0.8,
        "verificado": False,
        "verified_by": None,
    }
    return fields | content


class FewCaptures:
    """Provenance of a few captures."""

    def __init__(self, **bodies: bytes) -> None:
        self.bodies = bodies

    def captures(self, ids):
        return {key: (self._capture(key), self.bodies[key]) for key in ids if key in self.bodies}

    def _capture(self, key: str) -> Capture:
        return Capture(
            id=key,
            lead="l",
            url=URL,
            final_url=URL,
            status=200,
            headers={"ETag": f'"{key}"', "Set-Cookie": "session=secret"},
            media_type="text/html",
            sha256=key * 8,
            size=len(self.bodies[key]),
            fetched_at=MOMENT + timedelta(days=int(key[-1])),
        )

    def leads(self, recipe):
        return []

    def fetched_captures(self, recipe):
        return [self._capture(key) for key in self.bodies]


def envelope(capture: str, *content: dict[str, Any], review: tuple[str, ...] = ()) -> Envelope:
    attributes = {
        "procedures": [{"document": item, "spans": {}, "recognised": []} for item in content],
        "review": list(review),
    }
    document = Document(
        id="d",
        recipe="procedures",
        source="s",
        lead="l",
        url=URL,
        text="# Bono",
        capture=capture,
        media_type="text/html",
        attributes=attributes,
    )
    return Envelope(key="k", route="procedures", record=document, revision=1)


def files(folder: Path) -> set[str]:
    return {
        str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file() and path.name != ".lock"
    }


def state(folder: Path) -> dict[str, tuple[int, bytes]]:
    return {
        name: ((folder / name).stat().st_mtime_ns, (folder / name).read_bytes()) for name in files(folder)
    }


@pytest.fixture
def sink(tmp_path: Path) -> ProcedureFiles:
    return ProcedureFiles(tmp_path, FewCaptures(c1=b"<html>1", c2=b"<html>2", c3=b"<html>3"))


def test_p21_a_delivery_writes_its_files_and_a_repeated_one_touches_none(sink: ProcedureFiles):
    assert sink.send([envelope("c1", procedure())]) == [Sent("stored local-muestra-bono")]
    hashed = next(name for name in files(sink.folder) if name.endswith(".html")).removesuffix(".html")
    assert files(sink.folder) == {
        "tramites/local-muestra-bono.json",
        "extracted/local-muestra-bono.extracted.json",
        f"{hashed}.html",
        f"{hashed}.meta.json",
        "ingestion/discovery_queue.json",
        "ingestion/fetch_log.json",
        "ingestion/ingestion_catalog.json",
    }
    before = state(sink.folder)
    assert sink.send([envelope("c1", procedure())]) == [Sent("unchanged local-muestra-bono")]
    assert state(sink.folder) == before


def test_p13_only_the_last_versions_stay(sink: ProcedureFiles):
    for number in (1, 2, 3):
        sink.send([envelope(f"c{number}", procedure(tasas=f"{number} euros"))])
    content = json.loads((sink.folder / "tramites/local-muestra-bono.json").read_bytes())
    assert content["tasas"] == "3 euros"
    versions = sorted((sink.folder / "versions/local-muestra-bono").glob("*.json"))
    assert [json.loads(path.read_bytes())["tasas"] for path in versions] == ["1 euros", "2 euros"]
    raw = sorted(path.name.partition(".")[2] for path in (sink.folder / "raw").rglob("*") if path.is_file())
    assert raw == ["html", "meta.json", "previous.html", "previous.meta.json"]


def test_a_page_whose_bytes_change_and_whose_text_does_not_leaves_its_file_alone(sink: ProcedureFiles):
    sink.send([envelope("c1", procedure())])
    before = (sink.folder / "tramites/local-muestra-bono.json").read_bytes()
    assert sink.send([envelope("c2", procedure())]) == [Sent("unchanged local-muestra-bono")]
    assert (sink.folder / "tramites/local-muestra-bono.json").read_bytes() == before


def test_an_edited_file_is_curated_from_then_on(sink: ProcedureFiles):
    sink.send([envelope("c1", procedure())])
    path = sink.folder / "tramites/local-muestra-bono.json"
    edited = json.loads(path.read_bytes()) | {"tasas": "lo que dijo la oficina"}
    path.write_text(json.dumps(edited), encoding="utf-8")
    before = path.read_bytes()
    assert sink.send([envelope("c2", procedure(content_hash="b" * 64))]) == [
        Sent("review local-muestra-bono")
    ]
    assert path.read_bytes() == before
    assert "ingestion/review/local-muestra-bono.json" in files(sink.folder)


def test_p26_what_should_be_looked_at_first_is_proposed_not_written(sink: ProcedureFiles):
    assert sink.send([envelope("c1", procedure(), review=("quality:0.55",))]) == [
        Sent("review local-muestra-bono")
    ]
    assert not (sink.folder / "tramites").exists()
    assert sink.send([envelope("c2", procedure(content_hash="b" * 64))]) == [
        Sent("stored local-muestra-bono")
    ]
    assert "ingestion/review/local-muestra-bono.json" not in files(sink.folder)


def test_a_page_that_lost_much_of_its_content_is_proposed(sink: ProcedureFiles):
    sink.send([envelope("c1", procedure())])
    less = procedure(completeness_score=0.5, content_hash="b" * 64)
    assert sink.send([envelope("c2", less)]) == [Sent("review local-muestra-bono")]


def test_another_page_of_the_same_name_gets_a_name_of_its_own(sink: ProcedureFiles):
    other = procedure(source_url=f"{URL}-2", fuente_url=f"{URL}-2")
    sink.send([envelope("c1", procedure())])
    (outcome,) = sink.send([envelope("c2", other)])
    stem = outcome.receipt.removeprefix("stored ")
    assert stem.startswith("local-muestra-bono-")
    content = json.loads((sink.folder / "tramites" / f"{stem}.json").read_bytes())
    assert content["tramite"] == content["id"] == stem
    assert sink.send([envelope("c2", other)]) == [Sent(f"unchanged {stem}")]


def test_a_procedure_that_is_called_otherwise_now_leaves_no_second_file(sink: ProcedureFiles):
    sink.send([envelope("c1", procedure())])
    sink.send([envelope("c2", procedure(id="local-muestra-bono-joven", nombre="Bono joven"))])
    assert [path.stem for path in (sink.folder / "tramites").glob("*.json")] == ["local-muestra-bono-joven"]
    assert list((sink.folder / "versions/local-muestra-bono").glob("*.json"))


def test_a_proposal_under_a_former_name_is_withdrawn(sink: ProcedureFiles, tmp_path: Path):
    sink.send([envelope("c1", procedure(), review=("quality:0.5",))])
    other = procedure(id="local-muestra-bono-joven", content_hash="b" * 64)
    sink.send([envelope("c2", other, review=("quality:0.5",))])
    assert [proposal["id"] for proposal in reviewed(tmp_path).list_proposals()] == [
        "local-muestra-bono-joven"
    ]


def test_other_documents_are_dropped_and_an_unwritable_folder_is_retried(
    sink: ProcedureFiles, tmp_path: Path
):
    assert sink.send([envelope("c1")]) == [Drop("not_a_procedure")]
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    with pytest.raises(Temporary):
        replace(sink, folder=blocked).send([envelope("c1", procedure())])


def test_p28_every_file_names_its_source_and_no_secret_of_the_exchange_is_kept(sink: ProcedureFiles):
    sink.send([envelope("c1", procedure(source_domain="sede.muestra.example"))])
    content = json.loads((sink.folder / "tramites/local-muestra-bono.json").read_bytes())
    assert content["fuente_url"] == content["source_url"] == URL
    assert content["source_domain"] == "sede.muestra.example"
    record = json.loads((sink.folder / "extracted/local-muestra-bono.extracted.json").read_bytes())
    assert record["extracted_at"] == content["extracted_at"]
    assert not [name for name, (_, body) in state(sink.folder).items() if b"secret" in body]
    assert any(name.endswith(".html") for name in files(sink.folder))


def reviewed(folder: Path) -> ReviewQueue:
    return ReviewQueue(KnowledgeBaseLayout(folder))


def test_a_generated_file_is_verified_by_hand_and_the_decision_undone(sink: ProcedureFiles, tmp_path: Path):
    sink.send([envelope("c1", procedure())])
    queue, path = reviewed(tmp_path), tmp_path / "tramites" / "local-muestra-bono.json"
    (item,) = queue.items()
    assert (item.key, item.reasons, item.is_proposal) == ("local-muestra-bono", ("unverified",), False)
    before = path.read_text()
    queue.accept(item.key, MOMENT.isoformat())
    assert json.loads(path.read_text())["verified_by"] == "manual"
    assert queue.items() == []
    assert queue.undo(item.key)["decision"] == "accepted"
    assert path.read_text() == before
    assert [item.key for item in queue.items()] == ["local-muestra-bono"]


def test_a_rejected_file_stays_away_until_its_page_changes_and_undo_brings_it_back(
    sink: ProcedureFiles, tmp_path: Path
):
    sink.send([envelope("c1", procedure())])
    queue, path = reviewed(tmp_path), tmp_path / "tramites" / "local-muestra-bono.json"
    before = path.read_text()
    queue.reject("local-muestra-bono", "the page is about something else", MOMENT.isoformat())
    assert not path.exists()
    assert sink.send([envelope("c2", procedure())]) == [Sent("rejected local-muestra-bono")]
    assert not path.exists()
    assert queue.undo("local-muestra-bono")["reason"] == "the page is about something else"
    assert path.read_text() == before
    queue.reject("local-muestra-bono")
    changed = procedure(content_hash="b" * 64)
    assert sink.send([envelope("c3", changed)]) == [Sent("stored local-muestra-bono")]
    with pytest.raises(Refused, match="has changed since"):
        queue.undo("local-muestra-bono")


def test_a_decision_about_a_proposal_is_undone(sink: ProcedureFiles, tmp_path: Path):
    curated = tmp_path / "tramites" / "local-muestra-bono.json"
    curated.parent.mkdir(parents=True)
    curated.write_text(json.dumps(procedure(verificado=True)))
    sink.send([envelope("c1", procedure(descripcion="Descuento nuevo para todos.", content_hash="c" * 64))])
    queue, before = reviewed(tmp_path), curated.read_text()
    (item,) = queue.items()
    assert item.current is not None
    assert item.is_proposal
    queue.accept(item.key, MOMENT.isoformat())
    assert queue.undo(item.key)["decision"] == "accepted"
    assert (curated.read_text(), len(queue.items())) == (before, 1)
    queue.reject(item.key, "no")
    assert (curated.read_text(), queue.items()) == (before, [])
    queue.undo(item.key)
    assert [waiting.key for waiting in queue.items()] == [item.key]
    with pytest.raises(Refused, match="no decision"):
        queue.undo(item.key)

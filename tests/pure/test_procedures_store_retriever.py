"""The retriever over keywords and pages."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from headwater_recipes.procedures.knowledge_base.layout import stable_json, write_if_changed
from headwater_recipes.procedures.retrieval.store import StoreRetriever, page_scores

DRIVING, FISHING, ABROAD = (
    "https://sede.dgt.gob.es/permiso",
    "https://www.mapa.gob.es/pesca",
    "https://es.wikipedia.org/wiki/Pesca",
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for stem, name, words, url, language in (
        ("age-dgt-permiso", "Permiso de conducción", ["permiso de conduccion"], DRIVING, "es"),
        ("age-mapa-pesca", "Licencia de pesca", ["licencia de pesca"], FISHING, "es"),
        ("otra", "Pesca", ["pesca"], ABROAD, "es"),
    ):
        fields = {"nombre": name, "keywords": words, "fuente_url": url, "idioma": language}
        write_if_changed(tmp_path / f"{stem}.json", stable_json(fields))
    return tmp_path


def page(url: str, **fields: float) -> Mapping[str, Any]:
    return {"url": url, "snippet": f"passage of {url}", **fields}


def answering(*pages: Mapping[str, Any]) -> Any:
    def search(query: str, language: str) -> Sequence[Mapping[str, Any]]:
        del query, language
        return pages

    return search


def test_p29_keywords_answer_where_no_page_does(folder: Path):
    result = StoreRetriever(folder, answering()).retrieve("quiero la licencia de pesca", "es")
    assert result is not None
    assert (result.tramite, result.fuente_url, result.chunks_used) == ("age-mapa-pesca", FISHING, ())


def test_p29_a_page_answers_where_no_keyword_does_with_its_passage(folder: Path):
    search = answering(page(DRIVING, coverage=1.0))
    result = StoreRetriever(folder, search).retrieve("renovar el carnet del coche", "es")
    assert result is not None
    assert (result.tramite, result.chunks_used) == ("age-dgt-permiso", (f"passage of {DRIVING}",))


def test_p29_a_page_by_meaning_counts_too_and_weak_ones_do_not(folder: Path):
    near, weak = page(DRIVING, similarity=0.8), page(FISHING, coverage=0.5)
    result = StoreRetriever(folder, answering(weak, near)).retrieve("algo del coche")
    assert result is not None
    assert result.tramite == "age-dgt-permiso"
    assert StoreRetriever(folder, answering(weak)).retrieve("capital de francia") is None


def test_p29_a_procedure_that_ranks_high_in_both_lists_wins(folder: Path):
    search = answering(page(DRIVING, coverage=1.0), page(FISHING, coverage=0.9))
    result = StoreRetriever(folder, search).retrieve("licencia de pesca y coche")
    assert result is not None
    assert result.tramite == "age-mapa-pesca"


def test_p32_a_page_that_may_not_be_cited_is_skipped(folder: Path):
    assert StoreRetriever(folder, answering(page(ABROAD, coverage=1.0))).retrieve("cebos y redes") is None


def test_another_language_answers_where_the_requested_one_does_not(folder: Path):
    queries: list[str] = []

    def search(query: str, language: str) -> Sequence[Mapping[str, Any]]:
        queries.append(language)
        return [] if language else [page(DRIVING, coverage=1.0)]

    result = StoreRetriever(folder, search).retrieve("carnet del coche", "ca")
    assert result is not None
    assert queries == ["ca", ""]


def test_ranks_in_both_lists_add_up():
    in_both, in_one = "https://a.gob.es/x", "https://b.gob.es/y"
    scores = page_scores(
        [page(in_one, coverage=1.0), page(in_both, coverage=0.9), page(in_both, similarity=0.9)]
    )
    assert max(scores, key=lambda address: scores[address][0]) == in_both

"""Which retriever answers, by the switches of the environment."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from headwater.model.errors import Refused
from headwater_recipes.procedures.knowledge_base.layout import stable_json, write_if_changed
from headwater_recipes.procedures.retrieval.chain import (
    DIRECTORY,
    FallbackRetriever,
    RetrievalSources,
    get_retriever,
)
from headwater_recipes.procedures.retrieval.files import KeywordRetriever
from headwater_recipes.procedures.retrieval.store import StoreRetriever

FISHING, ABROAD = "https://www.mapa.gob.es/pesca", "https://es.wikipedia.org/wiki/Setas"


@pytest.fixture
def sources(tmp_path: Path) -> RetrievalSources:
    for stem, document in {
        "age-mapa-pesca": {
            "nombre": "Licencia de pesca",
            "keywords": ["licencia de pesca"],
            "fuente_url": FISHING,
        },
        "otra": {
            "nombre": "Permiso de setas",
            "keywords": ["setas"],
            "fuente_url": ABROAD,
            "organismo": "Servicio de Montes",
            "telefono": "900 555 100",
            "tasas": "5 euros",
        },
    }.items():
        write_if_changed(tmp_path / f"{stem}.json", stable_json(document))
    return RetrievalSources(folder=tmp_path, search=_river)


def _river(query: str, language: str) -> Sequence[Mapping[str, Any]]:
    del language
    return [{"url": FISHING, "snippet": "el río", "coverage": 1.0}] if "rio" in query else []


@pytest.mark.parametrize(
    ("environment", "kinds"),
    [
        ({}, ["KeywordRetriever", "DirectoryRetriever"]),
        ({"RAG_ENABLED": "false"}, ["KeywordRetriever", "DirectoryRetriever"]),
        ({"RAG_ENABLED": "TRUE "}, ["StoreRetriever", "KeywordRetriever", "DirectoryRetriever"]),
    ],
)
def test_p29_the_chain_begins_with_the_store_only_when_rag_is_enabled(
    sources: RetrievalSources, environment: Mapping[str, str], kinds: list[str]
):
    retriever = get_retriever(sources, environment)
    assert isinstance(retriever, FallbackRetriever)
    assert [type(item).__name__ for item in retriever.chain] == kinds


def test_p29_without_the_chain_one_retriever_answers_alone(sources: RetrievalSources):
    without_chain = {"RAG_FALLBACK_CHAIN": "0"}
    assert isinstance(get_retriever(sources, without_chain), KeywordRetriever)
    assert isinstance(get_retriever(sources, {**without_chain, "RAG_ENABLED": "1"}), StoreRetriever)
    without_search = RetrievalSources(folder=sources.folder)
    assert isinstance(get_retriever(without_search, {**without_chain, "RAG_ENABLED": "1"}), KeywordRetriever)


def test_p29_pages_are_searched_only_when_rag_is_enabled(sources: RetrievalSources):
    question = "¿puedo echar la caña en el río?"
    assert get_retriever(sources, {}).retrieve(question) is None
    result = get_retriever(sources, {"RAG_ENABLED": "true"}).retrieve(question)
    assert result is not None
    assert (result.tramite, result.chunks_used) == ("age-mapa-pesca", ("el río",))


def test_p29_the_directory_names_the_office_and_cites_nothing(sources: RetrievalSources):
    result = get_retriever(sources, {}).retrieve("quiero coger setas")
    assert result is not None
    assert result.fuente_url == ""
    assert result.datos == {
        "nombre": "Permiso de setas",
        "organismo": "Servicio de Montes",
        "telefono": "900 555 100",
        "source": DIRECTORY,
    }
    assert get_retriever(sources, {"RAG_FALLBACK_CHAIN": "false"}).retrieve("quiero coger setas") is None
    assert get_retriever(sources, {}).retrieve("quiero un coche") is None


def test_p29_an_invalid_switch_is_refused_by_name(sources: RetrievalSources):
    with pytest.raises(Refused, match="RAG_ENABLED is 'maybe'"):
        get_retriever(sources, {"RAG_ENABLED": "maybe"})

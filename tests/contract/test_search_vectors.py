"""Search by words and vectors together, on both databases, with encoders of two dimensions of meaning."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sqlalchemy import Engine
from tests.support.scene import HOUR, START, Scene, kept_result

from headwater.search.fusion import ENGLISH, MULTILINGUAL
from headwater.search.query import SearchFilters, parse_query, words_query
from headwater.store.search import candidates, document_search, query_vectors
from headwater.store.search.codes import refresh_codes
from headwater.store.search.document_search import DocumentSearch, Method, SearchResults
from headwater.store.search.query_vectors import SearchEncoder, SearchEncoders, add_vectors
from headwater.store.search.segments import refresh_segments

MEANINGS = {"sea": 0, "vessel": 0, "barco": 0, "mar": 0, "tax": 1, "levy": 1, "impuesto": 1}
ENCODERS = SearchEncoders(Path())


class MeaningEncoder:
    """One dimension for each meaning, and 62 that no text has."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.texts: list[str] = []

    def __call__(self, texts: Sequence[str], languages: Sequence[str] | None = None) -> np.ndarray:
        self.texts += texts
        vectors = np.full((len(texts), 64), -0.01, dtype=np.float32)
        for row, text in enumerate(texts):
            for word in text.lower().replace(".", " ").split():
                if word in MEANINGS:
                    vectors[row, MEANINGS[word]] = 1.0
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@pytest.fixture
def encoders(monkeypatch: pytest.MonkeyPatch) -> dict[str, MeaningEncoder]:
    fake_encoders = {name: MeaningEncoder(name) for name in ("english", "multilingual")}
    built_in = (
        SearchEncoder("english", ENGLISH, english_only=True),
        SearchEncoder("multilingual", MULTILINGUAL),
    )
    monkeypatch.setattr(query_vectors, "BUILT_IN", built_in)
    monkeypatch.setattr(query_vectors, "open_search_encoder", lambda _, files: fake_encoders[files])
    monkeypatch.setattr(
        query_vectors,
        "query_language",
        lambda text, _: "es" if "barco" in text or "impuesto" in text else "en",
    )
    return fake_encoders


@pytest.fixture
def filled(scene: Scene) -> Scene:
    for path, title, language in (
        ("a", "A vessel in the harbour", "en"),
        ("b", "The levy on sugar", "en"),
        ("c", "Un barco de pesca", "es"),
    ):
        scene.keep(path, title=title, language=language, published=START)
    return scene


def titles(engine: Engine, text: str, method: Method = "hybrid", **filters: Any) -> list[str]:
    query = words_query(text, filters=SearchFilters(**filters))
    return [row["title"] for row in DocumentSearch(engine, Path()).search(query, method=method).rows]


def test_p29_words_and_vectors_decide_together(
    filled: Scene, engine: Engine, encoders: dict[str, MeaningEncoder]
):
    assert titles(engine, "sea") == []
    assert add_vectors(engine, ENCODERS) == 5
    assert add_vectors(engine, ENCODERS) == 0
    assert len(encoders["english"].texts) == 2
    assert titles(engine, "sea")[0] == "A vessel in the harbour"
    assert titles(engine, "sugar sea") == [
        "The levy on sugar",
        "A vessel in the harbour",
        "Un barco de pesca",
    ]
    assert titles(engine, "impuesto")[0] == "The levy on sugar"
    assert titles(engine, "sea", language=("es",)) == ["Un barco de pesca"]
    assert titles(engine, "sea", since=START + HOUR) == []
    assert titles(engine, "tax", "meaning")[0] == "The levy on sugar"


def test_facets_and_phrases_change_neither_the_order_nor_the_number_of_vectors_that_are_read(
    scene: Scene, engine: Engine, encoders: dict[str, MeaningEncoder], monkeypatch: pytest.MonkeyPatch
):
    for number in range(6):
        scene.keep(f"v{number}", title=f"A vessel in the harbour {number}", language="en", published=START)
    refresh_segments(engine, flush_at=1)
    add_vectors(engine, ENCODERS)
    refresh_codes(engine)
    monkeypatch.setattr(candidates, "CODE_CANDIDATES", 2)
    read_vectors, counts = candidates.read_vectors_of, []

    def counted(connection: Any, model: str, numbers: Sequence[int]) -> Any:
        counts.append(len(numbers))
        return read_vectors(connection, model, numbers)

    monkeypatch.setattr(candidates, "read_vectors_of", counted)
    search = DocumentSearch(engine, Path()).search
    for text in ("harbour sea", '"the harbour"'):
        query = parse_query(text, START)
        plain, faceted = search(query), search(query, facets=["language"])
        assert [row["id"] for row in plain.rows] == [row["id"] for row in faceted.rows]
    assert set(counts) == {2}
    counts.clear()
    assert len(search(words_query("sea"), method="meaning").rows) == 6
    assert counts == [6]


def test_what_is_found_by_meaning_alone_counts_as_found(
    filled: Scene, engine: Engine, encoders: dict[str, MeaningEncoder]
):
    add_vectors(engine, ENCODERS)

    def totals(text: str, method: Method) -> tuple[int, int, int]:
        results = DocumentSearch(engine, Path()).search(words_query(text), method=method)
        return results.total, results.word_total, len(results.rows)

    assert totals("vessel", "words") == (1, 1, 1)
    assert totals("vessel", "hybrid") == (2, 1, 2)
    assert totals("sea", "hybrid") == (2, 0, 2)
    assert totals("sea", "meaning")[0] == totals("sea", "meaning")[2]


def test_a_word_that_no_document_has_returns_the_few_nearest_and_says_so(
    scene: Scene, engine: Engine, encoders: dict[str, MeaningEncoder]
):
    for number in range(12):
        scene.keep(f"v{number}", title=f"A vessel {number}", language="en", published=START)
    scene.keep("t", title="The levy on sugar", language="en", published=START)
    add_vectors(engine, ENCODERS)

    def results(text: str) -> SearchResults:
        return DocumentSearch(engine, Path()).search(words_query(text, limit=20), facets=["language"])

    nearest = results("sea")
    assert (len(nearest.rows), nearest.total, nearest.facets["language"]) == (10, 10, {"en": 10})
    assert nearest.notices == ("no document has these words; the results are the nearest by meaning",)
    assert not results("zorblatt").rows
    assert results("vessel").total == 12
    assert results("vessel").notices == ()


def test_without_the_extra_words_decide_alone(
    filled: Scene, engine: Engine, encoders: dict[str, MeaningEncoder], monkeypatch: pytest.MonkeyPatch
):
    add_vectors(engine, ENCODERS)
    monkeypatch.setattr(document_search, "nlp_installed", lambda: False)
    assert titles(engine, "sugar sea") == ["The levy on sugar"]


def test_vectors_in_segments_give_the_same_order_as_waiting_ones(
    filled: Scene, engine: Engine, encoders: dict[str, MeaningEncoder]
):
    add_vectors(engine, ENCODERS)
    before = titles(engine, "tax"), titles(engine, "barco")
    refresh_segments(engine, flush_at=1)
    assert (titles(engine, "tax"), titles(engine, "barco")) == before
    filled.keep("d", title="Tax and levy", language="en")
    refresh_segments(engine, flush_at=1)
    add_vectors(engine, ENCODERS, whole=False)
    assert refresh_codes(engine) == 2
    assert titles(engine, "tax")[0] == "Tax and levy"


def test_a_changed_document_gets_a_new_vector(
    scene: Scene, engine: Engine, encoders: dict[str, MeaningEncoder]
):
    (draft,) = scene.keep("a", title="The sea", language="en")
    add_vectors(engine, ENCODERS)
    scene.now += HOUR
    scene.refine(kept_result(scene.change(draft, "b"), title="The levy", language="en"))
    assert titles(engine, "vessel") == []
    assert titles(engine, "tax", "meaning") == ["The levy"]


def test_the_vectors_of_a_few_seconds_are_added_and_the_next_call_goes_on(
    filled: Scene, engine: Engine, encoders: dict[str, MeaningEncoder]
):
    assert add_vectors(engine, ENCODERS, seconds=0.0) == 0
    assert add_vectors(engine, ENCODERS, seconds=60.0, whole=False) == 5

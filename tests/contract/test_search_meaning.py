"""Documents by their vectors, on both databases."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from sqlalchemy import Engine
from tests.support.scene import HOUR, RECIPE, START, Scene, kept_result

from headwater.search.word_query import WordQuery
from headwater.store.search import vectors as meaning
from headwater.store.search.vectors import add_vectors, has_vectors, search_by_vector

ABOUT = {"Sea": (1.0, 0.0, 0.0), "Coast": (0.8, 0.6, 0.0), "Tax": (0.0, 0.0, 2.0)}
MODEL = "three-numbers"


def encode(rows: Sequence[Any]) -> np.ndarray:
    return np.array([ABOUT[row.title] for row in rows], dtype=np.float32)


@pytest.fixture
def filled(scene: Scene) -> Scene:
    for title in ABOUT:
        scene.keep(title.lower(), title=title, language="es", published=START)
    return scene


def near(engine: Engine, *values: float, **filters: Any) -> list[tuple[str, float]]:
    search_query = WordQuery(query="anything", recipe=RECIPE, **filters)
    hits = search_by_vector(engine, search_query, MODEL, np.array(values, dtype=np.float32))
    return [(row["title"], row["similarity"]) for row in hits]


def test_p29_documents_get_vectors_once_and_the_nearest_come_first(filled: Scene, engine: Engine):
    assert not has_vectors(engine, RECIPE)
    assert add_vectors(engine, RECIPE, MODEL, encode) == 3
    assert add_vectors(engine, RECIPE, MODEL, encode) == 0
    assert has_vectors(engine, RECIPE)
    assert near(engine, 1, 0, 0) == [("Sea", 1.0), ("Coast", 0.8), ("Tax", 0.0)]
    assert near(engine, 0, 0, 1, limit=1) == [("Tax", 1.0)]


def test_filters_hold_and_other_models_do_not_count(filled: Scene, engine: Engine):
    add_vectors(engine, RECIPE, MODEL, encode)
    assert near(engine, 1, 0, 0, language="ca") == []
    assert near(engine, 1, 0, 0, since=START + HOUR) == []
    assert near(engine, 1, 0) == []


def test_memory_is_bounded_by_blocks(filled: Scene, engine: Engine, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(meaning, "BLOCK", 1)
    monkeypatch.setattr(meaning, "AT_ONCE", 2)
    assert add_vectors(engine, RECIPE, MODEL, encode) == 3
    assert [title for title, _ in near(engine, 1, 0, 0, limit=2)] == ["Sea", "Coast"]


def test_what_changed_while_it_was_encoded_is_encoded_again(scene: Scene, engine: Engine):
    (draft,) = scene.keep("sea", title="Sea")
    encoded: list[str] = []

    def slowly(rows: Sequence[Any]) -> np.ndarray:
        encoded.extend(row.title for row in rows)
        if len(encoded) == 1:
            scene.now += HOUR
            scene.refine(kept_result(scene.change(draft, "b"), title="Tax", text="Other."))
        return encode(rows)

    assert add_vectors(engine, RECIPE, MODEL, slowly) == 1
    assert encoded == ["Sea", "Tax"]
    assert near(engine, 0, 0, 1) == [("Tax", 1.0)]

"""After a change of the encoder, the vectors of stories are replaced in the background, without a gap."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from tests.support.scene import RECIPE, Scene

from headwater.model.document import Vector
from headwater.model.recipe import Recipe
from headwater.runtime import document_vectors as renewal
from headwater.store.changes.document_vectors import NewVector, outdated_documents, replace_vectors
from headwater.store.schema.knowledge import vectors
from headwater.stories.document_vectors import DocumentEncoder, EmbedDocuments

OLD = Vector("earlier", np.ones(4, dtype="<f4").tobytes())


@dataclass
class CountingEncoder:
    """An encoder that counts letters; it dies at the batch `dies_at`."""

    name: str = "present"
    dies_at: int = 0
    batches: list[int] = field(default_factory=list)

    def __call__(self, texts: Sequence[str], languages: Sequence[str] | None = None) -> np.ndarray:
        del languages
        self.batches.append(len(texts))
        if len(self.batches) == self.dies_at:
            raise KeyboardInterrupt
        return np.array([[len(text), 1.0] for text in texts], dtype=np.float32)


@pytest.fixture
def encoder(monkeypatch: pytest.MonkeyPatch) -> CountingEncoder:
    present = CountingEncoder()
    monkeypatch.setattr("headwater.stories.document_vectors.open_encoder", lambda *_, **__: present)
    monkeypatch.setattr(renewal, "encoder_name", lambda *_: present.name)
    monkeypatch.setattr(renewal, "BATCH", 2)
    return present


def recipe() -> Recipe:
    return cast("Recipe", SimpleNamespace(name=RECIPE, steps=(EmbedDocuments(DocumentEncoder("models")),)))


def models(scene: Scene) -> list[str]:
    return [row["model"] for row in scene.rows(vectors)]


def renew(scene: Scene, **changes: Any) -> int:
    return renewal.renew_document_vectors(scene.store.engine, recipe(), changes.get("end", inf))


def test_vectors_of_an_earlier_encoder_are_replaced_batch_by_batch(scene: Scene, encoder: CountingEncoder):
    scene.keep("a", "b", "c", "d", "e", vector=OLD)
    assert renew(scene) == 5
    assert models(scene) == ["present"] * 5
    assert {row["dimensions"] for row in scene.rows(vectors)} == {2}
    assert encoder.batches == [2, 2, 1]
    assert renew(scene) == 0
    assert encoder.batches == [2, 2, 1]


def test_every_document_has_one_vector_when_a_run_is_killed_and_the_next_run_continues(
    scene: Scene, encoder: CountingEncoder
):
    scene.keep("a", "b", "c", "d", "e", vector=OLD)
    encoder.dies_at = 2
    with pytest.raises(KeyboardInterrupt):
        renew(scene)
    assert sorted(models(scene)) == ["earlier"] * 3 + ["present"] * 2
    assert renew(scene) == 3
    assert models(scene) == ["present"] * 5


def test_a_run_ends_after_its_time(scene: Scene, encoder: CountingEncoder):
    scene.keep("a", vector=OLD)
    assert renew(scene, end=-inf) == 0
    assert encoder.batches == []


def test_a_vector_of_an_earlier_text_is_not_stored(scene: Scene):
    (draft,) = scene.keep("a", vector=OLD)
    (row,) = outdated_documents(scene.store.engine, RECIPE, "present", 10)
    stale = NewVector(draft.id, row.revision + 1, b"\0" * 8)
    assert replace_vectors(scene.store.engine, "present", [stale]) == 0
    assert models(scene) == ["earlier"]


def test_documents_of_other_recipes_and_of_this_encoder_are_left_alone(
    scene: Scene, encoder: CountingEncoder
):
    scene.keep("a", vector=OLD)
    assert not outdated_documents(scene.store.engine, "another", "present", 10)
    assert not outdated_documents(scene.store.engine, RECIPE, "earlier", 10)
    assert encoder.batches == []

"""Tier B: vectors are computed once, stored, and used for stories and topics."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import select
from tests.flow.test_geopolitics import (
    DemoClock,
    RecordingSink,
    configured_recipe,
    live_stories,
    next_day,
    rows,
    run,
)
from tests.support.poll_sessions import NOW, context_for

from headwater.model.document import Document, Vector
from headwater.model.recipe import EmptyKnowledge, StepContext
from headwater.store.connect import read_transaction
from headwater.store.schema.knowledge import vectors
from headwater.stories import document_vectors
from headwater.stories.document_vectors import DocumentEncoder, EmbedDocuments
from headwater.stories.topics import classify
from headwater.stories.topics.classifier import BUCKETS, TopicClassifier
from headwater_demo.flashpoints.reports import REPORTS
from headwater_demo.internet import running
from headwater_recipes.geopolitics.topic_vectors import topic_classifier

WORDS = 64


@dataclass
class ToyEncoder:
    """An encoder that counts the words of a text in each of a few buckets."""

    name: str = "toy"
    encoded: list[str] = field(default_factory=list)

    def __call__(self, texts: Sequence[str], languages: Sequence[str] | None = None) -> np.ndarray:
        del languages
        self.encoded += texts
        counts = np.zeros((len(texts), WORDS), dtype=np.float32)
        for row, text in enumerate(texts):
            for word in text.casefold().split():
                counts[row, sum(word.encode()) % WORDS] += 1
        return counts / np.linalg.norm(counts, axis=1, keepdims=True)


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> ToyEncoder:
    encoder = ToyEncoder()
    monkeypatch.setattr(document_vectors, "open_encoder", lambda *_, **__: encoder)
    return encoder


def document(name: str, text: str = "harbour pilots", vector: Vector | None = None) -> Document:
    return Document(id=name, recipe="r", source="s", lead="l", url="u", title=name, text=text, vector=vector)


def test_g10_g18_each_document_is_encoded_once_and_its_vector_stored(tmp_path: Path, toy: ToyEncoder):
    recipe, clock = configured_recipe(tmp_path, tier="B", model="toy"), DemoClock()
    with running() as internet, context_for(tmp_path, internet.base_url, recipe, clock) as (app, bare):
        app.register(recipe)
        context = replace(bare, sinks={"files": RecordingSink()})
        run(context, clock)
        reports = [report for report in REPORTS if report.hours <= 0]
        assert len(toy.encoded) == len(reports)
        with read_transaction(app.store.engine) as connection:
            stored = connection.execute(select(vectors)).all()
        assert {(row.model, row.dimensions, len(row.vector)) for row in stored} == {("toy", WORDS, 4 * WORDS)}
        listed = rows(app, "SELECT feed_entry_id, model_name FROM feed_entry_vectors")
        assert len({row["feed_entry_id"] for row in listed}) == len(reports)
        urls = [url for story in live_stories(app).values() for url in story]
        assert sorted(urls) == sorted(report.url for report in reports)
        next_day(internet, app, clock)
        run(context, clock)
        fresh = [report for report in REPORTS if report.hours > 0 and report.flashpoint != "orsa-delta"]
        assert len(toy.encoded) == len(reports) + len(fresh)


def test_g10_the_vector_of_another_model_is_not_used(toy: ToyEncoder):
    other = document("a", vector=Vector("other", b"\0" * 8))
    current = document("b", vector=Vector("toy", np.ones(WORDS, dtype="<f4").tobytes()))
    matrix = DocumentEncoder("folder").vectors([other, current])
    assert matrix.shape == (2, WORDS)
    assert toy.encoded == ["a. harbour pilots"]
    assert matrix[1].tolist() == [1.0] * WORDS


def test_g10_a_changed_text_gets_a_new_vector(toy: ToyEncoder):
    stale = document("a", "striking pilots", Vector("toy", np.ones(WORDS, dtype="<f4").tobytes()))
    (outcome,) = EmbedDocuments(DocumentEncoder("folder"))([stale], StepContext("r", NOW, EmptyKnowledge()))
    assert isinstance(outcome, Document)
    assert outcome.vector != stale.vector
    assert toy.encoded == ["a. striking pilots"]


def test_g10_g12_a_document_without_a_usable_vector_says_so_and_blocks_no_other(
    toy: ToyEncoder, monkeypatch: pytest.MonkeyPatch
):
    def broken(texts: Sequence[str], languages: Sequence[str] | None = None) -> np.ndarray:
        vectors_of_texts = toy(texts, languages)
        for row, value in enumerate((np.nan, np.inf, 0.0)):
            vectors_of_texts[row] = value
        return vectors_of_texts

    monkeypatch.setattr(DocumentEncoder, "encoder", property(lambda _: broken))
    monkeypatch.setattr(DocumentEncoder, "model_name", "toy")
    encoder = DocumentEncoder("folder")
    batch = [document(f"Pilots {number}", f"harbour pilots strike {number}") for number in range(5)]
    outcomes = EmbedDocuments(encoder)(batch, StepContext("r", NOW, EmptyKnowledge()))
    notes = [outcome.notes.get("vector") for outcome in outcomes if isinstance(outcome, Document)]
    assert notes == ["none: not usable"] * 3 + [None] * 2
    clusters = document_vectors.cluster_by_embedding(encoder)(batch)
    assert sorted(position for cluster in clusters for position, _ in cluster.members) == [0, 1, 2, 3, 4]


def test_g15_the_classifier_uses_the_vectors_and_abstains_when_unsure(
    toy: ToyEncoder, monkeypatch: pytest.MonkeyPatch
):
    def classifier(least: float) -> TopicClassifier:
        weights = np.zeros((WORDS + BUCKETS, 2), dtype=np.float32)
        return TopicClassifier(
            ("11000000", "15000000"), weights, np.array([2.0, 0.0], dtype=np.float32), least
        )

    classify_document = topic_classifier(DocumentEncoder("folder"))
    monkeypatch.setattr(classify, "load_classifier", lambda _: classifier(0.5))
    assert classify_document([document("a")]) == [("11000000", 0.8808)]
    monkeypatch.setattr(classify, "load_classifier", lambda _: classifier(0.95))
    assert classify_document([document("a")]) == [None]
    assert len(toy.encoded) == 2


def test_g15_without_an_encoder_words_decide_and_other_languages_stay_unknown():
    war = document(
        "Shelling", "Shells hit two towns; soldiers and rebels fought near the border after the truce."
    )
    spanish = document(
        "Pesca", "La flota salió del puerto antes del amanecer y volvió con las bodegas llenas."
    )
    assert [guess and guess[0] for guess in topic_classifier(None)([war, spanish])] == ["16000000", None]

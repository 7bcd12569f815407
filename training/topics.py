"""Trains the classifiers of topics and exports them: `python -m training.topics --data DIR`.

DIR holds `topics/current-events.jsonl.xz` (one-sentence news items with a top-level code), `topics/news-sections.jsonl.gz`
(headlines with a line of text), `topics/iptc-names.jsonl.xz` (names and definitions of the vocabulary in eleven languages), and,
to measure only, `stories/events.jsonl.xz` with `stories/events-topics.jsonl`. Needs the extra nlp.
"""

import argparse
import gzip
import json
import lzma
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import numpy as np

from headwater.documents.embedding.encoder import open_encoder
from headwater.stories.clustering.similarity import ENCODER_TOKENS, StoryItem
from headwater.stories.topics.classifier import BUCKETS, SCHEME, TopicClassifier, hashed_words, topic_features
from headwater.stories.topics.media_topics import TOPIC_NAMES
from headwater.stories.topics.model_file import FILE, WORDS_ALONE, WORDS_FILE, unpack_classifier
from training.softmax import AdamW, SparseRows, rates, softmax_errors

CODES = tuple(TOPIC_NAMES)
CONFLICT = CODES.index("16000000")
LARGEST_INT8 = 127


@dataclass(frozen=True)
class Recipe:
    """How a classifier is trained. Sources have weights; rare classes weigh more by the power `rarity`; words are left out of
    every other row with vectors, so that the vectors alone suffice in other languages. `conflict` is added to the bias of
    conflicts: to miss a war is worse than to see one too many."""

    sections: float
    names: float
    rarity: float
    decay: float
    conflict: float
    threshold: float
    uses_vectors: bool


BY_VECTORS = Recipe(1.0, 0.3, 0.3, 1e-2, 0.4, 0.3, uses_vectors=True)
BY_WORDS = Recipe(2.0, 0.5, 0.3, 1e-3, 0.2, 0.35, uses_vectors=False)
EPOCHS, BATCH, RATE = 15, 2048, 1e-2
VECTOR_SCALE, WORD_SCALE, WORD_DECAY, WITHOUT_WORDS = 8.0, 3.0, 5.0, 0.5
HELD_OUT = {"current-events": 0.1, "news-sections": 0.2}


@dataclass(frozen=True)
class Rows:
    vectors: np.ndarray
    words: SparseRows
    answers: np.ndarray
    sources: np.ndarray

    def where(self, chosen: np.ndarray) -> "Rows":
        return Rows(
            self.vectors[chosen], self.words.where(chosen), self.answers[chosen], self.sources[chosen]
        )


def read_texts(data: Path) -> list[tuple[str, str, str, str]]:
    """Text, code, language and source of each example."""
    folder, rows = data / "topics", []
    for source, opener, file in (
        ("current-events", lzma.open, "current-events.jsonl.xz"),
        ("news-sections", gzip.open, "news-sections.jsonl.gz"),
        ("names", lzma.open, "iptc-names.jsonl.xz"),
    ):
        with opener(folder / file, "rt", encoding="utf-8") as lines:
            for line in map(json.loads, lines):
                code = line.get("code") or line["medtop"]
                rows.append((line["text"], code, line.get("language", "en"), source))
    return rows


def read_articles(data: Path) -> tuple[list[str], list[tuple[str, str]]]:
    """The articles that only measure, and their first and second codes."""
    folder = data / "stories"
    with (folder / "events-topics.jsonl").open(encoding="utf-8") as lines:
        codes = {line["id"]: (line["code"], line.get("second") or "") for line in map(json.loads, lines)}
    with lzma.open(folder / "events.jsonl.xz", "rt", encoding="utf-8") as lines:
        articles = [line for line in map(json.loads, lines) if str(line["id"]) in codes]
    items = [StoryItem(id=str(line["id"]), title=line["title"], text=line["text"]) for line in articles]
    return [item.encoder_text for item in items], [codes[item.id] for item in items]


def fit(rows: Rows, recipe: Recipe) -> TopicClassifier:
    """Multinomial regression. Without vectors, their weights stay zero and are left out."""
    chance = np.random.default_rng(0)
    row_weights = _row_weights(rows, recipe)
    scale = VECTOR_SCALE if recipe.uses_vectors else 0.0
    size = (rows.vectors.shape[1], len(CODES))
    by_vector = AdamW(chance.normal(0, 0.02, size).astype(np.float32), recipe.decay)
    by_word = AdamW(np.zeros((BUCKETS, len(CODES)), dtype=np.float32), recipe.decay * WORD_DECAY)
    bias = AdamW(np.zeros(len(CODES), dtype=np.float32), 0.0)
    batches = -(-len(rows.answers) // BATCH)
    for number, (places, rate) in enumerate(
        zip(_batches(len(rows.answers), chance), rates(RATE, EPOCHS * batches), strict=True), start=1
    ):
        vectors, words = scale * rows.vectors[places], rows.words.where(places)
        word_scale = WORD_SCALE * np.ones((len(places), 1), dtype=np.float32)
        if recipe.uses_vectors:
            word_scale *= chance.random((len(places), 1)) > WITHOUT_WORDS
        words = SparseRows(words.positions, words.values * word_scale, words.width)
        logits = vectors @ by_vector.value + words.product(by_word.value) + bias.value
        errors = softmax_errors(logits, rows.answers[places], row_weights[places])
        by_vector.step(vectors.T @ errors, rate, number)
        by_word.step(words.gradient(errors), rate, number)
        bias.step(errors.sum(axis=0), rate, number)
    matrix = by_word.value * WORD_SCALE
    if recipe.uses_vectors:
        matrix = np.vstack([by_vector.value * VECTOR_SCALE, matrix])
    bias.value[CONFLICT] += recipe.conflict
    return TopicClassifier(CODES, matrix.astype(np.float32), bias.value.astype(np.float32), recipe.threshold)


def _row_weights(rows: Rows, recipe: Recipe) -> np.ndarray:
    by_source = {"current-events": 1.0, "news-sections": recipe.sections, "names": recipe.names}
    weights = np.array([by_source[source] for source in rows.sources.tolist()])
    counts = np.bincount(rows.answers, weights, len(CODES))
    weights *= ((np.median(counts) / counts) ** recipe.rarity)[rows.answers]
    return (weights / weights.mean()).astype(np.float32)


def _batches(rows: int, chance: np.random.Generator) -> Iterator[np.ndarray]:
    for _ in range(EPOCHS):
        order = chance.permutation(rows)
        yield from (order[start : start + BATCH] for start in range(0, rows, BATCH))


def accuracy(classifier: TopicClassifier, rows: Rows, recipe: Recipe) -> float:
    vector_size = rows.vectors.shape[1] if recipe.uses_vectors else 0
    logits = rows.words.product(classifier.weights[vector_size:]) + classifier.bias
    if recipe.uses_vectors:
        logits += rows.vectors @ classifier.weights[:vector_size]
    return round(float((logits.argmax(axis=1) == rows.answers).mean()), 3)


def measure_articles(
    classifier: TopicClassifier, features: np.ndarray, codes: list[tuple[str, str]]
) -> dict[str, float]:
    topics = classifier(features)
    is_right = [topic.code in pair for topic, pair in zip(topics, codes, strict=True)]
    conflicts = [
        (topic.code == CODES[CONFLICT], pair[0] == CODES[CONFLICT], CODES[CONFLICT] in pair)
        for topic, pair in zip(topics, codes, strict=True)
    ]
    return {
        "right": round(float(np.mean(is_right)), 3),
        "conflict recall": round(sum(a and b for a, b, _ in conflicts) / sum(b for _, b, _ in conflicts), 3),
        "conflict precision": round(
            sum(a and c for a, _, c in conflicts) / max(1, sum(a for a, _, _ in conflicts)), 3
        ),
    }


def pack_classifier(classifier: TopicClassifier, encoder: str) -> bytes:
    """The file content. It names the encoder and the word hashing it was trained for, because no other vectors fit."""
    scale = np.maximum(np.abs(classifier.weights).max(axis=0), 1e-9) / LARGEST_INT8
    target = BytesIO()
    np.savez_compressed(
        target,
        weights=np.rint(classifier.weights / scale).astype(np.int8),
        scale=scale.astype(np.float32),
        bias=classifier.bias.astype(np.float32),
        codes=np.array(classifier.codes),
        least=np.array(classifier.threshold),
        encoder=np.array(encoder),
        words=np.array(SCHEME),
    )
    return target.getvalue()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    options = parser.parse_args()
    examples = read_texts(options.data)
    texts, codes = read_articles(options.data)
    with tempfile.TemporaryDirectory() as folder:
        encoder = open_encoder(Path(folder), "multilingual", threads=0, max_tokens=ENCODER_TOKENS)
        vectors = encoder([row[0] for row in examples], [row[2] for row in examples])
        article_features = topic_features(texts, encoder(texts), ["en"] * len(texts))
    rows = Rows(
        vectors,
        SparseRows.of([row[0] for row in examples], hashed_words),
        np.array([CODES.index(row[1]) for row in examples]),
        np.array([row[3] for row in examples]),
    )
    chance = np.random.default_rng(0).random(len(examples))
    is_held_out = chance < np.array([HELD_OUT.get(source, 0.0) for source in rows.sources.tolist()])
    for recipe, name, file in ((BY_VECTORS, encoder.name, FILE), (BY_WORDS, WORDS_ALONE, WORDS_FILE)):
        figures: dict[str, float] = {}
        classifier = fit(rows.where(~is_held_out), recipe)
        for source in HELD_OUT:
            held_out = rows.where(is_held_out & (rows.sources == source))
            figures[source] = accuracy(classifier, held_out, recipe)
        data = pack_classifier(fit(rows, recipe), name)
        file.write_bytes(data)
        of_articles = article_features if recipe.uses_vectors else article_features[:, -BUCKETS:]
        figures |= measure_articles(unpack_classifier(data, name), of_articles, codes)
        sys.stdout.write(json.dumps({"classifier": name, **figures, "bytes": len(data)}) + "\n")


if __name__ == "__main__":
    main()

"""What documents mean, found out once: the vector is stored with the document, and stories and topics are read from it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt

from headwater.documents.embedding.encoder import open_encoder
from headwater.model.document import Document, Vector
from headwater.model.recipe import Cluster, Outcome, StepContext
from headwater.stories.clustering.cluster_items import ClusterProfile, cluster_items
from headwater.stories.clustering.groupings import to_story_item
from headwater.stories.clustering.similarity import ENCODER_TOKENS
from headwater.stories.topics.classifier import TopicClassifier, topic_features
from headwater.stories.topics.media_topics import UNKNOWN_TOPIC
from headwater.stories.topics.model_file import load_classifier
from headwater_recipes.geopolitics.steps import Classify

Matrix = npt.NDArray[np.float32]
STORED = np.dtype("<f4")


class Encoder(Protocol):
    @property
    def name(self) -> str: ...
    def __call__(self, texts: Sequence[str]) -> Matrix: ...


@dataclass(frozen=True)
class DocumentEncoder:
    """An encoder that is opened at its first use: reading a recipe costs nothing, and a recipe travels between
    processes."""

    models: str
    model: str | None = None

    @cached_property
    def encoder(self) -> Encoder:
        return open_encoder(Path(self.models), self.model, max_tokens=ENCODER_TOKENS)

    def of(self, documents: Sequence[Document]) -> Matrix:
        """A row per document: as it is stored, or encoded now where another model, or none, made it."""
        name = self.encoder.name
        missing = [d for d in documents if d.vector is None or d.vector.model != name]
        made = (
            self.encoder([to_story_item(document).encoder_text for document in missing])
            if missing
            else np.zeros((0, 0))
        )
        fresh = {document.id: row for document, row in zip(missing, made, strict=True)}
        rows = [fresh[d.id] if d.id in fresh else _row(d) for d in documents]
        return np.asarray(rows, dtype=np.float32)


def _row(document: Document) -> Matrix:
    assert document.vector is not None
    return np.frombuffer(document.vector.values, dtype=STORED)


@dataclass(frozen=True)
class EmbedDocuments:
    """Sets `vector`, for a whole batch at once."""

    meaning: DocumentEncoder = field(compare=False)
    name: str = "embed"
    version: str = "1"

    def __call__(self, batch: Sequence[Document], context: StepContext) -> Sequence[Outcome]:
        del context
        if not batch:
            return []
        name = self.meaning.encoder.name
        rows = self.meaning.of([document.with_changes(vector=None) for document in batch])
        return [
            document.with_changes(vector=Vector(name, row.astype(STORED).tobytes())).with_notes(model=name)
            for document, row in zip(batch, rows, strict=True)
        ]


def cluster_by_embedding(
    meaning: DocumentEncoder, profile: ClusterProfile = "default"
) -> Callable[[Sequence[Document]], Sequence[Cluster]]:
    """Divides a group's documents by their stored vectors."""

    def cluster(documents: Sequence[Document]) -> Sequence[Cluster]:
        items = [to_story_item(document) for document in documents]
        return cluster_items(items, meaning.of(documents) if items else None, profile=profile)

    return cluster


def topic_classifier(
    meaning: DocumentEncoder, head: Callable[[str], TopicClassifier] = load_classifier
) -> Classify:
    """Topics from the vectors that are there already; the head itself says when it does not know."""

    def classify(documents: Sequence[Document]) -> Sequence[tuple[str, float] | None]:
        texts = [to_story_item(document).encoder_text for document in documents]
        found = head(meaning.encoder.name)(topic_features(texts, meaning.of(documents)))
        return [None if topic.code == UNKNOWN_TOPIC else (topic.code, topic.confidence) for topic in found]

    return classify

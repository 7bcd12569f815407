"""Embeddings of documents: computed once, stored with the document, and used for stories, topics and search."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

from headwater.documents.embedding.encoder import open_encoder
from headwater.model.document import Document, Vector
from headwater.model.recipe import Cluster, Outcome, StepContext
from headwater.stories.clustering.cluster_items import ClusterProfile, cluster_items
from headwater.stories.clustering.groupings import to_story_item
from headwater.stories.clustering.similarity import ENCODER_TOKENS
from headwater.stories.item_vectors import TextEncoder, item_vectors, with_languages

Matrix = npt.NDArray[np.float32]
STORED_TYPE = np.dtype("<f4")


@dataclass(frozen=True)
class DocumentEncoder:
    """Opens its encoder at first use, so that loading a recipe costs nothing and a recipe can be sent to other processes."""

    models: str
    model: str | None = None

    @cached_property
    def encoder(self) -> TextEncoder:
        return open_encoder(Path(self.models), self.model, max_tokens=ENCODER_TOKENS)

    @property
    def model_name(self) -> str:
        return self.encoder.name

    def vectors(self, documents: Sequence[Document]) -> Matrix:
        """One row per document: the stored vector if this model made it, else a new one."""
        name = self.model_name
        missing = [
            document for document in documents if document.vector is None or document.vector.model != name
        ]
        encoded = (
            item_vectors(with_languages([to_story_item(document) for document in missing]), self.encoder)
            if missing
            else np.zeros((0, 0))
        )
        new_rows = {document.id: row for document, row in zip(missing, encoded, strict=True)}
        rows = [
            new_rows[document.id] if document.id in new_rows else _stored_row(document)
            for document in documents
        ]
        return np.asarray(rows, dtype=np.float32)


def _stored_row(document: Document) -> Matrix:
    assert document.vector is not None
    return np.frombuffer(document.vector.values, dtype=STORED_TYPE)


@dataclass(frozen=True)
class EmbedDocuments:
    """Sets `vector` of a whole batch at once. A document for which the encoder has no usable vector (NaN, infinite, zero) stays
    without one, and its trail says so: words place it."""

    encoder: DocumentEncoder = field(compare=False)
    name: str = "embed"
    version: str = "1"

    def __call__(self, batch: Sequence[Document], context: StepContext) -> Sequence[Outcome]:
        del context
        if not batch:
            return []
        name = self.encoder.model_name
        rows = self.encoder.vectors([document.with_changes(vector=None) for document in batch])
        return [_with_vector(document, name, row) for document, row in zip(batch, rows, strict=True)]


def _with_vector(document: Document, model: str, row: Matrix) -> Document:
    if not (np.isfinite(row).all() and row.any()):
        return document.with_changes(vector=None).with_notes(model=model, vector="none: not usable")
    vector = Vector(model, row.astype(STORED_TYPE).tobytes())
    return document.with_changes(vector=vector).with_notes(model=model)


def cluster_by_embedding(
    encoder: DocumentEncoder, profile: ClusterProfile = "default"
) -> Callable[[Sequence[Document]], Sequence[Cluster]]:
    """A clustering of a group's documents by their stored vectors."""

    def cluster(documents: Sequence[Document]) -> Sequence[Cluster]:
        items = [to_story_item(document) for document in documents]
        return cluster_items(items, encoder.vectors(documents) if items else None, profile=profile)

    return cluster

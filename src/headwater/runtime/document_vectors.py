"""Replaces vectors of documents after a change of the encoder, batch by batch, while workers go on.

Each batch is one transaction, in which a document loses its old vector and gets the new one. So a run may end anywhere, and
the next one continues. Until then the clustering of a group computes the new vector itself (`DocumentEncoder.vectors`).
"""

from pathlib import Path
from time import monotonic

from sqlalchemy import Engine

from headwater.documents.embedding.encoder import encoder_name
from headwater.model.recipe import Recipe
from headwater.store.changes.document_vectors import NewVector, outdated_documents, replace_vectors
from headwater.stories.clustering.similarity import StoryItem
from headwater.stories.document_vectors import STORED_TYPE, DocumentEncoder, EmbedDocuments
from headwater.stories.item_vectors import item_vectors, with_languages

BATCH = 64


def renew_document_vectors(engine: Engine, recipe: Recipe, end: float) -> int:
    """Returns how many vectors were replaced before `end`, a time of the monotonic clock."""
    encoder = _document_encoder(recipe)
    if encoder is None:
        return 0
    model, count = encoder_name(Path(encoder.models), encoder.model), 0
    while monotonic() < end and (rows := outdated_documents(engine, recipe.name, model, BATCH)):
        items = [
            StoryItem(id=row.id, title=row.title or "", text=row.text or "", language=row.language or "")
            for row in rows
        ]
        encoded = item_vectors(with_languages(items), encoder.encoder)
        new_vectors = [
            NewVector(row.id, row.revision, vector.astype(STORED_TYPE).tobytes())
            for row, vector in zip(rows, encoded, strict=True)
        ]
        count += replace_vectors(engine, model, new_vectors)
    return count


def _document_encoder(recipe: Recipe) -> DocumentEncoder | None:
    return next((step.encoder for step in recipe.steps if isinstance(step, EmbedDocuments)), None)

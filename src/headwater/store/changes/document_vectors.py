"""Vectors of documents that an earlier encoder made, and their replacement."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import Engine, delete, or_, select

from headwater.store.bulk import insert_rows
from headwater.store.connect import read_transaction, write_transaction
from headwater.store.in_list import in_list
from headwater.store.rows import vector_row
from headwater.store.schema.flow import documents
from headwater.store.schema.knowledge import vectors


class NewVector(NamedTuple):
    """The vector of one revision of a document."""

    document: str
    revision: int
    values: bytes


def outdated_documents(engine: Engine, recipe: str, model: str, limit: int) -> Sequence[Any]:
    """Documents of a recipe with a vector of another model."""
    query = (
        select(
            documents.c.id,
            documents.c.revision,
            documents.c.title,
            documents.c.text,
            documents.c.language,
        )
        .join(vectors, vectors.c.document_id == documents.c.id)
        # Two ranges of the index, so that nothing is read where all vectors are of this model.
        .where(or_(vectors.c.model < model, vectors.c.model > model), documents.c.recipe == recipe)
        .distinct()
        .order_by(documents.c.id)
        .limit(limit)
    )
    with read_transaction(engine) as connection:
        return connection.execute(query).all()


def replace_vectors(engine: Engine, model: str, new_vectors: Sequence[NewVector]) -> int:
    """One transaction: the documents lose the vectors of other models and get these. Returns how many did: a document with a
    new revision has another text than the one that was encoded."""
    ids = [vector.document for vector in new_vectors]
    with write_transaction(engine) as connection:
        query = select(documents.c.id, documents.c.revision).where(in_list(documents.c.id, ids))
        revisions = {row.id: row.revision for row in connection.execute(query.with_for_update())}
        rows = [
            vector_row(vector.document, model, vector.values)
            for vector in new_vectors
            if revisions.get(vector.document) == vector.revision
        ]
        replaced = [row["document_id"] for row in rows]
        connection.execute(delete(vectors).where(in_list(vectors.c.document_id, replaced)))
        insert_rows(connection, vectors, rows)
    return len(rows)

"""Search by meaning: compares stored vectors with that of a query, in blocks."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from sqlalchemy import Connection, Engine, Row, and_, exists, select

from headwater.model.jobs import State
from headwater.search.ranking import Matrix, nearest, vector_result
from headwater.search.word_query import WordQuery, query_terms
from headwater.store.bulk import insert_rows
from headwater.store.connect import read_transaction, write_transaction
from headwater.store.in_list import in_list
from headwater.store.schema.flow import documents
from headwater.store.schema.knowledge import vectors
from headwater.store.search.full_text import FIELDS, apply_filters
from headwater.store.search.nearest_vectors import STORED_DTYPE, vector_candidates

EncodeRows = Callable[[Sequence[Row[Any]]], Matrix]

BLOCK = 2_000  # vectors in memory at once
AT_ONCE = 64


def has_vectors(engine: Engine, recipe: str) -> bool:
    joined = vectors.join(documents, documents.c.id == vectors.c.document_id)
    query = select(1).select_from(joined).where(documents.c.recipe == recipe)
    with read_transaction(engine) as connection:
        return connection.execute(query.limit(1)).first() is not None


def search_by_vector(
    engine: Engine, query: WordQuery, model: str, query_vector: Matrix
) -> list[dict[str, Any]]:
    """The documents whose vectors of this model are nearest to that of the query, with their similarity."""
    proposed = vector_candidates(engine, query, model, query_vector)
    with read_transaction(engine) as connection:
        blocks = _blocks(connection, query, model, len(query_vector), proposed)
        best = nearest(blocks, query_vector, query.limit)
        rows = _rows_by_id(connection, [key for _, key in best])
    query_words = query_terms(query.query)
    return [vector_result(rows[key], similarity, query_words) for similarity, key in best]


def _blocks(
    connection: Connection,
    search_query: WordQuery,
    model: str,
    dimensions: int,
    proposed: Sequence[str] | None,
) -> Iterator[tuple[list[str], Matrix]]:
    """Of all documents, or of the proposed ones."""
    joined = vectors.join(documents, documents.c.id == vectors.c.document_id)
    query = apply_filters(
        select(vectors.c.document_id, vectors.c.vector)
        .select_from(joined)
        .where(vectors.c.model == model, vectors.c.dimensions == dimensions),
        search_query,
    )
    if proposed is not None:
        query = query.where(in_list(vectors.c.document_id, proposed))
    result = connection.execution_options(stream_results=True).execute(query)
    while rows := result.fetchmany(BLOCK):
        values = np.frombuffer(b"".join(bytes(row.vector) for row in rows), dtype=STORED_DTYPE)
        yield [row.document_id for row in rows], values.reshape(len(rows), dimensions).astype(np.float32)


def _rows_by_id(connection: Connection, ids: Sequence[str]) -> dict[str, dict[str, Any]]:
    if not ids:
        return {}
    query = select(*(documents.c[name] for name in FIELDS), documents.c.text)
    rows = connection.execute(query.where(in_list(documents.c.id, ids))).mappings()
    return {row["id"]: dict(row) for row in rows}


def add_vectors(engine: Engine, recipe: str, model: str, encode: EncodeRows) -> int:
    """Add a vector to every kept document that has none of this model; returns how many. `encode` gets rows with `id`,
    `title` and `text`."""
    count = 0
    while rows := _documents_without(engine, recipe, model):
        encoded = encode(rows).astype(STORED_DTYPE)
        with write_transaction(engine) as connection:
            unchanged_ids = _unchanged(connection, rows)
            insert_rows(
                connection,
                vectors,
                [
                    {
                        "document_id": row.id,
                        "model": model,
                        "dimensions": len(vector),
                        "vector": vector.tobytes(),
                    }
                    for row, vector in zip(rows, encoded, strict=True)
                    if row.id in unchanged_ids
                ],
                replacing=("dimensions", "vector"),
            )
        count += len(unchanged_ids)
    return count


def _documents_without(engine: Engine, recipe: str, model: str) -> Sequence[Any]:
    has = exists().where(and_(vectors.c.document_id == documents.c.id, vectors.c.model == model))
    query = (
        select(documents.c.id, documents.c.title, documents.c.text, documents.c.updated_at)
        .where(documents.c.recipe == recipe, documents.c.state == State.KEPT, ~has)
        .order_by(documents.c.id)
        .limit(AT_ONCE)
    )
    with read_transaction(engine) as connection:
        return connection.execute(query).all()


def _unchanged(connection: Connection, rows: Sequence[Row[Any]]) -> set[str]:
    """A document that changed while it was encoded is encoded again."""
    query = select(documents.c.id, documents.c.updated_at)
    now = connection.execute(query.where(in_list(documents.c.id, [row.id for row in rows]))).all()
    read_at = {row.id: row.updated_at for row in rows}
    return {row.id for row in now if read_at[row.id] == row.updated_at}

"""Nearest vectors by the index of PostgreSQL (pgvector, HNSW), if the server has it.

The table `vectors` is the truth. The index has copies of the vectors with the dimensions of our encoder and is updated
before a search. It only proposes candidates, which are compared exactly. So every database returns the same results,
with or without the extension or the index.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from sqlalchemy import Engine, Text, column, select, table, text

from headwater.search.ranking import Matrix
from headwater.search.word_query import WordQuery
from headwater.store.connect import read_transaction, unchecked_transaction
from headwater.store.schema.flow import documents
from headwater.store.search.full_text import apply_filters

STORED_DTYPE = np.dtype("<f4")
DIMENSIONS = 384  # also in the statements below
EF_SEARCH = 200  # nodes visited in each search: enough for a recall of 0.95 and more
COPY_BATCH = 200  # a writer that changes one of them waits for one batch
MAX_UNCOPIED = 1_000  # uncopied vectors up to this number are compared one by one
search_vectors = table("search_vectors", column("document_id"), column("model", Text), column("embedding"))
# Locks only rows of search_vectors, never vectors: a writer locks a vector and then its row here, so there is no deadlock.
# Rows that another process is copying are skipped.
MISSING = """
SELECT document_id FROM search_vectors WHERE embedding IS NULL AND model = :model
ORDER BY document_id LIMIT :limit FOR UPDATE SKIP LOCKED"""
# Read after the rows are locked: a vector that changes from now on is copied again later.
VECTORS = """
SELECT document_id, vector FROM vectors WHERE model = :model AND dimensions = 384 AND document_id = ANY(:ids)"""
UNCOPIED = "SELECT document_id FROM search_vectors WHERE embedding IS NULL AND model = :model LIMIT :limit"
COPIED = """
UPDATE search_vectors SET embedding = CAST(:embedding AS vector) WHERE document_id = :id AND model = :model"""
INDEX_STATE = """
SELECT EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'vector'), to_regclass('search_vectors') IS NOT NULL,
  EXISTS (SELECT 1 FROM pg_index WHERE indexrelid = to_regclass('ix_search_vectors_embedding') AND indisvalid)"""
LIMITS = "SELECT set_config('hnsw.ef_search', :reach, true), set_config('hnsw.iterative_scan', 'relaxed_order', true)"


def vector_candidates(
    engine: Engine, query: WordQuery, model: str, query_vector: Matrix
) -> Sequence[str] | None:
    """Ids that contain the nearest documents with high probability; None if there is no index for such a vector, or if
    it returns too few."""
    if engine.dialect.name != "postgresql" or len(query_vector) != DIMENSIONS or not _has_index(engine):
        return None
    index_vectors(engine, model)
    with read_transaction(engine) as connection:
        # Vectors that another process is copying now are candidates too.
        uncopied = list(connection.scalars(text(UNCOPIED), {"model": model, "limit": MAX_UNCOPIED + 1}))
        if len(uncopied) > MAX_UNCOPIED:
            return None
        reach = str(min(1_000, max(EF_SEARCH, 4 * query.limit)))
        connection.execute(text(LIMITS), {"reach": reach})
        nearest = list(connection.scalars(_nearest(query, model), {"meant": _vector_literal(query_vector)}))
    return [*nearest, *uncopied] if len(nearest) >= query.limit else None


def _nearest(search_query: WordQuery, model: str) -> Any:
    distance = search_vectors.c.embedding.op("<=>")(text("CAST(:meant AS vector)"))
    joined = search_vectors.join(documents, documents.c.id == search_vectors.c.document_id)
    query = select(search_vectors.c.document_id).select_from(joined)
    query = query.where(search_vectors.c.model == model)
    return apply_filters(query, search_query).order_by(distance).limit(2 * search_query.limit + 10)


def _has_index(engine: Engine) -> bool:
    with read_transaction(engine) as connection:
        return bool(connection.execute(text(INDEX_STATE)).one()[2])


def index_vectors(engine: Engine, model: str) -> int:
    """Copy waiting vectors, except those another process is copying; returns how many."""
    count = 0
    parameters = {"model": model, "limit": COPY_BATCH}
    while True:
        with unchecked_transaction(engine) as connection:
            ids = list(connection.scalars(text(MISSING), parameters))
            if not ids:
                return count
            rows = connection.execute(text(VECTORS), {"model": model, "ids": ids}).all()
            copies = [
                {
                    "id": row.document_id,
                    "model": model,
                    "embedding": _vector_literal(np.frombuffer(row.vector, dtype=STORED_DTYPE)),
                }
                for row in rows
            ]
            if copies:
                connection.execute(text(COPIED), copies)
        count += len(rows)
        if len(rows) < COPY_BATCH:
            return count


def _vector_literal(vector: Matrix) -> str:
    return "[" + ",".join(repr(float(value)) for value in vector) + "]"

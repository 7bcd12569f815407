"""Nearest vectors by PostgreSQL's own index (pgvector, HNSW), where the server has it.

The vectors that count are those in the table `vectors`. The index holds copies of those with as many numbers as our
encoder gives, is brought up to date when somebody searches, and only proposes: what it finds is compared exactly. So
every database gives the same answers, and one without the extension, or without the index yet, goes on as before.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from sqlalchemy import Engine, Text, column, select, table, text

from headwater.store.connect import read_transaction, unchecked_transaction
from headwater.store.schema.flow import documents
from headwater.store.search.full_text import SearchQuery, apply_filters

Matrix = npt.NDArray[np.float32]
STORED_DTYPE = np.dtype("<f4")
DIMENSIONS = 384  # also in the statements below
LOOKED_THROUGH = 200  # of the index's graph, for each search: enough for a recall of 0.95 and more
AT_ONCE = 200  # a writer that changes one of them waits for so many
BESIDE = 1_000  # not in the index yet, and compared one by one all the same
search_vectors = table("search_vectors", column("document_id"), column("model", Text), column("embedding"))
# Only the marks are locked, never the vectors: a writer locks a vector and then its mark, so nobody waits in a circle. Those
# that somebody else is at are left to them.
MISSING = """
SELECT document_id FROM search_vectors WHERE embedding IS NULL AND model = :model
ORDER BY document_id LIMIT :limit FOR UPDATE SKIP LOCKED"""
# With the marks in hand: a vector that is changed from now on is marked again afterwards.
VECTORS = """
SELECT document_id, vector FROM vectors WHERE model = :model AND dimensions = 384 AND document_id = ANY(:ids)"""
UNCOPIED = "SELECT document_id FROM search_vectors WHERE embedding IS NULL AND model = :model LIMIT :limit"
COPIED = """
UPDATE search_vectors SET embedding = CAST(:embedding AS vector) WHERE document_id = :id AND model = :model"""
INDEX_STATE = """
SELECT EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'vector'), to_regclass('search_vectors') IS NOT NULL,
  EXISTS (SELECT 1 FROM pg_index WHERE indexrelid = to_regclass('ix_search_vectors_embedding') AND indisvalid)"""
LIMITS = "SELECT set_config('hnsw.ef_search', :reach, true), set_config('hnsw.iterative_scan', 'relaxed_order', true)"


def vector_candidates(engine: Engine, wish: SearchQuery, model: str, meant: Matrix) -> Sequence[str] | None:
    """Ids among which the nearest are, as good as all of them; None where there is no index for such a vector (yet), or
    it does not find enough."""
    if engine.dialect.name != "postgresql" or len(meant) != DIMENSIONS or not _has_index(engine):
        return None
    index_vectors(engine, model)
    with read_transaction(engine) as connection:
        # Those that somebody else is copying at this moment are compared like any proposal.
        others = list(connection.scalars(text(UNCOPIED), {"model": model, "limit": BESIDE + 1}))
        if len(others) > BESIDE:
            return None
        reach = str(min(1_000, max(LOOKED_THROUGH, 4 * wish.limit)))
        connection.execute(text(LIMITS), {"reach": reach})
        found = list(connection.scalars(_nearest(wish, model), {"meant": _written(meant)}))
    return [*found, *others] if len(found) >= wish.limit else None


def _nearest(wish: SearchQuery, model: str) -> Any:
    distance = search_vectors.c.embedding.op("<=>")(text("CAST(:meant AS vector)"))
    joined = search_vectors.join(documents, documents.c.id == search_vectors.c.document_id)
    query = select(search_vectors.c.document_id).select_from(joined)
    query = query.where(search_vectors.c.model == model)
    return apply_filters(query, wish).order_by(distance).limit(2 * wish.limit + 10)


def _has_index(engine: Engine) -> bool:
    with read_transaction(engine) as connection:
        return bool(connection.execute(text(INDEX_STATE)).one()[2])


def index_vectors(engine: Engine, model: str) -> int:
    """Copy those that wait for it, except what somebody else is at; gives how many."""
    count = 0
    wanted = {"model": model, "limit": AT_ONCE}
    while True:
        with unchecked_transaction(engine) as connection:
            ids = list(connection.scalars(text(MISSING), wanted))
            if not ids:
                return count
            rows = connection.execute(text(VECTORS), {"model": model, "ids": ids}).all()
            told = [
                {
                    "id": row.document_id,
                    "model": model,
                    "embedding": _written(np.frombuffer(row.vector, dtype=STORED_DTYPE)),
                }
                for row in rows
            ]
            if told:
                connection.execute(text(COPIED), told)
        count += len(rows)
        if len(rows) < AT_ONCE:
            return count


def _written(vector: Matrix) -> str:
    return "[" + ",".join(repr(float(value)) for value in vector) + "]"

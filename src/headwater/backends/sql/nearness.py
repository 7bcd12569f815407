"""Nearest vectors by PostgreSQL's own index (pgvector, HNSW), where the server has it.

The vectors that count are those in the table `vectors`. The index holds copies of those with as many numbers as our
encoder gives, is brought up to date when somebody searches, and only proposes: what it finds is compared exactly. So
every database gives the same answers, and one without the extension goes on as before.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection, Engine, Text, column, select, table, text
from sqlalchemy.exc import DBAPIError

from headwater.backends.sql.connect import reading, writing
from headwater.backends.sql.postgresql import without_limits
from headwater.backends.sql.schema import documents
from headwater.backends.sql.searching import Wish, filtered

Matrix = npt.NDArray[np.float32]
STORED = np.dtype("<f4")
DIMENSIONS = 384
LOOKED_THROUGH = 200  # of the index's graph, for each search: enough for a recall of 0.95 and more
AT_ONCE = 1_000
LOCK = 4_849_271
search_vectors = table("search_vectors", column("document_id"), column("model", Text), column("near"))
TABLE = f"""
CREATE TABLE search_vectors (
  document_id VARCHAR(64) NOT NULL, model TEXT NOT NULL, near vector({DIMENSIONS}) NOT NULL,
  CONSTRAINT pk_search_vectors PRIMARY KEY (document_id, model),
  CONSTRAINT fk_search_vectors_document_id FOREIGN KEY (document_id, model)
    REFERENCES vectors (document_id, model) ON DELETE CASCADE
)"""
# Made when the first vectors are in: so it is ten times faster than growing with each.
INDEX = "CREATE INDEX ix_search_vectors_near ON search_vectors USING hnsw (near vector_cosine_ops)"
# A vector that is written anew is copied anew.
FORGET = """
CREATE OR REPLACE FUNCTION forget_search_vector() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  DELETE FROM search_vectors WHERE document_id = OLD.document_id AND model = OLD.model;
  RETURN NEW;
END $$"""
WATCH = """
CREATE TRIGGER forget_search_vector AFTER UPDATE OF vector ON vectors FOR EACH ROW
  WHEN (OLD.vector IS DISTINCT FROM NEW.vector) EXECUTE FUNCTION forget_search_vector()"""
REMOVED = (
    "DROP TRIGGER IF EXISTS forget_search_vector ON vectors",
    "DROP FUNCTION IF EXISTS forget_search_vector",
    "DROP TABLE IF EXISTS search_vectors",
)
MISSING = """
SELECT v.document_id, v.vector FROM vectors v
WHERE v.model = :model AND v.dimensions = :dimensions AND NOT EXISTS
  (SELECT 1 FROM search_vectors s WHERE s.document_id = v.document_id AND s.model = v.model)
ORDER BY v.document_id LIMIT :limit FOR SHARE OF v"""
ADDED = """
INSERT INTO search_vectors (document_id, model, near) VALUES (:id, :model, CAST(:near AS vector))
ON CONFLICT DO NOTHING"""
STANDING = """
SELECT EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'vector'), to_regclass('search_vectors') IS NOT NULL,
  to_regclass('ix_search_vectors_near') IS NOT NULL"""
LIMITS = "SELECT set_config('hnsw.ef_search', :reach, true), set_config('hnsw.iterative_scan', 'relaxed_order', true)"


def create_table(connection: Connection) -> bool:
    """Gives whether it could be made: the extension must be there, or allowed."""
    if connection.dialect.name != "postgresql" or not _available(connection):
        return False
    try:
        with connection.begin_nested():
            connection.execute(text("CREATE EXTENSION IF NOT EXISTS vector"))
    except DBAPIError:  # an administrator may make it; the next search finds it
        return False
    for statement in (TABLE, FORGET, WATCH):
        connection.execute(text(statement))
    return True


def _available(connection: Connection) -> bool:
    """From version 0.8 on the index goes on looking until enough rows pass the filters."""
    query = "SELECT default_version FROM pg_available_extensions WHERE name = 'vector'"
    found = connection.scalar(text(query))
    return found is not None and tuple(int(part) for part in str(found).split(".")[:2]) >= (0, 8)


def drop_table(connection: Connection) -> None:
    if connection.dialect.name == "postgresql":
        for statement in REMOVED:
            connection.execute(text(statement))


def candidates(engine: Engine, wish: Wish, model: str, meant: Matrix) -> Sequence[str] | None:
    """Ids among which the nearest are, as good as all of them; None where there is no index for such a vector, or it
    does not find enough."""
    if engine.dialect.name != "postgresql" or len(meant) != DIMENSIONS or not bring_up_to_date(engine, model):
        return None
    with reading(engine) as connection:
        reach = str(min(1_000, max(LOOKED_THROUGH, 4 * wish.limit)))
        connection.execute(text(LIMITS), {"reach": reach})
        found = list(connection.scalars(_nearest(wish, model), {"meant": _written(meant)}))
    return found if len(found) >= wish.limit else None


def _nearest(wish: Wish, model: str) -> Any:
    distance = search_vectors.c.near.op("<=>")(text("CAST(:meant AS vector)"))
    joined = search_vectors.join(documents, documents.c.id == search_vectors.c.document_id)
    query = select(search_vectors.c.document_id).select_from(joined)
    query = query.where(search_vectors.c.model == model)
    return filtered(query, wish).order_by(distance).limit(2 * wish.limit + 10)


def bring_up_to_date(engine: Engine, model: str) -> bool:
    """Gives whether there is an index; made now if the extension came after the schema."""
    with reading(engine) as connection:
        extension, has_table, has_index = connection.execute(text(STANDING)).one()
    if not has_table and not (extension and _once(engine, "search_vectors", create_table)):
        return False
    copy_vectors(engine, model)
    return has_index or _once(engine, "ix_search_vectors_near", _create_index)


def _once(engine: Engine, name: str, create: Callable[[Connection], bool]) -> bool:
    """However many search at the same time."""
    with writing(engine) as connection:
        without_limits(connection)
        connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": LOCK})
        there = connection.scalar(text("SELECT to_regclass(:name)"), {"name": name}) is not None
        return there or create(connection)


def _create_index(connection: Connection) -> bool:
    connection.execute(text(INDEX))
    return True


def copy_vectors(engine: Engine, model: str) -> int:
    """Put those into the index that are not in it yet; gives how many."""
    count = 0
    wanted = {"model": model, "dimensions": DIMENSIONS, "limit": AT_ONCE}
    while True:
        with writing(engine) as connection:
            rows = connection.execute(text(MISSING), wanted).all()
            if not rows:
                return count
            told = [
                {
                    "id": row.document_id,
                    "model": model,
                    "near": _written(np.frombuffer(row.vector, dtype=STORED)),
                }
                for row in rows
            ]
            connection.execute(text(ADDED), told)
        count += len(rows)


def _written(vector: Matrix) -> str:
    return "[" + ",".join(repr(float(value)) for value in vector) + "]"

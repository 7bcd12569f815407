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

from headwater.backends.sql.connect import preparing, reading
from headwater.backends.sql.postgresql import without_limits
from headwater.backends.sql.schema import documents
from headwater.backends.sql.searching import Wish, filtered

Matrix = npt.NDArray[np.float32]
STORED = np.dtype("<f4")
DIMENSIONS = 384  # also in the statements below
LOOKED_THROUGH = 200  # of the index's graph, for each search: enough for a recall of 0.95 and more
AT_ONCE = 1_000
LOCK = 4_849_271
search_vectors = table("search_vectors", column("document_id"), column("model", Text), column("near"))
TABLE = """
CREATE TABLE search_vectors (
  document_id VARCHAR(64) NOT NULL, model TEXT NOT NULL, near vector(384),
  CONSTRAINT pk_search_vectors PRIMARY KEY (document_id, model),
  CONSTRAINT fk_search_vectors_document_id FOREIGN KEY (document_id, model)
    REFERENCES vectors (document_id, model) ON DELETE CASCADE
)"""
# A vector that is written, or written anew, is marked by a row without one: what is to be copied is found at once.
WAITING = "CREATE INDEX ix_search_vectors_waiting ON search_vectors (model, document_id) WHERE near IS NULL"
MARK = """
CREATE OR REPLACE FUNCTION mark_search_vector() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF NEW.dimensions = 384 THEN
    INSERT INTO search_vectors (document_id, model) VALUES (NEW.document_id, NEW.model)
    ON CONFLICT (document_id, model) DO UPDATE SET near = NULL;
  ELSE
    DELETE FROM search_vectors WHERE document_id = NEW.document_id AND model = NEW.model;
  END IF;
  RETURN NEW;
END $$"""
WATCH = """
CREATE TRIGGER mark_search_vector AFTER INSERT OR UPDATE OF vector, dimensions ON vectors
FOR EACH ROW EXECUTE FUNCTION mark_search_vector()"""
FILL = """
INSERT INTO search_vectors (document_id, model) SELECT document_id, model FROM vectors WHERE dimensions = 384"""
# Made when the first vectors are in: so it is faster than growing with each.
INDEX = "CREATE INDEX ix_search_vectors_near ON search_vectors USING hnsw (near vector_cosine_ops)"
REMOVED = (
    "DROP TRIGGER IF EXISTS mark_search_vector ON vectors",
    "DROP FUNCTION IF EXISTS mark_search_vector",
    "DROP TABLE IF EXISTS search_vectors",
)
MISSING = """
SELECT s.document_id, v.vector
FROM search_vectors s JOIN vectors v ON v.document_id = s.document_id AND v.model = s.model
WHERE s.near IS NULL AND s.model = :model
ORDER BY s.document_id LIMIT :limit FOR UPDATE OF s FOR SHARE OF v"""
COPIED = """
UPDATE search_vectors SET near = CAST(:near AS vector) WHERE document_id = :id AND model = :model"""
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
    for statement in (TABLE, WAITING, MARK, WATCH, FILL):
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
    with preparing(engine) as connection:
        without_limits(connection)
        connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": LOCK})
        there = connection.scalar(text("SELECT to_regclass(:name)"), {"name": name}) is not None
        return there or create(connection)


def _create_index(connection: Connection) -> bool:
    connection.execute(text(INDEX))
    return True


def copy_vectors(engine: Engine, model: str) -> int:
    """Copy those that wait for it; gives how many."""
    count = 0
    wanted = {"model": model, "limit": AT_ONCE}
    while True:
        with preparing(engine) as connection:
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
            connection.execute(text(COPIED), told)
        count += len(rows)


def _written(vector: Matrix) -> str:
    return "[" + ",".join(repr(float(value)) for value in vector) + "]"

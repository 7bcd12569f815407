"""The index over vectors on PostgreSQL (pgvector, HNSW). A maintenance task creates and updates it.

Nothing waits for it: vectors are written beside it, and a search without it compares all of them.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import DBAPIError

from headwater.model.errors import Temporary
from headwater.store.connect import read_transaction, unchecked_transaction
from headwater.store.postgresql import disable_timeouts
from headwater.store.search.nearest_vectors import INDEX_STATE, index_vectors

VECTOR_INDEX_LOCK = 4_849_271
TABLE = """
CREATE TABLE search_vectors (
  document_id VARCHAR(64) NOT NULL, model TEXT NOT NULL, embedding vector(384),
  CONSTRAINT pk_search_vectors PRIMARY KEY (document_id, model),
  CONSTRAINT fk_search_vectors_document_id FOREIGN KEY (document_id, model)
    REFERENCES vectors (document_id, model) ON DELETE CASCADE
)"""
# A trigger inserts a row without an embedding for each vector that is written, so vectors to copy are found at once.
WAITING = (
    "CREATE INDEX ix_search_vectors_waiting ON search_vectors (model, document_id) WHERE embedding IS NULL"
)
MARK = """
CREATE OR REPLACE FUNCTION mark_search_vector() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF NEW.dimensions = 384 THEN
    INSERT INTO search_vectors (document_id, model) VALUES (NEW.document_id, NEW.model)
    ON CONFLICT (document_id, model) DO UPDATE SET embedding = NULL;
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
# Created after the first vectors are copied, which is faster than inserting them one by one.
INDEX = "CREATE INDEX CONCURRENTLY ix_search_vectors_embedding ON search_vectors USING hnsw (embedding vector_cosine_ops)"
REMOVED = (
    "DROP TRIGGER IF EXISTS mark_search_vector ON vectors",
    "DROP FUNCTION IF EXISTS mark_search_vector",
    "DROP TABLE IF EXISTS search_vectors",
)
# What an interrupted build leaves is invalid.
TORN = "DROP INDEX CONCURRENTLY IF EXISTS ix_search_vectors_embedding"
MODELS = "SELECT DISTINCT model FROM search_vectors WHERE embedding IS NULL"


def create_vector_table(connection: Connection) -> bool:
    """Returns whether the table was created: the extension must exist, or be allowed."""
    if connection.dialect.name != "postgresql" or not _is_available(connection):
        return False
    try:
        with connection.begin_nested():
            connection.execute(text("CREATE EXTENSION IF NOT EXISTS vector"))
    except DBAPIError:  # an administrator may create the extension; the next maintenance finds it
        return False
    for statement in (TABLE, WAITING, MARK, WATCH, FILL):
        connection.execute(text(statement))
    return True


def _is_available(connection: Connection) -> bool:
    """From version 0.8 on, the index continues its scan until enough rows pass the filters."""
    query = "SELECT default_version FROM pg_available_extensions WHERE name = 'vector'"
    version = connection.scalar(text(query))
    return version is not None and tuple(int(part) for part in str(version).split(".")[:2]) >= (0, 8)


def drop_vector_table(connection: Connection) -> None:
    if connection.dialect.name == "postgresql":
        for statement in REMOVED:
            connection.execute(text(statement))


def refresh_vector_index(engine: Engine) -> bool:
    """Copy waiting vectors, and create the index if it is missing, even if the extension came after the schema. Returns
    whether there is an index now. Does nothing while another process is at it."""
    if engine.dialect.name != "postgresql":
        return False
    with _exclusive(engine) as is_locked:
        if not is_locked:
            return False
        with read_transaction(engine) as connection:
            extension, has_table, has_index = connection.execute(text(INDEX_STATE)).one()
        if not has_table and not (extension and _make_table(engine)):
            return False
        for model in _models_to_copy(engine):
            index_vectors(engine, model)
        if not has_index:
            _build(engine)
        return True


@contextmanager
def _exclusive(engine: Engine) -> Iterator[bool]:
    """A transaction that only holds a lock, which ends with it; False if another process has it."""
    with unchecked_transaction(engine) as connection:
        disable_timeouts(connection)
        is_locked = connection.scalar(
            text("SELECT pg_try_advisory_xact_lock(:lock)"), {"lock": VECTOR_INDEX_LOCK}
        )
        # PostgreSQL keeps the snapshot of the last query until the next statement, and the build waits for all earlier
        # snapshots. A SAVEPOINT takes none.
        connection.exec_driver_sql("SAVEPOINT held")
        yield bool(is_locked)


def _make_table(engine: Engine) -> bool:
    with unchecked_transaction(engine) as connection:
        disable_timeouts(connection)
        return create_vector_table(connection)


def _models_to_copy(engine: Engine) -> list[str]:
    with read_transaction(engine) as connection:
        return list(connection.scalars(text(MODELS)))


def _build(engine: Engine) -> None:
    """Outside a transaction, so that no writer waits, without timeouts, and on a connection that is closed afterwards."""
    try:
        with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            _without_limits(connection)
            for statement in (TORN, INDEX):
                connection.execute(text(statement))
            connection.invalidate()
    except DBAPIError as error:
        detail = str(error.orig).splitlines()[0]
        raise Temporary("index_unfinished", detail) from error


def _without_limits(connection: Connection) -> None:
    """Behind a pooler there are no timeouts here, and none may be set: it would outlast this connection."""
    for name in ("statement_timeout", "lock_timeout"):
        if connection.scalar(text(f"SELECT current_setting('{name}')")) != "0":
            connection.execute(text(f"SET {name} = 0"))

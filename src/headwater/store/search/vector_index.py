"""The index over vectors on PostgreSQL (pgvector, HNSW): made and brought up to date by upkeep, while others go on.

Nobody waits for it: vectors are written beside it, and whoever searches meanwhile looks through all of them.
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
# A vector that is written, or written anew, is marked by a row without one: what is to be copied is found at once.
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
# Made when the first vectors are in: so it is faster than growing with each.
INDEX = "CREATE INDEX CONCURRENTLY ix_search_vectors_embedding ON search_vectors USING hnsw (embedding vector_cosine_ops)"
REMOVED = (
    "DROP TRIGGER IF EXISTS mark_search_vector ON vectors",
    "DROP FUNCTION IF EXISTS mark_search_vector",
    "DROP TABLE IF EXISTS search_vectors",
)
# What a build that was cut off leaves behind; nobody can use it.
TORN = "DROP INDEX CONCURRENTLY IF EXISTS ix_search_vectors_embedding"
MODELS = "SELECT DISTINCT model FROM search_vectors WHERE embedding IS NULL"


def create_vector_table(connection: Connection) -> bool:
    """Gives whether it could be made: the extension must be there, or allowed."""
    if connection.dialect.name != "postgresql" or not _available(connection):
        return False
    try:
        with connection.begin_nested():
            connection.execute(text("CREATE EXTENSION IF NOT EXISTS vector"))
    except DBAPIError:  # an administrator may make it; the next upkeep finds it
        return False
    for statement in (TABLE, WAITING, MARK, WATCH, FILL):
        connection.execute(text(statement))
    return True


def _available(connection: Connection) -> bool:
    """From version 0.8 on the index goes on looking until enough rows pass the filters."""
    query = "SELECT default_version FROM pg_available_extensions WHERE name = 'vector'"
    found = connection.scalar(text(query))
    return found is not None and tuple(int(part) for part in str(found).split(".")[:2]) >= (0, 8)


def drop_vector_table(connection: Connection) -> None:
    if connection.dialect.name == "postgresql":
        for statement in REMOVED:
            connection.execute(text(statement))


def refresh_vector_index(engine: Engine) -> bool:
    """Copy what waits and make the index where it is missing, also where the extension came after the schema; gives
    whether there is one now. Whoever finds somebody else at it leaves it to them."""
    if engine.dialect.name != "postgresql":
        return False
    with _alone(engine) as mine:
        if not mine:
            return False
        with read_transaction(engine) as connection:
            extension, has_table, has_index = connection.execute(text(INDEX_STATE)).one()
        if not has_table and not (extension and _make_table(engine)):
            return False
        for model in _waiting(engine):
            index_vectors(engine, model)
        if not has_index:
            _build(engine)
        return True


@contextmanager
def _alone(engine: Engine) -> Iterator[bool]:
    """A transaction that does nothing but hold a lock, which ends with it; False if somebody else has it."""
    with unchecked_transaction(engine) as connection:
        disable_timeouts(connection)
        mine = connection.scalar(text("SELECT pg_try_advisory_xact_lock(:lock)"), {"lock": VECTOR_INDEX_LOCK})
        # A question that was answered is remembered until the next word, with the moment that it looked at; and the
        # build waits for all who look at an earlier moment. This word looks at nothing.
        connection.exec_driver_sql("SAVEPOINT held")
        yield bool(mine)


def _make_table(engine: Engine) -> bool:
    with unchecked_transaction(engine) as connection:
        disable_timeouts(connection)
        return create_vector_table(connection)


def _waiting(engine: Engine) -> list[str]:
    with read_transaction(engine) as connection:
        return list(connection.scalars(text(MODELS)))


def _build(engine: Engine) -> None:
    """Outside of any transaction, on a connection that nobody uses afterwards: so no writer waits for it, and it may
    take as long as it takes."""
    try:
        with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            _without_limits(connection)
            for statement in (TORN, INDEX):
                connection.execute(text(statement))
            connection.invalidate()
    except DBAPIError as error:
        told = str(error.orig).splitlines()[0]
        raise Temporary("index_unfinished", told) from error


def _without_limits(connection: Connection) -> None:
    """Behind a pooler there are none here, and nothing may be set that would outlast us there."""
    for name in ("statement_timeout", "lock_timeout"):
        if connection.scalar(text(f"SELECT current_setting('{name}')")) != "0":
            connection.execute(text(f"SET {name} = 0"))

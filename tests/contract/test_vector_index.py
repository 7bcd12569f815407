"""Nearest vectors by PostgreSQL's index: the results of an exact search, kept up to date; search works without it."""

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256

import numpy as np
import pytest
from sqlalchemy import Connection, Engine, delete, event, insert, select, text, update
from tests.servers.postgres import Postgres
from tests.support.scene import RECIPE, START, Scene

from headwater.search.word_query import WordQuery
from headwater.store.connect import connect, read_transaction, unchecked_transaction, write_transaction
from headwater.store.migrate import migrate
from headwater.store.schema.flow import documents
from headwater.store.schema.knowledge import vectors
from headwater.store.search import vector_index as index_module
from headwater.store.search.nearest_vectors import DIMENSIONS, index_vectors, vector_candidates
from headwater.store.search.vector_index import (
    VECTOR_INDEX_LOCK,
    create_vector_table,
    drop_vector_table,
    refresh_vector_index,
)
from headwater.store.search.vectors import search_by_vector
from headwater.store.sql_store import SqlStore
from headwater.store.tables import metadata

MODEL, MANY, QUERIES, BEST = "some-model", 1_000, 20, 10
Matrix = np.ndarray


@pytest.fixture
def engine(postgresql_engine: Engine) -> Iterator[Engine]:
    yield postgresql_engine
    with write_transaction(postgresql_engine) as connection:
        for table in reversed(metadata.sorted_tables):
            connection.execute(table.delete())


def unit(rows: Matrix) -> Matrix:
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def key(number: int) -> str:
    return sha256(f"document {number}".encode()).hexdigest()


@pytest.fixture
def corpus(scene: Scene, engine: Engine) -> Matrix:
    """Documents in clusters, like articles; every fifth in another language."""
    scene.keep("first", title="First", language="es", published=START)
    chance = np.random.default_rng(7)
    centres = chance.normal(size=(60, DIMENSIONS))
    all_vectors = unit(centres[chance.integers(60, size=MANY)] + 0.7 * chance.normal(size=(MANY, DIMENSIONS)))
    with write_transaction(engine) as connection:
        template = dict(connection.execute(select(documents)).mappings().one())
        connection.execute(delete(documents))
        document_rows = [
            template
            | {"id": key(place), "language": "ca" if place % 5 == 0 else "es", "title": f"Number {place}"}
            for place in range(MANY)
        ]
        connection.execute(insert(documents), document_rows)
        connection.execute(
            insert(vectors),
            [
                {"document_id": key(place), "model": MODEL, "dimensions": DIMENSIONS, "vector": row.tobytes()}
                for place, row in enumerate(all_vectors)
            ],
        )
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        assert refresh_vector_index(engine) is True
        connection.execute(text("ANALYZE search_vectors, documents"))
    return all_vectors


def exact(corpus: Matrix, query: Matrix, among: list[int]) -> list[str]:
    near = corpus[among] @ query
    return [key(among[place]) for place in np.argsort(-near)[:BEST]]


def nearest(engine: Engine, query: Matrix, **filters: str) -> list[str]:
    search_query = WordQuery(query="anything", recipe=RECIPE, limit=BEST, **filters)
    return [row["id"] for row in search_by_vector(engine, search_query, MODEL, query)]


def recall(engine: Engine, corpus: Matrix, queries: Matrix, among: list[int], **filters: str) -> float:
    hits = [
        len(set(exact(corpus, query, among)) & set(nearest(engine, query, **filters))) for query in queries
    ]
    return sum(hits) / (BEST * len(queries))


@pytest.fixture
def forced(engine: Engine) -> Iterator[list[str]]:
    """The planner uses the index even for a small table; its plans are recorded."""
    plans: list[str] = []

    def force(connection, _cursor, statement, parameters, *_) -> None:
        if "<=>" in statement and not statement.startswith("EXPLAIN"):
            connection.exec_driver_sql("SET LOCAL enable_seqscan = off")
            connection.exec_driver_sql("SET LOCAL enable_sort = off")
            plan = connection.exec_driver_sql(f"EXPLAIN {statement}", parameters)
            plans.append("\n".join(row[0] for row in plan))

    event.listen(engine, "before_cursor_execute", force)
    yield plans
    event.remove(engine, "before_cursor_execute", force)


def test_p29_the_index_finds_what_an_exact_search_finds(engine: Engine, corpus: Matrix, forced: list[str]):
    chance = np.random.default_rng(11)
    queries = unit(
        corpus[chance.integers(MANY, size=QUERIES)] + 0.03 * chance.normal(size=(QUERIES, DIMENSIONS))
    )
    everything, catalan = list(range(MANY)), list(range(0, MANY, 5))
    assert recall(engine, corpus, queries, everything) >= 0.95
    assert recall(engine, corpus, queries, catalan, language="ca") >= 0.95
    assert len(forced) == 2 * QUERIES
    assert all("ix_search_vectors_embedding" in plan for plan in forced)


def test_similarities_are_those_of_an_exact_search(
    engine: Engine, corpus: Matrix, monkeypatch: pytest.MonkeyPatch
):
    search_query = WordQuery(query="anything", recipe=RECIPE, limit=BEST)
    indexed = search_by_vector(engine, search_query, MODEL, corpus[3])
    monkeypatch.setattr("headwater.store.search.vectors.vector_candidates", lambda *_: None)
    assert indexed == search_by_vector(engine, search_query, MODEL, corpus[3])
    assert indexed[0]["similarity"] == 1.0


def test_the_index_follows_changed_and_removed_documents(engine: Engine, corpus: Matrix):
    other = unit(np.random.default_rng(5).normal(size=(1, DIMENSIONS)))[0]
    assert nearest(engine, corpus[0])[0] == key(0)
    with write_transaction(engine) as connection:
        of = (vectors.c.document_id == key(0), vectors.c.model == MODEL)
        connection.execute(update(vectors).where(*of).values(vector=other.tobytes()))
        connection.execute(delete(documents).where(documents.c.id == key(1)))
    assert index_vectors(engine, MODEL) == 1
    assert nearest(engine, other)[0] == key(0)
    assert key(1) not in nearest(engine, corpus[1])
    assert index_vectors(engine, MODEL) == 0


def waiting_vectors(engine: Engine) -> int:
    """How many vectors wait to be copied."""
    with read_transaction(engine) as connection:
        return int(
            connection.scalar(text("SELECT count(*) FROM search_vectors WHERE embedding IS NULL")) or 0
        )


def change(connection: Connection, number: int, vector: Matrix) -> None:
    of = (vectors.c.document_id == key(number), vectors.c.model == MODEL)
    connection.execute(update(vectors).where(*of).values(vector=vector.tobytes()))


def test_a_search_and_a_writer_do_not_wait_for_each_other(engine: Engine, corpus: Matrix):
    """A writer holds a vector; the search copies the others and ends; then the writer changes those."""
    first, *other_numbers = sorted(range(4), key=key)
    fresh = unit(np.random.default_rng(3).normal(size=(4, DIMENSIONS)))
    with write_transaction(engine) as connection:
        for number in other_numbers:
            change(connection, number, fresh[number])
    with write_transaction(engine) as connection:
        change(connection, first, fresh[first])
        assert index_vectors(engine, MODEL) == len(other_numbers)
        for number in other_numbers:
            change(connection, number, -fresh[number])
        assert nearest(engine, fresh[other_numbers[0]])[0] == key(
            other_numbers[0]
        )  # as it was before this transaction
    assert waiting_vectors(engine) == 4
    assert nearest(engine, -fresh[other_numbers[0]])[0] == key(other_numbers[0])
    assert nearest(engine, fresh[first])[0] == key(first)
    assert waiting_vectors(engine) == 0


def test_concurrent_writers_and_searches_all_finish(engine: Engine, corpus: Matrix):
    rounds, numbers = 12, list(range(30))

    def write(seed: int) -> None:
        chance = np.random.default_rng(seed)
        for _ in range(rounds):
            with write_transaction(engine) as connection:
                for number in sorted(chance.choice(numbers, size=8, replace=False), key=key):
                    change(connection, int(number), unit(chance.normal(size=(1, DIMENSIONS)))[0])

    def search(seed: int) -> None:
        for number in range(rounds):
            assert len(nearest(engine, corpus[100 + seed + number])) == BEST

    with ThreadPoolExecutor(4) as pool:
        futures = [pool.submit(act, seed) for seed, act in enumerate((write, write, search, search))]
    assert [future.exception() for future in futures] == [None] * 4
    index_vectors(engine, MODEL)
    assert waiting_vectors(engine) == 0
    with read_transaction(engine) as connection:
        stored = dict(connection.execute(select(vectors.c.document_id, vectors.c.vector)).all())
        copied = connection.execute(
            text("SELECT document_id, embedding::text AS embedding FROM search_vectors")
        ).all()
    assert len(copied) == MANY
    for row in copied:
        copied_vector = np.array(json.loads(row.embedding), dtype=np.float32)
        assert np.array_equal(copied_vector, np.frombuffer(stored[row.document_id], dtype="<f4"))


def test_without_the_index_a_search_is_exact_and_maintenance_creates_it_again(engine: Engine, corpus: Matrix):
    search_query = WordQuery(query="anything", recipe=RECIPE, limit=BEST)
    answers = nearest(engine, corpus[5])
    torn = "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'ix_search_vectors_embedding'::regclass"
    for harm in (
        torn,
        "DROP INDEX ix_search_vectors_embedding",
    ) * 3:  # statements are prepared after some times
        with write_transaction(engine) as connection:
            connection.execute(text(harm))
        assert vector_candidates(engine, search_query, MODEL, corpus[5]) is None
        assert nearest(engine, corpus[5]) == answers
        assert refresh_vector_index(engine) is True
        assert vector_candidates(engine, search_query, MODEL, corpus[5]) is not None
        assert nearest(engine, corpus[5]) == answers


def test_a_process_that_finds_another_one_building_the_index_leaves_it_alone(engine: Engine):
    with write_transaction(engine) as connection:
        connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": VECTOR_INDEX_LOCK})
        assert refresh_vector_index(engine) is False
    assert refresh_vector_index(engine) is True


def test_too_few_candidates_lead_to_an_exact_search(engine: Engine, corpus: Matrix):
    with write_transaction(engine) as connection:
        connection.execute(update(documents).where(documents.c.id != key(2)).values(language="de"))
    search_query = WordQuery(query="anything", recipe=RECIPE, language="es", limit=BEST)
    assert vector_candidates(engine, search_query, MODEL, corpus[2]) is None
    assert nearest(engine, corpus[2], language="es") == [key(2)]


def test_vectors_of_another_length_are_searched_exactly(engine: Engine):
    search_query = WordQuery(query="anything", recipe=RECIPE)
    assert vector_candidates(engine, search_query, MODEL, np.ones(3, dtype=np.float32)) is None


def test_search_works_without_the_extension_which_may_be_installed_later(
    postgres: Postgres, open_store: Callable[[str], SqlStore], monkeypatch: pytest.MonkeyPatch
):
    engine = open_store(postgres.create("plain")).engine
    monkeypatch.setattr(index_module, "_is_available", lambda _: False)
    migrate(engine)
    search_query, query = WordQuery(query="anything", recipe=RECIPE), np.ones(DIMENSIONS, dtype=np.float32)
    with read_transaction(engine) as connection:
        assert connection.scalar(text("SELECT to_regclass('search_vectors')")) is None
    assert vector_candidates(engine, search_query, MODEL, query) is None
    assert search_by_vector(engine, search_query, MODEL, query) == []
    assert refresh_vector_index(engine) is False
    monkeypatch.undo()
    with write_transaction(engine) as connection:
        connection.execute(text("CREATE EXTENSION vector"))
    assert refresh_vector_index(engine) is True
    assert search_by_vector(engine, search_query, MODEL, query) == []
    with write_transaction(engine) as connection:
        assert connection.scalar(text("SELECT to_regclass('search_vectors')")) is not None
        drop_vector_table(connection)
        assert create_vector_table(connection) is True
    engine.dispose()


def test_a_user_who_may_not_create_the_extension_searches_without_it(postgres: Postgres):
    postgres.create("restricted")
    postgres.command("CREATE ROLE guest LOGIN PASSWORD 'guest'")
    postgres.command("GRANT CONNECT ON DATABASE restricted TO guest")
    url = postgres.url("restricted").replace(f"headwater:{postgres.password}@", "guest:guest@")
    engine = connect(url)
    with unchecked_transaction(engine) as connection:
        assert create_vector_table(connection) is False
        assert connection.scalar(text("SELECT 1")) == 1
    engine.dispose()
    postgres.drop("restricted")
    postgres.command("DROP ROLE guest")

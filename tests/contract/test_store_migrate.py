"""A database is brought to the schema once, however often and by however many it is asked for."""

import multiprocessing
from collections.abc import Callable

import pytest
from sqlalchemy import inspect, text

from headwater.model.errors import Refused
from headwater.store.connect import connect, write_transaction
from headwater.store.migrate import HEAD, migrate
from headwater.store.relocation import identity_metadata
from headwater.store.schema.columns import metadata
from headwater.store.schema.search import search_metadata
from headwater.store.sql_store import SqlStore


@pytest.mark.filterwarnings("ignore:Skipped unsupported reflection of expression-based index")
def test_an_empty_database_gets_every_table_of_the_schema(
    empty_database: str, open_store: Callable[[str], SqlStore]
):
    engine = open_store(empty_database).engine
    assert migrate(engine) is True
    inspector = inspect(engine)
    there = {name for name in inspector.get_table_names() if not name.startswith("search_words_")}
    searched = {"search_words" if engine.dialect.name == "sqlite" else "search_vectors"}
    assert there == {
        *metadata.tables,
        *search_metadata.tables,
        *identity_metadata.tables,
        *searched,
        "alembic_version",
    }
    for name, table in metadata.tables.items():
        assert {column["name"] for column in inspector.get_columns(name)} == set(table.c.keys()), name
        there = {index["name"] for index in inspector.get_indexes(name)}
        assert {index.name for index in table.indexes} <= there, name
        assert set(inspector.get_pk_constraint(name)["constrained_columns"]) == {
            c.name for c in table.primary_key
        }


def test_migrating_again_does_nothing(empty_database: str, open_store: Callable[[str], SqlStore]):
    engine = open_store(empty_database).engine
    assert [migrate(engine), migrate(engine)] == [True, False]
    assert _version(engine) == HEAD


def _migrate_elsewhere(url: str, answers: "multiprocessing.Queue[bool]") -> None:
    engine = connect(url)
    answers.put(migrate(engine))
    engine.dispose()


def test_several_processes_that_start_together_migrate_once(
    empty_database: str, open_store: Callable[[str], SqlStore]
):
    context = multiprocessing.get_context("spawn")
    answers = context.Queue()
    started = [context.Process(target=_migrate_elsewhere, args=(empty_database, answers)) for _ in range(3)]
    for process in started:
        process.start()
    for process in started:
        process.join(60)
    assert [process.exitcode for process in started] == [0, 0, 0]
    assert sorted(answers.get(timeout=5) for _ in started) == [False, False, True]
    assert _version(open_store(empty_database).engine) == HEAD


def test_a_database_of_a_newer_version_is_refused_and_stays_untouched(
    empty_database: str, open_store: Callable[[str], SqlStore]
):
    store = open_store(empty_database)
    migrate(store.engine)
    with write_transaction(store.engine) as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(Refused, match="newer Headwater") as refused:
        migrate(store.engine)
    assert refused.value.reason == "database_newer"
    assert _version(store.engine) == "9999"


def _is_of_the_schema(thing: object, name: str | None, kind: str, *_: object) -> bool:
    """The indexes under the views that others read exist in the dialect's own words, in the migration alone; so does
    the index for full text, which is made from documents. What a database knows about itself is no record."""
    own = {"index": ("idx_articles_", "ix_search_"), "table": ("search_", "home")}
    return not str(name).startswith(own.get(kind, ()))


@pytest.mark.filterwarnings("ignore:Did not recognize type 'vector'")
@pytest.mark.filterwarnings("ignore:Skipped unsupported reflection of expression-based index")
def test_the_schema_and_the_migrations_agree(store: SqlStore):
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    with store.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"include_object": _is_of_the_schema})
        assert compare_metadata(context, metadata) == []


def _version(engine) -> str:
    with engine.connect() as connection:
        return connection.scalar(text("SELECT version_num FROM alembic_version"))

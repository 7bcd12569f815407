"""A database is migrated to the schema once, however often and by however many processes."""

import multiprocessing
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import inspect, text
from sqlalchemy.exc import DBAPIError
from tests.support.deadline import DEADLINE
from tests.support.scene import Scene

from headwater.model.errors import Refused, Temporary
from headwater.model.views import DatabaseViews
from headwater.runtime.fork_server import fork_server
from headwater.store import migrate as migrations
from headwater.store.connect import connect, write_transaction
from headwater.store.migrate import HEAD, migrate
from headwater.store.schema.identity import identity_metadata
from headwater.store.schema.search import search_metadata
from headwater.store.sql_store import SqlStore
from headwater.store.tables import metadata
from headwater.store.views import install_views

pytestmark = pytest.mark.usefixtures("alembic")


@pytest.mark.filterwarnings("ignore:Skipped unsupported reflection of expression-based index")
def test_an_empty_database_gets_every_table_of_the_schema(
    empty_database: str, open_store: Callable[[str], SqlStore]
):
    engine = open_store(empty_database).engine
    assert migrate(engine) is True
    inspector = inspect(engine)
    existing = set(inspector.get_table_names())
    assert existing == {
        *metadata.tables,
        *search_metadata.tables,
        *identity_metadata.tables,
        "alembic_version",
    }
    for name, table in metadata.tables.items():
        assert {column["name"] for column in inspector.get_columns(name)} == set(table.c.keys()), name
        existing = {index["name"] for index in inspector.get_indexes(name)}
        assert {index.name for index in table.indexes} <= existing, name
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
    context = fork_server()
    answers = context.Queue()
    started = [context.Process(target=_migrate_elsewhere, args=(empty_database, answers)) for _ in range(3)]
    for process in started:
        process.start()
    for process in started:
        process.join(DEADLINE)
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
        connection.execute(text("UPDATE database_identity SET oldest_program = '9998'"))
    with pytest.raises(Refused, match="newer Headwater") as refused:
        migrate(store.engine)
    assert refused.value.reason == "database_newer"
    assert _version(store.engine) == "9999"


SECOND_REVISION = """
import sqlalchemy as sa
from alembic import op

revision, down_revision, branch_labels, depends_on = "0003", "0002", None, None


def upgrade():
    with op.batch_alter_table("documents") as documents:
        documents.alter_column("image", new_column_name="image_url")
"""
VIEWS = DatabaseViews(
    create=lambda _: [
        "CREATE VIEW pictures AS SELECT id, image AS picture FROM documents WHERE title LIKE '%'"
    ],
    drop=lambda _: ["DROP VIEW IF EXISTS pictures"],
)


@pytest.fixture
def second_revision(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Call it, and from then on this version has a second migration, which renames a column."""

    def add() -> None:
        shutil.copytree(migrations.MIGRATIONS, tmp_path / "migrations")
        (tmp_path / "migrations" / "versions" / "0003_second.py").write_text(SECOND_REVISION)
        monkeypatch.setattr(migrations, "MIGRATIONS", tmp_path / "migrations")
        monkeypatch.setattr(migrations, "HEAD", "0003")

    return add


def test_a_database_of_an_older_version_is_upgraded_and_keeps_its_rows(
    empty_database: str, open_store: Callable[[str], SqlStore], second_revision: Callable[[], None]
):
    store = open_store(empty_database)
    migrate(store.engine)
    Scene(store).keep("a", "b")
    second_revision()
    assert [migrate(store.engine), migrate(store.engine)] == [True, False]
    assert _version(store.engine) == "0003"
    with store.engine.connect() as connection:
        assert len(connection.execute(text("SELECT image_url FROM documents")).all()) == 2


def test_an_upgrade_drops_the_views_of_recipes_and_registering_creates_them_again(
    empty_database: str, open_store: Callable[[str], SqlStore], second_revision: Callable[[], None]
):
    engine = open_store(empty_database).engine
    migrate(engine)
    assert [install_views(engine, "trial", VIEWS) for _ in range(2)] == [True, False]
    assert inspect(engine).get_view_names() == ["pictures"]
    second_revision()
    migrate(engine)
    assert inspect(engine).get_view_names() == []
    changed = replace(VIEWS, create=lambda _: ["CREATE VIEW pictures AS SELECT id, image_url FROM documents"])
    assert install_views(engine, "trial", changed) is True
    with engine.connect() as connection:
        assert list(connection.execute(text("SELECT * FROM pictures")).keys()) == ["id", "image_url"]


def test_a_recipe_that_changes_its_views_gets_the_new_ones(
    empty_database: str, open_store: Callable[[str], SqlStore]
):
    engine = open_store(empty_database).engine
    migrate(engine)
    install_views(engine, "trial", VIEWS)
    renamed = DatabaseViews(
        create=lambda _: ["CREATE VIEW photos AS SELECT id FROM documents"],
        drop=lambda _: ["DROP VIEW IF EXISTS photos"],
    )
    assert install_views(engine, "trial", renamed) is True
    assert inspect(engine).get_view_names() == ["photos"]


def test_views_that_cannot_be_created_leave_the_earlier_ones(
    empty_database: str, open_store: Callable[[str], SqlStore]
):
    engine = open_store(empty_database).engine
    migrate(engine)
    install_views(engine, "trial", VIEWS)
    broken = replace(VIEWS, create=lambda _: ["CREATE VIEW pictures AS SELECT nothing FROM nowhere"])
    with pytest.raises((DBAPIError, Temporary)):
        install_views(engine, "trial", broken)
    if engine.dialect.name == "postgresql":  # SQLite checks a view when it is read
        assert inspect(engine).get_view_names() == ["pictures"]
        assert install_views(engine, "trial", VIEWS) is False


def _is_of_the_schema(thing: object, name: str | None, kind: str, *_: object) -> bool:
    """The indexes under the views that others read exist in the dialect's own words, in the migration or with a view; so does
    the index for full text, which is made from documents. The identity of a database is not a record."""
    elsewhere = {
        "index": ("idx_articles_", "ix_search_", "ix_leads_geopolitics_"),
        "table": ("search_", "database_identity", "recipe_views", "workers", "uptime_periods"),
    }
    return not str(name).startswith(elsewhere.get(kind, ()))


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

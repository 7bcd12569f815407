"""One schema, one migration tree: they say the same."""

from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from headwater.store import migrate as migrating
from headwater.store.connect import connect
from headwater.store.tables import metadata

pytestmark = pytest.mark.usefixtures("alembic")
FOLDER = Path(migrating.__file__).parent / "migrations"


def test_there_is_one_head_and_it_is_the_one_that_databases_are_brought_to():
    assert ScriptDirectory(str(FOLDER)).get_heads() == [migrating.HEAD]


def _is_of_the_schema(thing: Any, name: str | None, kind: str, *_: Any) -> bool:
    """The indexes under the views that others read exist in the dialect's own words, in the migration alone; so does
    the index for full text, which is made from documents. The identity of a database is not a record."""
    del thing
    own = {
        "index": ("idx_articles_", "ix_search_"),
        "table": ("search_", "database_identity", "recipe_views", "workers", "uptime_periods"),
    }
    return not str(name).startswith(own.get(kind, ()))


@pytest.mark.filterwarnings("ignore:Skipped unsupported reflection of expression-based index")
def test_a_fresh_database_equals_the_schema(tmp_path: Path):
    engine = connect(f"sqlite:///{tmp_path / 'fresh.db'}")
    migrating.migrate(engine)
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"include_object": _is_of_the_schema})
        assert compare_metadata(context, metadata) == []
    engine.dispose()


def test_every_table_with_work_carries_the_same_five_columns():
    work = {"due_at", "lease_owner", "lease_until", "attempts", "reason"}
    assert {name for name, table in metadata.tables.items() if work <= set(table.c.keys())} == {
        "sources",
        "leads",
        "documents",
        "groups",
        "deliveries",
        "queue_items",
        "replay_items",
    }

"""A record is named by the first characters of its key, which an index answers."""

import pytest
from sqlalchemy import Engine, select, text
from tests.support.scene import Scene

from headwater.store.connect import read_transaction
from headwater.store.reads.catalogue import begins_with
from headwater.store.schema.flow import documents


def keys(engine: Engine, prefix: str) -> list[str]:
    with read_transaction(engine) as connection:
        return list(connection.scalars(select(documents.c.id).where(begins_with(documents.c.id, prefix))))


def test_a_record_is_named_by_the_first_eight_characters_or_more(scene: Scene, engine: Engine):
    first, second = scene.keep("a", "b")
    for key in (first.id, second.id):
        assert [keys(engine, key[:length]) for length in (8, 12, len(key))] == [[key]] * 3


@pytest.mark.parametrize("prefix", ["", "a", "abcdef0", "%", "________", "ABCDEF01", "crypto00", "deadbeef%"])
def test_other_text_names_nothing(scene: Scene, engine: Engine, prefix: str):
    scene.keep("a", "b")
    assert keys(engine, prefix) == []


def test_sqlite_does_not_read_the_whole_table(sqlite_engine: Engine):
    query = select(documents.c.id).where(begins_with(documents.c.id, "deadbeef"))
    statement = query.compile(sqlite_engine, compile_kwargs={"literal_binds": True})
    with read_transaction(sqlite_engine) as connection:
        (plan,) = connection.execute(text(f"EXPLAIN QUERY PLAN {statement}"))
    assert "SEARCH" in plan[3]

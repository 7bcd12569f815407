"""Writing many rows and asking for many keys: one statement, whatever their number."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import select, text

from headwater.backends.sql.among import among
from headwater.backends.sql.bulk import change_rows, insert_rows
from headwater.backends.sql.columns import metadata
from headwater.backends.sql.connect import connect, reading, writing
from headwater.backends.sql.schema import documents, fingerprints, groups
from headwater.backends.sql.store import SqlStore

NOW = datetime(2026, 11, 1, 12, tzinfo=UTC)


def group(name: str, marks: int = 1) -> dict[str, object]:
    return {
        "id": name,
        "recipe": "test",
        "name": name,
        "marks": marks,
        "created_at": NOW,
        "due_at": NOW,
        "attempts": 0,
    }


def test_a_row_that_is_there_stays_and_is_not_counted(store: SqlStore) -> None:
    with writing(store.engine) as connection:
        assert insert_rows(connection, groups, [group("a"), group("b")]) == 2
        assert insert_rows(connection, groups, [group("b", 7), group("c", 7)]) == 1
        assert insert_rows(connection, groups, []) == 0
        found = {row.id: row.marks for row in connection.execute(select(groups))}
    assert found == {"a": 1, "b": 1, "c": 7}


def test_only_the_named_columns_are_replaced(store: SqlStore) -> None:
    with writing(store.engine) as connection:
        insert_rows(connection, groups, [group("a")])
        insert_rows(connection, groups, [group("a", 9) | {"name": "other"}], replacing=("marks",))
        row = connection.execute(select(groups.c.name, groups.c.marks)).one()
    assert tuple(row) == ("a", 9)


def test_changes_of_different_columns_each_reach_their_row(store: SqlStore) -> None:
    with writing(store.engine) as connection:
        insert_rows(connection, groups, [group("a"), group("b"), group("c")])
        one_less = groups.c.attempts - 1
        change_rows(
            connection,
            groups,
            [
                ("a", {"marks": 5, "due_at": None}),
                ("b", {"name": "nul\x00"}),
                ("c", {"attempts": one_less}),
            ],
        )
        rows = connection.execute(
            select(groups.c.name, groups.c.marks, groups.c.due_at, groups.c.attempts).order_by(groups.c.id)
        ).all()
    assert [tuple(row) for row in rows] == [
        ("a", 5, None, 0),
        ("nul\ufffd", 1, NOW, 0),
        ("c", 1, NOW, -1),
    ]


@pytest.mark.parametrize("wanted", [[], ["b"], ["a", "c", "missing"], [f"key{n}" for n in range(5000)]])
def test_among_is_membership(store: SqlStore, wanted: list[str]) -> None:
    with writing(store.engine) as connection:
        insert_rows(connection, groups, [group(name) for name in "abc"])
        found = set(connection.scalars(select(groups.c.id).where(among(groups.c.id, wanted))))
    assert found == set(wanted) & set("abc")


def test_among_knows_numbers(store: SqlStore) -> None:
    with writing(store.engine) as connection:
        insert_rows(connection, groups, [group("a", 2), group("b", 3)])
        found = list(connection.scalars(select(groups.c.id).where(among(groups.c.marks, {3, 2**40}))))
    assert found == ["b"]


def test_among_looks_keys_up_instead_of_reading_the_table(tmp_path: Path) -> None:
    """SQLite only: PostgreSQL chooses by the size of the table."""
    engine = connect(f"sqlite:///{tmp_path}/store.db")
    metadata.create_all(engine)
    queries = [
        select(documents.c.id).where(among(documents.c.id, ["a"]), documents.c.lease_owner == "me"),
        select(fingerprints.c.document_id).where(
            fingerprints.c.recipe == "r", fingerprints.c.kind == "url", among(fingerprints.c.value, ["a"])
        ),
    ]
    with reading(engine) as connection:
        for query in queries:
            compiled = query.compile(engine, compile_kwargs={"literal_binds": True})
            plan = " ".join(row[3] for row in connection.execute(text(f"EXPLAIN QUERY PLAN {compiled}")))
            assert "SCAN documents" not in plan
            assert "SCAN fingerprints" not in plan
            assert "SEARCH" in plan
    engine.dispose()

"""Writing many rows and asking for many keys: one statement, whatever their number."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import select, text

from headwater.store.bulk import insert_rows, update_rows
from headwater.store.connect import connect, read_transaction, write_transaction
from headwater.store.in_list import in_list
from headwater.store.schema.flow import documents, groups
from headwater.store.schema.knowledge import fingerprints
from headwater.store.sql_store import SqlStore
from headwater.store.tables import metadata

NOW = datetime(2026, 11, 1, 12, tzinfo=UTC)


def group(name: str, version: int = 1) -> dict[str, object]:
    return {
        "id": name,
        "recipe": "test",
        "name": name,
        "version": version,
        "created_at": NOW,
        "due_at": NOW,
        "attempts": 0,
    }


def test_a_row_that_is_there_stays_and_is_not_counted(store: SqlStore) -> None:
    with write_transaction(store.engine) as connection:
        assert insert_rows(connection, groups, [group("a"), group("b")]) == 2
        assert insert_rows(connection, groups, [group("b", 7), group("c", 7)]) == 1
        assert insert_rows(connection, groups, []) == 0
        versions = {row.id: row.version for row in connection.execute(select(groups))}
    assert versions == {"a": 1, "b": 1, "c": 7}


def test_only_the_named_columns_are_replaced(store: SqlStore) -> None:
    with write_transaction(store.engine) as connection:
        insert_rows(connection, groups, [group("a")])
        insert_rows(connection, groups, [group("a", 9) | {"name": "other"}], replacing=("version",))
        row = connection.execute(select(groups.c.name, groups.c.version)).one()
    assert tuple(row) == ("a", 9)


def test_changes_of_different_columns_each_reach_their_row(store: SqlStore) -> None:
    with write_transaction(store.engine) as connection:
        insert_rows(connection, groups, [group("a"), group("b"), group("c")])
        one_less = groups.c.attempts - 1
        update_rows(
            connection,
            groups,
            [
                ("a", {"version": 5, "due_at": None}),
                ("b", {"name": "nul\x00"}),
                ("c", {"attempts": one_less}),
            ],
        )
        rows = connection.execute(
            select(groups.c.name, groups.c.version, groups.c.due_at, groups.c.attempts).order_by(groups.c.id)
        ).all()
    assert [tuple(row) for row in rows] == [
        ("a", 5, None, 0),
        ("nul\ufffd", 1, NOW, 0),
        ("c", 1, NOW, -1),
    ]


@pytest.mark.parametrize("listed", [[], ["b"], ["a", "c", "missing"], [f"key{n}" for n in range(5000)]])
def test_in_list_selects_the_listed_keys(store: SqlStore, listed: list[str]) -> None:
    with write_transaction(store.engine) as connection:
        insert_rows(connection, groups, [group(name) for name in "abc"])
        selected = set(connection.scalars(select(groups.c.id).where(in_list(groups.c.id, listed))))
    assert selected == set(listed) & set("abc")


def test_in_list_accepts_numbers(store: SqlStore) -> None:
    with write_transaction(store.engine) as connection:
        insert_rows(connection, groups, [group("a", 2), group("b", 3)])
        selected = list(connection.scalars(select(groups.c.id).where(in_list(groups.c.version, {3, 2**40}))))
    assert selected == ["b"]


def test_in_list_uses_the_index_instead_of_reading_the_table(tmp_path: Path) -> None:
    """SQLite only: PostgreSQL chooses by the size of the table."""
    engine = connect(f"sqlite:///{tmp_path}/store.db")
    metadata.create_all(engine)
    queries = [
        select(documents.c.id).where(in_list(documents.c.id, ["a"]), documents.c.lease_owner == "me"),
        select(fingerprints.c.document_id).where(
            fingerprints.c.recipe == "r", fingerprints.c.kind == "url", in_list(fingerprints.c.value, ["a"])
        ),
    ]
    with read_transaction(engine) as connection:
        for query in queries:
            compiled = query.compile(engine, compile_kwargs={"literal_binds": True})
            plan = " ".join(row[3] for row in connection.execute(text(f"EXPLAIN QUERY PLAN {compiled}")))
            assert "SCAN documents" not in plan
            assert "SCAN fingerprints" not in plan
            assert "SEARCH" in plan
    engine.dispose()

"""A decision about duplicates needs few statements, each through an index."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, event, text
from tests.contract.test_store_memory import SCHEME, keep, now
from tests.support.scene import Scene

from headwater.store.connect import read_transaction

PRINTS = (("url", "u1"), ("guid", "g2"), ("text", "none"))
Statement = tuple[str, Any]


@contextmanager
def recorded_statements(engine: Engine) -> Iterator[list[Statement]]:
    """Every statement that is sent in the meantime, as the driver gets it."""
    statements: list[Statement] = []

    def note(connection: Any, cursor: Any, statement: str, parameters: Any, *_more: Any) -> None:
        statements.append((statement, parameters))

    event.listen(engine, "before_cursor_execute", note)
    try:
        yield statements
    finally:
        event.remove(engine, "before_cursor_execute", note)


@pytest.fixture
def remembered(scene: Scene) -> list[str]:
    drafts = scene.drafts(*(f"page-{number}" for number in range(30)))
    for number, draft in enumerate(drafts):
        record_fields = {
            "fingerprints": (("url", f"u{number}"), ("guid", f"g{number}")),
            "sentences": (number, 99),
        }
        assert scene.refine(keep(draft, number, 77, epoch=now(scene), **record_fields)) == []
    return [draft.id for draft in drafts]


def ask_everything(scene: Scene, ids: list[str]) -> None:
    """Every lookup that the dedupe rules make for a batch."""
    holders = scene.store.look_up_fingerprints("trial", SCHEME, PRINTS, [3, 77, 500], 40)
    assert len(holders.holders[77]) == 30
    assert scene.store.sentence_story_counts("trial", {"": [5], "Wire": [5, 99]})["Wire"] == {5: 1, 99: 30}
    assert len(scene.store.documents(ids[:12])) == 12
    assert scene.store.originals(ids) == {}


def test_c24_every_lookup_goes_through_an_index(scene: Scene, remembered: list[str]):
    engine = scene.store.engine
    with recorded_statements(engine) as statements:
        ask_everything(scene, remembered)
    lookups = [(statement, values) for statement, values in statements if "SELECT" in statement]
    assert len(lookups) >= 5
    for statement, values in lookups:
        assert scans(engine, statement, values) == [], statement


def scans(engine: Engine, statement: str, values: Any) -> list[str]:
    """Tables that the plan of a statement reads from end to end."""
    with read_transaction(engine) as connection:
        if engine.dialect.name == "sqlite":
            plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", values)
            steps = [row[3] for row in plan]
            # The list that was asked for is read as it is; it is no table.
            return [step for step in steps if step.startswith("SCAN") and not harmless(step)]
        return list(sequential(planned(connection, statement, values)))


def planned(connection: Connection, statement: str, values: Any) -> dict[str, Any]:
    """Tables of a few rows are read whole unless that is made dear; then any index there is would be taken."""
    connection.execute(text("SET LOCAL enable_seqscan = off"))
    raw_plan = connection.exec_driver_sql(f"EXPLAIN (FORMAT JSON) {statement}", values).scalar()
    parsed_plan = json.loads(raw_plan) if isinstance(raw_plan, str) else raw_plan
    plan: dict[str, Any] = parsed_plan[0]["Plan"]
    return plan


def harmless(step: str) -> bool:
    return (
        "json_each" in step or "VIRTUAL TABLE" in step or "subquery" in step.lower() or "CONSTANT ROW" in step
    )


def sequential(node: dict[str, Any]) -> Iterator[str]:
    if node["Node Type"] == "Seq Scan":
        yield node["Relation Name"]
    for inner in node.get("Plans", ()):
        yield from sequential(inner)


def test_c21_a_batch_asks_no_more_often_when_more_is_stored(scene: Scene, remembered: list[str]):
    with recorded_statements(scene.store.engine) as few:
        scene.store.look_up_fingerprints("trial", SCHEME, PRINTS, [3, 500], 40)
    with recorded_statements(scene.store.engine) as many:
        scene.store.look_up_fingerprints("trial", SCHEME, PRINTS, [*range(30), 77, *range(500, 800)], 40)
    assert len(few) == len(many) <= 8

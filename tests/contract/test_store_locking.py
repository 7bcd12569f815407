"""Concurrent transactions lock their rows in the order of the keys, so that no deadlock occurs."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from typing import Any

from sqlalchemy import Engine, event
from tests.support.scene import ME, START, Scene, kept_result

from headwater.model.jobs import DeliveryResult, FetchResult, GatherResult, RefineResult, State, Task
from headwater.store.sql_store import SqlStore

Statements = list[tuple[str, Any]]
PATHS = tuple("abcdefgh")


@contextmanager
def listening(engine: Engine) -> Iterator[Statements]:
    statements: Statements = []

    def hear(_connection: Any, _cursor: Any, statement: str, parameters: Any, *_: Any) -> None:
        statements.append((statement, parameters))

    event.listen(engine, "before_cursor_execute", hear)
    yield statements
    event.remove(engine, "before_cursor_execute", hear)


def keys(statements: Statements, beginning: str, name: str, place: int) -> list[str]:
    """Of the rows that the statement was sent with."""
    (rows,) = [parameters for statement, parameters in statements if statement.startswith(beginning)]
    return [row[name] if isinstance(row, dict) else row[place] for row in rows]


def test_what_is_finished_is_locked_in_the_order_of_its_keys(postgresql_engine: Engine):
    store = SqlStore(postgresql_engine)
    with listening(postgresql_engine) as statements:
        store.finish_fetch([FetchResult(lead="x", version="", result=None)], ME, START)
        store.finish_refine(
            [RefineResult(id="x", capture=None, state=State.DROPPED, revision=1)], ME, START, timedelta(0)
        )
        store.finish_gather([GatherResult(group="x", version=1)], ME, START)
        store.finish_deliver([DeliveryResult(id="x", revision=1)], ME, START)
    locked = [statement for statement, _ in statements if "FOR UPDATE" in statement]
    assert len(locked) == 4
    assert [statement for statement in locked if "ORDER BY" not in statement] == []


def test_groups_and_deliveries_are_written_in_the_order_of_their_keys(scene: Scene):
    drafts = scene.drafts(*PATHS)
    with listening(scene.store.engine) as statements:
        results = [kept_result(draft, routes=("out",), group=draft.lead.lead.identity) for draft in drafts]
        assert scene.refine(*results) == []
    for beginning in ("INSERT INTO groups", "INSERT INTO deliveries"):
        written_keys = keys(statements, beginning, "id", 0)
        assert len(written_keys) == len(PATHS)
        assert written_keys == sorted(written_keys)


def test_groups_that_documents_leave_are_locked_together_with_those_they_join(scene: Scene):
    (first,) = scene.keep("a", group="old")
    again = scene.change(first, "another body")
    with listening(scene.store.engine) as statements:
        scene.refine(kept_result(again, group="new"))
    beginnings = [" ".join(statement.split()[:3]) for statement, _ in statements if "groups" in statement]
    assert beginnings == ["SELECT groups.id FROM", "INSERT INTO groups", "UPDATE groups SET"]


def test_leads_that_changed_are_woken_in_the_order_of_their_keys(scene: Scene):
    leads = [scene.lead(path) for path in PATHS]
    scene.poll(*leads)
    changed = [replace(lead, lead=replace(lead.lead, version="v2")) for lead in leads]
    with listening(scene.store.engine) as statements:
        scene.poll(*changed)
    woken = keys(statements, "UPDATE leads", "this", -1)
    assert len(woken) == len(PATHS)
    assert woken == sorted(woken)
    assert {lead.lead.version for lead in scene.claim(Task.FETCH)} == {"v2"}

"""How long records are kept, and that deleting old polls wakes no stopped source."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import Column, DateTime, Integer, MetaData, Table, select, update
from tests.support.scene import RECIPE, START, Scene, make_source

from headwater.app import App
from headwater.model.errors import Refused
from headwater.model.jobs import Task
from headwater.model.ports import QueueItem
from headwater.ops.retention import apply_retention, clean_tables
from headwater.runtime.maintenance import MAINTENANCE_TASKS
from headwater.settings.settings import Retention, Settings
from headwater.store.changes.queues import SqlQueues
from headwater.store.connect import read_transaction, write_transaction
from headwater.store.schema.flow import polls, sources
from headwater.store.schema.operations import queue_items
from headwater_recipes.markets.definition import build_recipe

DAY = timedelta(days=1)


def app_of(scene: Scene, **days: Any) -> App:
    app = App(Settings(data="unused", retention=Retention(**days)), clock=lambda: scene.now)
    app.__dict__["store"] = scene.store
    app.__dict__["engine"] = scene.store.engine
    return app


def test_r43_5_5_polls_go_after_fourteen_days_and_a_stopped_source_stays_stopped(scene: Scene):
    scene.poll(scene.lead("a"))
    with write_transaction(scene.store.engine) as connection:
        connection.execute(
            update(sources).values(stop_reason="10 failures in a row", failures=10, due_at=None)
        )
    scene.now = START + 13 * DAY
    assert apply_retention(app_of(scene, polls=14))["polls"] == 0
    scene.now = START + 15 * DAY
    assert apply_retention(app_of(scene, polls=14))["polls"] == 1
    with read_transaction(scene.store.engine) as connection:
        assert connection.execute(select(polls)).all() == []
        assert connection.scalar(select(sources.c.failures)) == 10
    assert Task.POLL not in scene.store.next_due(RECIPE)
    assert scene.claim(Task.POLL) == []


def test_r43_finished_items_go_and_waiting_items_stay(scene: Scene):
    queues = SqlQueues(scene.store.engine, lambda: scene.now)
    for number in (1, 2):
        queues.push([QueueItem(id=f"i{number}", queue="q", recipe="markets", document="d", payload={})])
    queues.ack("i1")
    scene.now = START + 31 * DAY
    assert apply_retention(app_of(scene, queue=30), dry_run=True)["queue"] == 1
    assert apply_retention(app_of(scene, queue=30))["queue"] == 1
    with read_transaction(scene.store.engine) as connection:
        assert list(connection.scalars(select(queue_items.c.id))) == ["i2"]


def test_r43_tables_of_later_stages_are_cleaned_by_their_own_number_of_days(scene: Scene):
    name = f"later_stage_{scene.store.engine.dialect.name}"
    app = app_of(scene, tables={name: 30, "not_there_yet": 90})
    assert clean_tables(app)["tables"] == {name: 0, "not_there_yet": 0}
    with table_with_days(scene, name) as later_stage:
        scene.now = START + 32 * DAY
        assert apply_retention(app, dry_run=True)["tables"] == {name: 2, "not_there_yet": 0}
        assert clean_tables(app)["tables"] == {name: 2, "not_there_yet": 0}
        with read_transaction(scene.store.engine) as connection:
            assert sorted(connection.scalars(select(later_stage.c.id))) == [2, 3, 4]


@contextmanager
def table_with_days(scene: Scene, name: str, column: str = "created_at") -> Iterator[Table]:
    """A table of another program with one row for each of five days."""
    table = Table(
        name,
        MetaData(),
        Column("id", Integer, primary_key=True),
        Column(column, DateTime(timezone=True)),
    )
    table.create(scene.store.engine)
    try:
        with write_transaction(scene.store.engine) as connection:
            connection.execute(table.insert(), [{"id": n, column: START + n * DAY} for n in range(5)])
        yield table
    finally:
        table.drop(scene.store.engine)


def test_r43_a_recipe_with_sources_names_tables_of_later_stages_and_the_settings_have_the_last_word(
    scene: Scene,
):
    scene.now = START + 32 * DAY
    with table_with_days(scene, "competitive_signal_records"):
        assert clean_tables(app_of(scene))["tables"] == {}
        scene.store.register([make_source("Press", recipe="markets")], scene.now)
        assert clean_tables(app_of(scene, tables={"competitive_signal_records": 0}))["tables"] == {}
        assert clean_tables(app_of(scene))["tables"] == {"competitive_signal_records": 2}
    with (
        table_with_days(scene, "trading_decisions", "decided_on"),
        pytest.raises(Refused, match="no column created_at"),
    ):
        clean_tables(app_of(scene))


def test_r43_no_table_of_headwater_can_be_cleaned_that_way(scene: Scene):
    with pytest.raises(Refused, match="is a table of Headwater"):
        clean_tables(app_of(scene, tables={"documents": 1}))
    assert Retention(tables={"x": -1}).least_days == -1


def test_r43_the_policy_of_the_seed_is_the_default_and_runs_every_25_minutes():
    assert Settings().retention.polls == 14
    assert build_recipe().tables["competitive_signal_records"] == 30
    assert build_recipe().tables["trading_decisions"] == build_recipe().tables["execution_decisions"] == 90
    assert MAINTENANCE_TASKS["cleanup_tables"].trigger.cron == "*/25 * * * *"

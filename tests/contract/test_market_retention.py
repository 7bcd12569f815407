"""How long records are kept, and that deleting old polls wakes no stopped source."""

from datetime import timedelta

from sqlalchemy import select, update
from tests.support.scene import RECIPE, START, Scene

from headwater.app import App
from headwater.model.jobs import Task
from headwater.model.ports import QueueItem
from headwater.ops.retention import apply_retention
from headwater.settings.settings import Retention, Settings
from headwater.store.changes.queues import SqlQueues
from headwater.store.connect import read_transaction, write_transaction
from headwater.store.schema.flow import polls, sources
from headwater.store.schema.operations import queue_items

DAY = timedelta(days=1)


def app_of(scene: Scene, **days: int) -> App:
    app = App(Settings(data="unused", retention=Retention(**days)), clock=lambda: scene.now)
    app.__dict__["store"] = scene.store
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

"""What is kept for how long, and that forgetting a look wakes nobody."""

from datetime import timedelta

from sqlalchemy import select, update
from tests.scene import RECIPE, START, Scene

from headwater.app import App
from headwater.backends.sql.connect import reading, writing
from headwater.backends.sql.queueing import RowQueues
from headwater.backends.sql.schema import queue_items, runs, sources
from headwater.model.queue import QueueItem
from headwater.model.work import Task
from headwater.settings.settings import Retention, Settings
from headwater.worker.cleanup import clean_up

DAY = timedelta(days=1)


def app_of(scene: Scene, **days: int) -> App:
    made = App(Settings(data="unused", retention=Retention(**days)), clock=lambda: scene.now)
    made.__dict__["store"] = scene.store
    return made


def test_r43_5_5_looks_go_after_fourteen_days_and_a_stopped_source_stays_stopped(scene: Scene):
    scene.tell(scene.lead("a"))
    with writing(scene.store.engine) as connection:
        connection.execute(update(sources).values(stopped="10 failures in a row", failures=10, due_at=None))
    scene.now = START + 13 * DAY
    assert clean_up(app_of(scene, runs=14))["runs"] == 0
    scene.now = START + 15 * DAY
    assert clean_up(app_of(scene, runs=14))["runs"] == 1
    with reading(scene.store.engine) as connection:
        assert connection.execute(select(runs)).all() == []
        assert connection.scalar(select(sources.c.failures)) == 10
    assert Task.POLL not in scene.store.next_due(RECIPE)
    assert scene.claim(Task.POLL) == []


def test_r43_items_that_were_ended_go_and_those_that_wait_stay(scene: Scene):
    queues = RowQueues(scene.store.engine, lambda: scene.now)
    for number in (1, 2):
        queues.push([QueueItem(id=f"i{number}", queue="q", recipe="markets", document="d", payload={})])
    queues.ack("i1")
    scene.now = START + 31 * DAY
    assert clean_up(app_of(scene, queue=30), dry_run=True)["queue"] == 1
    assert clean_up(app_of(scene, queue=30))["queue"] == 1
    with reading(scene.store.engine) as connection:
        assert list(connection.scalars(select(queue_items.c.id))) == ["i2"]

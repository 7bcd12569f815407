"""The beat reads rows: one of all beats sends hints for work that is due and not leased, on both databases."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

import pytest
from kombu.exceptions import OperationalError
from sqlalchemy import Engine, update
from tests.support.scene import LEASE as WORK_LEASE
from tests.support.scene import RECIPE, Scene, make_source

from headwater.app import App
from headwater.liveness import owner_name
from headwater.model.errors import Temporary
from headwater.model.jobs import Job, Task
from headwater.runtime.celery import beat as module
from headwater.runtime.celery.beat import LEASE, Beat, leader_row, run_beat
from headwater.runtime.celery.queues import MAINTENANCE_QUEUE, queue_name
from headwater.runtime.maintenance import MAINTENANCE_TASKS
from headwater.settings.settings import Settings
from headwater.store.connect import write_transaction
from headwater.store.maintenance.tasks import MaintenanceTasks
from headwater.store.schema.flow import sources
from headwater.store.schema.operations import maintenance_tasks

POLL = f"headwater.{RECIPE}.poll"
ELSEWHERE, FURTHER = "elsewhere:1:0:beat", "further:1:0:beat"


@dataclass
class RecordedHints:
    """Records hints instead of sending them."""

    sent_jobs: list[str] = field(default_factory=list)
    errors: list[Exception] = field(default_factory=list)

    def send(self, job: Job) -> bool:
        if self.errors:
            raise self.errors.pop()
        self.sent_jobs.append(queue_name(job))
        return True

    def send_maintenance(self) -> bool:
        self.sent_jobs.append(MAINTENANCE_QUEUE)
        return True


@dataclass
class Stage:
    scene: Scene
    app: App
    hints: RecordedHints = field(default_factory=RecordedHints)

    def beat(self, owner: str = ELSEWHERE) -> Beat:
        return Beat(self.app, [RECIPE], self.hints, owner=owner)

    def pass_time(self, step: timedelta) -> None:
        self.scene.now += step


@pytest.fixture
def stage(scene: Scene, database: str, tmp_path: Path) -> Iterator[Stage]:
    app = App(Settings(data=str(tmp_path), database=database, log_level="error"), clock=lambda: scene.now)
    yield Stage(scene, app)
    app.store.engine.dispose()


def test_hints_are_sent_for_due_work_that_is_not_leased(stage: Stage):
    scene, beat = stage.scene, stage.beat()
    assert beat.hint_due_work() == []
    scene.store.register([scene.source], scene.now)
    assert beat.hint_due_work() == [POLL]
    scene.claim(Task.POLL)
    assert beat.hint_due_work() == []
    stage.pass_time(WORK_LEASE)  # its owner died on another machine
    assert POLL in beat.hint_due_work()


def test_no_hints_are_sent_for_paused_sources_nor_for_stopped_ones_before_their_daily_try(
    stage: Stage, engine: Engine
):
    scene, beat = stage.scene, stage.beat()
    scene.store.register([scene.source], scene.now)
    with write_transaction(engine) as connection:
        tomorrow = scene.now + timedelta(days=1)
        connection.execute(update(sources).values(stop_reason="ten failures", due_at=tomorrow))
    assert beat.hint_due_work() == []
    with write_transaction(engine) as connection:
        connection.execute(update(sources).values(stop_reason=None, active=False, due_at=scene.now))
    assert beat.hint_due_work() == []


def test_hints_for_maintenance_are_sent_when_a_task_is_due(stage: Stage):
    beat = stage.beat()
    assert beat.hint_due_work() == []
    stage.pass_time(timedelta(minutes=6))
    assert beat.hint_due_work() == [MAINTENANCE_QUEUE]
    rows = MaintenanceTasks(stage.app.store.engine)
    hints = [
        name for name in MAINTENANCE_TASKS if rows.claim(name, "me", stage.scene.now, timedelta(minutes=1))
    ]
    assert "health_check" in hints
    assert beat.hint_due_work() == []


def test_one_of_two_beats_leads_and_the_other_takes_over_when_the_lease_runs_out(stage: Stage):
    stage.scene.store.register([stage.scene.source], stage.scene.now)
    first, second = stage.beat(ELSEWHERE), stage.beat(FURTHER)
    assert (first.hint_due_work(), second.hint_due_work()) == ([POLL], [])
    stage.pass_time(LEASE / 2)
    assert (second.hint_due_work(), first.hint_due_work()) == ([], [POLL])
    stage.pass_time(LEASE / 2)  # it was renewed meanwhile
    assert second.hint_due_work() == []
    stage.pass_time(LEASE / 2)
    assert (second.hint_due_work(), first.hint_due_work()) == ([POLL], [])


def test_a_leader_that_died_on_this_machine_is_replaced_at_once(stage: Stage):
    host = owner_name("beat").partition(":")[0]
    stage.scene.store.register([stage.scene.source], stage.scene.now)
    assert stage.beat(f"{host}:999999999:1:beat").hint_due_work() == [POLL]
    assert stage.beat(ELSEWHERE).hint_due_work() == [POLL]


def test_a_leader_that_resigns_is_replaced_at_once(stage: Stage):
    stage.scene.store.register([stage.scene.source], stage.scene.now)
    first, second = stage.beat(ELSEWHERE), stage.beat(FURTHER)
    assert (first.hint_due_work(), second.hint_due_work()) == ([POLL], [])
    first.resign()
    assert (second.hint_due_work(), first.hint_due_work()) == ([POLL], [])
    first.resign()  # a beat that does not lead releases nothing
    (row,) = stage.scene.rows(maintenance_tasks, name=leader_row(RECIPE))
    assert row["lease_owner"] == FURTHER


def test_beats_of_different_recipes_do_not_replace_each_other(stage: Stage):
    scene = stage.scene
    other = make_source("Other", recipe="other")
    scene.store.register([scene.source, other], scene.now)
    first, second = stage.beat(ELSEWHERE), Beat(stage.app, ["other"], stage.hints, owner=FURTHER)
    assert (first.hint_due_work(), second.hint_due_work()) == ([POLL], ["headwater.other.poll"])


def test_leases_of_dead_processes_are_released_with_the_next_beat(stage: Stage):
    scene = stage.scene
    scene.store.register([scene.source], scene.now)
    host = owner_name("worker").partition(":")[0]
    scene.claim(Task.POLL, f"{host}:999999999:1:worker")
    assert stage.beat().hint_due_work() == [POLL]


@pytest.mark.parametrize(
    "error",
    [Temporary("database_unavailable"), Temporary("redis_unavailable"), OperationalError("away"), OSError()],
    ids=repr,
)
def test_a_beat_waits_for_database_and_broker_and_continues(
    stage: Stage, error: Exception, monkeypatch: pytest.MonkeyPatch
):
    rests: list[float] = []
    monkeypatch.setattr(module.time, "sleep", rests.append)
    stage.scene.store.register([stage.scene.source], stage.scene.now)
    stage.hints.errors = [error]
    run_beat(stage.beat(), lambda: len(rests) == 3)
    assert rests == [module.ERROR_SLEEP, module.BEAT_SECONDS, module.BEAT_SECONDS]
    assert stage.hints.sent_jobs == [POLL, POLL]


def test_until_idle_ends_when_nothing_is_due_soon(stage: Stage, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module.time, "sleep", lambda _: stage.pass_time(timedelta(hours=1)))
    run_beat(stage.beat(), lambda: False, until_idle=True)
    assert stage.hints.sent_jobs == []

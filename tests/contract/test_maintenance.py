"""Maintenance tasks on a schedule: one of all workers runs each of them, even when workers die."""

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import delete
from tests.support.crypto_scene import ask, crypto, settings_file
from tests.support.installed_recipes import install_recipes
from tests.support.scene import HOUR, RECIPE, Scene, ended_result, make_lead, make_source

from headwater.app import App
from headwater.liveness import machine_id
from headwater.model.errors import Refused, Temporary
from headwater.model.jobs import State, Task
from headwater.model.source import Trigger
from headwater.ops.health import check_health
from headwater.runtime.maintenance import LEASE, MAINTENANCE_TASKS, Maintenance, MaintenanceTask
from headwater.runtime.runs import close_runs, record_continuous_runs, record_run
from headwater.settings.settings import read_settings
from headwater.store.connect import unchecked_transaction
from headwater.store.maintenance.tasks import MaintenanceTasks
from headwater.store.schema.operations import maintenance_tasks
from headwater.store.schema.search import search_entries
from headwater.store.search.entries import index_documents

pytestmark = pytest.mark.usefixtures("recipe_views")
NOON = datetime(2026, 11, 13, 12, 1, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


@dataclass
class RecordedTask:
    """A maintenance task that records when it ran; it raises the errors in `errors` first."""

    at: list[datetime] = field(default_factory=list)
    errors: list[BaseException] = field(default_factory=list)

    def __call__(self, app: App) -> dict[str, Any]:
        if self.errors:
            raise self.errors.pop()
        self.at.append(app.clock())
        return {"done": len(self.at)}


@pytest.fixture
def app(database: str, tmp_path: Path, scene: Scene) -> Iterator[App]:
    scene.now = NOON
    opened = App(
        read_settings(settings_file(tmp_path, database, "log_level: error"), {}), clock=lambda: scene.now
    )
    yield opened
    opened.store.engine.dispose()


@pytest.fixture
def recorded_task() -> RecordedTask:
    return RecordedTask()


def worker(
    app: App, recorded_task: RecordedTask, cron: str = "*/5 * * * *", owner: str = "me"
) -> Maintenance:
    return Maintenance(app, owner=owner, tasks={"tidy": MaintenanceTask(Trigger(cron=cron), recorded_task)})


def live(scene: Scene, *workers: Maintenance, span: timedelta, step: timedelta = MINUTE) -> None:
    until = scene.now + span
    while scene.now < until:
        for maintenance in workers:
            maintenance.run_due()
        scene.now += step


def test_c32_health_is_checked_every_five_minutes_and_c33_old_jobs_go_at_two():
    assert MAINTENANCE_TASKS["health_check"].trigger == Trigger(cron="*/5 * * * *")
    assert MAINTENANCE_TASKS["cleanup_old_jobs"].trigger == Trigger(cron="0 2 * * *")


def test_c32_a_task_runs_when_its_minute_comes(app: App, scene: Scene, recorded_task: RecordedTask):
    live(scene, worker(app, recorded_task), span=20 * MINUTE)
    assert [f"{moment:%H:%M}" for moment in recorded_task.at] == ["12:05", "12:10", "12:15", "12:20"]


def test_c33_a_nightly_task_runs_once_a_night(app: App, scene: Scene, recorded_task: RecordedTask):
    live(scene, worker(app, recorded_task, "0 2 * * *"), span=timedelta(days=3), step=20 * MINUTE)
    assert [moment.day for moment in recorded_task.at] == [14, 15, 16]
    assert {moment.hour for moment in recorded_task.at} == {2}


def test_one_of_several_workers_runs_a_task(app: App, scene: Scene, recorded_task: RecordedTask):
    workers = [worker(app, recorded_task, owner=name) for name in ("a", "b", "c")]
    live(scene, *workers, span=11 * MINUTE)
    assert len(recorded_task.at) == 2


def test_most_calls_only_read_the_clock(
    app: App, scene: Scene, recorded_task: RecordedTask, monkeypatch: pytest.MonkeyPatch
):
    maintenance = worker(app, recorded_task)
    maintenance.run_due()
    monkeypatch.setitem(vars(app), "maintenance_tasks", None)
    scene.now += timedelta(seconds=14)
    assert maintenance.run_due() == []
    scene.now += timedelta(seconds=1)
    with pytest.raises(AttributeError):
        maintenance.run_due()


class WorkerDied(BaseException):
    """Nothing catches it."""


def test_c35_another_worker_runs_the_task_of_a_dead_one(app: App, scene: Scene, recorded_task: RecordedTask):
    recorded_task.errors = [WorkerDied()]
    first, second = worker(app, recorded_task, owner="first"), worker(app, recorded_task, owner="second")
    first.run_due()
    scene.now += 5 * MINUTE
    with pytest.raises(WorkerDied):
        first.run_due()
    live(scene, second, span=LEASE - MINUTE)
    assert recorded_task.at == []
    live(scene, second, span=2 * MINUTE)
    assert len(recorded_task.at) == 1


def test_c35_the_task_of_a_dead_process_is_free_at_once(app: App, scene: Scene, recorded_task: RecordedTask):
    with subprocess.Popen([sys.executable, "-c", ""]) as dead_process:
        dead = f"{machine_id()}:{dead_process.pid}:0:maintenance"
    maintenance = worker(app, recorded_task)
    maintenance.run_due()
    MaintenanceTasks(app.store.engine).claim("tidy", dead, scene.now, LEASE, early=True)
    assert maintenance.run_now("tidy") == {"done": 1}


@pytest.mark.parametrize("error", [Temporary("disk_full", "no room"), ValueError("a mistake")])
def test_c37_a_task_that_fails_is_logged_and_runs_again_at_its_next_time(
    app: App, scene: Scene, recorded_task: RecordedTask, error: Exception
):
    recorded_task.errors = [error]
    maintenance = worker(app, recorded_task)
    live(scene, maintenance, span=6 * MINUTE)
    (row,) = scene.rows(maintenance_tasks)
    assert row["status"] == "FAILED"
    assert row["result"]["error"] in {"disk_full", "error:ValueError"}
    live(scene, maintenance, span=5 * MINUTE)
    assert scene.row(maintenance_tasks)["status"] == "COMPLETED"


def test_a_task_that_fails_keeps_its_last_result_so_that_the_next_run_goes_on_from_there(
    app: App, scene: Scene, recorded_task: RecordedTask
):
    maintenance = worker(app, recorded_task)
    assert maintenance.run_now("tidy") == {"done": 1}
    recorded_task.errors = [Temporary("disk_full", "no room"), Temporary("away")]
    for reason in ("away", "disk_full"):
        attempt = maintenance.run_task("tidy", early=True)
        assert attempt is not None
        assert (attempt["error"], "done" in attempt) == (reason, False)
        assert app.maintenance_tasks.last_result("tidy") == {"done": 1} | attempt
    assert maintenance.run_now("tidy") == app.maintenance_tasks.last_result("tidy") == {"done": 2}


def test_c27_maintenance_tasks_are_jobs_too(app: App, scene: Scene, recorded_task: RecordedTask):
    scene.poll(source=crypto())
    maintenance = worker(app, recorded_task)
    maintenance.run_due()
    job = "SELECT status, job_type FROM ingestion_jobs WHERE job_type = 'tidy'"
    assert ask(app.store.engine, job) == [{"status": "PENDING", "job_type": "tidy"}]
    live(scene, maintenance, span=6 * MINUTE)
    assert ask(app.store.engine, job) == [{"status": "COMPLETED", "job_type": "tidy"}]


def test_an_operator_can_run_a_task_now_but_not_twice_at_the_same_time(
    app: App, scene: Scene, recorded_task: RecordedTask
):
    assert worker(app, recorded_task).run_now("tidy") == {"done": 1}
    MaintenanceTasks(app.store.engine).claim("tidy", "another", scene.now, LEASE, early=True)
    with pytest.raises(Refused, match="try again"):
        worker(app, recorded_task).run_now("tidy")


def test_c32_the_real_tasks_run(app: App, scene: Scene):
    scene.poll(source=crypto())
    maintenance = Maintenance(app)
    live(scene, maintenance, span=15 * timedelta(hours=1), step=30 * MINUTE)
    rows = {row["name"]: row for row in scene.rows(maintenance_tasks)}
    assert rows.pop("replay_recipes")["status"] == "PENDING", "once a month"
    assert {row["status"] for row in rows.values()} == {"COMPLETED"}
    assert rows["cleanup_old_jobs"]["ended_at"] == datetime(2026, 11, 14, 2, 1, tzinfo=UTC)
    assert rows["health_check"]["result"]["parts"]["database"]["ok"] is True


def test_reports_of_a_recipe_are_updated_without_the_end_of_a_run(app: App, scene: Scene):
    closed: list[Path] = []
    recipe = app.recipe("crypto")
    summing = replace(recipe, after_run=lambda folder, _: closed.append(folder))
    install_recipes(app, {"crypto": summing, "elsewhere": replace(summing, name="elsewhere")})
    scene.poll(source=crypto())
    maintenance = Maintenance(app, tasks={"close_runs": MAINTENANCE_TASKS["close_runs"]})
    live(scene, maintenance, span=timedelta(hours=2), step=10 * MINUTE)
    assert closed == [app.output("crypto")] * 2
    assert scene.row(maintenance_tasks)["result"] == {"closed": ["crypto"]}


def test_a_recipe_that_cannot_write_its_report_delays_no_other(app: App, scene: Scene):
    closed: list[Path] = []

    def away(folder: Path, _: object) -> None:
        raise Temporary("database_away", folder.name)

    recipe = app.recipe("crypto")
    first, second = (
        replace(recipe, after_run=maintenance)
        for maintenance in (away, lambda folder, _: closed.append(folder))
    )
    install_recipes(app, {"crypto": first, "markets": replace(second, name="markets")})
    scene.poll(source=crypto())
    scene.poll(source=make_source("Other", recipe="markets"))
    with pytest.raises(Temporary, match="database_away"):
        close_runs(app)
    assert closed == [app.output("markets")]


def test_p29_the_search_index_is_filled_at_night_before_the_first_search(app: App, scene: Scene):
    scene.keep("licence", title="Permiso de conducir", text="El permiso caduca a los diez años.")
    with unchecked_transaction(app.store.engine) as connection:  # as after a restore
        connection.execute(delete(search_entries))
    install_recipes(app, {RECIPE: None})
    maintenance = Maintenance(app, tasks={"fill_search_index": MAINTENANCE_TASKS["fill_search_index"]})
    live(scene, maintenance, span=timedelta(hours=15), step=15 * MINUTE)
    assert scene.row(maintenance_tasks)["result"] == {RECIPE: 1}
    assert index_documents(app.store.engine, RECIPE) == 0
    assert maintenance.run_now("fill_search_index") == {}


def test_workers_that_never_end_have_a_run_from_their_first_poll_so_that_alarms_can_fire(
    app: App, scene: Scene
):
    source = crypto("One")
    scene.poll(source=source)
    scene.now = NOON + MINUTE
    assert list(record_continuous_runs(app)["begun"]) == ["crypto"]
    (first,) = app.pipeline_runs.list_runs("crypto", {})
    assert (first["status"], first["started_at"], first["ended_at"]) == ("running", NOON, None)
    entries = [make_lead(str(number), source=source, body="b") for number in range(30)]
    scene.poll(*entries, source=source)
    drafts = scene.claim(Task.REFINE, recipe="crypto")
    scene.refine(*(ended_result(draft, State.QUARANTINED, "unreadable") for draft in drafts))
    assert any("entries failed" in title for title in check_health(app)["recipes"]["crypto"]["raised"])
    scene.now = NOON + 24 * HOUR
    record_continuous_runs(app)
    (first,) = app.pipeline_runs.list_runs("crypto", {})
    assert (first["status"], first["failed_count"], first["total_count"]) == ("partial", 30, 30)
    assert record_continuous_runs(app) == {"begun": {}, "ended": {}}


def test_a_run_that_is_started_ends_that_of_workers_which_never_end(app: App, scene: Scene):
    scene.poll(source=crypto("One"))
    scene.now = NOON + MINUTE
    record_continuous_runs(app)
    with record_run(app, "crypto") as name:
        assert name is not None
        assert record_continuous_runs(app) == {"begun": {}, "ended": {}}
    assert [row["status"] for row in app.pipeline_runs.list_runs("crypto", {})] == ["completed"] * 2
    scene.now = NOON + 3 * HOUR
    assert record_continuous_runs(app) == {"begun": {}, "ended": {}}

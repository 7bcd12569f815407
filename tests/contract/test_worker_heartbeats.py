"""What a worker without a heartbeat held is free; what a living one holds is not, and nothing is done twice."""

import subprocess
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import Engine, select, update
from tests.support.scene import Scene, kept_result

from headwater.app import App
from headwater.liveness import machine_id, process_name, process_of
from headwater.model.jobs import State, Task
from headwater.ops.installation_lock import release_dead_owners
from headwater.ops.system_checks import read_work_state, work_checks
from headwater.ops.system_rules import BEAT_ROLE
from headwater.runtime.heartbeat import Heartbeat, heartbeat, this_process
from headwater.settings.settings import Settings
from headwater.store.changes.workers import SILENT_AFTER, WorkerProcess
from headwater.store.schema.flow import documents
from headwater.store.schema.identity import workers
from headwater.store.schema.operations import maintenance_tasks

# A worker in a container: a host name, a pid of its own namespace, and a start id.
BEFORE = WorkerProcess(id="pod-1/b/1:7:100:aaaa", role="local", host="pod-1", pid=7, version="1")
RESTARTED = replace(BEFORE, id="pod-1/b/2:7:900:bbbb")


@pytest.fixture
def app(database: str, tmp_path: Path, scene: Scene) -> Iterator[App]:
    opened = App(Settings(data=str(tmp_path / "data"), database=database), clock=lambda: scene.now)
    yield opened
    opened.store.engine.dispose()


def fall_silent(
    engine: Engine, process: WorkerProcess, seconds: float = SILENT_AFTER.total_seconds()
) -> None:
    with engine.begin() as connection:
        at = connection.scalar(select(workers.c.heartbeat_at).where(workers.c.id == process.id))
        connection.execute(
            update(workers)
            .where(workers.c.id == process.id)
            .values(heartbeat_at=at - timedelta(seconds=seconds))
        )


def claim_documents(scene: Scene, owner: str, *paths: str) -> list:
    leads = [scene.lead(path) for path in paths]
    scene.poll(*leads)
    scene.fetch(*leads)
    return scene.claim(Task.REFINE, owner)


def beat_twice(app: App, process: WorkerProcess) -> int:
    """The second heartbeat is on time."""
    own = Heartbeat(app, process)
    return own.tick() + own.tick()


def test_a_worker_that_was_restarted_in_place_frees_what_it_held(app: App, scene: Scene):
    app.workers.record(BEFORE, scene.now)
    old = claim_documents(scene, f"{BEFORE.id}:local", *map(str, range(5)))
    assert beat_twice(app, RESTARTED) == 0  # it may still be alive
    fall_silent(app.store.engine, BEFORE)
    assert beat_twice(app, RESTARTED) == 5
    assert [beat.process.id for beat in app.workers.heartbeats(scene.now)] == [RESTARTED.id]
    new = scene.claim(Task.REFINE, f"{RESTARTED.id}:local")
    assert {draft.id for draft in new} == {draft.id for draft in old}
    assert {draft.attempts for draft in new} == {2}  # the death counts
    scene.refine(*(kept_result(draft) for draft in new), owner=f"{RESTARTED.id}:local")
    scene.refine(*(kept_result(draft, title="late") for draft in old), owner=f"{BEFORE.id}:local")
    assert {(row["state"], row["title"]) for row in scene.rows(documents)} == {(State.KEPT, "A title")}


def test_a_beat_frees_what_killed_workers_held_and_leaves_their_rows_until_a_worker_lives(
    app: App, scene: Scene
):
    here = replace(BEFORE, id=f"{machine_id()}:{ended_process()}:1:aaaa", role="cluster-local")
    for process in (BEFORE, here):
        app.workers.record(process, scene.now)
        claim_documents(scene, f"{process.id}:local", process.id[-9:].replace(":", "-"))
    assert [beat.is_live for beat in app.workers.heartbeats(scene.now) if beat.process == here] == [False]
    fall_silent(app.store.engine, BEFORE)
    assert release_dead_owners(app, forget=False) == 1
    assert beat_twice(app, replace(RESTARTED, role=BEAT_ROLE)) == 1
    state = read_work_state(app)
    assert len(state.heartbeats) == 3
    workers_part = work_checks(state)["workers"]
    assert (workers_part.ok, "did not stop in order" in workers_part.detail) == (False, True)
    assert state.due == 2
    release_dead_owners(app)
    beat_twice(app, replace(RESTARTED, id="pod-2/b/2:7:900:cccc"))
    assert {beat.process.id for beat in app.workers.heartbeats(scene.now)}.isdisjoint({BEFORE.id, here.id})


def ended_process() -> int:
    """The id of a process that has ended."""
    ended = subprocess.Popen(["true"])
    ended.wait()
    return ended.pid


def test_owners_without_a_row_are_left_alone(app: App, scene: Scene):
    """A worker of an earlier version has no heartbeat: its leases run out by themselves."""
    claim_documents(scene, "pod-9/b/1:7:100:local", "a")
    assert beat_twice(app, RESTARTED) == 0
    assert app.store.lease_owners() == {"pod-9/b/1:7:100:local"}


def test_a_process_that_was_late_itself_does_not_judge_others(app: App, scene: Scene):
    """It slept, or the database was away: then the others could not be heard either."""
    app.workers.record(BEFORE, scene.now)
    claim_documents(scene, f"{BEFORE.id}:local", "a")
    app.workers.record(RESTARTED, scene.now)
    for process in (BEFORE, RESTARTED):
        fall_silent(app.store.engine, process, 60)
    own = Heartbeat(app, RESTARTED)
    assert own.tick() == 0
    app.workers.record(BEFORE, scene.now)  # it comes back as well
    assert own.tick() == 0
    assert app.store.lease_owners() == {f"{BEFORE.id}:local"}


def test_the_maintenance_task_of_a_silent_worker_is_free_too(app: App, scene: Scene):
    app.workers.record(BEFORE, scene.now)
    app.maintenance_tasks.register({"health_check": scene.now}, scene.now)
    assert app.maintenance_tasks.claim(
        "health_check", f"{BEFORE.id}:maintenance", scene.now, timedelta(minutes=15)
    )
    fall_silent(app.store.engine, BEFORE)
    assert app.workers.release_silent(scene.now) == 1
    assert scene.row(maintenance_tasks)["lease_owner"] is None


def test_a_process_is_known_while_it_works_and_forgotten_when_it_ends(app: App, scene: Scene):
    with heartbeat(app, "local"):
        (beat,) = app.workers.heartbeats(scene.now)
        assert (beat.process, beat.is_live) == (this_process("local"), True)
    assert app.workers.heartbeats(scene.now) == []


def test_a_start_id_is_unique_and_part_of_every_owner():
    assert process_of(f"{process_name()}:network") == process_name()
    assert process_name() == process_name()
    assert len(process_name().split(":")) == 4

"""Workers in real processes: no job runs twice, they end cleanly, survive a killed process and stay within their memory."""

import signal
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
from tests.support.journal_recipe import RECIPE, children
from tests.support.scene import Scene
from tests.support.worker_processes import WorkerProcesses, worker_processes

from headwater.model.jobs import State, Task
from headwater.store.reads.catalogue import Catalogue
from headwater.store.schema.flow import deliveries, documents, leads, polls
from headwater.store.sql_store import SqlStore
from headwater_demo.faults import Fault
from headwater_demo.internet import Internet, running

MEGABYTE = 1024 * 1024
ARTICLES = 40  # in the small internet


@pytest.fixture
def internet() -> Iterator[Internet]:
    with running(size="small") as demo_internet:
        yield demo_internet


@pytest.fixture
def processes(internet: Internet, tmp_path: Path) -> Iterator[WorkerProcesses]:
    with worker_processes(tmp_path, internet) as started:
        yield started


def _scene(processes: WorkerProcesses, open_store: Callable[[str], SqlStore]) -> Scene:
    return Scene(open_store(processes.url))


def _assert_all_done(scene: Scene) -> None:
    """Asserts that every article was stored and delivered once, and that no work and no lease is left."""
    assert Counter(row["state"] for row in scene.rows(documents)) == {State.KEPT: ARTICLES}
    assert Counter(row["state"] for row in scene.rows(deliveries)) == {State.DONE: ARTICLES}
    assert {task for task in scene.store.next_due(RECIPE) if task is not Task.POLL} == set()
    assert scene.store.lease_owners() == set()


def _delivered(processes: WorkerProcesses) -> int:
    return len(list((processes.folder / "data" / "out" / RECIPE / "articles").glob("*.json")))


@pytest.mark.parametrize(
    "engine", [pytest.param("sqlite", marks=pytest.mark.long), "postgresql"], indirect=True
)
def test_two_workers_on_one_database_never_run_a_job_twice(
    internet: Internet, tmp_path: Path, database: str, open_store: Callable[[str], SqlStore]
):
    with worker_processes(tmp_path, internet, database=database) as processes:
        heaviest = (0, "")

        def measure() -> None:
            nonlocal heaviest
            for pool in processes.started:
                heaviest = max([heaviest, *(_memory(process) for process in children(pool))])

        pools = [processes.start("--until-idle"), processes.start("--until-idle")]
        assert processes.finish(*pools, watch=measure) == [0, 0], processes.output()
        scene = _scene(processes, open_store)
        _assert_all_done(scene)
        assert Counter(processes.journal()) == Counter(f"{row['id']} 1" for row in scene.rows(documents))
        assert [run["status"] for run in scene.rows(polls)] == ["completed"] * 6
        requests = Counter((record["host"], record["path"]) for record in internet.log())
        assert {count for (_, path), count in requests.items() if path != "/robots.txt"} == {1}
        assert _delivered(processes) == ARTICLES
        # C-36: each process stays within its bounds.
        assert 0 < heaviest[0] < 512 * MEGABYTE, heaviest


def _memory(process: psutil.Process) -> tuple[int, str]:
    """Its own memory and what it shares, and what it is."""
    try:
        with process.oneshot():
            memory = process.memory_full_info()
            return int(memory.pss), f"{memory} {process.cmdline()} of {process.parent()}"
    except psutil.Error:
        return 0, ""


def test_a_terminated_worker_ends_cleanly_without_leases_and_its_work_resumes(
    processes: WorkerProcesses, internet: Internet, open_store: Callable[[str], SqlStore]
):
    internet.fault("hashfield.example", "*", Fault(delay=1.0), times=50)
    pool = processes.start()
    processes.wait_until(lambda: len(processes.journal()) > 0)
    working = children(pool)
    assert len(working) == 2
    pool.send_signal(signal.SIGTERM)
    assert processes.finish(pool) == [0], processes.output()
    assert not any(process.is_running() for process in working)
    scene = _scene(processes, open_store)
    assert scene.store.lease_owners() == set()
    assert {row["lease_owner"] for table in (leads, documents, deliveries) for row in scene.rows(table)} <= {
        None
    }
    assert "Traceback" not in processes.output()
    internet.clear_faults()
    processes.run_here()
    _assert_all_done(scene)


def test_processes_whose_parent_was_killed_end_by_themselves_and_free_their_leases(
    processes: WorkerProcesses, open_store: Callable[[str], SqlStore]
):
    pool = processes.start()
    processes.wait_until(lambda: len(processes.journal()) > 0)
    working = children(pool)
    pool.kill()
    pool.wait()
    processes.wait_until(lambda: not any(process.is_running() for process in working))
    scene = _scene(processes, open_store)
    assert scene.store.lease_owners() == set()


def test_leases_of_killed_processes_are_freed_at_the_start_and_in_a_run(
    processes: WorkerProcesses, internet: Internet, open_store: Callable[[str], SqlStore]
):
    """First everything is killed at once: the next start does not wait until the leases expire. Then only the children
    and the process from which they were forked: they are replaced."""
    internet.fault("hashfield.example", "*", Fault(delay=0.5), times=100)
    pool = processes.start()
    processes.wait_until(
        lambda: (processes.folder / "data" / "headwater.db").exists() and len(children(pool)) == 2
    )
    scene = _scene(processes, open_store)
    processes.wait_until(lambda: scene.count(leads) > 0)
    for process in children(pool):
        process.kill()
    pool.kill()
    pool.wait()
    lines_before = len(processes.journal())
    pool = processes.start("--until-idle")
    processes.wait_until(lambda: len(processes.journal()) > lines_before or pool.poll() is not None)
    dead = children(pool)
    assert len(dead) == 2, processes.output()
    (fork_server,) = {process.parent() for process in dead}
    for process in (fork_server, *dead):
        process.kill()
    processes.wait_until(lambda: pool.poll() is not None or len(set(children(pool)) - set(dead)) == 2)
    internet.clear_faults()
    assert processes.finish(pool) == [0], processes.output()
    _assert_all_done(scene)
    assert _delivered(processes) == ARTICLES
    assert processes.output().count("worker died") == 2
    status = Catalogue(scene.store.engine).status(RECIPE, scene.now)
    assert status["quarantine"] == 0

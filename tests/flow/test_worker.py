"""Workers in real processes: no job twice, a clean end, a death survived, memory within bounds."""

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
    with running(size="small") as made:
        yield made


@pytest.fixture
def shop(internet: Internet, tmp_path: Path) -> Iterator[WorkerProcesses]:
    with worker_processes(tmp_path, internet) as made:
        yield made


def _scene(shop: WorkerProcesses, open_store: Callable[[str], SqlStore]) -> Scene:
    return Scene(open_store(shop.url))


def _all_is_done(scene: Scene) -> None:
    """Every article once, delivered once, nothing left, nothing held."""
    assert Counter(row["state"] for row in scene.rows(documents)) == {State.KEPT: ARTICLES}
    assert Counter(row["state"] for row in scene.rows(deliveries)) == {State.DONE: ARTICLES}
    assert {task for task in scene.store.next_due(RECIPE) if task is not Task.POLL} == set()
    assert scene.store.lease_owners() == set()


def _delivered(shop: WorkerProcesses) -> int:
    return len(list((shop.folder / "data" / "out" / "articles").glob("*.json")))


def test_two_workers_on_one_database_never_do_one_job_twice(
    internet: Internet, tmp_path: Path, database: str, open_store: Callable[[str], SqlStore]
):
    with worker_processes(tmp_path, internet, database=database) as shop:
        heaviest = 0

        def weigh() -> None:
            nonlocal heaviest
            for crew in shop.started:
                heaviest = max([heaviest, *(_weight(process) for process in children(crew))])

        crews = [shop.start("--until-idle"), shop.start("--until-idle")]
        assert shop.finish(*crews, watch=weigh) == [0, 0], shop.output()
        scene = _scene(shop, open_store)
        _all_is_done(scene)
        assert Counter(shop.journal()) == Counter(f"{row['id']} 1" for row in scene.rows(documents))
        assert [run["status"] for run in scene.rows(polls)] == ["completed"] * 6
        asked = Counter((record["host"], record["path"]) for record in internet.log())
        assert {count for (_, path), count in asked.items() if path != "/robots.txt"} == {1}
        assert _delivered(shop) == ARTICLES
        # C-36: each process stays within its bounds.
        assert 0 < heaviest < 512 * MEGABYTE


def _weight(process: psutil.Process) -> int:
    try:
        return int(process.memory_info().rss)
    except psutil.Error:
        return 0


def test_a_terminated_worker_ends_cleanly_holds_nothing_and_is_resumed(
    shop: WorkerProcesses, internet: Internet, open_store: Callable[[str], SqlStore]
):
    internet.fault("hashfield.example", "*", Fault(delay=1.0), times=50)
    crew = shop.start()
    shop.wait_until(lambda: len(shop.journal()) > 0)
    working = children(crew)
    assert len(working) == 2
    crew.send_signal(signal.SIGTERM)
    assert shop.finish(crew) == [0], shop.output()
    assert not any(process.is_running() for process in working)
    scene = _scene(shop, open_store)
    assert scene.store.lease_owners() == set()
    assert {row["lease_owner"] for table in (leads, documents, deliveries) for row in scene.rows(table)} <= {
        None
    }
    internet.clear_faults()
    assert shop.finish(shop.start("--until-idle")) == [0], shop.output()
    _all_is_done(scene)
    assert "Traceback" not in shop.output()


def test_killed_processes_are_replaced_and_what_they_held_is_done(
    shop: WorkerProcesses, internet: Internet, open_store: Callable[[str], SqlStore]
):
    internet.fault("hashfield.example", "*", Fault(delay=0.5), times=50)
    crew = shop.start("--until-idle")
    shop.wait_until(lambda: len(shop.journal()) > 0)
    dead = children(crew)
    assert len(dead) == 2
    for process in dead:
        process.kill()
    shop.wait_until(lambda: crew.poll() is not None or len(set(children(crew)) - set(dead)) == 2)
    internet.clear_faults()
    assert shop.finish(crew) == [0], shop.output()
    _all_is_done(_scene(shop, open_store))
    assert _delivered(shop) == ARTICLES
    assert shop.output().count("worker died") == 2


def test_processes_whose_parent_was_killed_end_by_themselves_and_free_what_they_held(
    shop: WorkerProcesses, open_store: Callable[[str], SqlStore]
):
    crew = shop.start()
    shop.wait_until(lambda: len(shop.journal()) > 0)
    working = children(crew)
    crew.kill()
    crew.wait()
    shop.wait_until(lambda: not any(process.is_running() for process in working))
    scene = _scene(shop, open_store)
    assert scene.store.lease_owners() == set()


def test_leases_of_processes_that_are_no_more_are_freed_at_the_start(
    shop: WorkerProcesses, open_store: Callable[[str], SqlStore]
):
    """Everything was killed at once: the next start does not wait for the leases to run out."""
    crew = shop.start()
    shop.wait_until(lambda: (shop.folder / "data" / "headwater.db").exists() and len(children(crew)) == 2)
    scene = _scene(shop, open_store)
    shop.wait_until(lambda: scene.count(leads) > 0)
    for process in children(crew):
        process.kill()
    crew.kill()
    crew.wait()
    assert shop.finish(shop.start("--until-idle")) == [0], shop.output()
    _all_is_done(scene)
    status = Catalogue(scene.store.engine).status(RECIPE, scene.now)
    assert status["quarantine"] == 0

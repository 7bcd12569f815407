"""The engine under Celery: the same rows as on one machine, no job twice, one leading beat."""

from collections import Counter
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import psutil
import pytest
from tests.chaos.snapshot import Snapshot, take_snapshot
from tests.servers.postgres import Postgres
from tests.servers.valkey import Valkey
from tests.support.cluster import Cluster, cluster
from tests.support.deadline import DEADLINE
from tests.support.journal_recipe import RECIPE, children
from tests.support.table_rows import table_rows

from headwater.liveness import dead_owners
from headwater.runtime.celery.beat import leader_row
from headwater.store.schema.operations import maintenance_tasks
from headwater_demo.internet import Internet, running

MEGABYTE = 1024 * 1024
numbers = count(1)


@pytest.fixture(scope="module")
def internet() -> Iterator[Internet]:
    with running(size="small", process=True) as demo_internet:
        yield demo_internet


@pytest.fixture(scope="module")
def reference(internet: Internet, tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    """The rows of the same run on one machine, with SQLite."""
    folder = tmp_path_factory.mktemp("alone")
    with cluster(folder / "one", internet, f"sqlite:///{folder / 'headwater.db'}") as alone:
        alone.run_here()
        snapshot = take_snapshot(alone.data, alone.database)
    assert snapshot.problems == ()
    assert snapshot.kept > 30
    return snapshot.in_any_order


@pytest.fixture
def celery_cluster(
    internet: Internet, tmp_path: Path, postgres: Postgres, valkey: Valkey
) -> Iterator[Cluster]:
    name = f"cluster{next(numbers)}"
    with cluster(tmp_path, internet, postgres.create(name), redis=valkey.url) as opened:
        yield opened
    postgres.drop(name)


def _leader(celery_cluster: Cluster) -> str | None:
    rows = table_rows(celery_cluster.engine, maintenance_tasks, name=leader_row(RECIPE))
    return rows[0]["lease_owner"] if rows else None


def test_c36_a_cluster_stores_the_same_rows_as_one_machine_and_runs_no_job_twice(
    celery_cluster: Cluster, reference: Snapshot
):
    peak_memory = 0

    def measure_until_done() -> bool:
        nonlocal peak_memory
        for worker in workers:
            peak_memory = max([peak_memory, *(_memory(process) for process in children(worker))])
        return celery_cluster.is_done()

    beat = celery_cluster.beat()
    workers = [
        celery_cluster.worker("poll,fetch"),
        celery_cluster.worker("refine,gather,deliver,maintenance", 2),
    ]
    celery_cluster.wait_until(measure_until_done)
    assert celery_cluster.stop(*workers, beat) == [0] * 3, celery_cluster.output()
    assert take_snapshot(celery_cluster.data, celery_cluster.database).in_any_order == reference
    assert set(Counter(celery_cluster.journal()).values()) == {1}
    assert "Traceback" not in celery_cluster.output()
    assert 0 < peak_memory < 512 * MEGABYTE


def _memory(process: psutil.Process) -> int:
    try:
        return int(process.memory_info().rss)
    except psutil.Error:
        return 0


def test_c36_all_processes_of_a_killed_worker_end(celery_cluster: Cluster):
    worker = celery_cluster.worker()
    celery_cluster.wait_until(lambda: len(children(worker)) >= 4)
    processes = children(worker)
    worker.kill()
    _, alive = psutil.wait_procs(processes, timeout=DEADLINE)
    assert alive == []


@pytest.mark.long
def test_neither_a_killed_beat_nor_junk_in_a_queue_stops_the_work(
    celery_cluster: Cluster, reference: Snapshot, valkey: Valkey
):
    with valkey.client() as client:
        client.lpush(f"headwater.{RECIPE}.refine", "no message at all", "{}")
    worker, first, second = celery_cluster.worker(), celery_cluster.beat(), celery_cluster.beat()
    celery_cluster.wait_until(lambda: _leader(celery_cluster) is not None)
    leader = next(beat for beat in (first, second) if f":{beat.pid}:" in str(_leader(celery_cluster)))
    other = second if leader is first else first
    celery_cluster.kill(leader)
    celery_cluster.wait_until(celery_cluster.is_done)
    assert f":{other.pid}:" in str(_leader(celery_cluster))
    assert not dead_owners([str(_leader(celery_cluster))])
    assert celery_cluster.stop(worker, other) == [0, 0], celery_cluster.output()
    assert "worker died" in celery_cluster.output()
    assert _leader(celery_cluster) is None
    assert take_snapshot(celery_cluster.data, celery_cluster.database).in_any_order == reference

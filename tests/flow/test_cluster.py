"""The same engine behind Celery: the same rows as one machine makes, no job twice, one beat that counts."""

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
from tests.support.journal_recipe import RECIPE, children

from headwater.liveness import dead_owners
from headwater.runtime.celery.beat import leader_row
from headwater.store.maintenance.tasks import MaintenanceTasks
from headwater_demo.internet import Internet, running

MEGABYTE = 1024 * 1024
numbers = count(1)


@pytest.fixture(scope="module")
def internet() -> Iterator[Internet]:
    with running(size="small", process=True) as opened:
        yield opened


@pytest.fixture(scope="module")
def reference(internet: Internet, tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    """What one machine makes of it, on SQLite."""
    folder = tmp_path_factory.mktemp("alone")
    with cluster(folder / "one", internet, f"sqlite:///{folder / 'headwater.db'}") as alone:
        alone.finish(alone.start_embedded())
        snapshot = take_snapshot(alone.data, alone.database)
    assert snapshot.wrong == ()
    assert len(snapshot.texts) > 30
    return snapshot.in_any_order


@pytest.fixture
def many(internet: Internet, tmp_path: Path, postgres: Postgres, valkey: Valkey) -> Iterator[Cluster]:
    name = f"cluster{next(numbers)}"
    with cluster(tmp_path, internet, postgres.create(name), redis=valkey.url) as opened:
        yield opened
    postgres.drop(name)


def _leader(many: Cluster) -> str | None:
    return {row["name"]: row["lease_owner"] for row in MaintenanceTasks(many.engine).list_tasks()}.get(
        leader_row(RECIPE)
    )


def test_c36_a_cluster_makes_the_same_rows_as_one_machine_no_job_twice_and_stays_small(
    many: Cluster, reference: Snapshot
):
    heaviest = 0

    def done() -> bool:
        nonlocal heaviest
        for worker in workers:
            heaviest = max([heaviest, *(_weight(process) for process in children(worker))])
        return many.is_done()

    beats = [many.beat(), many.beat()]
    workers = [many.worker("poll,fetch"), many.worker("refine,gather,deliver,maintenance", 2)]
    many.wait_until(done)
    assert many.stop(*workers, *beats) == [0] * 4, many.output()
    assert take_snapshot(many.data, many.database).in_any_order == reference
    assert set(Counter(many.journal()).values()) == {1}
    assert "Traceback" not in many.output()
    assert 0 < heaviest < 512 * MEGABYTE


def _weight(process: psutil.Process) -> int:
    try:
        return int(process.memory_info().rss)
    except psutil.Error:
        return 0


def test_neither_a_killed_beat_nor_junk_in_a_queue_stops_the_work(
    many: Cluster, reference: Snapshot, valkey: Valkey
):
    with valkey.client() as client:
        client.lpush(f"headwater.{RECIPE}.refine", "no message at all", "{}")
    worker, first, second = many.worker(), many.beat(), many.beat()
    many.wait_until(lambda: _leader(many) is not None)
    leader = next(beat for beat in (first, second) if f":{beat.pid}:" in str(_leader(many)))
    other = second if leader is first else first
    many.kill(leader)
    many.wait_until(many.is_done)
    assert f":{other.pid}:" in str(_leader(many))
    assert not dead_owners([str(_leader(many))])
    assert many.stop(worker, other) == [0, 0], many.output()
    assert "worker died" in many.output()
    assert _leader(many) is None
    assert take_snapshot(many.data, many.database).in_any_order == reference

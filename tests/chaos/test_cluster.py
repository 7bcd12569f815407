"""A cluster under faults: nothing is lost, nothing is duplicated.

Workers and a beat run the trial recipe over the demo internet while child processes, workers, the beat, the broker
(which forgets everything), the database and the network between them fail. Then the faults end, the cluster finishes,
and its rows are compared with those of one machine on SQLite.
"""

import random
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import msgspec
import pytest
from tests.chaos.snapshot import Snapshot, take_snapshot
from tests.servers.fault_proxy import FaultProxy, fault_proxy
from tests.servers.postgres import Postgres, running_postgres
from tests.servers.seaweed import Seaweed, running_seaweed
from tests.servers.valkey import Valkey, running_valkey
from tests.support.cluster import Cluster, cluster
from tests.support.journal_recipe import children

from headwater.app import bucket_server
from headwater.archive.bucket import open_bucket_archive
from headwater.archive.packs import ObjectArchive
from headwater.settings.archive import ArchiveSettings, parse_bucket_url
from headwater_demo.internet import Internet, running

Size = Literal["small", "full"]
LOCAL_QUEUES = "refine,gather,deliver,maintenance"
LONGEST = 240.0
# Name to queues and number of processes: three worker processes in three programs, or in two, which start faster.
THREE = {"network": ("poll,fetch", 1), "first": (LOCAL_QUEUES, 1), "second": (LOCAL_QUEUES, 1)}
TWO = {"network": ("poll,fetch", 1), "local": (LOCAL_QUEUES, 2)}
KINDS = (
    "child", "worker", "all workers", "beat", "broker", "database", "cut", "silence", "partition", "broker memory", "database disk",
    "clock",
)  # fmt: skip


@dataclass
class Servers:
    """The servers of the cluster, and the proxies in front of them."""

    valkey: Valkey
    postgres: Postgres
    to_valkey: FaultProxy
    to_postgres: FaultProxy
    seaweed: Seaweed | None

    def place(self, name: str) -> ArchiveSettings | None:
        """A separate bucket, if there is a server for it; otherwise captures are stored in the data folder."""
        if self.seaweed is None:
            return None
        access = {"endpoint": self.seaweed.endpoint, "key": self.seaweed.key, "secret": self.seaweed.secret}
        return ArchiveSettings(place=f"s3://{name}/raw", **access)

    def redis(self) -> str:
        return self.valkey.url.replace(f":{self.valkey.port}/", f":{self.to_valkey.port}/")

    def database(self, name: str) -> str:
        url = self.postgres.create(name)
        return url.replace(f":{self.postgres.port}/", f":{self.to_postgres.port}/")


@contextmanager
def serving(*, bucket: bool) -> Iterator[Servers]:
    with (
        running_seaweed() if bucket else nullcontext() as seaweed,
        running_valkey() as valkey,
        running_postgres(durable=True, small_disk=True) as postgres,
        fault_proxy(valkey.port) as to_valkey,
        fault_proxy(postgres.port) as to_postgres,
    ):
        yield Servers(valkey, postgres, to_valkey, to_postgres, seaweed)


@dataclass
class FaultTrial:
    """A cluster and the faults that may happen to it."""

    cluster: Cluster
    servers: Servers
    chance: random.Random
    beat: subprocess.Popen[bytes] = field(init=False)
    workers: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)
    roles: dict[str, tuple[str, int]] = field(default_factory=lambda: dict(THREE))

    def begin(self) -> None:
        self.beat = self.cluster.beat("--quiet")
        for name in self.roles:
            self._start_process(name)

    def _start_process(self, name: str) -> None:
        self.workers[name] = self.cluster.worker(*self.roles[name])

    def inject(self, kind: str) -> bool:
        """Cause a fault; the result says whether it hit anything."""
        faults: dict[str, Callable[[], object]] = {
            "worker": lambda: self._restart_workers(self.chance.choice(list(self.workers))),
            "all workers": lambda: self._restart_workers(*self.workers),
            "beat": self._restart_beat,
            "broker": lambda: self._restart(self.servers.valkey),
            "database": lambda: self._restart(self.servers.postgres),
            "objects": lambda: self._restart(self.servers.seaweed),
            "cut": self._cut,
            "silence": self._silence,
            "partition": self._partition,
            "broker memory": self._fill_broker,
            "database disk": self._fill_disk,
            "clock": self._shift_clock,
        }
        if kind == "child":
            return self._kill_child()
        faults[kind]()
        return True

    def _kill_child(self) -> bool:
        working = [child for worker in self.workers.values() for child in children(worker)]
        if working:
            self.chance.choice(working).kill()
        return bool(working)

    def _restart_workers(self, *names: str) -> None:
        self.cluster.kill(*(self.workers[name] for name in names))
        for name in names:
            self._start_process(name)

    def _restart_beat(self) -> None:
        self.cluster.kill(self.beat)
        self.beat = self.cluster.beat("--quiet")

    def _restart(self, server: Valkey | Postgres | Seaweed | None) -> None:
        assert server is not None
        server.kill()
        time.sleep(self.chance.uniform(0.1, 2.0))
        server.start()

    def _cut(self) -> None:
        self.servers.to_valkey.cut()
        self.servers.to_postgres.cut()

    def _silence(self) -> None:
        """No byte passes for a while; then the connections turn out to be dead."""
        wire = self.chance.choice([self.servers.to_valkey, self.servers.to_postgres])
        wire.faults.silent = True
        time.sleep(self.chance.uniform(0.5, 2.0))
        wire.faults.silent = False
        wire.cut()

    def _partition(self) -> None:
        """One server is out of reach: open connections end, and new ones are refused."""
        wire = self.chance.choice([self.servers.to_valkey, self.servers.to_postgres])
        wire.faults.refusing = True
        wire.cut()
        time.sleep(self.chance.uniform(1.0, 4.0))
        wire.faults.refusing = False

    def _fill_broker(self) -> None:
        """Redis has reached its `maxmemory` and refuses to store anything."""
        with self.servers.valkey.client() as client:
            client.config_set("maxmemory-policy", "noeviction")
            client.config_set("maxmemory", 1)
            time.sleep(self.chance.uniform(1.0, 4.0))
            client.config_set("maxmemory", 0)

    def _fill_disk(self) -> None:
        with self.servers.postgres.full_disk():
            time.sleep(self.chance.uniform(1.0, 3.0))

    def _shift_clock(self) -> None:
        """The clock of one machine jumps by a day, and some time later back."""
        machine = self.chance.choice([self.beat, *self.workers.values()])
        clock = self.cluster.clocks[machine.pid]
        clock.shift(self.chance.choice([-1, 1]))
        time.sleep(self.chance.uniform(3.0, 8.0))
        clock.shift(0)

    def wait_for_work(self) -> None:
        """Return in the middle of the work: some time after the next document was started, or when all are done."""
        before = len(self.cluster.journal())
        self.cluster.wait_until(
            lambda: len(self.cluster.journal()) > before or self.cluster.is_done(), LONGEST
        )
        time.sleep(self.chance.uniform(0.1, 0.8))

    def run(self, kinds: Sequence[str]) -> Counter[str]:
        """Cause these faults while there is work to do, then wait until all is done; returns the faults that hit."""
        self.begin()
        hit: Counter[str] = Counter()
        for kind in kinds:
            self.wait_for_work()
            if self.cluster.is_done():
                break
            hit[kind] += self.inject(kind)
        self.cluster.wait_until(self.cluster.is_done, LONGEST)
        self.cluster.wait_until(lambda: self.cluster.store.lease_owners() == set(), LONGEST)
        codes = self.cluster.stop(*self.workers.values(), self.beat)
        # A process that must stop before it has started up again ends by the signal itself.
        assert set(codes) <= {0, -signal.SIGTERM}, self.cluster.output()[-4000:]
        return hit


def reference_of(folder: Path, internet: Internet) -> Snapshot:
    """The result of one machine on SQLite."""
    with cluster(folder, internet, f"sqlite:///{folder / 'headwater.db'}") as alone:
        alone.run_here()
        snapshot = take_snapshot(alone.data, alone.database)
        assert snapshot.problems == ()
        return snapshot.in_any_order


def compare(trial: FaultTrial, expected: Snapshot, size: str, archive: ObjectArchive | None) -> None:
    """In the full internet two feeds may describe one page in other words. Which of them came first depends on the order,
    and so does what it is a copy of; that each is there, once, does not."""
    after = take_snapshot(trial.cluster.data, trial.cluster.database, archive).in_any_order
    assert after.problems == (), trial.cluster.output()[-4000:]
    assert (after.leads, after.ended) == (expected.leads, expected.ended)
    assert frozenset().union(*after.families) == frozenset().union(*expected.families)
    if size == "small":
        assert after == expected


@dataclass(frozen=True)
class TrialGround:
    """Where trials run, one after the other."""

    folder: Path
    internet: Internet
    servers: Servers
    reference: Snapshot
    size: str

    def kinds(self, kinds: Sequence[str]) -> list[str]:
        """Those that can happen here: not every user may mount a file system for the database."""
        own_disk = self.servers.postgres.has_own_disk
        objects = ["objects"] if self.servers.seaweed else []
        return [*(kind for kind in kinds if own_disk or kind != "database disk"), *objects]

    def run_trial(self, number: int, kinds: Sequence[str], pause: float) -> Counter[str]:
        name = f"trial{number}"
        database, broker, place = self.servers.database(name), self.servers.redis(), self.servers.place(name)
        more_settings = {"archive": msgspec.to_builtins(place)} if place else {}
        with cluster(
            self.folder / name,
            self.internet,
            database,
            redis=broker,
            pause=pause,
            more_settings=more_settings,
            own_clocks="clock" in kinds,
        ) as many:
            trial = FaultTrial(many, self.servers, random.Random(number), roles=THREE if number else TWO)
            hit = trial.run(trial.chance.sample(kinds, len(kinds)) if number else kinds)
            bucket = (
                open_bucket_archive(bucket_server(place), *parse_bucket_url(place.place)) if place else None
            )
            compare(trial, self.reference, self.size, bucket)
        return hit


@contextmanager
def trial_ground(size: Size, folder: Path, *, bucket: bool = False) -> Iterator[TrialGround]:
    with (
        running(size=size, process=True) as internet,
        serving(bucket=bucket) as servers,
    ):
        yield TrialGround(folder, internet, servers, reference_of(folder / "alone", internet), size)


def test_a_cluster_with_faults_everywhere_loses_and_duplicates_nothing(tmp_path: Path):
    with trial_ground("small", tmp_path) as ground:
        hit = ground.run_trial(0, ["beat", "broker", "child", "database"], 0.25)
    assert hit.total() >= 2


@pytest.mark.long
@pytest.mark.parametrize(
    ("size", "bucket", "trials", "pause"),
    [("small", False, 4, 1.0), ("small", True, 4, 1.5), ("full", False, 3, 0.15)],
    ids=["small", "bucket", "full"],
)
def test_a_cluster_with_many_faults_everywhere_loses_and_duplicates_nothing(
    tmp_path: Path, size: Size, bucket: bool, trials: int, pause: float
):
    total: Counter[str] = Counter()
    with trial_ground(size, tmp_path, bucket=bucket) as ground:
        kinds = ground.kinds(KINDS)
        for number in range(1, trials + 1):
            total += ground.run_trial(number, kinds * 2, pause)
            print(f"{size}, trial {number}: {dict(total)}", flush=True)
    print(f"a cluster under faults, {size}: faults {total.total()}, lost 0, duplicated 0")
    assert set(total) == set(kinds)
    assert min(total.values()) >= 2

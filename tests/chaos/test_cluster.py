"""A cluster under fire: nothing is lost, nothing is doubled.

Three workers and a beat do the trial recipe over the demo internet while children, workers, the beat, the broker (which
forgets everything), the database and the network between them are struck down. Then all is left in peace until it is
done, and compared with what one machine makes of it on SQLite.
"""

import random
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from tests.chaos.snapshot import Snapshot, take_snapshot
from tests.cluster import Cluster, children, cluster
from tests.fault_proxy import FaultProxy, fault_proxy
from tests.postgres import Postgres, running_postgres
from tests.valkey import Valkey, running_valkey

from headwater_demo import Internet, running

DESKS = "refine,gather,deliver,upkeep"
LONGEST = 240.0
SIEGES = 5
KINDS = ("child", "worker", "everybody", "beat", "broker", "database", "cut", "silence")


@dataclass
class Servers:
    """What the cluster stands on, and the wires to it."""

    valkey: Valkey
    postgres: Postgres
    to_valkey: FaultProxy
    to_postgres: FaultProxy

    def redis(self) -> str:
        return self.valkey.url.replace(f":{self.valkey.port}/", f":{self.to_valkey.port}/")

    def database(self, name: str) -> str:
        url = self.postgres.create(name)
        return url.replace(f":{self.postgres.port}/", f":{self.to_postgres.port}/")


@contextmanager
def serving() -> Iterator[Servers]:
    with (
        running_valkey() as valkey,
        running_postgres(durable=True) as postgres,
        fault_proxy(valkey.port) as to_valkey,
        fault_proxy(postgres.port) as to_postgres,
    ):
        yield Servers(valkey, postgres, to_valkey, to_postgres)


@dataclass
class Siege:
    """A cluster and everything that may happen to it."""

    many: Cluster
    servers: Servers
    chance: random.Random
    beat: subprocess.Popen[bytes] = field(init=False)
    workers: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)
    roles: dict[str, str] = field(default_factory=lambda: {"network": "poll,fetch", "a": DESKS, "b": DESKS})

    def begin(self) -> None:
        self.beat = self.many.beat("--quiet")
        for name in self.roles:
            self._hire(name)

    def _hire(self, name: str) -> None:
        self.workers[name] = self.many.worker(self.roles[name])

    def strike(self, kind: str) -> bool:
        """Whether it hit anything."""
        blows: dict[str, Callable[[], object]] = {
            "worker": lambda: self._fell(self.chance.choice(list(self.workers))),
            "everybody": lambda: self._fell(*self.workers),
            "beat": self._fell_beat,
            "broker": lambda: self._restart(self.servers.valkey),
            "database": lambda: self._restart(self.servers.postgres),
            "cut": self._cut,
            "silence": self._silence,
        }
        if kind == "child":
            return self._fell_child()
        blows[kind]()
        return True

    def _fell_child(self) -> bool:
        working = [child for worker in self.workers.values() for child in children(worker)]
        if working:
            self.chance.choice(working).kill()
        return bool(working)

    def _fell(self, *names: str) -> None:
        self.many.kill(*(self.workers[name] for name in names))
        for name in names:
            self._hire(name)

    def _fell_beat(self) -> None:
        self.many.kill(self.beat)
        self.beat = self.many.beat("--quiet")

    def _restart(self, server: Valkey | Postgres) -> None:
        server.kill()
        time.sleep(self.chance.uniform(0.1, 2.0))
        server.start()

    def _cut(self) -> None:
        self.servers.to_valkey.cut()
        self.servers.to_postgres.cut()

    def _silence(self) -> None:
        """Nothing comes through for a while; then the connections turn out to be dead."""
        wire = self.chance.choice([self.servers.to_valkey, self.servers.to_postgres])
        wire.faults.silent = True
        time.sleep(self.chance.uniform(0.5, 2.0))
        wire.faults.silent = False
        wire.cut()

    def some_work(self) -> None:
        """Returns in the middle of it: some time after the next document was taken up, or when all are done."""
        before = len(self.many.journal())
        self.many.wait_until(lambda: len(self.many.journal()) > before or self.many.is_done(), LONGEST)
        time.sleep(self.chance.uniform(0.1, 0.8))

    def endure(self, kinds: list[str]) -> Counter[str]:
        """These blows while there is work to do; then peace until it is done. Gives those that hit."""
        self.begin()
        hit: Counter[str] = Counter()
        for kind in kinds:
            self.some_work()
            if self.many.is_done():
                break
            hit[kind] += self.strike(kind)
        self.many.wait_until(self.many.is_done, LONGEST)
        self.many.wait_until(lambda: self.many.store.holders() == set(), LONGEST)
        codes = self.many.stop(*self.workers.values(), self.beat)
        assert codes == [0] * 4, self.many.output()[-4000:]
        return hit


@contextmanager
def reference_of(folder: Path, internet: Internet) -> Iterator[Callable[[], Snapshot]]:
    """What one machine makes of it, on SQLite: begun at once, asked for when it is needed."""
    with cluster(folder, internet, f"sqlite:///{folder / 'headwater.db'}") as alone:
        running = alone.start_embedded()

        def wanted() -> Snapshot:
            alone.finish(running)
            seen = take_snapshot(alone.data, alone.database)
            assert seen.wrong == ()
            return seen.in_any_order

        yield wanted


def compare(siege: Siege, wanted: Snapshot) -> None:
    after = take_snapshot(siege.many.data, siege.many.database)
    assert after.wrong == (), siege.many.output()[-4000:]
    assert after.in_any_order == wanted


def besiege(folder: Path, internet: Internet, servers: Servers, number: int, pause: float) -> Siege:
    name = f"siege{number}"
    many = Cluster(folder / name, internet, servers.database(name), redis=servers.redis(), pause=pause)
    return Siege(many, servers, random.Random(number))


def test_struck_down_everywhere_a_cluster_loses_and_doubles_nothing(tmp_path: Path):
    with (
        running(size="small", process=True) as internet,
        serving() as servers,
        reference_of(tmp_path / "alone", internet) as wanted,
    ):
        siege = besiege(tmp_path, internet, servers, 1, 0.15)
        try:
            hit = siege.endure(["child", "broker", "database", "everybody"])
            compare(siege, wanted())
        finally:
            siege.many.close()
    assert hit.total() == 4


@pytest.mark.long
def test_struck_down_everywhere_many_times_a_cluster_loses_and_doubles_nothing(tmp_path: Path):
    total: Counter[str] = Counter()
    with (
        running(size="full", process=True) as internet,
        serving() as servers,
        reference_of(tmp_path / "alone", internet) as wanted,
    ):
        for number in range(1, SIEGES + 1):
            siege = besiege(tmp_path, internet, servers, number, 0.15)
            kinds = list(KINDS) * 2
            siege.chance.shuffle(kinds)
            try:
                total += siege.endure(kinds)
                compare(siege, wanted())
            finally:
                siege.many.close()
            print(f"siege {number}: {dict(total)}", flush=True)
    print(f"a cluster under fire: blows {total.total()}, lost 0, doubled 0")
    assert set(total) == set(KINDS)
    assert min(total.values()) >= 3

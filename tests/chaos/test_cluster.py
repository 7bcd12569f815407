"""A cluster under fire: nothing is lost, nothing is doubled.

Workers and a beat do the trial recipe over the demo internet while children, workers, the beat, the broker (which
forgets everything), the database and the network between them are struck down. Then all is left in peace until it is
done, and compared with what one machine makes of it on SQLite.
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
DESKS = "refine,gather,deliver,maintenance"
LONGEST = 240.0
# Name to queues and processes: three that work, in three programs or in two, which start faster.
THREE = {"network": ("poll,fetch", 1), "first": (DESKS, 1), "second": (DESKS, 1)}
TWO = {"network": ("poll,fetch", 1), "desks": (DESKS, 2)}
KINDS = ("child", "worker", "everybody", "beat", "broker", "database", "cut", "silence")


@dataclass
class Servers:
    """What the cluster stands on, and the wires to it."""

    valkey: Valkey
    postgres: Postgres
    to_valkey: FaultProxy
    to_postgres: FaultProxy
    seaweed: Seaweed | None

    def place(self, name: str) -> ArchiveSettings | None:
        """A bucket of its own, if there is a server for it; else captures lie in the data folder."""
        if self.seaweed is None:
            return None
        told = {"endpoint": self.seaweed.endpoint, "key": self.seaweed.key, "secret": self.seaweed.secret}
        return ArchiveSettings(place=f"s3://{name}/raw", **told)

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
        running_postgres(durable=True) as postgres,
        fault_proxy(valkey.port) as to_valkey,
        fault_proxy(postgres.port) as to_postgres,
    ):
        yield Servers(valkey, postgres, to_valkey, to_postgres, seaweed)


@dataclass
class Siege:
    """A cluster and everything that may happen to it."""

    many: Cluster
    servers: Servers
    chance: random.Random
    beat: subprocess.Popen[bytes] = field(init=False)
    workers: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)
    roles: dict[str, tuple[str, int]] = field(default_factory=lambda: dict(THREE))

    def begin(self) -> None:
        self.beat = self.many.beat("--quiet")
        for name in self.roles:
            self._start_process(name)

    def _start_process(self, name: str) -> None:
        self.workers[name] = self.many.worker(*self.roles[name])

    def strike(self, kind: str) -> bool:
        """Whether it hit anything."""
        blows: dict[str, Callable[[], object]] = {
            "worker": lambda: self._fell(self.chance.choice(list(self.workers))),
            "everybody": lambda: self._fell(*self.workers),
            "beat": self._fell_beat,
            "broker": lambda: self._restart(self.servers.valkey),
            "database": lambda: self._restart(self.servers.postgres),
            "objects": lambda: self._restart(self.servers.seaweed),
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
            self._start_process(name)

    def _fell_beat(self) -> None:
        self.many.kill(self.beat)
        self.beat = self.many.beat("--quiet")

    def _restart(self, server: Valkey | Postgres | Seaweed | None) -> None:
        assert server is not None
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

    def endure(self, kinds: Sequence[str]) -> Counter[str]:
        """These blows while there is work to do; then peace until it is done. Gives those that hit."""
        self.begin()
        hit: Counter[str] = Counter()
        for kind in kinds:
            self.some_work()
            if self.many.is_done():
                break
            hit[kind] += self.strike(kind)
        self.many.wait_until(self.many.is_done, LONGEST)
        self.many.wait_until(lambda: self.many.store.lease_owners() == set(), LONGEST)
        codes = self.many.stop(*self.workers.values(), self.beat)
        # Who was told to stop before it had come up again ends by the signal itself.
        assert set(codes) <= {0, -signal.SIGTERM}, self.many.output()[-4000:]
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


def compare(siege: Siege, wanted: Snapshot, size: str, archive: ObjectArchive | None) -> None:
    """In the full internet two feeds may tell of one page in other words. Which of them came first is a matter of order,
    and so is what it is a copy of; that each is there, once, is not."""
    after = take_snapshot(siege.many.data, siege.many.database, archive).in_any_order
    assert after.wrong == (), siege.many.output()[-4000:]
    assert (after.leads, after.ended) == (wanted.leads, wanted.ended)
    assert frozenset().union(*after.families) == frozenset().union(*wanted.families)
    if size == "small":
        assert after == wanted


@dataclass(frozen=True)
class Field:
    """Where sieges are held, one after the other."""

    folder: Path
    internet: Internet
    servers: Servers
    wanted: Callable[[], Snapshot]
    size: str

    def siege(self, number: int, kinds: Sequence[str], pause: float) -> Counter[str]:
        name = f"siege{number}"
        database, broker, place = self.servers.database(name), self.servers.redis(), self.servers.place(name)
        told = {"archive": msgspec.to_builtins(place)} if place else {}
        with cluster(
            self.folder / name, self.internet, database, redis=broker, pause=pause, more_settings=told
        ) as many:
            siege = Siege(many, self.servers, random.Random(number), roles=THREE if number else TWO)
            hit = siege.endure(siege.chance.sample(kinds, len(kinds)) if number else kinds)
            bucket = (
                open_bucket_archive(bucket_server(place), *parse_bucket_url(place.place)) if place else None
            )
            compare(siege, self.wanted(), self.size, bucket)
        return hit


@contextmanager
def field_of(size: Size, folder: Path, *, bucket: bool = False) -> Iterator[Field]:
    with (
        running(size=size, process=True) as internet,
        serving(bucket=bucket) as servers,
        reference_of(folder / "alone", internet) as wanted,
    ):
        yield Field(folder, internet, servers, wanted, size)


def test_struck_down_everywhere_a_cluster_loses_and_doubles_nothing(tmp_path: Path):
    with field_of("small", tmp_path) as held:
        hit = held.siege(0, ["child", "broker", "database", "everybody"], 0.25)
    assert hit.total() >= 3


@pytest.mark.long
@pytest.mark.parametrize(
    ("size", "bucket", "sieges", "pause"),
    [("small", False, 4, 0.5), ("small", True, 4, 1.0), ("full", False, 3, 0.15)],
    ids=["small", "bucket", "full"],
)
def test_struck_down_everywhere_many_times_a_cluster_loses_and_doubles_nothing(
    tmp_path: Path, size: Size, bucket: bool, sieges: int, pause: float
):
    total: Counter[str] = Counter()
    kinds = (*KINDS, "objects") if bucket else KINDS
    with field_of(size, tmp_path, bucket=bucket) as held:
        for number in range(1, sieges + 1):
            total += held.siege(number, kinds * 2, pause)
            print(f"{size}, siege {number}: {dict(total)}", flush=True)
    print(f"a cluster under fire, {size}: blows {total.total()}, lost 0, doubled 0")
    assert set(total) == set(kinds)
    assert min(total.values()) >= 2

"""Both sides of the comparison: the engine in this process on SQLite, and a cluster with its servers."""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psutil
import yaml
from sqlalchemy import func, select
from tests.servers.postgres import Postgres
from tests.servers.valkey import Valkey

from benchmarks.cluster.recipe import NAME, SETTLE, recipe
from headwater.app import App
from headwater.engine.engine import Engine
from headwater.model.jobs import LOCAL_TASKS, Job, State
from headwater.model.keys import document_key, lead_key, source_key
from headwater.model.source import Lead, Source, StoredLead
from headwater.settings.settings import Settings
from headwater.store.claims.poll import store_leads
from headwater.store.connect import read_transaction, write_transaction
from headwater.store.schema.flow import documents
from headwater.store.sql_store import SqlStore

SOURCE = Source(id=source_key(NAME, "feed", "", NAME), recipe=NAME, kind="feed", name=NAME)
WORDS = [
    f"{a}{b}{c}" for a in ("lo", "mar", "ten", "vi") for b in ("ra", "ne", "ku") for c in ("s", "n", "t")
]
TIMEOUT_SECONDS = 600.0


def leads(numbers: Sequence[int]) -> list[StoredLead]:
    return [
        StoredLead(
            id=lead_key(NAME, SOURCE.id, str(n)),
            recipe=NAME,
            source=SOURCE.id,
            document=document_key(NAME, f"https://bench.example/{n}"),
            lead=Lead(
                identity=str(n),
                url=f"https://bench.example/{n}",
                published=datetime(2026, 1, 1, tzinfo=UTC),
                body=f"Report {n}. " + " ".join(random.Random(n).choices(WORDS, k=300)),
                body_type="text/plain",
            ),
        )
        for n in numbers
    ]


def add(store: SqlStore, numbers: range) -> None:
    """Stores leads that carry their bodies, so that nothing is fetched."""
    store.register([SOURCE], datetime.now(UTC))
    for start in range(numbers.start, numbers.stop, 1000):
        batch = leads(range(start, min(start + 1000, numbers.stop)))
        with write_transaction(store.engine) as connection:
            store_leads(connection, batch, None, datetime.now(UTC))


def count_kept(store: SqlStore) -> int:
    with read_transaction(store.engine) as connection:
        query = select(func.count()).select_from(documents).where(documents.c.state == State.KEPT)
        return connection.scalar(query) or 0


def has_work_left(store: SqlStore) -> bool:
    return bool(set(store.next_due(NAME)) & set(LOCAL_TASKS))


@dataclass
class ShiftedClock:
    ahead: timedelta = timedelta(0)

    def __call__(self) -> datetime:
        return datetime.now(UTC) + self.ahead


def embedded(folder: Path, warm: int, measured: int) -> float:
    """CPU milliseconds per document of one process on SQLite, from body to delivery."""
    clock = ShiftedClock()
    app = App(Settings(data=str(folder), log_level="error"), clock=clock)
    vars(app)["recipes"] = {NAME: recipe()}
    engine = Engine(app.context(NAME, fetching=False))

    def drain() -> None:
        for _ in range(2):
            while sum(engine.run(Job(NAME, task)) for task in LOCAL_TASKS):
                pass
            clock.ahead += 2 * SETTLE

    add(app.store, range(warm))
    drain()
    add(app.store, range(warm, warm + measured))
    start = time.process_time()
    drain()
    spent = time.process_time() - start
    assert count_kept(app.store) == warm + measured
    app.store.engine.dispose()
    return 1000 * spent / measured


@dataclass
class ClusterUnderTest:
    """A beat and workers with their servers."""

    folder: Path
    postgres: Postgres
    valkey: Valkey
    database: str
    effort: dict[str, str]
    programs: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        installed = self.folder / "installed" / "bench-1.0.dist-info"
        installed.mkdir(parents=True)
        (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: bench\nVersion: 1.0\n")
        point = f"[headwater.recipes]\n{NAME} = benchmarks.cluster.recipe:recipe\n"
        (installed / "entry_points.txt").write_text(point)
        settings: dict[str, Any] = {
            "data": str(self.folder / "data"),
            "database": self.database,
            "redis": self.valkey.url,
        }
        (self.folder / "headwater.yaml").write_text(yaml.safe_dump(settings), encoding="utf-8")
        self.store = App(Settings(data=settings["data"], database=self.database)).store

    def start(self, name: str, *arguments: str) -> None:
        paths = [str(self.folder / "installed"), str(Path.cwd()), *(path for path in sys.path if path)]
        environment = os.environ | self.effort | {"PYTHONPATH": os.pathsep.join(paths)}
        command = [
            sys.executable,
            "-m",
            "headwater.cli",
            "--config",
            str(self.folder / "headwater.yaml"),
            *arguments,
        ]
        with (self.folder / "output").open("ab") as output:
            self.programs[name] = subprocess.Popen(
                command, env=environment, stdout=output, stderr=output, start_new_session=True
            )

    def begin(self, workers: int) -> None:
        self.start("beat", "beat", "--recipe", NAME, "--quiet")
        for number in range(workers):
            self.start(f"worker {number}", "worker", "--recipe", NAME, "--queues", "refine,gather,deliver")

    def drain(self, numbers: range) -> float:
        """Seconds from the first kept document to the last; the start of the processes is not measured."""
        before = count_kept(self.store)
        add(self.store, numbers)
        until, first = time.monotonic() + TIMEOUT_SECONDS, 0.0
        while count_kept(self.store) < before + len(numbers):
            if not first and count_kept(self.store) > before:
                first, early = time.monotonic(), count_kept(self.store) - before
            assert time.monotonic() < until, (self.folder / "output").read_text()[-3000:]
            time.sleep(0.1)
        seconds = (time.monotonic() - first) * len(numbers) / (len(numbers) - early) if first else 0.0
        while has_work_left(self.store):
            assert time.monotonic() < until
            time.sleep(0.1)
        return seconds

    def cpu(self) -> dict[str, float]:
        """CPU seconds so far of each program."""
        postmaster = int((self.postgres.data / "postmaster.pid").read_text().split()[0])
        assert self.valkey.process is not None
        roots = {name: program.pid for name, program in self.programs.items()}
        roots |= {"postgresql": postmaster, "valkey": self.valkey.process.pid}
        return {name: tree_seconds(pid) for name, pid in roots.items()}

    def messages(self) -> int:
        with self.valkey.client() as client:
            statistics = client.info("commandstats")
        return int(statistics.get("cmdstat_lpush", {}).get("calls", 0))

    def close(self) -> None:
        for program in self.programs.values():
            if program.poll() is None:
                os.killpg(program.pid, signal.SIGKILL)
            program.wait()
        self.store.engine.dispose()


def tree_seconds(pid: int) -> float:
    """CPU seconds of a process and its children, including those that have ended."""
    root = psutil.Process(pid)
    return sum(sum(process.cpu_times()[:4]) for process in (root, *root.children(recursive=True)))


@contextmanager
def running_cluster(
    folder: Path, postgres: Postgres, valkey: Valkey, name: str, **effort: float
) -> Iterator[ClusterUnderTest]:
    folder.mkdir()
    environment = {f"BENCH_{kind.upper()}": str(value) for kind, value in effort.items()}
    running = ClusterUnderTest(folder, postgres, valkey, postgres.create(name), environment)
    try:
        yield running
    finally:
        running.close()

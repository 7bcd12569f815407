"""A cluster on this machine, as operators start it: beats and workers as separate programs, on real servers."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from tests.support import child_process
from tests.support.journal_recipe import (
    RECIPE,
    environment,
    feeds_file,
    install,
    read_journal,
    read_output,
    run_here,
    wait_until,
)
from tests.support.shifted_clock import ShiftedClock

from headwater.model.errors import Temporary
from headwater.model.jobs import Task
from headwater.store.connect import connect
from headwater.store.migrate import migrate
from headwater.store.sql_store import SqlStore
from headwater_demo.internet import Internet

LONGEST = 100.0

# Which of two versions of a story came first depends on the order, and so does what the near rule decides; the exact
# rules must decide the same in any order.
TRIAL = """
from datetime import timedelta
from headwater.documents.dedupe.rules import DEFAULT
from headwater.documents.dedupe.drop_duplicates import DropDuplicates

def recipe():
    original = crypto()
    exact = DropDuplicates(replace(DEFAULT, rules=DEFAULT.rules[:3]))
    eager = replace(original.grouping, settle=timedelta(0))
    return replace(original, name="trial", steps=(Journal(), normalise, exact), grouping=eager)
"""
UNFINISHED = [task for task in Task if task is not Task.POLL]


@dataclass
class Cluster:
    """`more_settings` are added to the settings file; `pause` is how many seconds each document takes at least. With
    `own_clocks` each program has a clock that can be shifted."""

    folder: Path
    internet: Internet
    database: str
    redis: str = ""
    pause: float = 0.0
    recipes: Sequence[str] = (RECIPE,)
    more_settings: dict[str, Any] = field(default_factory=dict)
    own_clocks: bool = False
    started: list[subprocess.Popen[bytes]] = field(default_factory=list)
    clocks: dict[int, ShiftedClock] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.folder.mkdir(exist_ok=True)
        install(self.folder, TRIAL)
        settings = {
            "data": str(self.data),
            "database": self.database,
            "redis": self.redis,
            "hosts": {"*.example": self.internet.base_url},
            "requests_per_second": 0,
            "recipes": {RECIPE: {"sources": feeds_file(self.folder, self.internet)}},
            **self.more_settings,
        }
        (self.folder / "headwater.yaml").write_text(yaml.safe_dump(settings), encoding="utf-8")
        self.engine = connect(self.database)
        migrate(self.engine)

    @property
    def data(self) -> Path:
        return self.folder / "data"

    @property
    def store(self) -> SqlStore:
        return SqlStore(self.engine)

    def journal(self) -> list[str]:
        return read_journal(self.folder)

    def start(self, *words: str) -> subprocess.Popen[bytes]:
        command = [
            sys.executable,
            "-m",
            "headwater.cli",
            "--config",
            str(self.folder / "headwater.yaml"),
            *words,
        ]
        clock = ShiftedClock(self.folder / f"clock-{len(self.started)}")
        variables = environment(self.folder, self.pause)
        if self.own_clocks:
            variables = clock.environment(variables)
        with (self.folder / "output").open("ab") as output:
            program = child_process.start(
                command, stdout=output, stderr=output, env=variables, start_new_session=True
            )
        self.started.append(program)
        self.clocks[program.pid] = clock
        return program

    def run_here(self) -> None:
        """Run to the end in this process, on one machine."""
        run_here(self.folder)

    def beat(self, *words: str) -> subprocess.Popen[bytes]:
        return self.start("beat", *self._recipe_options(), *words)

    def worker(self, queues: str = "all", concurrency: int = 1) -> subprocess.Popen[bytes]:
        return self.start(
            "worker", *self._recipe_options(), "--queues", queues, "--concurrency", str(concurrency)
        )

    def _recipe_options(self) -> list[str]:
        return [word for recipe in self.recipes for word in ("--recipe", recipe)]

    def is_done(self) -> bool:
        """Every source was polled, and no work is left."""
        try:
            due = self.store.next_due(RECIPE)
        except Temporary:  # the database is away
            return False
        return (
            Task.POLL in due and due[Task.POLL].timestamp() > time.time() and not set(due) & set(UNFINISHED)
        )

    def wait_until(self, condition: Callable[[], bool], longest: float = LONGEST) -> None:
        wait_until(condition, self.folder, longest)

    def output(self) -> str:
        return read_output(self.folder)

    def stop(self, *programs: subprocess.Popen[bytes]) -> list[int]:
        """Ask all of them to end at once; returns their exit codes."""
        for program in programs:
            program.send_signal(signal.SIGTERM)
        self.wait_until(lambda: all(program.poll() is not None for program in programs))
        return [program.returncode for program in programs]

    def kill(self, *programs: subprocess.Popen[bytes]) -> None:
        """Kill the programs and everything that they started, at once."""
        for program in programs:
            if program.poll() is None:
                os.killpg(program.pid, signal.SIGKILL)
            program.wait()

    def close(self) -> None:
        self.kill(*self.started)
        self.engine.dispose()


@contextmanager
def cluster(folder: Path, internet: Internet, database: str, **options: Any) -> Iterator[Cluster]:
    started_cluster = Cluster(folder, internet, database, **options)
    try:
        yield started_cluster
    finally:
        started_cluster.close()

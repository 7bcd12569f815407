"""Workers in real processes, with a recipe that writes down what it does, installed for one test."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from tests.support import child_process
from tests.support.journal_recipe import (
    RECIPE,
    children,
    environment,
    feeds_file,
    install,
    read_journal,
    read_output,
    run_here,
    wait_until,
)

from headwater_demo.internet import Internet

RUN_WORKER_POOL = Path(__file__).with_name("run_worker_pool.py")
LONGEST = 90.0

# Without a duplicate step no document is ever decided twice, so each line of the journal is one finished job.
TRIAL = """
def recipe():
    return replace(crypto(), name="trial", steps=(normalise, Journal()))
"""


@dataclass
class WorkerProcesses:
    folder: Path
    internet: Internet
    database: str | None = None
    workers: int = 1
    started: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def __post_init__(self) -> None:
        install(self.folder, TRIAL)
        settings: dict[str, Any] = {
            "data": str(self.folder / "data"),
            "hosts": {"*.example": self.internet.base_url},
            "requests_per_second": 0,
            "workers": self.workers,
            "recipes": {RECIPE: {"sources": feeds_file(self.folder, self.internet)}},
        }
        if self.database:
            settings["database"] = self.database
        (self.folder / "headwater.yaml").write_text(yaml.safe_dump(settings), encoding="utf-8")

    @property
    def url(self) -> str:
        return self.database or f"sqlite:///{self.folder / 'data' / 'headwater.db'}"

    def start(self, *flags: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, str(RUN_WORKER_POOL), str(self.folder / "headwater.yaml"), RECIPE, *flags]
        with (self.folder / "output").open("ab") as output:
            self.started.append(
                child_process.start(command, env=environment(self.folder), stdout=output, stderr=output)
            )
        return self.started[-1]

    def run_here(self) -> None:
        """What is left to do is done in this process."""
        run_here(self.folder)

    def finish(self, *pools: subprocess.Popen[bytes], watch: Callable[[], None] = lambda: None) -> list[int]:
        """Their exit codes, once they have ended by themselves."""
        self.wait_until(lambda: (watch(), all(pool.poll() is not None for pool in pools))[1])
        return [pool.returncode for pool in pools]

    def wait_until(self, condition: Callable[[], bool]) -> None:
        wait_until(condition, self.folder, LONGEST)

    def journal(self) -> list[str]:
        return read_journal(self.folder)

    def output(self) -> str:
        return read_output(self.folder)

    def close(self) -> None:
        for pool in self.started:
            if pool.poll() is None:
                for process in (*children(pool), pool):
                    process.kill()
            pool.wait()


@contextmanager
def worker_processes(folder: Path, internet: Internet, **options: Any) -> Iterator[WorkerProcesses]:
    processes = WorkerProcesses(folder, internet, **options)
    try:
        yield processes
    finally:
        processes.close()

"""A cluster on this machine, as operators start it: beats and workers as programs of their own, on real servers."""

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

import psutil
import yaml

from headwater.backends.sql.connect import connect
from headwater.backends.sql.migrate import migrate
from headwater.backends.sql.store import SqlStore
from headwater.model.errors import Temporary
from headwater.model.work import Task
from headwater_demo import KEYS, Internet

RECIPE = "trial"
LONGEST = 100.0

# Found by entry point, as anyone's recipe is. Whether of two versions of a story the longer came first is a matter of
# order, and so is what the near rung says of them; the exact rungs must say the same in any order. TRIAL_PAUSE makes
# the work last, so that there is a time to strike.
MODULE = """
import os
import time
from dataclasses import dataclass, replace
from datetime import timedelta
from headwater.pure.dupes.profiles import DEFAULT
from headwater.steps.duplicates import DropDuplicates
from headwater.steps.normalise import normalise
from headwater_recipes.crypto import recipe as crypto

@dataclass(frozen=True)
class Journal:
    name: str = "journal"
    version: str = "1"

    def __call__(self, batch, context):
        journal = os.open(os.environ["TRIAL_JOURNAL"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        for document in batch:
            time.sleep(float(os.environ["TRIAL_PAUSE"]))
            os.write(journal, f"{document.id} {document.revision}\\n".encode())
        os.close(journal)
        return batch

def recipe():
    known = crypto()
    exact = DropDuplicates(replace(DEFAULT, rungs=DEFAULT.rungs[:3]))
    eager = replace(known.grouping, settle=timedelta(0))
    return replace(known, name="trial", steps=(Journal(), normalise, exact), grouping=eager)
"""
UNFINISHED = [task for task in Task if task is not Task.POLL]


@dataclass
class Cluster:
    """`told` are further settings; `pause` is how many seconds each document takes at least."""

    folder: Path
    internet: Internet
    database: str
    redis: str = ""
    pause: float = 0.0
    recipes: Sequence[str] = (RECIPE,)
    told: dict[str, Any] = field(default_factory=dict)
    started: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.folder.mkdir(exist_ok=True)
        _install(self.folder / "installed")
        listed = {"sources": [{"name": one["name"], "url": one["url"]} for one in self.internet.feeds()]}
        (self.folder / "feeds.yaml").write_text(yaml.safe_dump(listed), encoding="utf-8")
        settings = {
            "data": str(self.data),
            "database": self.database,
            "redis": self.redis,
            "hosts": {"*.example": self.internet.base_url},
            "requests_per_second": 0,
            "recipes": {RECIPE: {"sources": str(self.folder / "feeds.yaml")}},
            **self.told,
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

    @property
    def environment(self) -> dict[str, str]:
        paths = [str(self.folder / "installed"), *(path for path in sys.path if path)]
        return os.environ | {
            "PYTHONPATH": os.pathsep.join(paths),
            "TRIAL_JOURNAL": str(self.folder / "journal"),
            "TRIAL_PAUSE": str(self.pause),
            **KEYS,
        }

    def journal(self) -> list[str]:
        """Every document that a desk has taken up, as often as it did."""
        path = self.folder / "journal"
        return path.read_text(encoding="ascii").split("\n")[:-1] if path.exists() else []

    def start(self, *words: str) -> subprocess.Popen[bytes]:
        command = [
            sys.executable,
            "-m",
            "headwater.cli",
            "--config",
            str(self.folder / "headwater.yaml"),
            *words,
        ]
        with (self.folder / "output").open("ab") as output:
            self.started.append(
                subprocess.Popen(
                    command, stdout=output, stderr=output, env=self.environment, start_new_session=True
                )
            )
        return self.started[-1]

    def start_embedded(self) -> subprocess.Popen[bytes]:
        """To the end, with the processes of one machine."""
        return self.start("run", RECIPE, "--until-idle", "--quiet")

    def finish(self, program: subprocess.Popen[bytes]) -> None:
        self.wait_until(lambda: program.poll() is not None)
        assert program.returncode == 0, self.output()

    def beat(self, *words: str) -> subprocess.Popen[bytes]:
        return self.start("beat", *self._named(), *words)

    def worker(self, queues: str = "all", concurrency: int = 1) -> subprocess.Popen[bytes]:
        return self.start("worker", *self._named(), "--queues", queues, "--concurrency", str(concurrency))

    def _named(self) -> list[str]:
        return [word for recipe in self.recipes for word in ("--recipe", recipe)]

    def is_done(self) -> bool:
        """Every source was looked at, and nothing that came of it is left."""
        try:
            due = self.store.next_due(RECIPE)
        except Temporary:  # the database is away
            return False
        return (
            Task.POLL in due and due[Task.POLL].timestamp() > time.time() and not set(due) & set(UNFINISHED)
        )

    def wait_until(self, true: Callable[[], bool], longest: float = LONGEST) -> None:
        until = time.monotonic() + longest
        while not true():
            assert time.monotonic() < until, f"waited too long: {self.output()[-4000:]}"
            time.sleep(0.1)

    def output(self) -> str:
        return (self.folder / "output").read_text(encoding="utf-8", errors="replace")

    def stop(self, *programs: subprocess.Popen[bytes]) -> list[int]:
        """Ask them to end, all at once; gives how they did."""
        for program in programs:
            program.send_signal(signal.SIGTERM)
        self.wait_until(lambda: all(program.poll() is not None for program in programs))
        return [program.returncode for program in programs]

    def kill(self, *programs: subprocess.Popen[bytes]) -> None:
        """The programs and everything that they started, at once."""
        for program in programs:
            if program.poll() is None:
                os.killpg(program.pid, signal.SIGKILL)
            program.wait()

    def close(self) -> None:
        self.kill(*self.started)
        self.engine.dispose()


def children(program: subprocess.Popen[bytes]) -> list[psutil.Process]:
    """The processes that work for it: Celery's own, and theirs."""
    try:
        below = psutil.Process(program.pid).children(recursive=True)
        return [one for one in below if "spawn_main" in " ".join(one.cmdline())]
    except psutil.Error:
        return []


def _install(folder: Path) -> None:
    about = folder / "trial-1.0.dist-info"
    about.mkdir(parents=True)
    (folder / "trial_recipe.py").write_text(MODULE, encoding="utf-8")
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: trial\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[headwater.recipes]\n{RECIPE} = trial_recipe:recipe\n")


@contextmanager
def cluster(folder: Path, internet: Internet, database: str, **told: Any) -> Iterator[Cluster]:
    made = Cluster(folder, internet, database, **told)
    try:
        yield made
    finally:
        made.close()

"""Workers in real processes: a recipe that writes down what it does, installed for the test alone."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
import yaml
from tests import mortal

from headwater_demo import Internet

RECIPE = "trial"
CREW = Path(__file__).with_name("crew.py")
LONGEST = 90.0

# Found by entry point, as anyone's recipe is. Without a duplicate step no document is ever decided twice, so that
# each line of the journal is a job done.
MODULE = """
import os
from dataclasses import dataclass, replace
from headwater_recipes.crypto import recipe as crypto
from headwater.steps.normalise import normalise

@dataclass(frozen=True)
class Journal:
    name: str = "journal"
    version: str = "1"

    def __call__(self, batch, context):
        journal = os.open(os.environ["TRIAL_JOURNAL"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        for document in batch:
            os.write(journal, f"{document.id} {document.revision}\\n".encode())
        os.close(journal)
        return batch

def recipe():
    return replace(crypto(), name="trial", steps=(normalise, Journal()))
"""


@dataclass
class Workshop:
    folder: Path
    internet: Internet
    database: str | None = None
    workers: int = 1
    started: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def __post_init__(self) -> None:
        installed = self.folder / "installed"
        (installed / "trial-1.0.dist-info").mkdir(parents=True)
        (installed / "trial_recipe.py").write_text(MODULE, encoding="utf-8")
        (installed / "trial-1.0.dist-info" / "METADATA").write_text(
            "Metadata-Version: 2.1\nName: trial\nVersion: 1.0\n"
        )
        (installed / "trial-1.0.dist-info" / "entry_points.txt").write_text(
            f"[headwater.recipes]\n{RECIPE} = trial_recipe:recipe\n"
        )
        told = {"sources": [{"name": feed["name"], "url": feed["url"]} for feed in self.internet.feeds()]}
        (self.folder / "feeds.yaml").write_text(yaml.safe_dump(told), encoding="utf-8")
        settings: dict[str, Any] = {
            "data": str(self.folder / "data"),
            "hosts": {"*.example": self.internet.base_url},
            "requests_per_second": 0,
            "workers": self.workers,
            "recipes": {RECIPE: {"sources": str(self.folder / "feeds.yaml")}},
        }
        if self.database:
            settings["database"] = self.database
        (self.folder / "headwater.yaml").write_text(yaml.safe_dump(settings), encoding="utf-8")

    @property
    def url(self) -> str:
        return self.database or f"sqlite:///{self.folder / 'data' / 'headwater.db'}"

    def start(self, *flags: str) -> subprocess.Popen[bytes]:
        paths = [str(self.folder / "installed"), *(path for path in sys.path if path)]
        environment = os.environ | {
            "PYTHONPATH": os.pathsep.join(paths),
            "TRIAL_JOURNAL": str(self.folder / "journal"),
        }
        command = [sys.executable, str(CREW), str(self.folder / "headwater.yaml"), RECIPE, *flags]
        with (self.folder / "output").open("ab") as output:
            self.started.append(mortal.start(command, env=environment, stdout=output, stderr=output))
        return self.started[-1]

    def finish(self, *crews: subprocess.Popen[bytes], watch: Callable[[], None] = lambda: None) -> list[int]:
        """Their exit statuses, once they have ended by themselves."""
        self.wait_until(lambda: (watch(), all(crew.poll() is not None for crew in crews))[1])
        return [crew.returncode for crew in crews]

    def wait_until(self, true: Callable[[], bool]) -> None:
        until = time.monotonic() + LONGEST
        while not true():
            assert time.monotonic() < until, f"waited too long: {self.output()[-3000:]}"
            time.sleep(0.05)

    def journal(self) -> list[str]:
        path = self.folder / "journal"
        return path.read_text(encoding="ascii").split("\n")[:-1] if path.exists() else []

    def output(self) -> str:
        return (self.folder / "output").read_text(encoding="utf-8", errors="replace")

    def close(self) -> None:
        for crew in self.started:
            if crew.poll() is None:
                for process in (*children(crew), crew):
                    process.kill()
            crew.wait()


def children(crew: subprocess.Popen[bytes]) -> list[psutil.Process]:
    """The processes that work for it; not the one that multiprocessing keeps for itself."""
    try:
        below = psutil.Process(crew.pid).children(recursive=True)
    except psutil.NoSuchProcess:
        return []
    return [process for process in below if "spawn_main" in _command(process)]


def _command(process: psutil.Process) -> str:
    try:
        return " ".join(process.cmdline())
    except psutil.Error:
        return ""


@contextmanager
def workshop(folder: Path, internet: Internet, **told: Any) -> Iterator[Workshop]:
    made = Workshop(folder, internet, **told)
    try:
        yield made
    finally:
        made.close()

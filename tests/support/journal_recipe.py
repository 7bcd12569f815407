"""A recipe that writes down what it does, installed for one test, and what the programs that run it share."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from unittest.mock import patch

import psutil
import yaml
from tests.flow.command_line import call_in

from headwater_demo.internet import Internet
from headwater_demo.markets.watch_list import KEYS

RECIPE = "trial"

# TRIAL_PAUSE makes the work last, so that there is time to cause a fault.
JOURNAL = """
import os
import time
from dataclasses import dataclass, replace
from headwater.documents.cleaning.normalise import normalise
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

"""


def install(folder: Path, recipe: str) -> None:
    """Install it as an entry point, like any recipe. `recipe` is the source of the function that returns it."""
    installed = folder / "installed"
    about = installed / "trial-1.0.dist-info"
    about.mkdir(parents=True)
    (installed / "trial_recipe.py").write_text(JOURNAL + recipe, encoding="utf-8")
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: trial\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[headwater.recipes]\n{RECIPE} = trial_recipe:recipe\n")


def feeds_file(folder: Path, internet: Internet) -> str:
    feed_list = {"sources": [{"name": feed["name"], "url": feed["url"]} for feed in internet.feeds()]}
    path = folder / "feeds.yaml"
    path.write_text(yaml.safe_dump(feed_list), encoding="utf-8")
    return str(path)


def environment(folder: Path, pause: float = 0.0) -> dict[str, str]:
    paths = [str(folder / "installed"), *(path for path in sys.path if path)]
    trial = {"TRIAL_JOURNAL": str(folder / "journal"), "TRIAL_PAUSE": str(pause)}
    return {**os.environ, **KEYS, **trial, "PYTHONPATH": os.pathsep.join(paths)}


def run_here(folder: Path) -> None:
    """Run it to the end in this process: as the result to compare with, or where processes are not the matter."""
    variables = {name: value for name, value in environment(folder).items() if name not in os.environ}
    variables.pop("PYTHONPATH", None)
    with patch.object(sys, "path", [str(folder / "installed"), *sys.path]):
        options = ("--config", str(folder / "headwater.yaml"))
        result = call_in(folder, *options, "run", RECIPE, "--until-idle", "--quiet", **variables)
    sys.modules.pop("trial_recipe", None)  # each test installs its own
    assert result.code == 0, result.err


def read_journal(folder: Path) -> list[str]:
    """Every document that a worker started, as often as it did."""
    path = folder / "journal"
    return path.read_text(encoding="ascii").split("\n")[:-1] if path.exists() else []


def read_output(folder: Path) -> str:
    return (folder / "output").read_text(encoding="utf-8", errors="replace")


def wait_until(condition: Callable[[], bool], folder: Path, longest: float) -> None:
    give_up_at = time.monotonic() + longest
    while not condition():
        assert time.monotonic() < give_up_at, f"waited too long: {read_output(folder)[-4000:]}"
        time.sleep(0.05)


def children(program: subprocess.Popen[bytes]) -> list[psutil.Process]:
    """The worker processes of the program, recursively, without its direct children, which are the fork server and the tracker of
    multiprocessing, and without sandboxes."""
    try:
        descendants = psutil.Process(program.pid).children(recursive=True)
    except psutil.NoSuchProcess:
        return []
    return [
        process
        for process in descendants
        if _parent(process) not in (0, program.pid) and "headwater.extract.sandbox" not in _command(process)
    ]


def _parent(process: psutil.Process) -> int:
    try:
        return process.ppid()
    except psutil.Error:
        return 0


def _command(process: psutil.Process) -> str:
    try:
        return " ".join(process.cmdline())
    except psutil.Error:
        return ""

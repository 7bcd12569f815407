"""`headwater replay` as operators call it, also when it is killed."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.flow.command_line import CommandResult, call
from tests.support import child_process
from tests.support.deadline import DEADLINE
from tests.support.journal_recipe import RECIPE, children
from tests.support.scene import Scene
from tests.support.worker_processes import WorkerProcesses, worker_processes

from headwater.store.changes.replays import Replays
from headwater.store.migrate import migrate
from headwater.store.schema.flow import documents
from headwater.store.sql_store import SqlStore
from headwater_demo.internet import Internet, running

RunCli = Callable[..., CommandResult]
ARTICLES = 40  # in the small internet

# The same recipe after a change of code: an image where there was none, one more line, and a pause to be killed in.
CHANGED = """
import os
import time
from dataclasses import dataclass, replace
from headwater.model.outcomes import Reading
from headwater.documents.cleaning.normalise import normalise
from headwater_recipes.crypto import recipe as crypto

def changed(extract):
    def read(data, hints):
        time.sleep(float(os.environ.get("TRIAL_PAUSE", "0")))
        reading = extract(data, hints)
        if not isinstance(reading, Reading):
            return reading
        return replace(reading, image=reading.image or "https://wire.example/new.png", text=reading.text + "\\n\\nThe end.")
    return read

@dataclass(frozen=True)
class Journal:
    name: str = "journal"
    version: str = "1"

    def __call__(self, batch, context):
        return batch

def recipe():
    unchanged = crypto()
    extract = {kind: changed(read) for kind, read in unchanged.extract.items()}
    return replace(unchanged, name="trial", extract=extract, steps=(normalise, Journal()))
"""


@pytest.fixture(scope="module")
def internet() -> Iterator[Internet]:
    with running(size="small") as demo_internet:
        yield demo_internet


@pytest.fixture
def processes(internet: Internet, tmp_path: Path) -> Iterator[WorkerProcesses]:
    """Everything was read with the old code; the new code is installed."""
    with worker_processes(tmp_path, internet, workers=2) as started:
        assert started.finish(started.start("--until-idle")) == [0], started.output()
        (started.folder / "installed" / "trial_recipe.py").write_text(CHANGED, encoding="utf-8")
        yield started


def _start(processes: WorkerProcesses, *words: str, **environment: str) -> subprocess.Popen[str]:
    paths = [str(processes.folder / "installed"), *(path for path in sys.path if path)]
    return child_process.start(
        [sys.executable, "-m", "headwater.cli", "--config", str(processes.folder / "headwater.yaml"), *words],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(paths)} | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def _run_json(processes: WorkerProcesses, *words: str) -> Any:
    process = _start(processes, *words, "--json")
    out, err = process.communicate(timeout=DEADLINE)
    assert process.returncode == 0, err
    return [json.loads(line) for line in out.splitlines()] if words[1] == "report" else json.loads(out)


def _report(processes: WorkerProcesses, name: str) -> dict[str, Any]:
    return {
        row["document_id"]: (row["verdict"], row["differences"])
        for row in _run_json(processes, "replay", "report", name)
    }


@pytest.mark.long
def test_a_killed_replay_resumes_with_the_same_report(
    processes: WorkerProcesses, open_store: Callable[[str], SqlStore]
):
    store = open_store(processes.url)
    rows, before = Replays(store.engine), Scene(store).rows(documents)
    doomed = _start(
        processes,
        "replay",
        "--from",
        "raw",
        "--recipe",
        RECIPE,
        "--since",
        "1d",
        "--wait",
        TRIAL_PAUSE="0.05",
    )
    processes.wait_until(lambda: bool(store.lease_owners()))
    processes.wait_until(lambda: len(children(doomed)) > 0)
    os.killpg(doomed.pid, signal.SIGKILL)
    doomed.communicate()
    (killed,) = rows.list_replays(RECIPE)
    assert (killed["state"], killed["compared"] < ARTICLES) == ("running", True)
    resumed = _run_json(processes, "replay", "resume", killed["id"][:12], "--wait")
    assert (resumed["state"], resumed["compared"], resumed["listed_count"]) == (
        "reported",
        ARTICLES,
        ARTICLES,
    )
    assert resumed["better"] + resumed["changed"] == ARTICLES
    assert Scene(store).rows(documents) == before
    assert store.lease_owners() == set()
    first_report = _report(processes, killed["id"])
    _run_json(processes, "replay", "discard", killed["id"])
    again = _run_json(processes, "replay", "--recipe", RECIPE, "--since", "1d", "--wait")
    assert len(first_report) == ARTICLES
    assert _report(processes, again["id"]) == first_report
    applied = _run_json(processes, "replay", "apply", again["id"], "--wait")
    assert (applied["state"], applied["replaced"]) == ("applied", ARTICLES)
    after = Scene(store).rows(documents)
    assert {(row["revision"], row["text"].endswith("The end.")) for row in after} == {(2, True)}
    assert all(row["due_at"] is None for row in after)


@pytest.fixture
def folder(tmp_path: Path, open_store: Callable[[str], SqlStore]) -> Path:
    (tmp_path / "headwater.yaml").write_text(f'data: "{tmp_path / "data"}"\n')
    (tmp_path / "data").mkdir()
    migrate(open_store(f"sqlite:///{tmp_path / 'data' / 'headwater.db'}").engine)
    return tmp_path


@pytest.fixture
def run_cli(folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> RunCli:
    def run(*words: str) -> CommandResult:
        return call(capsys, monkeypatch, "--config", str(folder / "headwater.yaml"), *words)

    return run


START = ("replay", "--recipe", "crypto", "--since", "2026-01-01")


def test_a_replay_without_captures_is_complete_at_once(run_cli: RunCli):
    replay = run_cli(*START, "--json").record
    assert (replay["state"], replay["compared"], replay["expected_count"]) == ("reported", 0, 0)
    (listed,) = run_cli("replay", "list", "--json").records
    assert listed["id"] == replay["id"]
    assert "crypto" in run_cli("replay", "list").out
    assert "0 better" in run_cli("replay", "show", replay["id"][:8]).out
    assert run_cli("replay", "report", replay["id"], "--json").records == []
    assert run_cli("replay", "apply", replay["id"]).code == 0
    assert run_cli("replay", "discard", replay["id"], "--json").record["state"] == "discarded"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("replay", "--recipe", "crypto"), "--since"),
        (("replay", "--recipe", "weather", "--since", "1d"), "no recipe 'weather'"),
        (("replay", "--recipe", "crypto", "--since", "tomorrow"), "is not a time"),
        ((*START, "--until", "2025-01-01"), "not before --until"),
        ((*START, "--from", "thin-air"), "raw"),
        (("replay", "show", "abcdef0123"), "replay list"),
        (("replay", "apply", "abcdef0123", "--only", "best"), "not a verdict"),
        (("replay", "apply", "abcdef0123", "--only", "same"), "cannot be applied"),
        (("replay", "report", "abcdef0123", "--verdict", ","), "at least one"),
    ],
)
def test_an_invalid_request_is_refused_in_one_sentence(run_cli: RunCli, words: tuple[str, ...], message: str):
    answer = run_cli(*words)
    assert answer.code != 0
    assert message in " ".join(answer.err.split())
    assert "Traceback" not in answer.err

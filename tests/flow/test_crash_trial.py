"""The crash trial of the demo kills its own workers, and no other process."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from tests.support.api_installation import fill, installation
from tests.support.deadline import DEADLINE

from headwater.app import App
from headwater.model.errors import Refused
from headwater.store.changes.workers import WorkerProcess
from headwater.store.schema.flow import documents
from headwater.web.crash_trial import CrashTrial, is_descendant

PARENT = "import subprocess; child = subprocess.Popen(['sleep', '600']); print(child.pid, flush=True); child.wait()"


@pytest.fixture
def trial(tmp_path: Path) -> Iterator[CrashTrial]:
    with installation(tmp_path) as app:
        trial = CrashTrial(app, (), "crypto")
        yield trial
        if trial.child is not None:
            trial.child.kill()
            trial.child.communicate(timeout=DEADLINE)


def record_worker(trial: CrashTrial, name: str, pid: int) -> None:
    app = App(msgspec.structs.replace(trial.app.settings, data=str(trial.folder)), trial.app.clock)
    process = WorkerProcess(id=name, role="local", host=socket.gethostname(), pid=pid, version="1")
    app.workers.record(process, app.clock())
    app.engine.dispose()


def test_a_worker_of_the_trial_is_killed_and_another_process_is_not(trial: CrashTrial):
    with pytest.raises(Refused, match="start the trial"):
        trial.kill()
    trial.child = subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE)
    assert trial.child.stdout is not None
    pid = int(trial.child.stdout.readline())
    record_worker(trial, "own", pid)
    record_worker(trial, "other", os.getpid())
    assert [worker.pid for worker in trial.workers()] == [pid]
    assert trial.kill().pid == pid
    assert trial.child.wait(DEADLINE) == 0
    assert trial.workers() == []


def test_what_the_demo_has_and_an_ended_trial_has_not_is_lost(trial: CrashTrial):
    assert trial.figures() == {"expected": 0, "has_rows": False}
    fill(trial.app)
    with trial.app.engine.begin() as connection:
        connection.execute(documents.update().values(recipe="crypto"))
    record_worker(trial, "own", 1)
    trial.child = subprocess.Popen([sys.executable, "-c", ""])
    trial.child.wait(DEADLINE)
    figures = trial.figures()
    assert (figures["expected"], figures["present"], figures["duplicated"]) == (3, 0, 0)
    assert (figures["lost"], figures["lost_by_kind"]["documents_of_the_demo"]) == (3, 3)


def test_a_process_descends_from_those_that_started_it():
    parents = {5: 4, 4: 3, 3: 1}
    assert is_descendant(5, 3, parents.__getitem__)
    assert not is_descendant(3, 5, parents.__getitem__)
    assert is_descendant(os.getpid(), os.getppid())

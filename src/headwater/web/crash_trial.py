"""The crash trial of the demo: a real run in a folder of its own, whose worker processes the reader kills, while the page counts
from rows what was lost or stored twice."""

import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import msgspec
from sqlalchemy import func, select

from headwater.app import App
from headwater.model.errors import Refused
from headwater.model.jobs import State
from headwater.store.changes.workers import WorkerProcess
from headwater.store.connect import read_transaction
from headwater.store.reads.integrity import check_integrity
from headwater.store.schema.flow import documents

WORKERS = 2
STOP_SECONDS = 60


@dataclass
class CrashTrial:
    """`app` is the demo, which has processed the same sources already: what it has and the trial has not at its end, is lost.
    `arguments` are the global options of its processes."""

    app: App
    arguments: Sequence[str]
    recipe: str
    child: "subprocess.Popen[bytes] | None" = None
    killed: list[int] = field(default_factory=list)

    @property
    def folder(self) -> Path:
        return Path(self.app.settings.data) / "crash-trial"

    @property
    def is_running(self) -> bool:
        return self.child is not None and self.child.poll() is None

    def start(self) -> None:
        """Begin with nothing: the folder of the last trial is deleted."""
        if self.is_running:
            raise Refused("run_under_way", "the trial is running; wait until it ends, or stop it")
        shutil.rmtree(self.folder, ignore_errors=True)
        self.killed = []
        words = ("run", self.recipe, "--until-idle", "--quiet", "--workers", str(WORKERS))
        program = (sys.executable, "-m", "headwater.cli", *self.arguments, "--data", str(self.folder))
        self.child = subprocess.Popen((*program, *words), stdin=subprocess.DEVNULL)  # noqa: S603 - our own program

    def stop(self) -> None:
        if self.is_running and self.child is not None:
            self.child.terminate()
            with suppress(subprocess.TimeoutExpired):
                self.child.wait(STOP_SECONDS)

    def kill(self) -> WorkerProcess:
        """End a worker at once, without a chance to finish: the next one, in turn."""
        workers = self.workers()
        if not workers:
            raise Refused("not_now", "no worker of the trial is running; start the trial")
        victim = workers[len(self.killed) % len(workers)]
        os.kill(victim.pid, signal.SIGKILL)
        self.killed.append(victim.pid)
        return victim

    def workers(self) -> list[WorkerProcess]:
        """The processes of the trial that are alive: those with a heartbeat that the process we started has started."""
        if not self.is_running or self.child is None or not self._has_rows():
            return []
        with self._opened() as app:
            processes = [heartbeat.process for heartbeat in app.workers.heartbeats(app.clock())]
        own, host = self.child.pid, socket.gethostname()
        return [
            process
            for process in processes
            if process.host == host and process.pid not in self.killed and is_descendant(process.pid, own)
        ]

    def figures(self) -> dict[str, Any]:
        """What is there, what is missing and what is there twice."""
        expected = _document_ids(self.app, self.recipe)
        if self.child is None or not self._has_rows():
            return {"expected": len(expected), "has_rows": False}
        with self._opened() as app:
            integrity = check_integrity(app.engine, self.recipe)
            present = _document_ids(app, self.recipe)
            waiting = _count_waiting(app, self.recipe)
        missing = 0 if self.is_running else len(expected - present)
        return {
            "expected": len(expected),
            "has_rows": True,
            "present": len(present),
            "waiting": waiting,
            "missing": missing,
            "lost": integrity.lost_count + missing,
            "duplicated": integrity.duplicated_count,
            "lost_by_kind": dict(integrity.lost) | {"documents_of_the_demo": missing},
            "duplicated_by_kind": dict(integrity.duplicated),
        }

    def _has_rows(self) -> bool:
        return (self.folder / "headwater.db").exists()

    def _opened(self) -> "_OpenApp":
        return _OpenApp(
            replace(self.app, settings=msgspec.structs.replace(self.app.settings, data=str(self.folder)))
        )


@dataclass
class _OpenApp:
    """An installation whose connections are closed afterwards: the next trial deletes its files."""

    app: App

    def __enter__(self) -> App:
        return self.app

    def __exit__(self, *error: object) -> None:
        self.app.engine.dispose()


def _document_ids(app: App, recipe: str) -> set[str]:
    with read_transaction(app.engine) as connection:
        return set(connection.scalars(select(documents.c.id).where(documents.c.recipe == recipe)))


def _count_waiting(app: App, recipe: str) -> int:
    query = select(func.count()).where(documents.c.recipe == recipe, documents.c.state == State.WAITING)
    with read_transaction(app.engine) as connection:
        return connection.scalar(query) or 0


def is_descendant(pid: int, ancestor: int, parent_of: Callable[[int], int] | None = None) -> bool:
    """Whether a process was started by another one, directly or not."""
    find_parent = parent_of or _parent
    while pid > 1:
        pid = find_parent(pid)
        if pid == ancestor:
            return True
    return False


def _parent(pid: int) -> int:
    """0 if there is no such process. The name of a program may contain anything, even a parenthesis."""
    try:
        line = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return 0
    return int(line.rpartition(")")[2].split()[1])

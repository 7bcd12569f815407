"""The heartbeat of a process that holds leases: a row, renewed by a thread however long a job takes.

Every process also frees what silent ones held, and one of them pings the address of the dead man's switch.
"""

import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from importlib.metadata import version

from headwater.app import App
from headwater.liveness import process_name
from headwater.logs import configure_logs
from headwater.model.errors import HeadwaterError, MovedAway
from headwater.ops.dead_mans_switch import DeadMansSwitch
from headwater.ops.system_rules import BEAT_ROLE
from headwater.store.changes.workers import HEARTBEAT_EVERY, WorkerProcess


def this_process(role: str) -> WorkerProcess:
    return WorkerProcess(
        id=process_name(),
        role=role,
        host=socket.gethostname(),
        pid=os.getpid(),
        version=version("headwater"),
    )


@dataclass
class Heartbeat:
    """`tick` stores one heartbeat and does what goes with it."""

    app: App
    process: WorkerProcess
    switch: DeadMansSwitch | None = None
    clock: Callable[[], float] = time.monotonic
    stopped: threading.Event = field(default_factory=threading.Event)
    last_error: str = ""

    def tick(self) -> int:
        """Returns how many rows of silent processes were freed."""
        was_on_time = self.app.workers.record(self.process, self.app.clock())
        does_work = self.process.role != BEAT_ROLE
        freed = self.app.workers.release_silent(self.app.clock(), forget=does_work) if was_on_time else 0
        if self.switch is not None:
            self.switch.ping_if_due(self.app, self.process.id, self.clock())
        return freed

    def run(self) -> None:
        """A database that is unavailable is tried again with the next heartbeat."""
        while not self.stopped.is_set():
            try:
                self.tick()
                self.last_error = ""
            except MovedAway:
                return  # the process learns it from its own next write
            except HeadwaterError as error:
                self._log_once(error)
            self.stopped.wait(HEARTBEAT_EVERY.total_seconds())

    def _log_once(self, error: HeadwaterError) -> None:
        if error.reason != self.last_error:
            log = configure_logs(self.app.settings.log, self.app.settings.log_level)
            log.warning("heartbeat failed", role=self.process.role, reason=error.reason, detail=error.detail)
        self.last_error = error.reason


def start_heartbeat(app: App, role: str) -> Callable[[], None]:
    """Store the first heartbeat before any lease is taken, and the others in a thread; returns a function that ends it."""
    heartbeat = Heartbeat(app, this_process(role), DeadMansSwitch.from_settings(app.settings))
    with suppress(HeadwaterError):
        app.workers.record(heartbeat.process, app.clock())
    thread = threading.Thread(target=heartbeat.run, name="heartbeat", daemon=True)
    thread.start()

    def stop() -> None:
        heartbeat.stopped.set()
        thread.join(timeout=HEARTBEAT_EVERY.total_seconds())
        with suppress(HeadwaterError):
            app.workers.forget(heartbeat.process.id, app.clock())

    return stop


@contextmanager
def heartbeat(app: App, role: str) -> Iterator[None]:
    """Held while this process may hold leases. If it is killed, its row stays and falls silent."""
    stop = start_heartbeat(app, role)
    try:
        yield
    finally:
        stop()

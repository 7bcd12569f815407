"""Finds a Celery worker that takes no more messages after a reconnect, although it looks healthy, and has it replaced.

Nothing is lost meanwhile, because the rows decide. But nothing is done either: the hint that waits in its queue keeps the
beat from sending another.
"""

import mmap
import os
import struct
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

import structlog

from headwater.liveness import is_running
from headwater.model.errors import Temporary
from headwater.redis_client import RedisClient

_log = structlog.get_logger()
CHECK_SECONDS = 5.0
STUCK_AFTER = 60.0
SLOTS = 1024
SLOT = struct.Struct("q")


@dataclass
class BusyChildren:
    """The children that are working, in memory that the worker shares with them. Each child writes its process id into its
    slot, so a child that dies while busy is recognised as dead."""

    shared: mmap.mmap = field(default_factory=lambda: mmap.mmap(-1, SLOTS * SLOT.size))

    @contextmanager
    def mark_busy(self) -> Iterator[None]:
        pid = os.getpid()
        self._write(pid, pid)
        try:
            yield
        finally:
            self._write(pid, 0)

    def _write(self, pid: int, value: int) -> None:
        SLOT.pack_into(self.shared, pid % SLOTS * SLOT.size, value)

    def any_busy(self) -> bool:
        return any(pid and is_running(pid) for (pid,) in SLOT.iter_unpack(self.shared[:]))


@dataclass
class StallTimer:
    """Measures how long messages have waited while no child was busy."""

    since: float | None = None

    def is_stalled(self, now: float, *, messages: bool, busy: bool) -> bool:
        if not messages or busy:
            self.since = None
            return False
        self.since = now if self.since is None else self.since
        return now - self.since >= STUCK_AFTER


@dataclass
class QueueWatchdog:
    """Checks the queues of a worker through a connection of its own. `on_stall` ends the worker."""

    server: RedisClient
    queues: Sequence[str]
    children: BusyChildren
    on_stall: Callable[[], None]
    clock: Callable[[], float] = time.monotonic
    timer: StallTimer = field(default_factory=StallTimer)

    def check(self) -> None:
        busy = self.children.any_busy()
        messages = False
        with suppress(Temporary):  # without the server a worker cannot take messages: that is not a stall
            messages = any(self.server.execute([("LLEN", queue) for queue in self.queues]))
        if self.timer.is_stalled(self.clock(), messages=messages, busy=busy):
            self.on_stall()

    def start(self) -> None:
        threading.Thread(target=self._watch, name="watchdog", daemon=True).start()

    def _watch(self) -> None:
        while True:
            time.sleep(CHECK_SECONDS)
            try:
                self.check()
            except Exception:  # noqa: BLE001 - the watchdog must survive every error
                _log.exception("the watchdog failed")

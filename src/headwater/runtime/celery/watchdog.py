"""A worker that has connected anew sometimes takes no more messages, although it looks well. It is noticed and replaced.

Rows are the truth, so nothing is lost meanwhile; but nothing is done either, for the hint that waits in its queue keeps
the beat from sending another.
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
LOOK_EVERY = 5.0
STUCK_AFTER = 60.0
SLOTS = 1024
ONE = struct.Struct("q")


@dataclass
class BusyChildren:
    """Which children are at work: memory that a worker shares with them. Each writes its own number into its own place,
    so that one that dies in the middle is known to be dead."""

    shared: mmap.mmap = field(default_factory=lambda: mmap.mmap(-1, SLOTS * ONE.size))

    @contextmanager
    def mark_busy(self) -> Iterator[None]:
        me = os.getpid()
        self._write(me, me)
        try:
            yield
        finally:
            self._write(me, 0)

    def _write(self, process: int, value: int) -> None:
        ONE.pack_into(self.shared, process % SLOTS * ONE.size, value)

    def any_busy(self) -> bool:
        return any(process and is_running(process) for (process,) in ONE.iter_unpack(self.shared[:]))


@dataclass
class StallTimer:
    """For how long messages have lain there while nobody was at work."""

    since: float | None = None

    def is_stalled(self, now: float, *, messages: bool, busy: bool) -> bool:
        if not messages or busy:
            self.since = None
            return False
        self.since = now if self.since is None else self.since
        return now - self.since >= STUCK_AFTER


@dataclass
class QueueWatchdog:
    """Looks at the queues of a worker through a connection of its own."""

    server: RedisClient
    queues: Sequence[str]
    presence: BusyChildren
    end: Callable[[], None]
    clock: Callable[[], float] = time.monotonic
    waiting: StallTimer = field(default_factory=StallTimer)

    def check(self) -> None:
        busy = self.presence.any_busy()
        messages = False
        with suppress(
            Temporary
        ):  # who is not heard by the server cannot be blamed for taking nothing from it
            messages = any(self.server.ask([("LLEN", queue) for queue in self.queues]))
        if self.waiting.is_stalled(self.clock(), messages=messages, busy=busy):
            self.end()

    def begin(self) -> None:
        threading.Thread(target=self._watch, name="watch", daemon=True).start()

    def _watch(self) -> None:
        while True:
            time.sleep(LOOK_EVERY)
            try:
                self.check()
            except Exception:  # noqa: BLE001 - whatever it is, a watch that ended would watch nobody
                _log.exception("the watch could not look")

"""Time limits of all running requests. One timer checks them all instead of several timers per request."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import TracebackType
from typing import Self

# The precision of the limits. A shorter tick costs noticeable time when hundreds of requests run.
_TICK_SECONDS = 0.1

# The deadline of the current request, for the connector below it.
current_deadline: ContextVar["Deadline | None"] = ContextVar("current_deadline", default=None)


class Deadlines:
    """The deadlines of all running requests. Lives in one event loop."""

    def __init__(self) -> None:
        self.running: set[Deadline] = set()
        self._timer: asyncio.TimerHandle | None = None

    def deadline(self, total: float, idle: float, grace: float = 0.0) -> "Deadline":
        """A context manager that limits its block to `total` seconds, and to `idle` seconds between two signs of life.
        The connection may take `grace` seconds longer; once it stands, only `idle` counts."""
        return Deadline(self, total, idle, grace)

    def schedule_tick(self) -> None:
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(_TICK_SECONDS, self._tick)

    def _tick(self) -> None:
        self._timer = None
        now = asyncio.get_running_loop().time()
        for deadline in self.running:
            deadline.check(now)
        if self.running:
            self.schedule_tick()

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()


class Deadline:
    """Ends its block with TimeoutError when a limit has passed."""

    __slots__ = (
        "_active_at",
        "_deadlines",
        "_expired",
        "_idle",
        "_prior_cancels",
        "_suspended",
        "_task",
        "_until",
    )

    def __init__(self, deadlines: Deadlines, total: float, idle: float, grace: float) -> None:
        now = asyncio.get_running_loop().time()
        self._deadlines = deadlines
        self._until = now + total
        self._active_at = now + grace
        self._idle = idle
        self._expired = False
        self._suspended = False

    def touch(self) -> None:
        """Record a sign of life."""
        self._active_at = asyncio.get_running_loop().time()

    @contextmanager
    def suspended(self) -> Iterator[None]:
        """Leave out the time of a block that waits for a reason of our own."""
        started = asyncio.get_running_loop().time()
        self._suspended = True
        try:
            yield
        finally:
            self._suspended = False
            self._until += asyncio.get_running_loop().time() - started
            self.touch()

    def check(self, now: float) -> None:
        if self._expired or self._suspended:
            return
        if now >= self._until or now >= self._active_at + self._idle:
            self._expired = True
            self._task.cancel()

    def __enter__(self) -> Self:
        task = asyncio.current_task()
        assert task is not None
        self._task = task
        self._prior_cancels = task.cancelling()
        self._deadlines.running.add(self)
        self._deadlines.schedule_tick()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._deadlines.running.discard(self)
        # Only our own cancellation becomes a timeout. A cancellation from outside passes through.
        if self._expired and self._task.uncancel() <= self._prior_cancels and kind is asyncio.CancelledError:
            raise TimeoutError from error

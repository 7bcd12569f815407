"""The time limits of all running exchanges, kept by one timer instead of several for each of them."""

import asyncio
from types import TracebackType
from typing import Self

# How exactly limits are kept. Finer would be felt when hundreds of exchanges run.
_TICK_SECONDS = 0.1


class Deadlines:
    """Lives in one event loop."""

    def __init__(self) -> None:
        self.running: set[Deadline] = set()
        self._timer: asyncio.TimerHandle | None = None

    def watch(self, total: float, idle: float, grace: float = 0.0) -> "Deadline":
        """A limit for the block that it is entered for: in all, and between two signs of life. The first sign may
        take `grace` longer, for a connection to be made."""
        return Deadline(self, total, idle, grace)

    def tick_soon(self) -> None:
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(_TICK_SECONDS, self._tick)

    def _tick(self) -> None:
        self._timer = None
        now = asyncio.get_running_loop().time()
        for watch in self.running:
            watch.check(now)
        if self.running:
            self.tick_soon()

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()


class Deadline:
    """Ends its block with TimeoutError when a limit has passed."""

    __slots__ = ("_cancelling", "_deadlines", "_expired", "_idle", "_moved", "_task", "_until")

    def __init__(self, deadlines: Deadlines, total: float, idle: float, grace: float) -> None:
        now = asyncio.get_running_loop().time()
        self._deadlines = deadlines
        self._until = now + total
        self._moved = now + grace
        self._idle = idle
        self._expired = False

    def moved(self) -> None:
        """A sign of life."""
        self._moved = asyncio.get_running_loop().time()

    def extend(self, seconds: float) -> None:
        """Time that passed for a reason of our own does not count."""
        self._until += seconds
        self.moved()

    def check(self, now: float) -> None:
        if not self._expired and (now >= self._until or now >= self._moved + self._idle):
            self._expired = True
            self._task.cancel()

    def __enter__(self) -> Self:
        task = asyncio.current_task()
        assert task is not None
        self._task = task
        self._cancelling = task.cancelling()
        self._deadlines.running.add(self)
        self._deadlines.tick_soon()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._deadlines.running.discard(self)
        # Only our own cancelling becomes a timeout; one that came from outside goes on its way.
        if self._expired and self._task.uncancel() <= self._cancelling and kind is asyncio.CancelledError:
            raise TimeoutError from error

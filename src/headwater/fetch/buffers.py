"""One budget of memory for all bodies that are being read or wait to be collected."""

import asyncio
from collections import deque


class Buffers:
    """Lives in one event loop. Whoever would go beyond the limit waits for others to finish; the one that has waited
    longest may go on, so that somebody always finishes."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._waiting: deque[asyncio.Event] = deque()
        self.used = 0

    def full(self) -> bool:
        return self.used > self._limit

    def take(self, size: int) -> None:
        self.used += size

    def give(self, size: int) -> None:
        self.used -= size
        if self._waiting and not self.full():
            for event in self._waiting:
                event.set()

    async def wait(self) -> None:
        """Until there is room again, or until nobody waits longer."""
        event = asyncio.Event()
        self._waiting.append(event)
        try:
            if self._waiting[0] is not event:
                await event.wait()
        finally:
            self._waiting.remove(event)
            if self._waiting:
                self._waiting[0].set()

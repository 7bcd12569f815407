"""One budget of memory for all bodies that are being read or wait to be collected."""

import asyncio
from collections import deque


class Share:
    """What one body has taken."""

    __slots__ = ("size",)

    def __init__(self) -> None:
        self.size = 0


class Buffers:
    """Lives in one event loop. Whoever grows while the budget is used up waits for others to finish. One of them is
    chosen to go on all the same, until it is finished, so that somebody always does."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._chosen: Share | None = None
        self._waiting: deque[asyncio.Future[None]] = deque()
        self.used = 0

    def full(self) -> bool:
        return self.used > self._limit

    def take(self, share: Share, size: int) -> None:
        share.size += size
        self.used += size

    async def room(self, share: Share) -> None:
        """Until this body may grow."""
        while self.full() and not self._choose(share):
            turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append(turn)
            await turn

    def end(self, share: Share) -> None:
        """This body does not grow any more. What it has taken stays taken until it is given back."""
        if self._chosen is share:
            self._chosen = None
            self._wake()

    def give(self, size: int) -> None:
        self.used -= size
        self._wake()

    def _choose(self, share: Share) -> bool:
        if self._chosen is None:
            self._chosen = share
        return self._chosen is share

    def _wake(self) -> None:
        """All when there is room; else the first, if nobody is chosen. One that gave up is passed over."""
        while self._waiting and (not self.full() or self._chosen is None):
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                if self.full():
                    return

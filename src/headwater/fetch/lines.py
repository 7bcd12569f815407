"""The lines before the places of a host: how fast they move, how long they may be, and who is next.

A host that answers in a moment has a long line that moves quickly. One that answers slowly has a short one, and whoever
finds it full comes back later: a slow host must not fill the room that the fetcher has for everybody.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from headwater.pure.pace import Demand

_UNKNOWN_PACE = 0.1
_FASTEST, _SLOWEST = 0.01, 1.0
_SHORTEST_LINE, _LONGEST_LINE = 4, 64
_NEWEST = 0.3
_KNOWN_KEYS = 1000


@dataclass(slots=True)
class _Line:
    waiting: deque[asyncio.Future[None]] = field(default_factory=deque)
    standing: int = 0
    began: dict[str, float] = field(default_factory=dict)
    step: float | None = None
    back: float = 0.0

    def idle(self) -> bool:
        return not self.waiting and not self.standing and not self.began


class Lines:
    """Lives in one event loop. `patience` is how long it is worth standing in line."""

    def __init__(self, now: Callable[[], float], patience: float) -> None:
        self._now = now
        self._patience = patience
        self._lines: dict[str, _Line] = {}

    def enter(self, key: str) -> bool:
        """A place in the line of the key; False when it is full."""
        line = self._line(key)
        most = min(max(int(self._patience / self._step(line)), _SHORTEST_LINE), _LONGEST_LINE)
        if line.standing >= most:
            return False
        line.standing += 1
        return True

    def leave(self, key: str) -> None:
        self._line(key).standing -= 1

    def come_back(self, key: str, horizon: float) -> float:
        """The moment at which somebody who found the line full may come back: one after the other, so that they do
        not all come at once."""
        now, line = self._now(), self._line(key)
        step = self._step(line)
        back = max(line.back, now + min(line.standing * step, self._patience)) + step
        line.back = back if back < now + horizon else 0.0
        return back

    async def wait(self, key: str, seconds: float) -> None:
        """Until somebody of the line's host has finished here, or so long: others may have finished elsewhere."""
        loop = asyncio.get_running_loop()
        turn: asyncio.Future[None] = loop.create_future()
        waiting = self._line(key).waiting
        waiting.append(turn)
        timer = loop.call_later(seconds, _call, turn)
        try:
            await turn
        finally:
            timer.cancel()
            if turn in waiting:
                waiting.remove(turn)

    def began(self, demand: Demand) -> None:
        for slots in demand.slots:
            self._line(slots.key).began[demand.lease] = self._now()

    def ended(self, demand: Demand) -> None:
        """Whoever is first in line may try."""
        for slots in demand.slots:
            line = self._line(slots.key)
            began = line.began.pop(demand.lease, None)
            if began is not None:
                took = max(self._now() - began, 0.0) / slots.limit
                line.step = took if line.step is None else line.step + _NEWEST * (took - line.step)
            while line.waiting and not _call(line.waiting.popleft()):
                pass

    def _step(self, line: _Line) -> float:
        """How long it takes the line to move by one: as it was lately, and no less than what those take who are not
        finished yet."""
        lately = _UNKNOWN_PACE if line.step is None else line.step
        under_way = (self._now() - max(line.began.values())) / len(line.began) if line.began else 0.0
        return min(max(lately, under_way, _FASTEST), _SLOWEST)

    def _line(self, key: str) -> _Line:
        line = self._lines.get(key)
        if line is None:
            if len(self._lines) >= _KNOWN_KEYS:
                self._lines = {known: line for known, line in self._lines.items() if not line.idle()}
            line = self._lines[key] = _Line()
        return line


def _call(turn: asyncio.Future[None]) -> bool:
    if turn.done():
        return False
    turn.set_result(None)
    return True

"""The lines before the places of a host: how fast they move, how long they may be, and who is next.

A host that answers in a moment has a long line that moves quickly. One that answers slowly has a short one, and whoever
finds it full comes back later: a slow host must not fill the room that the fetcher has for everybody.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import timedelta

import structlog

from headwater.fetch.failures import FetchStopped
from headwater.fetch.politeness.quotas import Decision, Demand, Go, Wait
from headwater.fetch.politeness.rate_limiter import HORIZON, EpochClock, RateLimiter
from headwater.model.errors import Temporary

_UNKNOWN_PACE = 0.1
_FASTEST, _SLOWEST = 0.01, 1.0
_SHORTEST_LINE, _LONGEST_LINE = 4, 64
_NEWEST = 0.3
_MOST_QUEUES = 1000


@dataclass(slots=True)
class _WaitQueue:
    waiting: deque[asyncio.Future[None]] = field(default_factory=deque)
    standing: int = 0
    began: dict[str, float] = field(default_factory=dict)
    step: float | None = None
    back: float = 0.0

    def idle(self) -> bool:
        return not self.waiting and not self.standing and not self.began


class WaitQueues:
    """Lives in one event loop. `patience` is how long it is worth standing in line."""

    def __init__(self, now: Callable[[], float], longest_wait: float) -> None:
        self._now = now
        self._longest_wait = longest_wait
        self._lines: dict[str, _WaitQueue] = {}

    def enter(self, key: str) -> bool:
        """A place in the line of the key; False when it is full."""
        line = self._line(key)
        most = min(max(int(self._longest_wait / self._step(line)), _SHORTEST_LINE), _LONGEST_LINE)
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
        back = max(line.back, now + min(line.standing * step, self._longest_wait)) + step
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

    def _step(self, line: _WaitQueue) -> float:
        """How long it takes the line to move by one: as it was lately, and no less than what those take who are not
        finished yet."""
        lately = _UNKNOWN_PACE if line.step is None else line.step
        under_way = (self._now() - max(line.began.values())) / len(line.began) if line.began else 0.0
        return min(max(lately, under_way, _FASTEST), _SLOWEST)

    def _line(self, key: str) -> _WaitQueue:
        line = self._lines.get(key)
        if line is None:
            if len(self._lines) >= _MOST_QUEUES:
                self._lines = {known: line for known, line in self._lines.items() if not line.idle()}
            line = self._lines[key] = _WaitQueue()
        return line


def _call(turn: asyncio.Future[None]) -> bool:
    if turn.done():
        return False
    turn.set_result(None)
    return True


_log = structlog.get_logger()
# Sleeping shorter than this is not worth a timer; the governor is asked again anyway.
_SHORTEST_SLEEP = 0.0005
_SHORTEST_DELAY = 0.1
_TELL_EVERY = 10.0
_KNOWN_KEYS = 1000
_UNABLE_DELAY = timedelta(seconds=5)
_UNABLE_PAUSE = 1.0


@dataclass(slots=True)
class PendingReports:
    """What the governor has not been told yet: which requests went out, which are over, who asked for patience."""

    sent: list[str] = field(default_factory=list)
    done: list[str] = field(default_factory=list)
    blocks: list[tuple[list[str], float]] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.sent or self.done or self.blocks)

    def before(self, newer: "PendingReports") -> "PendingReports":
        """Both together. Telling the same thing twice changes nothing."""
        return PendingReports(self.sent + newer.sent, self.done + newer.done, self.blocks + newer.blocks)


class Admission:
    """Lives in one event loop. A governor that may block is asked in a thread of its own."""

    def __init__(self, rate_limiter: RateLimiter, now: EpochClock, longest_wait: timedelta) -> None:
        self._rate_limiter = rate_limiter
        self._now = now
        self._longest_wait = longest_wait / timedelta(seconds=1)
        self._asking: list[tuple[Demand, asyncio.Future[Decision]]] = []
        self._news = PendingReports()
        self._told: dict[str, float] = {}
        self._told_unable = 0.0
        self._lines = WaitQueues(now, self._longest_wait)
        self._flushing: asyncio.Task[None] | None = None
        self._closing = False
        self._thread = ThreadPoolExecutor(1, "headwater-rate-limiter") if rate_limiter.blocking else None

    async def admit(self, demand: Demand) -> None:
        """Returns when the request may leave. Stops when that is too far off to wait for it here."""
        # A moment that was worth waiting for may slip a little: there is some patience left for that.
        latest = self._now() + 2 * self._longest_wait
        queue = ""
        try:
            while True:
                decision = await self._ask(demand)
                if isinstance(decision, Go):
                    self._lines.began(demand)
                    return
                wait = decision.until - self._now()
                if decision.planned or wait > self._longest_wait:
                    self._check_wait(decision, wait, latest)
                    await asyncio.sleep(max(wait, _SHORTEST_SLEEP))
                    continue
                queue = queue or self._line_up(decision.key)
                self._check_queue(decision, latest)
                await self._lines.wait(decision.key, max(wait, _SHORTEST_SLEEP))
        finally:
            if queue:
                self._lines.leave(queue)

    def _check_wait(self, decision: Wait, wait: float, latest: float) -> None:
        if wait > self._longest_wait or decision.until > latest:
            raise self._deferred(decision.key, wait)

    def _line_up(self, key: str) -> str:
        """A place among those that wait here for a running request to end. All others come back later."""
        if not self._lines.enter(key):
            raise self._sent_back(key)
        return key

    def _check_queue(self, decision: Wait, latest: float) -> None:
        if decision.until > latest:
            raise self._sent_back(decision.key)

    def _sent_back(self, key: str) -> FetchStopped:
        return self._deferred(key, self._lines.come_back(key, HORIZON) - self._now())

    def _deferred(self, key: str, wait: float) -> FetchStopped:
        self._tell(key, wait)
        return FetchStopped("rate_limited", key, delay=timedelta(seconds=max(wait, _SHORTEST_DELAY)))

    def _tell(self, limit: str, wait: float) -> None:
        """Once in a while for each limit: a long queue says the same thing a thousand times."""
        now = self._now()
        if now - self._told.get(limit, 0.0) >= _TELL_EVERY:
            if len(self._told) >= _KNOWN_KEYS:
                self._told.clear()
            self._told[limit] = now
            # Waiting one's turn at a host is ordinary; a budget that is used up is worth a warning.
            tell = _log.info if limit.startswith("host:") else _log.warning
            tell("deferred", limit=limit, seconds=round(wait, 3))

    def sent(self, demand: Demand) -> None:
        self._news.sent.append(demand.lease)
        self._flush_soon()

    def done(self, demand: Demand) -> None:
        self._news.done.append(demand.lease)
        self._lines.ended(demand)
        self._flush_soon()

    def block_until(self, keys: list[str], until: float) -> None:
        self._news.blocks.append((keys, until))
        self._flush_soon()

    def own_tasks(self) -> set[asyncio.Task[None]]:
        """What must not be cancelled at the end: it tells the others that our requests are over."""
        return {self._flushing} if self._flushing is not None else set()

    async def close(self) -> None:
        self._closing = True
        while self._flushing is not None:
            await self._flushing
        if self._thread is not None:
            self._thread.shutdown()

    async def _ask(self, demand: Demand) -> Decision:
        future: asyncio.Future[Decision] = asyncio.get_running_loop().create_future()
        self._asking.append((demand, future))
        self._flush_soon()
        try:
            return await future
        except asyncio.CancelledError:
            if future.done() and not future.cancelled() and isinstance(future.result(), Go):
                # Let go and given up at the same moment: nobody else knows that the place is free again.
                self._news.done.append(demand.lease)
                self._flush_soon()
            raise

    def _flush_soon(self) -> None:
        if self._flushing is None:
            self._flushing = asyncio.get_running_loop().create_task(self._flush())

    async def _flush(self) -> None:
        try:
            while self._asking or self._news:
                asking, self._asking = self._asking, []
                news, self._news = self._news, PendingReports()
                try:
                    decisions = await self._call(self._work([demand for demand, _ in asking], news))
                except Temporary as unable:
                    self._unable(asking, unable)
                    self._news = news.before(self._news)
                    if self._closing:
                        return
                    await asyncio.sleep(_UNABLE_PAUSE)
                    continue
                for (demand, future), decision in zip(asking, decisions, strict=True):
                    self._answer(demand, future, decision)
        finally:
            self._flushing = None

    def _unable(self, asking: list[tuple[Demand, asyncio.Future[Decision]]], why: Temporary) -> None:
        """Nobody can say whether a request may leave: then none does."""
        if self._now() - self._told_unable >= _TELL_EVERY:
            self._told_unable = self._now()
            _log.error("rate limiter unavailable", reason=why.reason, detail=why.detail)
        for _, future in asking:
            if not future.done():
                future.set_exception(
                    FetchStopped("rate_limited", why.reason, delay=why.delay or _UNABLE_DELAY)
                )

    def _answer(self, demand: Demand, future: asyncio.Future[Decision], decision: Decision) -> None:
        if not future.done():
            future.set_result(decision)
        elif isinstance(decision, Go):
            # Whoever asked has left in the meantime: give its place back.
            self._news.done.append(demand.lease)

    def _work(self, demands: list[Demand], news: "PendingReports") -> Callable[[], list[Decision]]:
        def work() -> list[Decision]:
            for keys, until in news.blocks:
                self._rate_limiter.block_until(keys, until)
            if news.sent:
                self._rate_limiter.sent(news.sent, self._now())
            if news.done:
                self._rate_limiter.done(news.done, self._now())
            return list(self._rate_limiter.reserve(demands, self._now)) if demands else []

        return work

    async def _call(self, work: Callable[[], list[Decision]]) -> list[Decision]:
        if self._thread is None:
            return work()
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

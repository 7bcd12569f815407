"""Admission of requests: many requests wait, and one call to the rate limiter decides for all that arrived together.

A request that needs a free slot of a host joins the host's queue. A host that answers quickly has a long queue that moves
fast. A slow host has a short queue, and requests that find it full come back later: a slow host must not fill the capacity
that the fetcher has for all hosts.
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
from headwater.model.http import RATE_LIMITED

_log = structlog.get_logger()
# A shorter sleep is not worth a timer, because the rate limiter is asked again anyway.
_SHORTEST_SLEEP = 0.0005
_SHORTEST_DELAY = 0.1
_LOG_EVERY = 10.0
_MOST_LOGGED_KEYS = 1000
_UNAVAILABLE_DELAY = timedelta(seconds=5)
_UNAVAILABLE_PAUSE = 1.0
# Seconds per request that a queue assumes at first, and the bounds of what it measures.
_UNKNOWN_PACE = 0.1
_FASTEST, _SLOWEST = 0.01, 1.0
_SHORTEST_QUEUE, _LONGEST_QUEUE = 4, 64
_NEWEST_WEIGHT = 0.3
_MOST_QUEUES = 1000


@dataclass(slots=True)
class PendingReports:
    """What the rate limiter does not know yet: which requests were sent, which are done, which keys to block."""

    sent: list[str] = field(default_factory=list)
    done: list[str] = field(default_factory=list)
    blocks: list[tuple[list[str], float]] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.sent or self.done or self.blocks)

    def before(self, newer: "PendingReports") -> "PendingReports":
        """Both together. Reporting the same thing twice changes nothing."""
        return PendingReports(self.sent + newer.sent, self.done + newer.done, self.blocks + newer.blocks)


class Admission:
    """Lives in one event loop. A rate limiter that may block is called in its own thread."""

    def __init__(self, rate_limiter: RateLimiter, now: EpochClock, longest_wait: timedelta) -> None:
        self._rate_limiter = rate_limiter
        self._now = now
        self._longest_wait = longest_wait / timedelta(seconds=1)
        self._undecided: list[tuple[Demand, asyncio.Future[Decision]]] = []
        self._reports = PendingReports()
        self._logged: dict[str, float] = {}
        self._unavailable_logged = 0.0
        self._queues = WaitQueues(now, self._longest_wait)
        self._flushing: asyncio.Task[None] | None = None
        self._closing = False
        self._thread = ThreadPoolExecutor(1, "headwater-rate-limiter") if rate_limiter.blocking else None

    async def admit(self, demand: Demand) -> None:
        """Return when the request may leave. Stops when that is too far off to wait here."""
        # A planned moment may slip a little while the request waits for it, so the limit has some slack.
        latest = self._now() + 2 * self._longest_wait
        queue = ""
        try:
            while True:
                decision = await self._decision(demand)
                if isinstance(decision, Go):
                    self._queues.record_start(demand)
                    return
                wait = decision.until - self._now()
                if decision.is_planned or wait > self._longest_wait:
                    self._check_wait(decision, wait, latest)
                    await asyncio.sleep(max(wait, _SHORTEST_SLEEP))
                    continue
                queue = queue or self._join_queue(decision.key)
                self._check_queue(decision, latest)
                await self._queues.wait(decision.key, max(wait, _SHORTEST_SLEEP))
        finally:
            if queue:
                self._queues.leave(queue)

    def _check_wait(self, decision: Wait, wait: float, latest: float) -> None:
        if wait > self._longest_wait or decision.until > latest:
            raise self._deferred(decision.key, wait)

    def _join_queue(self, key: str) -> str:
        """A place in the queue for a running request to end. Stops when the queue is full."""
        if not self._queues.enter(key):
            raise self._queue_full(key)
        return key

    def _check_queue(self, decision: Wait, latest: float) -> None:
        if decision.until > latest:
            raise self._queue_full(decision.key)

    def _queue_full(self, key: str) -> FetchStopped:
        return self._deferred(key, self._queues.come_back_at(key, HORIZON) - self._now())

    def _deferred(self, key: str, wait: float) -> FetchStopped:
        self._log_deferred(key, wait)
        return FetchStopped(RATE_LIMITED, key, delay=timedelta(seconds=max(wait, _SHORTEST_DELAY)))

    def _log_deferred(self, limit: str, wait: float) -> None:
        """Log each limit once in a while: a long queue would repeat the same line a thousand times."""
        now = self._now()
        if now - self._logged.get(limit, 0.0) >= _LOG_EVERY:
            if len(self._logged) >= _MOST_LOGGED_KEYS:
                self._logged.clear()
            self._logged[limit] = now
            # To wait for a host is ordinary. A budget that is used up is worth a warning.
            log = _log.info if limit.startswith("host:") else _log.warning
            log("deferred", limit=limit, seconds=round(wait, 3))

    def report_sent(self, demand: Demand) -> None:
        self._reports.sent.append(demand.lease)
        self._flush_soon()

    def report_done(self, demand: Demand) -> None:
        self._reports.done.append(demand.lease)
        self._queues.record_end(demand)
        self._flush_soon()

    def block_until(self, keys: list[str], until: float) -> None:
        self._reports.blocks.append((keys, until))
        self._flush_soon()

    def own_tasks(self) -> set[asyncio.Task[None]]:
        """Tasks that must not be cancelled at the end: they report to other processes that our requests are done."""
        return {self._flushing} if self._flushing is not None else set()

    async def close(self) -> None:
        self._closing = True
        while self._flushing is not None:
            await self._flushing
        if self._thread is not None:
            self._thread.shutdown()

    async def _decision(self, demand: Demand) -> Decision:
        future: asyncio.Future[Decision] = asyncio.get_running_loop().create_future()
        self._undecided.append((demand, future))
        self._flush_soon()
        try:
            return await future
        except asyncio.CancelledError:
            if future.done() and not future.cancelled() and isinstance(future.result(), Go):
                # Admitted and cancelled at the same moment: the slot is free again.
                self._reports.done.append(demand.lease)
                self._flush_soon()
            raise

    def _flush_soon(self) -> None:
        if self._flushing is None:
            self._flushing = asyncio.get_running_loop().create_task(self._flush())

    async def _flush(self) -> None:
        try:
            while self._undecided or self._reports:
                undecided, self._undecided = self._undecided, []
                reports, self._reports = self._reports, PendingReports()
                try:
                    decisions = await self._call(self._work([demand for demand, _ in undecided], reports))
                except Temporary as error:
                    self._refuse_all(undecided, error)
                    self._reports = reports.before(self._reports)
                    if self._closing:
                        return
                    await asyncio.sleep(_UNAVAILABLE_PAUSE)
                    continue
                for (demand, future), decision in zip(undecided, decisions, strict=True):
                    self._resolve(demand, future, decision)
        finally:
            self._flushing = None

    def _refuse_all(self, undecided: list[tuple[Demand, asyncio.Future[Decision]]], error: Temporary) -> None:
        """Without the rate limiter, no request may leave."""
        if self._now() - self._unavailable_logged >= _LOG_EVERY:
            self._unavailable_logged = self._now()
            _log.error("rate limiter unavailable", reason=error.reason, detail=error.detail)
        for _, future in undecided:
            if not future.done():
                delay = error.delay or _UNAVAILABLE_DELAY
                future.set_exception(FetchStopped(RATE_LIMITED, error.reason, delay=delay))

    def _resolve(self, demand: Demand, future: asyncio.Future[Decision], decision: Decision) -> None:
        if not future.done():
            future.set_result(decision)
        elif isinstance(decision, Go):
            # The request was cancelled meanwhile: return its slot.
            self._reports.done.append(demand.lease)

    def _work(self, demands: list[Demand], reports: PendingReports) -> Callable[[], list[Decision]]:
        def work() -> list[Decision]:
            for keys, until in reports.blocks:
                self._rate_limiter.block_until(keys, until)
            if reports.sent:
                self._rate_limiter.report_sent(reports.sent, self._now())
            if reports.done:
                self._rate_limiter.report_done(reports.done, self._now())
            return list(self._rate_limiter.reserve(demands, self._now)) if demands else []

        return work

    async def _call(self, work: Callable[[], list[Decision]]) -> list[Decision]:
        if self._thread is None:
            return work()
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)


@dataclass(slots=True)
class _WaitQueue:
    """`length` counts the requests in it, waiting or being decided; `pace` is the measured seconds per request;
    `next_return` is the last moment that was handed out to come back."""

    waiting: deque[asyncio.Future[None]] = field(default_factory=deque)
    length: int = 0
    started: dict[str, float] = field(default_factory=dict)
    pace: float | None = None
    next_return: float = 0.0

    def is_idle(self) -> bool:
        return not self.waiting and not self.length and not self.started


class WaitQueues:
    """The queues for the slots of each host. Lives in one event loop. `longest_wait` is how long it is worth waiting."""

    def __init__(self, now: Callable[[], float], longest_wait: float) -> None:
        self._now = now
        self._longest_wait = longest_wait
        self._queues: dict[str, _WaitQueue] = {}

    def enter(self, key: str) -> bool:
        """Take a place in the queue of the key. False when it is full."""
        queue = self._queue(key)
        most = min(max(int(self._longest_wait / self._pace(queue)), _SHORTEST_QUEUE), _LONGEST_QUEUE)
        if queue.length >= most:
            return False
        queue.length += 1
        return True

    def leave(self, key: str) -> None:
        self._queue(key).length -= 1

    def come_back_at(self, key: str, horizon: float) -> float:
        """When a request that found the queue full may come back: one after the other, so that they do not all come at
        once."""
        now, queue = self._now(), self._queue(key)
        pace = self._pace(queue)
        at = max(queue.next_return, now + min(queue.length * pace, self._longest_wait)) + pace
        queue.next_return = at if at < now + horizon else 0.0
        return at

    async def wait(self, key: str, seconds: float) -> None:
        """Until a request of this host ends here, or `seconds` pass: one may have ended in another process."""
        loop = asyncio.get_running_loop()
        wake: asyncio.Future[None] = loop.create_future()
        waiting = self._queue(key).waiting
        waiting.append(wake)
        timer = loop.call_later(seconds, _wake, wake)
        try:
            await wake
        finally:
            timer.cancel()
            if wake in waiting:
                waiting.remove(wake)

    def record_start(self, demand: Demand) -> None:
        for slots in demand.slots:
            self._queue(slots.key).started[demand.lease] = self._now()

    def record_end(self, demand: Demand) -> None:
        """Measure how long the request took, and wake the first in the queue."""
        for slots in demand.slots:
            queue = self._queue(slots.key)
            started = queue.started.pop(demand.lease, None)
            if started is not None:
                duration = max(self._now() - started, 0.0) / slots.limit
                last = duration if queue.pace is None else queue.pace
                queue.pace = last + _NEWEST_WEIGHT * (duration - last)
            while queue.waiting and not _wake(queue.waiting.popleft()):
                pass

    def _pace(self, queue: _WaitQueue) -> float:
        """Seconds per request: as measured lately, and no less than what unfinished requests have taken so far."""
        measured = _UNKNOWN_PACE if queue.pace is None else queue.pace
        unfinished = (
            (self._now() - max(queue.started.values())) / len(queue.started) if queue.started else 0.0
        )
        return min(max(measured, unfinished, _FASTEST), _SLOWEST)

    def _queue(self, key: str) -> _WaitQueue:
        queue = self._queues.get(key)
        if queue is None:
            if len(self._queues) >= _MOST_QUEUES:
                self._queues = {name: queue for name, queue in self._queues.items() if not queue.is_idle()}
            queue = self._queues[key] = _WaitQueue()
        return queue


def _wake(future: asyncio.Future[None]) -> bool:
    if future.done():
        return False
    future.set_result(None)
    return True

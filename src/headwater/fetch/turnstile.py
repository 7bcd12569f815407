"""The way through the governor: many requests wait, one call decides for all that came at the same moment."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import structlog

from headwater.fetch.failures import Stopped
from headwater.fetch.governor import Clock, Governor
from headwater.pure.pace import Decision, Demand, Go

_log = structlog.get_logger()
# Sleeping shorter than this is not worth a timer; the governor is asked again anyway.
_SHORTEST_SLEEP = 0.0005
_SHORTEST_DELAY = 0.1


class Turnstile:
    """Lives in one event loop. A governor that may block is asked in a thread of its own."""

    def __init__(self, governor: Governor, now: Clock, patience: timedelta) -> None:
        self._governor = governor
        self._now = now
        self._patience = patience / timedelta(seconds=1)
        self._asking: list[tuple[Demand, asyncio.Future[Decision]]] = []
        self._sent: list[str] = []
        self._done: list[str] = []
        self._bars: list[tuple[list[str], float]] = []
        self._flushing: asyncio.Task[None] | None = None
        self._thread = ThreadPoolExecutor(1, "headwater-governor") if governor.blocking else None

    async def admit(self, demand: Demand) -> None:
        """Returns when the request may leave. Stops when that is too far off to wait for it here."""
        # A moment that was worth waiting for may slip a little: there is some patience left for that.
        latest = self._now() + 2 * self._patience
        while True:
            decision = await self._ask(demand)
            if isinstance(decision, Go):
                return
            wait = decision.until - self._now()
            if wait > self._patience or decision.until > latest:
                _log.info("deferred", limit=decision.key, seconds=round(wait, 3))
                raise Stopped(
                    "rate_limited", decision.key, delay=timedelta(seconds=max(wait, _SHORTEST_DELAY))
                )
            await asyncio.sleep(max(wait, _SHORTEST_SLEEP))

    def sent(self, demand: Demand) -> None:
        self._sent.append(demand.lease)
        self._flush_soon()

    def done(self, demand: Demand) -> None:
        self._done.append(demand.lease)
        self._flush_soon()

    def bar(self, keys: list[str], until: float) -> None:
        self._bars.append((keys, until))
        self._flush_soon()

    async def close(self) -> None:
        while self._flushing is not None:
            await self._flushing
        if self._thread is not None:
            self._thread.shutdown()

    async def _ask(self, demand: Demand) -> Decision:
        future: asyncio.Future[Decision] = asyncio.get_running_loop().create_future()
        self._asking.append((demand, future))
        self._flush_soon()
        return await future

    def _flush_soon(self) -> None:
        if self._flushing is None:
            self._flushing = asyncio.get_running_loop().create_task(self._flush())

    async def _flush(self) -> None:
        try:
            while self._asking or self._sent or self._done or self._bars:
                asking, self._asking = self._asking, []
                work = self._work([demand for demand, _ in asking])
                for (demand, future), decision in zip(asking, await self._call(work), strict=True):
                    self._answer(demand, future, decision)
        finally:
            self._flushing = None

    def _answer(self, demand: Demand, future: asyncio.Future[Decision], decision: Decision) -> None:
        if not future.done():
            future.set_result(decision)
        elif isinstance(decision, Go):
            # Whoever asked has left in the meantime: give its place back.
            self._done.append(demand.lease)

    def _work(self, demands: list[Demand]) -> Callable[[], list[Decision]]:
        sent, self._sent = self._sent, []
        done, self._done = self._done, []
        bars, self._bars = self._bars, []

        def work() -> list[Decision]:
            for keys, until in bars:
                self._governor.bar(keys, until)
            if sent:
                self._governor.sent(sent, self._now())
            if done:
                self._governor.done(done, self._now())
            return list(self._governor.reserve(demands, self._now)) if demands else []

        return work

    async def _call(self, work: Callable[[], list[Decision]]) -> list[Decision]:
        if self._thread is None:
            return work()
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

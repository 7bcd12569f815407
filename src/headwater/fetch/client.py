"""The fetcher: one event loop in one thread of its own, behind a synchronous port."""

import asyncio
import threading
from collections import deque
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

from headwater.fetch.buffers import Buffers
from headwater.fetch.exchange import Exchange
from headwater.fetch.governor import Governor, MemoryGovernor
from headwater.fetch.guard import Resolve, system_resolve
from headwater.fetch.journey import Journey
from headwater.fetch.settings import FetchSettings
from headwater.fetch.turnstile import Turnstile
from headwater.model.ports import Clock
from headwater.model.web import Failure, Request, Response

Answered = tuple[str, Response | Failure]

# Answers are handed over in batches: waking the other thread for each one costs more than fetching it.
_HANDOVER_SECONDS = 0.002
_RESOLVER_THREADS = 16


def _utc_now() -> datetime:
    return datetime.now(UTC)


class HttpFetcher:
    """Implements the port `Fetcher` over HTTP. Safe to use from several threads."""

    def __init__(
        self,
        settings: FetchSettings,
        *,
        governor: Governor | None = None,
        clock: Clock = _utc_now,
        resolve: Resolve = system_resolve,
    ) -> None:
        self._settings = settings
        self._governor = governor or MemoryGovernor()
        self._clock = clock
        self._resolve = resolve
        self._buffers = Buffers(settings.held_limit)
        self._inbox: deque[tuple[str, Request]] = deque()
        self._outbox: deque[Answered] = deque()
        self._arrived = threading.Condition()
        self._taken = 0
        self._woken = False
        self._ready: list[Answered] = []
        self._closed = False
        self._tasks: set[asyncio.Task[None]] = set()
        self._loop = asyncio.new_event_loop()
        self._loop.set_default_executor(ThreadPoolExecutor(_RESOLVER_THREADS, "headwater-resolve"))
        self._journey: Journey | None = None
        self._started = threading.Event()
        self._thread = threading.Thread(target=self._run, name="headwater-fetch", daemon=True)
        self._thread.start()
        self._started.wait()

    def room(self) -> int:
        return 0 if self._buffers.full() else max(0, self._settings.capacity - self._taken)

    def submit(self, token: str, request: Request) -> None:
        if self._closed:
            raise RuntimeError("the fetcher is closed")
        with self._arrived:
            self._taken += 1
            self._inbox.append((token, request))
            wake, self._woken = not self._woken, True
        if wake:
            self._loop.call_soon_threadsafe(self._begin)

    def collect(self, limit: int, wait: timedelta) -> Sequence[Answered]:
        with self._arrived:
            if not self._outbox and self._taken:
                self._arrived.wait_for(lambda: self._outbox, wait / timedelta(seconds=1))
            batch = [self._outbox.popleft() for _ in range(min(limit, len(self._outbox)))]
            self._taken -= len(batch)
        weight = sum(len(answer.body) for _, answer in batch if isinstance(answer, Response))
        if weight and not self._closed:
            self._loop.call_soon_threadsafe(self._buffers.give, weight)
        return batch

    def close(self) -> None:
        """Stops at once. Requests under way are dropped; whoever sent them still holds the rows."""
        if self._closed:
            return
        self._closed = True
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        parts = self._loop.run_until_complete(self._open())
        self._started.set()
        try:
            self._loop.run_forever()
        finally:
            self._loop.run_until_complete(self._shut(*parts))
            self._loop.close()

    async def _open(self) -> tuple[Exchange, Turnstile]:
        exchange = Exchange(self._settings, self._resolve, self._buffers)
        turnstile = Turnstile(self._governor, self._now, self._settings.patience)
        self._journey = Journey(self._settings, exchange, turnstile, self._now)
        return exchange, turnstile

    def _now(self) -> float:
        return self._clock().timestamp()

    async def _shut(self, exchange: Exchange, turnstile: Turnstile) -> None:
        under_way = asyncio.all_tasks() - {asyncio.current_task()}
        for task in under_way:
            task.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)
        await exchange.close()
        await turnstile.close()
        await self._loop.shutdown_default_executor()

    def _begin(self) -> None:
        with self._arrived:
            self._woken = False
            batch = list(self._inbox)
            self._inbox.clear()
        for token, request in batch:
            task = self._loop.create_task(self._answer(token, request))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _answer(self, token: str, request: Request) -> None:
        assert self._journey is not None
        answer = await self._journey.answer(request)
        if not self._ready:
            self._loop.call_later(_HANDOVER_SECONDS, self._hand_over)
        self._ready.append((token, answer))

    def _hand_over(self) -> None:
        with self._arrived:
            self._outbox.extend(self._ready)
            self._ready.clear()
            self._arrived.notify_all()

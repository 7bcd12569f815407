"""The fetcher: one event loop in one thread of its own, behind a synchronous port."""

import asyncio
import threading
from collections import deque
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

from headwater.fetch.exchange import Exchange
from headwater.fetch.guard import Resolve, system_resolve
from headwater.fetch.journey import Journey
from headwater.fetch.settings import FetchSettings
from headwater.model.web import Failure, Request, Response

Answered = tuple[str, Response | Failure]

# Answers are handed over in batches: waking the other thread for each one costs more than fetching it.
_HANDOVER_SECONDS = 0.002
_RESOLVER_THREADS = 16


class HttpFetcher:
    """Implements the port `Fetcher` over HTTP. Safe to use from several threads."""

    def __init__(self, settings: FetchSettings, *, resolve: Resolve = system_resolve) -> None:
        self._settings = settings
        self._resolve = resolve
        self._inbox: deque[tuple[str, Request]] = deque()
        self._outbox: deque[Answered] = deque()
        self._arrived = threading.Condition()
        self._taken = 0
        self._held_bytes = 0
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
        if self._held_bytes > self._settings.held_limit:
            return 0
        return max(0, self._settings.capacity - self._taken)

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
            self._held_bytes -= sum(_weight(answer) for _, answer in batch)
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
        exchange = self._loop.run_until_complete(self._open())
        self._started.set()
        try:
            self._loop.run_forever()
        finally:
            self._loop.run_until_complete(self._shut(exchange))
            self._loop.close()

    async def _open(self) -> Exchange:
        exchange = Exchange(self._settings, self._resolve)
        self._journey = Journey(self._settings, exchange)
        return exchange

    async def _shut(self, exchange: Exchange) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await exchange.close()
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
            self._held_bytes += sum(_weight(answer) for _, answer in self._ready)
            self._ready.clear()
            self._arrived.notify_all()


def _weight(answer: Response | Failure) -> int:
    return len(answer.body) if isinstance(answer, Response) else 0

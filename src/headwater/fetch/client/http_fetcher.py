"""The HTTP fetcher: an event loop in its own thread behind the synchronous port `Fetcher`."""

import asyncio
import threading
import traceback
from collections import deque
from collections.abc import Collection, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import Context, copy_context
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import structlog

from headwater.fetch.browser.renderer import BrowserLimits, Renderer
from headwater.fetch.client.body import MemoryBudget
from headwater.fetch.client.request_handler import RequestHandler
from headwater.fetch.client.transport import Transport
from headwater.fetch.guard.sockets import Resolve, system_resolve
from headwater.fetch.politeness.admission import Admission
from headwater.fetch.politeness.rate_limiter import MemoryRateLimiter, RateLimiter
from headwater.fetch.settings import FetchSettings
from headwater.model.http import Failure, Request, Response
from headwater.model.ports import Clock

TokenAnswer = tuple[str, Response | Failure]
FetchTask = asyncio.Task[Response | Failure]

_log = structlog.get_logger()

# Answers are handed over in batches, because waking the other thread for each one costs more than fetching it.
_HANDOVER_SECONDS = 0.002
# A name lookup may take long and cannot be interrupted. Slow lookups must not use up all threads.
_RESOLVER_THREADS = 64


def _utc_now() -> datetime:
    return datetime.now(UTC)


class HttpFetcher:
    """Implements the port `Fetcher` over HTTP. Safe to use from several threads. `answered_before` are hosts that answered an
    earlier process: if none of them can be reached, our own network is down."""

    def __init__(
        self,
        settings: FetchSettings,
        *,
        rate_limiter: RateLimiter | None = None,
        clock: Clock = _utc_now,
        resolve: Resolve = system_resolve,
        browser: BrowserLimits | None = None,
        answered_before: Iterable[str] = (),
    ) -> None:
        self._settings = settings
        self._rate_limiter = rate_limiter or MemoryRateLimiter()
        self._clock = clock
        self._resolve = resolve
        self._browser = browser or BrowserLimits()
        self._answered_before = frozenset(answered_before)
        self._budget = MemoryBudget(settings.memory_limit)
        self._inbox: deque[tuple[str, Request, Context]] = deque()
        self._outbox: deque[TokenAnswer] = deque()
        self._changed = threading.Condition()
        self._open_count = 0
        self._wake_pending = False
        self._ready: list[TokenAnswer] = []
        self._closed = False
        self._tasks: set[FetchTask] = set()
        self._loop = asyncio.new_event_loop()
        self._loop.set_default_executor(ThreadPoolExecutor(_RESOLVER_THREADS, "headwater-resolve"))
        self._started: Future[tuple[RequestHandler, Renderer]] = Future()
        self._thread = threading.Thread(target=self._run, name="headwater-fetch", daemon=True)
        self._thread.start()
        self._request_handler, self._renderer = self._started.result()

    def room(self) -> int:
        return 0 if self._budget.is_full() else max(0, self._settings.capacity - self._open_count)

    def submit(self, token: str, request: Request) -> None:
        if self._closed:
            raise RuntimeError("the fetcher is closed")
        with self._changed:
            self._open_count += 1
            self._inbox.append((token, request, copy_context()))  # its log lines say which job asked
            needs_wake, self._wake_pending = not self._wake_pending, True
        if needs_wake:
            self._loop.call_soon_threadsafe(self._start_requests)

    def collect(self, limit: int, wait: timedelta) -> Sequence[TokenAnswer]:
        with self._changed:
            if not self._outbox and self._open_count:
                self._changed.wait_for(lambda: self._outbox, wait / timedelta(seconds=1))
            batch = [self._outbox.popleft() for _ in range(min(limit, len(self._outbox)))]
            self._open_count -= len(batch)
        body_size = sum(len(answer.body) for _, answer in batch if isinstance(answer, Response))
        if body_size and not self._closed:
            self._loop.call_soon_threadsafe(self._budget.release, body_size)
        return batch

    def close(self) -> None:
        """Stop at once and drop the requests in flight. Their rows stay leased, so they are fetched again."""
        if self._closed:
            return
        self._closed = True
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_until_complete(self._serve())
        except BaseException as error:  # noqa: BLE001  # the thread that waits for the start raises it
            if not self._started.done():
                self._started.set_exception(error)
        finally:
            self._loop.run_until_complete(self._loop.shutdown_default_executor())
            self._loop.close()

    async def _serve(self) -> None:
        """Run everything that lives in the loop until `close` is called."""
        transport = Transport(self._settings, self._resolve, self._budget)
        admission = Admission(self._rate_limiter, self._now, self._settings.longest_wait)
        try:
            request_handler = RequestHandler(
                self._settings, transport, admission, self._now, self._answered_before
            )
            renderer = Renderer(self._settings, self._browser, request_handler.answer, self._budget)
            self._stop = asyncio.Event()
            self._started.set_result((request_handler, renderer))
            await self._stop.wait()
            # The browser needs its own tasks in this loop to shut down, so they are cancelled later.
            await _cancel(self._tasks)
            await renderer.close()
        finally:
            await _cancel_all_but(admission.own_tasks())
            await transport.close()
            await admission.close()

    def _now(self) -> float:
        return self._clock().timestamp()

    def _start_requests(self) -> None:
        with self._changed:
            self._wake_pending = False
            batch = list(self._inbox)
            self._inbox.clear()
        for token, request, context in batch:
            answer = self._renderer.answer if request.render else self._request_handler.answer
            task = self._loop.create_task(answer(request), context=context)
            self._tasks.add(task)
            task.add_done_callback(partial(self._finish, token), context=context)

    def _finish(self, token: str, task: FetchTask) -> None:
        self._tasks.discard(task)
        if task.cancelled():
            return
        if not self._ready:
            self._loop.call_later(_HANDOVER_SECONDS, self._hand_over)
        self._ready.append((token, _answer_of(task)))

    def _hand_over(self) -> None:
        with self._changed:
            self._outbox.extend(self._ready)
            self._ready.clear()
            self._changed.notify_all()


def _answer_of(task: FetchTask) -> Response | Failure:
    """The answer of a task. A bug of ours still answers its token."""
    error = task.exception()
    if error is None:
        return task.result()
    frame = traceback.extract_tb(error.__traceback__)[-1]
    # Log neither the message nor local values: they may contain keys.
    _log.error("fetch broke", error=type(error).__name__, file=frame.filename, line=frame.lineno)
    return Failure("internal", type(error).__name__, temporary=False)


async def _cancel_all_but(excepted: set[asyncio.Task[None]]) -> None:
    await _cancel(asyncio.all_tasks() - {asyncio.current_task()} - excepted)


async def _cancel(tasks: Collection[asyncio.Task[Any]]) -> None:
    running = list(tasks)
    for task in running:
        task.cancel()
    await asyncio.gather(*running, return_exceptions=True)

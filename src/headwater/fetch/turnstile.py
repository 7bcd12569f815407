"""The way through the governor: many requests wait, one call decides for all that came at the same moment."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import timedelta

import structlog

from headwater.fetch.failures import Stopped
from headwater.fetch.governor import HORIZON, Clock, Governor
from headwater.fetch.lines import Lines
from headwater.model.errors import Temporary
from headwater.pure.pace import Decision, Demand, Go, Wait

_log = structlog.get_logger()
# Sleeping shorter than this is not worth a timer; the governor is asked again anyway.
_SHORTEST_SLEEP = 0.0005
_SHORTEST_DELAY = 0.1
_TELL_EVERY = 10.0
_KNOWN_KEYS = 1000
_UNABLE_DELAY = timedelta(seconds=5)
_UNABLE_PAUSE = 1.0


@dataclass(slots=True)
class News:
    """What the governor has not been told yet: which requests went out, which are over, who asked for patience."""

    sent: list[str] = field(default_factory=list)
    done: list[str] = field(default_factory=list)
    bars: list[tuple[list[str], float]] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.sent or self.done or self.bars)

    def before(self, newer: "News") -> "News":
        """Both together. Telling the same thing twice changes nothing."""
        return News(self.sent + newer.sent, self.done + newer.done, self.bars + newer.bars)


class Turnstile:
    """Lives in one event loop. A governor that may block is asked in a thread of its own."""

    def __init__(self, governor: Governor, now: Clock, patience: timedelta) -> None:
        self._governor = governor
        self._now = now
        self._patience = patience / timedelta(seconds=1)
        self._asking: list[tuple[Demand, asyncio.Future[Decision]]] = []
        self._news = News()
        self._told: dict[str, float] = {}
        self._told_unable = 0.0
        self._lines = Lines(now, self._patience)
        self._flushing: asyncio.Task[None] | None = None
        self._closing = False
        self._thread = ThreadPoolExecutor(1, "headwater-governor") if governor.blocking else None

    async def admit(self, demand: Demand) -> None:
        """Returns when the request may leave. Stops when that is too far off to wait for it here."""
        # A moment that was worth waiting for may slip a little: there is some patience left for that.
        latest = self._now() + 2 * self._patience
        queue = ""
        try:
            while True:
                decision = await self._ask(demand)
                if isinstance(decision, Go):
                    self._lines.began(demand)
                    return
                wait = decision.until - self._now()
                if decision.planned or wait > self._patience:
                    self._check_patience(decision, wait, latest)
                    await asyncio.sleep(max(wait, _SHORTEST_SLEEP))
                    continue
                queue = queue or self._line_up(decision.key)
                self._check_queue(decision, latest)
                await self._lines.wait(decision.key, max(wait, _SHORTEST_SLEEP))
        finally:
            if queue:
                self._lines.leave(queue)

    def _check_patience(self, decision: Wait, wait: float, latest: float) -> None:
        if wait > self._patience or decision.until > latest:
            raise self._deferred(decision.key, wait)

    def _line_up(self, key: str) -> str:
        """A place among those that wait here for a running request to end. All others come back later."""
        if not self._lines.enter(key):
            raise self._sent_back(key)
        return key

    def _check_queue(self, decision: Wait, latest: float) -> None:
        if decision.until > latest:
            raise self._sent_back(decision.key)

    def _sent_back(self, key: str) -> Stopped:
        return self._deferred(key, self._lines.come_back(key, HORIZON) - self._now())

    def _deferred(self, key: str, wait: float) -> Stopped:
        self._tell(key, wait)
        return Stopped("rate_limited", key, delay=timedelta(seconds=max(wait, _SHORTEST_DELAY)))

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

    def bar(self, keys: list[str], until: float) -> None:
        self._news.bars.append((keys, until))
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
                news, self._news = self._news, News()
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
            _log.error("governor cannot be asked", reason=why.reason, detail=why.detail)
        for _, future in asking:
            if not future.done():
                future.set_exception(Stopped("rate_limited", why.reason, delay=why.delay or _UNABLE_DELAY))

    def _answer(self, demand: Demand, future: asyncio.Future[Decision], decision: Decision) -> None:
        if not future.done():
            future.set_result(decision)
        elif isinstance(decision, Go):
            # Whoever asked has left in the meantime: give its place back.
            self._news.done.append(demand.lease)

    def _work(self, demands: list[Demand], news: "News") -> Callable[[], list[Decision]]:
        def work() -> list[Decision]:
            for keys, until in news.bars:
                self._governor.bar(keys, until)
            if news.sent:
                self._governor.sent(news.sent, self._now())
            if news.done:
                self._governor.done(news.done, self._now())
            return list(self._governor.reserve(demands, self._now)) if demands else []

        return work

    async def _call(self, work: Callable[[], list[Decision]]) -> list[Decision]:
        if self._thread is None:
            return work()
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

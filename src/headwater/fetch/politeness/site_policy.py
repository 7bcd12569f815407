"""Files that a host gives once for all its pages (robots.txt, tdmrep.json): asked for once a day at most and once at a
time.

What they say is kept in memory, per process. A machine has one process that fetches, and whoever else asks (a second
worker, `headwater try`) asks once for itself, under the same governor: one small request a day is a better bargain
than another shared file that has to be trusted, locked and cleaned.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Generic, TypeVar

from headwater.fetch.failures import FetchStopped
from headwater.fetch.guard.routes import RequestRoute
from headwater.fetch.politeness.rights_reservations import (
    SIGNAL_FIELDS,
    TdmRule,
    active_signals,
    read_tdmrep,
    rule_for,
    signals_in_file,
    signals_in_headers,
    signals_in_page,
)
from headwater.fetch.politeness.robots_txt import RobotsDecision, RobotsTxt, robots_from_response
from headwater.fetch.settings import FetchSettings
from headwater.model.http import Failure, Request, Response

T = TypeVar("T")
Origin = tuple[str, str, int]
FetchRequest = Callable[[Request], Awaitable[Response | Failure]]

_KNOWN_ORIGINS = 5_000
_TIME_FOR_IT = timedelta(seconds=30)
# A host that is slow to give its file must not fill the room that the fetcher has for everybody.
_WAIT_AT_MOST = 20
_COME_BACK = timedelta(seconds=2)


@dataclass(frozen=True, slots=True)
class CachedFile(Generic[T]):
    """What a file says, until it is asked for again. `temporary`: it could not be had, which may pass."""

    said: T
    until: float
    temporary: bool = False

    def rest(self, now: float) -> timedelta | None:
        """How long it makes sense to wait for another answer; None when there is none to be expected."""
        return timedelta(seconds=max(self.until - now, 1)) if self.temporary else None


@dataclass(frozen=True, slots=True, kw_only=True)
class OriginFileType(Generic[T]):
    """A kind of file: where it is, how it is asked for, and what an answer means, with how long it holds (in seconds)
    and whether that may pass. `absent` are the failures that mean the same as a missing file."""

    path: str
    purpose: str
    read: Callable[[int, bytes], tuple[T, float, bool]]
    absent: frozenset[str]


class OriginFileCache(Generic[T]):
    """Lives in one event loop."""

    def __init__(
        self,
        kind: OriginFileType[T],
        fetch: FetchRequest,
        now: Callable[[], float],
        give_back: Callable[[int], None],
    ) -> None:
        self._kind = kind
        self._fetch = fetch
        self._now = now
        self._release = give_back
        self._known: dict[Origin, CachedFile[T]] = {}
        self._waiting: Counter[Origin] = Counter()
        self._asking: dict[Origin, asyncio.Task[CachedFile[T]]] = {}

    async def of(self, route: RequestRoute) -> CachedFile[T]:
        """What the file of the route's host says. Stops when the host cannot be asked."""
        origin = (route.url.scheme, route.host, route.port)
        known = self._known.get(origin)
        if known is None or known.until <= self._now():
            known = await self._asked(origin, route)
        return known

    async def _asked(self, origin: Origin, route: RequestRoute) -> CachedFile[T]:
        task = self._asking.get(origin)
        if task is None:
            url = f"{route.url.origin()}{self._kind.path}"
            task = self._asking[origin] = asyncio.get_running_loop().create_task(self._ask(origin, url))
            task.add_done_callback(lambda _: self._asking.pop(origin, None))
        if self._waiting[origin] >= _WAIT_AT_MOST:
            raise FetchStopped("rate_limited", f"{self._kind.path} is being asked for", delay=_COME_BACK)
        self._waiting[origin] += 1
        try:
            # Shielded: one request that gives up must not take the answer from the others that wait for it.
            return await asyncio.shield(task)
        finally:
            self._waiting[origin] -= 1
            if not self._waiting[origin]:
                del self._waiting[origin]

    async def _ask(self, origin: Origin, url: str) -> CachedFile[T]:
        answer = await self._fetch(Request(url=url, purpose=self._kind.purpose, timeout=_TIME_FOR_IT))
        if isinstance(answer, Failure) and answer.reason not in self._kind.absent:
            # The host could not be asked at all: nothing may be fetched from it, and this is why. It is not
            # remembered: the next attempt, which the governor and the breaker pace, asks again.
            told = f"{self._kind.path}: {answer.detail}"
            raise FetchStopped(answer.reason, told, temporary=answer.temporary, delay=answer.delay)
        status, body = (answer.status, answer.body) if isinstance(answer, Response) else (404, b"")
        said, lifetime, temporary = self._kind.read(status, body)
        self._release(len(body))  # nobody collects this body: it ends here
        if len(self._known) >= _KNOWN_ORIGINS:
            del self._known[next(iter(self._known))]
        known = self._known[origin] = CachedFile(said, self._now() + lifetime, temporary)
        return known


_DAY = timedelta(days=1)
# Endless redirects lead to no file, which is the same as having none.
_NO_ROBOTS = frozenset({"redirects"})


class RobotsCheck:
    """Lives in one event loop."""

    def __init__(
        self,
        settings: FetchSettings,
        fetch: FetchRequest,
        now: Callable[[], float],
        give_back: Callable[[int], None],
    ) -> None:
        # RFC 9309 lets nobody rely on a file that is older than a day.
        lifetime = min(settings.robots_lifetime, _DAY) / timedelta(seconds=1)
        retry = min(settings.robots_retry, _DAY) / timedelta(seconds=1)

        def read(status: int, body: bytes) -> tuple[RobotsTxt, float, bool]:
            robots = robots_from_response(status, body)
            refused = robots.verdict is not None and not robots.verdict.allowed
            return robots, retry if refused else lifetime, refused

        self._now = now
        kind = OriginFileType(path="/robots.txt", purpose="robots", read=read, absent=_NO_ROBOTS)
        self._files: OriginFileCache[RobotsTxt] = OriginFileCache(kind, fetch, now, give_back)

    async def ruling(self, route: RequestRoute, token: str) -> RobotsDecision:
        """What robots.txt says about the URL. Stops when it forbids it, or when it cannot be had."""
        known = await self._files.of(route)
        ruling = known.said.ruling(token, route.url.raw_path_qs)
        if ruling.allowed:
            return ruling
        raise FetchStopped("robots", ruling.because, temporary=known.temporary, delay=known.rest(self._now()))


_USED = frozenset({"page", "feed"})
_HTML = frozenset({"text/html", "application/xhtml+xml"})
# A file that robots.txt closes, or that is no file at all, says nothing.
_NO_TDMREP = frozenset({"redirects", "robots", "too_large", "encoding", "bad_url", "forbidden_address"})


class ReservationsCheck:
    """Lives in one event loop."""

    def __init__(
        self,
        settings: FetchSettings,
        fetch: FetchRequest,
        now: Callable[[], float],
        give_back: Callable[[int], None],
    ) -> None:
        self._refused = settings.reservations
        self._now = now
        lifetime = settings.robots_lifetime / timedelta(seconds=1)
        retry = settings.robots_retry / timedelta(seconds=1)

        def read(status: int, body: bytes) -> tuple[tuple[TdmRule, ...], float, bool]:
            unreachable = status == 429 or status >= 500
            rules = read_tdmrep(body) if 200 <= status < 300 else ()
            return rules, retry if unreachable else lifetime, unreachable

        kind = OriginFileType(path="/.well-known/tdmrep.json", purpose="policy", read=read, absent=_NO_TDMREP)
        self._files: OriginFileCache[tuple[TdmRule, ...]] = OriginFileCache(kind, fetch, now, give_back)

    async def ask(self, route: RequestRoute, purpose: str, policy: dict[str, Any]) -> None:
        """Before the page is asked for. Stops when the site's file reserves it, or cannot be had."""
        for name in SIGNAL_FIELDS:
            policy.pop(name, None)  # said of the place that led here
        if "tdm" not in self._refused or purpose not in _USED:
            return
        known = await self._files.of(route)
        if known.temporary:
            raise FetchStopped("reserved", "tdmrep.json unreachable", delay=known.rest(self._now()))
        rule = rule_for(known.said, route.url.raw_path_qs)
        if rule is not None:
            policy.update(signals_in_file(rule))
            if rule.reserved:
                raise FetchStopped("reserved", f"tdmrep.json: {rule.location}", temporary=False)

    def record(self, response: Response, purpose: str, token: str, policy: dict[str, Any]) -> frozenset[str]:
        """What the answer itself says; gives what of it refuses the answer."""
        if purpose not in _USED:
            return frozenset()
        policy.update(signals_in_headers(response.headers))
        if response.media_type in _HTML:
            policy.update(signals_in_page(response.body, token))
        if not self._refused:
            return frozenset()
        # Nearly every feed says noindex: that keeps the file itself out of search results.
        return active_signals(policy, token) & self._refused - (
            {"noindex"} if purpose == "feed" else frozenset()
        )

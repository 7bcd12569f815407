"""The gate that asks a host's robots.txt, once a day at most and once at a time."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta

from headwater.fetch.failures import Stopped
from headwater.fetch.routes import Route
from headwater.fetch.settings import FetchSettings
from headwater.model.web import Failure, Request, Response
from headwater.pure.robots import Robots, Ruling, answered

Origin = tuple[str, str, int]
Fetch = Callable[[Request], Awaitable[Response | Failure]]

_KNOWN_ORIGINS = 5_000
_TIME_FOR_ROBOTS = timedelta(seconds=30)
# A host that is slow to give its file must not fill the room that the fetcher has for everybody.
_WAIT_AT_MOST = 20
_COME_BACK = timedelta(seconds=2)


@dataclass(frozen=True, slots=True)
class _Known:
    robots: Robots
    until: float
    temporary: bool = False


class RobotsGate:
    """Lives in one event loop."""

    def __init__(
        self,
        settings: FetchSettings,
        fetch: Fetch,
        now: Callable[[], float],
        give_back: Callable[[int], None],
    ) -> None:
        self._lifetime = settings.robots_lifetime / timedelta(seconds=1)
        self._retry = settings.robots_retry / timedelta(seconds=1)
        self._fetch = fetch
        self._now = now
        self._give_back = give_back
        self._known: dict[Origin, _Known] = {}
        self._waiting: Counter[Origin] = Counter()
        self._asking: dict[Origin, asyncio.Task[_Known]] = {}

    async def ruling(self, route: Route, token: str) -> Ruling:
        """What robots.txt says about the URL. Stops when it forbids it, or when it cannot be had."""
        known = self._known.get((route.url.scheme, route.host, route.port))
        if known is None or known.until <= self._now():
            known = await self._robots(route)
        ruling = known.robots.ruling(token, route.url.raw_path_qs)
        if ruling.allowed:
            return ruling
        delay = timedelta(seconds=max(known.until - self._now(), 1)) if known.temporary else None
        raise Stopped("robots", ruling.because, temporary=known.temporary, delay=delay)

    async def _robots(self, route: Route) -> _Known:
        origin = (route.url.scheme, route.host, route.port)
        task = self._asking.get(origin)
        if task is None:
            url = f"{route.url.origin()}/robots.txt"
            task = self._asking[origin] = asyncio.get_running_loop().create_task(self._ask(origin, url))
            task.add_done_callback(lambda _: self._asking.pop(origin, None))
        if self._waiting[origin] >= _WAIT_AT_MOST:
            raise Stopped("rate_limited", "robots.txt is being asked for", delay=_COME_BACK)
        self._waiting[origin] += 1
        try:
            # Shielded: one request that gives up must not take the answer from the others that wait for it.
            return await asyncio.shield(task)
        finally:
            self._waiting[origin] -= 1
            if not self._waiting[origin]:
                del self._waiting[origin]

    async def _ask(self, origin: Origin, url: str) -> _Known:
        request = Request(url=url, purpose="robots", timeout=_TIME_FOR_ROBOTS)
        answer = await self._fetch(request)
        if isinstance(answer, Failure) and answer.reason != "redirects":
            # The host could not be asked at all: nothing may be fetched from it, and this is why. It is not
            # remembered: the next attempt, which the governor and the breaker pace, asks again.
            raise Stopped(
                answer.reason, f"robots.txt: {answer.detail}", temporary=answer.temporary, delay=answer.delay
            )
        known = self._read(answer)
        if isinstance(answer, Response):  # nobody collects this body: it ends here
            self._give_back(len(answer.body))
        if len(self._known) >= _KNOWN_ORIGINS:
            del self._known[next(iter(self._known))]
        self._known[origin] = known
        return known

    def _read(self, answer: Response | Failure) -> _Known:
        # Endless redirects lead to no file, which is the same as having none.
        status, body = (answer.status, answer.body) if isinstance(answer, Response) else (404, b"")
        robots = answered(status, body)
        refused = robots.verdict is not None and not robots.verdict.allowed
        lifetime = self._retry if refused else self._lifetime
        return _Known(robots, self._now() + lifetime, temporary=refused)

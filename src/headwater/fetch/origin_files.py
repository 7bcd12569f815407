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
from typing import Generic, TypeVar

from headwater.fetch.failures import Stopped
from headwater.fetch.routes import Route
from headwater.model.web import Failure, Request, Response

T = TypeVar("T")
Origin = tuple[str, str, int]
Fetch = Callable[[Request], Awaitable[Response | Failure]]

_KNOWN_ORIGINS = 5_000
_TIME_FOR_IT = timedelta(seconds=30)
# A host that is slow to give its file must not fill the room that the fetcher has for everybody.
_WAIT_AT_MOST = 20
_COME_BACK = timedelta(seconds=2)


@dataclass(frozen=True, slots=True)
class Kept(Generic[T]):
    """What a file says, until it is asked for again. `temporary`: it could not be had, which may pass."""

    said: T
    until: float
    temporary: bool = False

    def rest(self, now: float) -> timedelta | None:
        """How long it makes sense to wait for another answer; None when there is none to be expected."""
        return timedelta(seconds=max(self.until - now, 1)) if self.temporary else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind(Generic[T]):
    """A kind of file: where it is, how it is asked for, and what an answer means, with how long it holds (in seconds)
    and whether that may pass. `absent` are the failures that mean the same as a missing file."""

    path: str
    purpose: str
    read: Callable[[int, bytes], tuple[T, float, bool]]
    absent: frozenset[str]


class OriginFiles(Generic[T]):
    """Lives in one event loop."""

    def __init__(
        self, kind: Kind[T], fetch: Fetch, now: Callable[[], float], give_back: Callable[[int], None]
    ) -> None:
        self._kind = kind
        self._fetch = fetch
        self._now = now
        self._give_back = give_back
        self._known: dict[Origin, Kept[T]] = {}
        self._waiting: Counter[Origin] = Counter()
        self._asking: dict[Origin, asyncio.Task[Kept[T]]] = {}

    async def of(self, route: Route) -> Kept[T]:
        """What the file of the route's host says. Stops when the host cannot be asked."""
        origin = (route.url.scheme, route.host, route.port)
        known = self._known.get(origin)
        if known is None or known.until <= self._now():
            known = await self._asked(origin, route)
        return known

    async def _asked(self, origin: Origin, route: Route) -> Kept[T]:
        task = self._asking.get(origin)
        if task is None:
            url = f"{route.url.origin()}{self._kind.path}"
            task = self._asking[origin] = asyncio.get_running_loop().create_task(self._ask(origin, url))
            task.add_done_callback(lambda _: self._asking.pop(origin, None))
        if self._waiting[origin] >= _WAIT_AT_MOST:
            raise Stopped("rate_limited", f"{self._kind.path} is being asked for", delay=_COME_BACK)
        self._waiting[origin] += 1
        try:
            # Shielded: one request that gives up must not take the answer from the others that wait for it.
            return await asyncio.shield(task)
        finally:
            self._waiting[origin] -= 1
            if not self._waiting[origin]:
                del self._waiting[origin]

    async def _ask(self, origin: Origin, url: str) -> Kept[T]:
        answer = await self._fetch(Request(url=url, purpose=self._kind.purpose, timeout=_TIME_FOR_IT))
        if isinstance(answer, Failure) and answer.reason not in self._kind.absent:
            # The host could not be asked at all: nothing may be fetched from it, and this is why. It is not
            # remembered: the next attempt, which the governor and the breaker pace, asks again.
            told = f"{self._kind.path}: {answer.detail}"
            raise Stopped(answer.reason, told, temporary=answer.temporary, delay=answer.delay)
        status, body = (answer.status, answer.body) if isinstance(answer, Response) else (404, b"")
        said, lifetime, temporary = self._kind.read(status, body)
        self._give_back(len(body))  # nobody collects this body: it ends here
        if len(self._known) >= _KNOWN_ORIGINS:
            del self._known[next(iter(self._known))]
        known = self._known[origin] = Kept(said, self._now() + lifetime, temporary)
        return known

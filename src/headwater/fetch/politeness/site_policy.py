"""What a site allows: its robots.txt, and its rights reservations (tdmrep.json, headers, meta elements).

Files that a site publishes once for all its pages are requested once a day at most, and once at a time. They are cached in
memory, per process. A machine has one process that fetches; any other (a second worker, `headwater try`) requests the
file once for itself, under the same rate limiter. One small request a day costs less than another shared file that has
to be trusted, locked and cleaned.
"""

import asyncio
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Generic, TypeVar

from headwater.fetch.failures import FetchRequest, FetchStopped
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
from headwater.fetch.responses import HELD_BACK
from headwater.fetch.settings import FetchSettings
from headwater.model.http import RATE_LIMITED, Failure, Request, Response
from headwater.text.sniffing import HTML_TYPES

T = TypeVar("T")
Origin = tuple[str, str, int]
Release = Callable[[int], None]

_MOST_ORIGINS = 5_000
_FILE_TIMEOUT = timedelta(seconds=30)
# A host that delivers its file slowly must not fill the capacity that the fetcher has for all hosts.
_MOST_WAITING = 20
_COME_BACK = timedelta(seconds=2)
_DAY = timedelta(days=1)
# Endless redirects lead to no file, which is the same as a missing one.
_NO_ROBOTS = frozenset({"redirects"})
# A tdmrep.json that robots.txt disallows, or that is not a file at all, reserves nothing.
_NO_TDMREP = frozenset({"redirects", "robots", "too_large", "encoding", "bad_url", "forbidden_address"})
_CHECKED_PURPOSES = frozenset({"page", "feed"})


@dataclass(frozen=True, slots=True)
class CachedFile(Generic[T]):
    """A parsed file, valid until `until`. `temporary`: the file could not be read, which may change."""

    content: T
    until: float
    temporary: bool = False

    def retry_delay(self, now: float) -> timedelta | None:
        """How long to wait for another answer, or None when none is to be expected."""
        return timedelta(seconds=max(self.until - now, 1)) if self.temporary else None


@dataclass(frozen=True, slots=True)
class CachedFailure:
    """A host that could not be reached for its file. Until `until` it is not asked again."""

    failure: Failure
    until: float

    def stopped(self, path: str, now: float) -> FetchStopped:
        delay = max(timedelta(seconds=max(self.until - now, 1)), self.failure.delay or timedelta(0))
        detail = f"{path}: {self.failure.detail}"
        return FetchStopped(self.failure.reason, detail, temporary=self.failure.temporary, delay=delay)


@dataclass(frozen=True, slots=True, kw_only=True)
class OriginFileType(Generic[T]):
    """`read` turns a status and body into the content, its lifetime in seconds, and whether that is temporary. `absent`
    are the failures that mean the same as a missing file. `retry`: seconds before a host that could not be reached is asked
    again."""

    path: str
    purpose: str
    read: Callable[[int, bytes], tuple[T, float, bool]]
    absent: frozenset[str]
    retry: float


class OriginFileCache(Generic[T]):
    """The files of one type, by origin. Lives in one event loop."""

    def __init__(
        self,
        file_type: OriginFileType[T],
        fetch: FetchRequest,
        now: Callable[[], float],
        release: Release,
    ) -> None:
        self._file_type = file_type
        self._fetch = fetch
        self._now = now
        self._release = release
        self._files: dict[Origin, CachedFile[T]] = {}
        self._failures: dict[Origin, CachedFailure] = {}
        self._waiting: Counter[Origin] = Counter()
        self._requests: dict[Origin, asyncio.Task[CachedFile[T]]] = {}

    async def file_for(self, route: RequestRoute) -> CachedFile[T]:
        """The file of the route's host. Stops when the host cannot be reached."""
        origin = (route.url.scheme, route.host, route.port)
        failure = self._failures.get(origin)
        if failure is not None and failure.until > self._now():
            raise failure.stopped(self._file_type.path, self._now())
        file = self._files.get(origin)
        if file is None or file.until <= self._now():
            file = await self._requested(origin, route)
        return file

    def forget_failures(self) -> None:
        self._failures.clear()

    async def _requested(self, origin: Origin, route: RequestRoute) -> CachedFile[T]:
        task = self._requests.get(origin)
        if task is None:
            url = f"{route.url.origin()}{self._file_type.path}"
            task = self._requests[origin] = asyncio.get_running_loop().create_task(self._request(origin, url))
            task.add_done_callback(lambda _: self._requests.pop(origin, None))
        if self._waiting[origin] >= _MOST_WAITING:
            detail = f"{self._file_type.path} is being requested"
            raise FetchStopped(RATE_LIMITED, detail, delay=_COME_BACK)
        self._waiting[origin] += 1
        try:
            # Shielded: a request that is cancelled must not take the answer from the others that wait for it.
            return await asyncio.shield(task)
        finally:
            self._waiting[origin] -= 1
            if not self._waiting[origin]:
                del self._waiting[origin]

    async def _request(self, origin: Origin, url: str) -> CachedFile[T]:
        answer = await self._fetch(Request(url=url, purpose=self._file_type.purpose, timeout=_FILE_TIMEOUT))
        self._failures.pop(origin, None)
        if isinstance(answer, Failure) and answer.reason not in self._file_type.absent:
            raise self._remember_failure(origin, answer)
        status, body = (answer.status, answer.body) if isinstance(answer, Response) else (404, b"")
        content, lifetime, temporary = self._file_type.read(status, body)
        self._release(len(body))  # this body is never collected
        if len(self._files) >= _MOST_ORIGINS:
            del self._files[next(iter(self._files))]
        file = self._files[origin] = CachedFile(content, self._now() + lifetime, temporary)
        return file

    def _remember_failure(self, origin: Origin, failure: Failure) -> FetchStopped:
        """The host could not be reached at all, so nothing may be fetched from it for a while. Nothing is remembered of a
        request that was not sent."""
        if failure.reason in HELD_BACK:
            detail = f"{self._file_type.path}: {failure.detail}"
            return FetchStopped(failure.reason, detail, temporary=failure.temporary, delay=failure.delay)
        if len(self._failures) >= _MOST_ORIGINS:
            del self._failures[next(iter(self._failures))]
        cached = self._failures[origin] = CachedFailure(failure, self._now() + self._file_type.retry)
        return cached.stopped(self._file_type.path, self._now())


class RobotsCheck:
    """Checks URLs against robots.txt. Lives in one event loop."""

    def __init__(
        self, settings: FetchSettings, fetch: FetchRequest, now: Callable[[], float], release: Release
    ) -> None:
        # RFC 9309: a cached file must not be used for more than a day.
        lifetime = min(settings.robots_lifetime, _DAY) / timedelta(seconds=1)
        retry = min(settings.robots_retry, _DAY) / timedelta(seconds=1)

        def read(status: int, body: bytes) -> tuple[RobotsTxt, float, bool]:
            robots = robots_from_response(status, body)
            refused = robots.blanket is not None and not robots.blanket.allowed
            return robots, retry if refused else lifetime, refused

        self._now = now
        file_type = OriginFileType(
            path="/robots.txt", purpose="robots", read=read, absent=_NO_ROBOTS, retry=retry
        )
        self._files: OriginFileCache[RobotsTxt] = OriginFileCache(file_type, fetch, now, release)
        self.forget_failures = self._files.forget_failures

    async def check(self, route: RequestRoute, token: str) -> RobotsDecision:
        """The decision of robots.txt about the URL. Stops when it disallows the URL, or cannot be read."""
        file = await self._files.file_for(route)
        decision = file.content.decision(token, route.url.raw_path_qs)
        if decision.allowed:
            return decision
        delay = file.retry_delay(self._now())
        raise FetchStopped("robots", decision.reason, temporary=file.temporary, delay=delay)


class ReservationsCheck:
    """Records rights reservations, and refuses pages where the settings say so. Lives in one event loop.

    A host's `tdmrep.json` is requested only where a TDM reservation refuses pages: otherwise its answer changes nothing
    and is not worth a request to every host.
    """

    def __init__(
        self, settings: FetchSettings, fetch: FetchRequest, now: Callable[[], float], release: Release
    ) -> None:
        self._refused_signals = settings.reservations
        self._now = now
        lifetime = settings.robots_lifetime / timedelta(seconds=1)
        retry = settings.robots_retry / timedelta(seconds=1)

        def read(status: int, body: bytes) -> tuple[tuple[TdmRule, ...], float, bool]:
            unreachable = status == 429 or status >= 500
            rules = read_tdmrep(body) if 200 <= status < 300 else ()
            return rules, retry if unreachable else lifetime, unreachable

        file_type = OriginFileType(
            path="/.well-known/tdmrep.json", purpose="policy", read=read, absent=_NO_TDMREP, retry=retry
        )
        self._files: OriginFileCache[tuple[TdmRule, ...]] = OriginFileCache(file_type, fetch, now, release)
        self.forget_failures = self._files.forget_failures

    async def check(self, route: RequestRoute, purpose: str, policy: dict[str, Any]) -> None:
        """Before the page is requested: stop when the site's file reserves it, or cannot be read."""
        for name in SIGNAL_FIELDS:
            policy.pop(name, None)  # these came from the page that redirected here
        if "tdm" not in self._refused_signals or purpose not in _CHECKED_PURPOSES:
            return
        file = await self._files.file_for(route)
        if file.temporary:
            raise FetchStopped("reserved", "tdmrep.json unreachable", delay=file.retry_delay(self._now()))
        rule = rule_for(file.content, route.url.raw_path_qs)
        if rule is not None:
            policy.update(signals_in_file(rule))
            if rule.reserved:
                raise FetchStopped("reserved", f"tdmrep.json: {rule.location}", temporary=False)

    def record(self, response: Response, purpose: str, token: str, policy: dict[str, Any]) -> frozenset[str]:
        """Record the signals of the response in `policy`. Returns those that refuse it."""
        if purpose not in _CHECKED_PURPOSES:
            return frozenset()
        policy.update(signals_in_headers(response.headers))
        if response.media_type in HTML_TYPES:
            policy.update(signals_in_page(response.body, token))
        if not self._refused_signals:
            return frozenset()
        # Nearly every feed says noindex, which only keeps the feed itself out of search results.
        ignored = {"noindex"} if purpose == "feed" else frozenset()
        return active_signals(policy, token) & self._refused_signals - ignored

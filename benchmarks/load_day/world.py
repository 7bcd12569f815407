"""Feeds that publish over a day, and a fetcher that obeys the rate limits under a simulated clock."""

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from itertools import count
from urllib.parse import urlsplit

from benchmarks.cycle.prose import WireArticle, wire_article
from benchmarks.cycle.world import World
from headwater.fetch.client.transport import HopRequest
from headwater.fetch.guard.routes import RequestRouter
from headwater.fetch.politeness.quotas import Demand, Go
from headwater.fetch.politeness.rate_limiter import MemoryRateLimiter
from headwater.fetch.politeness.request_limits import RequestLimits
from headwater.fetch.settings import FetchSettings
from headwater.model.http import Failure, Request, Response

START = datetime(2026, 11, 13, 0, 0, 1, tzinfo=UTC)
DAY = timedelta(days=1)
LISTED = 8
"""Articles in a feed: more than it publishes between two polls."""
LATENCY = 0.2
"""Seconds that a server takes to answer."""


@dataclass
class SimulatedClock:
    """The time of the simulation: it jumps when nothing is to be done, and moves by the CPU time of what is done."""

    now: datetime = START

    def __call__(self) -> datetime:
        return self.now

    def seconds(self) -> float:
        return self.now.timestamp()


@dataclass
class DayWorld(World):
    """Every feed publishes its articles at equal distances over the day, each feed at its own minutes."""

    clock: SimulatedClock = field(default_factory=SimulatedClock)

    def published_at(self, feed: int, number: int) -> datetime:
        return START + (number + feed * 0.618 % 1) * DAY / self.entries

    def articles(self, feed: int) -> list[WireArticle]:
        """The newest ones."""
        published = [
            (number, at)
            for number in range(self.entries)
            if (at := self.published_at(feed, number)) <= self.clock.now
        ]
        return [replace(wire_article(feed, number), published=at) for number, at in published[-LISTED:]]

    def etag(self, url: str) -> str:
        """Changes with every article that the feed publishes."""
        feed = int((urlsplit(url).hostname or "").removeprefix("wire").partition(".")[0])
        listed = sum(self.published_at(feed, number) <= self.clock.now for number in range(self.entries))
        return f'"{listed}"'


@dataclass
class SimulatedFetcher:
    """The port `Fetcher` without a network. The rate limiter decides as always: a request waits for its turn, or comes back as
    `rate_limited` where the real fetcher would not keep it either."""

    world: DayWorld
    settings: FetchSettings = field(default_factory=lambda: FetchSettings(contact="load@headwater.example"))
    requests: int = 0
    waiting: list[tuple[float, int, str, Request, Demand]] = field(default_factory=list)
    answers: list[tuple[float, int, str, Response | Failure]] = field(default_factory=list)
    numbers: "count[int]" = field(default_factory=count)

    def __post_init__(self) -> None:
        self.limits, self.router = RequestLimits(self.settings), RequestRouter(self.settings)
        self.rate_limiter = MemoryRateLimiter()

    def room(self) -> int:
        return self.settings.capacity - len(self.waiting) - len(self.answers)

    def submit(self, token: str, request: Request) -> None:
        call = HopRequest(
            method="GET",
            headers=request.headers,
            timeout=60,
            source_kind=request.source_kind,
            credential=request.credential,
        )
        demand = self.limits.demand(self.router.route(request.url), call, 0.0)
        assert demand is not None
        heapq.heappush(self.waiting, (self.world.clock.seconds(), next(self.numbers), token, request, demand))
        self._admit()

    def collect(self, limit: int, wait: timedelta) -> Sequence[tuple[str, Response | Failure]]:
        del wait
        self._admit()
        now, batch = self.world.clock.seconds(), []
        while self.answers and self.answers[0][0] <= now and len(batch) < limit:
            _, _, token, answer = heapq.heappop(self.answers)
            batch.append((token, answer))
        return batch

    def next_at(self) -> float | None:
        """When the next request may leave or the next answer arrives."""
        moments = [queue[0][0] for queue in (self.waiting, self.answers) if queue]
        return min(moments, default=None)

    def close(self) -> None: ...

    def _admit(self) -> None:
        clock = self.world.clock
        while self.waiting and self.waiting[0][0] <= clock.seconds():
            _, number, token, request, demand = heapq.heappop(self.waiting)
            (decision,) = self.rate_limiter.reserve([demand], clock.seconds)
            if isinstance(decision, Go):
                self.rate_limiter.report_sent([demand.lease], clock.seconds())
                self.rate_limiter.report_done([demand.lease], clock.seconds())
                self.requests += 1
                answer: Response | Failure = self._answer(request)
                heapq.heappush(self.answers, (clock.seconds() + LATENCY, number, token, answer))
            elif decision.until - clock.seconds() <= self.settings.longest_wait.total_seconds():
                heapq.heappush(self.waiting, (decision.until + 0.001, number, token, request, demand))
            else:
                delay = timedelta(seconds=decision.until - clock.seconds() + 0.001)
                heapq.heappush(
                    self.answers, (clock.seconds(), number, token, Failure("rate_limited", delay=delay))
                )

    def _answer(self, request: Request) -> Response:
        headers = {}
        if request.url.endswith("/feed"):
            headers["ETag"] = self.world.etag(request.url)
            if request.headers.get("If-None-Match") == headers["ETag"]:
                return Response(url=request.url, status=304, headers=headers, body=b"", media_type="")
        body, media_type = self.world.body(request.url)
        headers["Content-Type"] = media_type
        return Response(
            url=request.url,
            status=200,
            headers=headers,
            body=body,
            media_type=media_type.partition(";")[0],
        )

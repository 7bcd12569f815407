"""A process that fetches its share of the pages of many hosts, under a rate limiter that it shares with others."""

import heapq
import time
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from headwater.fetch.client.http_fetcher import HttpFetcher
from headwater.fetch.politeness.rate_limiter import RateLimiter
from headwater.fetch.politeness.rate_limiter_file import FileRateLimiter
from headwater.fetch.politeness.rate_limiter_redis import RedisRateLimiter
from headwater.fetch.settings import FetchSettings
from headwater.model.http import Request, Response
from headwater.redis_client import RedisClient

WORKERS = 4


@dataclass(frozen=True)
class FetchPlan:
    """`place` is the file or the address of the rate limiter. The first `hosts_with_key` hosts share one budget."""

    base: str
    place: str
    hosts: int
    pages: int
    hosts_with_key: int
    interval: float
    budget: int
    window: float

    def rate_limiter(self) -> RateLimiter:
        if ":" in self.place:
            return RedisRateLimiter(RedisClient(self.place))
        return FileRateLimiter(Path(self.place))

    def fetcher(self) -> HttpFetcher:
        settings = FetchSettings(
            overrides={"*.example": self.base},
            rate=1 / self.interval,
            concurrency=3,
            longest_wait=timedelta(seconds=0.2),
            connect_timeout=timedelta(seconds=1),
            total_timeout=timedelta(seconds=4),
            per_minute_by_credential={"wire": self.budget},
            window=timedelta(seconds=self.window),
            capacity=100,
        )
        return HttpFetcher(settings, rate_limiter=self.rate_limiter())


def fetch_share(plan: FetchPlan, first: int) -> None:
    """Every fourth page of each host, from this one on; what must wait is requested again."""
    fetcher = plan.fetcher()
    due = [
        (0.0, f"http://h{host}.example/{first}/{page}", "wire" if host < plan.hosts_with_key else None)
        for page in range(first, plan.pages, WORKERS)
        for host in range(plan.hosts)
    ]
    waiting: dict[str, str | None] = {}
    while due or waiting:
        while due and fetcher.room() and due[0][0] <= time.time():
            _, url, credential = heapq.heappop(due)
            waiting[url] = credential
            fetcher.submit(url, Request(url=url, purpose="api", credential=credential))
        for url, answer in fetcher.collect(100, timedelta(seconds=0.05)):
            credential = waiting.pop(url)
            if not isinstance(answer, Response):
                assert answer.temporary, answer
                delay = answer.delay.total_seconds() if answer.delay else 0.2
                heapq.heappush(due, (time.time() + delay, url, credential))
    fetcher.close()

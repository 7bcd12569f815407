"""A day in a moment: the engine over the demo's sites without sockets, under real budgets, with a clock that jumps."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qsl, urlsplit

from headwater.fetch.client.transport import HopRequest
from headwater.fetch.guard.routes import RequestRouter
from headwater.fetch.politeness.quotas import Go
from headwater.fetch.politeness.rate_limiter import MemoryRateLimiter
from headwater.fetch.politeness.request_limits import RequestLimits
from headwater.fetch.settings import FetchSettings
from headwater.model.http import Failure, Request, Response
from headwater_demo.markets.brokerage import brokerage
from headwater_demo.markets.market import DemoMarket
from headwater_demo.markets.provider import provider
from headwater_demo.markets.regulator import regulator
from headwater_demo.markets.wire_pages import wire_sites
from headwater_demo.site import Site, SiteRequest

START = datetime(2026, 11, 13, 9, 0, tzinfo=UTC)


@dataclass
class SteppedClock:
    now: datetime = START

    def __call__(self) -> datetime:
        return self.now

    def seconds(self) -> float:
        return self.now.timestamp()


@dataclass(frozen=True)
class SentRequest:
    at: float
    kind: str
    credential: str | None
    url: str


@dataclass
class SimulatedFetcher:
    """The port `Fetcher` without a network: the rate limiter decides as always, the answer is there at once."""

    watch: SteppedClock
    market: DemoMarket
    settings: FetchSettings
    requests: list[SentRequest] = field(default_factory=list)
    ready: deque[tuple[str, Response | Failure]] = field(default_factory=deque)

    def __post_init__(self) -> None:
        self.limits, self.router = RequestLimits(self.settings), RequestRouter(self.settings)
        self.rate_limiter = MemoryRateLimiter()
        built: list[Site] = [
            provider(self.market),
            brokerage(self.market),
            *regulator(self.market),
            *wire_sites(self.market),
        ]
        self.sites = {site.host: site for site in built}

    def room(self) -> int:
        return 400 - len(self.ready)

    def submit(self, token: str, request: Request) -> None:
        self.ready.append((token, self._answer(request)))

    def collect(self, limit: int, wait: timedelta) -> Sequence[tuple[str, Response | Failure]]:
        del wait
        return [self.ready.popleft() for _ in range(min(limit, len(self.ready)))]

    def close(self) -> None: ...

    def _answer(self, request: Request) -> Response | Failure:
        route = self.router.route(request.url)
        call = HopRequest(
            method="GET",
            headers=request.headers,
            timeout=60,
            source_kind=request.source_kind,
            credential=request.credential,
        )
        demand = self.limits.demand(route, call, 0.0)
        assert demand is not None
        (decision,) = self.rate_limiter.reserve([demand], self.watch.seconds)
        if not isinstance(decision, Go):
            wait = timedelta(seconds=max(0.0, decision.until - self.watch.seconds()) + 0.001)
            return Failure("rate_limited", delay=wait)
        self.rate_limiter.report_sent([demand.lease], self.watch.seconds())
        self.rate_limiter.report_done([demand.lease], self.watch.seconds())
        self.requests.append(
            SentRequest(self.watch.seconds(), request.source_kind, request.credential, request.url)
        )
        return self._ask(request)

    def _ask(self, request: Request) -> Response:
        parts = urlsplit(request.url)
        headers = {"user-agent": "Headwater (+sim@headwater.example)"}
        headers |= {name.lower(): value for name, value in {**request.headers, **request.secrets}.items()}
        answer = self.sites[parts.hostname or ""].answer(
            SiteRequest(
                host=parts.hostname or "",
                path=parts.path,
                query=dict(parse_qsl(parts.query)),
                headers=headers,
                now=self.watch.now,
            )
        )
        response_headers = {"content-type": answer.media_type}
        media_type = answer.media_type.partition(";")[0]
        return Response(
            url=request.url,
            status=answer.status,
            headers=response_headers,
            body=answer.body,
            media_type=media_type,
        )

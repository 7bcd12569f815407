"""A request from its first URL to its answer: hop by hop, each under the same rules."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import structlog

from headwater.fetch.breakers import Breakers
from headwater.fetch.exchange import FOLLOWED, Answer, Call, Exchange
from headwater.fetch.failures import Stopped
from headwater.fetch.limits import Limits
from headwater.fetch.redirects import redirected, without_secrets
from headwater.fetch.reservations import ReservationsGate
from headwater.fetch.robots import RobotsGate
from headwater.fetch.routes import Route, Router, joined
from headwater.fetch.settings import FetchSettings
from headwater.fetch.turnstile import Turnstile
from headwater.model.web import Failure, Request, Response
from headwater.pure.redaction import shown
from headwater.pure.responses import retry_after
from headwater.pure.robots import READ_AT_MOST
from headwater.pure.sniffing import charset_of, media_type_of

_log = structlog.get_logger()
_REST = timedelta(minutes=1)
# Refusals that somebody should look at: an attack, or a mistake in the settings.
_ALARMING = frozenset({"forbidden_address", "credential_host", "undeclared_agent"})


@dataclass(slots=True)
class Progress:
    """How far a request has come: the redirects behind it, and what was noted on the way."""

    hops: list[tuple[int, str]] = field(default_factory=list)
    policy: dict[str, Any] = field(default_factory=dict)


class Journey:
    def __init__(
        self, settings: FetchSettings, exchange: Exchange, turnstile: Turnstile, now: Callable[[], float]
    ) -> None:
        self._settings = settings
        self._now = now
        self._router = Router(settings)
        self._limits = Limits(settings)
        self._exchange = exchange
        self._turnstile = turnstile
        self._breakers = Breakers(settings, now)
        self._robots = RobotsGate(settings, self.answer, now, exchange.give_back)
        self._reservations = ReservationsGate(settings, self.answer, now, exchange.give_back)
        self._total = settings.total_timeout / timedelta(seconds=1)

    async def answer(self, request: Request) -> Response | Failure:
        """The answer after all redirects, or the failure that ended it. Either carries what was decided on the way."""
        started = time.monotonic()
        progress = Progress()
        try:
            route, answer = await self._travel(request, progress)
        except Stopped as stopped:
            failure = stopped.failure
            if failure.reason in _ALARMING:
                _log.warning("refused", reason=failure.reason, url=shown(request.url), detail=failure.detail)
            return replace(failure, policy={**progress.policy, "refused_by": failure.reason})
        return self._judged(request, route, _response(route, answer, progress, started), progress)

    def _judged(
        self, request: Request, route: Route, response: Response, progress: Progress
    ) -> Response | Failure:
        """The response with what its publisher says about its use; not at all where that refuses it."""
        limits = self._limits.host(route.host)
        refused = self._reservations.record(response, request.purpose, limits.token, progress.policy)
        if not refused or not limits.robots:
            return response
        self._exchange.give_back(len(response.body))
        policy = {**progress.policy, "refused_by": "reserved"}
        return Failure("reserved", ", ".join(sorted(refused)), temporary=False, policy=policy)

    async def _travel(self, request: Request, progress: Progress) -> tuple[Route, Answer]:
        route = self._router.route(request.url)
        call = self._first_call(request)
        for _ in range(self._settings.redirect_limit + 1):
            answer = await self._hop(route, call, progress)
            location = answer.headers.get("location", "")
            if answer.status not in FOLLOWED or not location:
                return route, answer
            target = self._router.route(joined(route, without_secrets(location, call.secrets)))
            progress.hops.append((answer.status, str(route.url)))
            if any(str(target.url) == url for _, url in progress.hops):
                raise Stopped("redirects", "a loop", temporary=False)
            call = redirected(call, answer.status, route, target)
            route = target
        raise Stopped("redirects", f"more than {self._settings.redirect_limit}", temporary=False)

    def _first_call(self, request: Request) -> Call:
        return Call(
            method=request.method,
            agent=self._settings.agent,
            headers=request.headers,
            body=request.body,
            secrets=request.secrets,
            timeout=request.timeout / timedelta(seconds=1) if request.timeout else self._total,
            purpose=request.purpose,
            kind=request.source_kind,
            credential=request.credential,
            enough=READ_AT_MOST if request.purpose == "robots" else None,
        )

    async def _hop(self, route: Route, call: Call, progress: Progress) -> Answer:
        """One exchange under all rules. Refusals that cost nothing come first."""
        policy = progress.policy
        agent = self._limits.declared_agent(route.host)
        if agent != call.agent:
            call = replace(call, agent=agent)
        policy["agent"] = agent
        self._limits.check_credential(route.host, call)
        if route.place.override:
            policy["override"] = route.place.override
        self._breakers.peek(route.host)
        crawl_delay = await self._ask_robots(route, call, policy)
        demand = self._limits.demand(route, call, crawl_delay)
        if demand is None:
            return await self._exchange_with(route, call, None)
        await self._turnstile.admit(demand)
        try:
            return await self._exchange_with(route, call, lambda: self._turnstile.sent(demand))
        finally:
            self._turnstile.done(demand)

    async def _ask_robots(self, route: Route, call: Call, policy: dict[str, Any]) -> float:
        limits = self._limits.host(route.host)
        if call.purpose in self._settings.robots_exempt or not limits.robots:
            policy["robots"] = f"exempt: {call.purpose if limits.robots else 'rule of the host'}"
            return 0.0
        ruling = await self._robots.ruling(route, limits.token)
        policy["robots"] = ruling.because
        await self._reservations.ask(route, call.purpose, policy)
        return ruling.delay or 0.0

    async def _exchange_with(self, route: Route, call: Call, on_sent: Callable[[], None] | None) -> Answer:
        self._breakers.enter(route.host)
        try:
            answer = await self._exchange.send(route, call, on_sent)
        except Stopped as stopped:
            self._breakers.failed(route.host, stopped.failure.reason)
            raise
        self._breakers.answered(route.host, answer.status)
        if answer.status in (429, 503):
            self._rest(route, call, answer)
        return answer

    def _rest(self, route: Route, call: Call, answer: Answer) -> None:
        """The host asked for patience: everybody else leaves it alone too."""
        now = self._now()
        delay = retry_after(answer.headers, datetime.fromtimestamp(now, UTC))
        if delay is None and answer.status == 429:
            delay = _REST
        if delay:
            self._turnstile.bar(self._limits.barred_by(route, call), now + delay / timedelta(seconds=1))


def _response(route: Route, answer: Answer, progress: Progress, started: float) -> Response:
    declared = answer.headers.get("content-type", "")
    return Response(
        url=str(route.url),
        status=answer.status,
        headers=answer.headers,
        body=answer.body,
        media_type=media_type_of(declared, answer.body),
        charset=charset_of(declared),
        elapsed_ms=int((time.monotonic() - started) * 1000),
        hops=tuple(progress.hops),
        policy=progress.policy,
    )

"""What of a request may go along to the place that a redirect names."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import quote, quote_plus

import structlog

from headwater.fetch.client.transport import REDIRECT_STATUSES, HopRequest, HopResponse, Transport
from headwater.fetch.failures import FetchStopped
from headwater.fetch.guard.routes import RequestRoute, RequestRouter, resolve_reference
from headwater.fetch.politeness.admission import Admission
from headwater.fetch.politeness.circuit_breaker import CircuitBreakers
from headwater.fetch.politeness.request_limits import RequestLimits
from headwater.fetch.politeness.robots_txt import LONGEST_ROBOTS
from headwater.fetch.politeness.site_policy import ReservationsCheck, RobotsCheck
from headwater.fetch.responses import retry_after
from headwater.fetch.settings import FetchSettings
from headwater.model.http import Failure, Request, Response
from headwater.text.charset import declared_charset
from headwater.text.redaction import redact_url
from headwater.text.sniffing import media_type_of

# Headers that say nothing about who asks: only these go along to another host.
_SAFE_HEADERS = frozenset({"accept", "accept-language", "if-none-match", "if-modified-since", "a-im"})


def call_after_redirect(
    call: HopRequest, status: int, route: RequestRoute, target: RequestRoute
) -> HopRequest:
    """The call as it is repeated at the new place."""
    if status == 303 or (status in (301, 302) and call.method == "POST"):
        call = replace(call, method="HEAD" if call.method == "HEAD" else "GET", body=None)
    if is_same_origin(route, target):
        return call
    headers = {name: value for name, value in call.headers.items() if name.lower() in _SAFE_HEADERS}
    return replace(call, headers=headers, secrets={}, body=None, credential=None)


def is_same_origin(route: RequestRoute, target: RequestRoute) -> bool:
    """True when keys may go along: the same scheme, host and port, or the same host made safer."""
    if route.host != target.host:
        return False
    if (route.url.scheme, route.port) == (target.url.scheme, target.port):
        return True
    return (route.url.scheme, route.port, target.url.scheme, target.port) == ("http", 80, "https", 443)


def without_secrets(text: str, secrets: Mapping[str, str]) -> str:
    """A server may quote a key back at us, in a redirect for instance: it is cut out before anybody sees it."""
    for value in secrets.values():
        for spelling in {value, quote(value, safe=""), quote_plus(value)} if value else ():
            text = text.replace(spelling, "")
    return text


_log = structlog.get_logger()
_DEFAULT_BLOCK = timedelta(minutes=1)
# Refusals that somebody should look at: an attack, or a mistake in the settings.
_LOGGED_REFUSALS = frozenset({"forbidden_address", "credential_host", "undeclared_agent"})


@dataclass(slots=True)
class InFlightRequest:
    """How far a request has come: the redirects behind it, and what was noted on the way."""

    hops: list[tuple[int, str]] = field(default_factory=list)
    policy: dict[str, Any] = field(default_factory=dict)


class RequestHandler:
    def __init__(
        self, settings: FetchSettings, transport: Transport, admission: Admission, now: Callable[[], float]
    ) -> None:
        self._settings = settings
        self._now = now
        self._router = RequestRouter(settings)
        self._limits = RequestLimits(settings)
        self._transport = transport
        self._admission = admission
        self._breakers = CircuitBreakers(settings, now)
        self._robots = RobotsCheck(settings, self.answer, now, transport.give_back)
        self._reservations = ReservationsCheck(settings, self.answer, now, transport.give_back)
        self._total = settings.total_timeout / timedelta(seconds=1)

    async def answer(self, request: Request) -> Response | Failure:
        """The answer after all redirects, or the failure that ended it. Either carries what was decided on the way."""
        started = time.monotonic()
        progress = InFlightRequest()
        try:
            route, answer = await self._travel(request, progress)
        except FetchStopped as stopped:
            failure = stopped.failure
            if failure.reason in _LOGGED_REFUSALS:
                _log.warning(
                    "refused", reason=failure.reason, url=redact_url(request.url), detail=failure.detail
                )
            return replace(failure, policy={**progress.policy, "refused_by": failure.reason})
        return self._judged(request, route, _response(route, answer, progress, started), progress)

    def _judged(
        self, request: Request, route: RequestRoute, response: Response, progress: InFlightRequest
    ) -> Response | Failure:
        """The response with what its publisher says about its use; not at all where that refuses it."""
        limits = self._limits.host(route.host)
        refused = self._reservations.record(response, request.purpose, limits.token, progress.policy)
        if not refused or not limits.robots:
            return response
        self._transport.give_back(len(response.body))
        policy = {**progress.policy, "refused_by": "reserved"}
        return Failure("reserved", ", ".join(sorted(refused)), temporary=False, policy=policy)

    async def _travel(self, request: Request, progress: InFlightRequest) -> tuple[RequestRoute, HopResponse]:
        route = self._router.route(request.url)
        call = self._first_call(request)
        for _ in range(self._settings.redirect_limit + 1):
            answer = await self._hop(route, call, progress)
            location = answer.headers.get("location", "")
            if answer.status not in REDIRECT_STATUSES or not location:
                return route, answer
            target = self._router.route(resolve_reference(route, without_secrets(location, call.secrets)))
            progress.hops.append((answer.status, str(route.url)))
            if any(str(target.url) == url for _, url in progress.hops):
                raise FetchStopped("redirects", "a loop", temporary=False)
            call = call_after_redirect(call, answer.status, route, target)
            route = target
        raise FetchStopped("redirects", f"more than {self._settings.redirect_limit}", temporary=False)

    def _first_call(self, request: Request) -> HopRequest:
        return HopRequest(
            method=request.method,
            agent=self._settings.agent,
            headers=request.headers,
            body=request.body,
            secrets=request.secrets,
            timeout=request.timeout / timedelta(seconds=1) if request.timeout else self._total,
            purpose=request.purpose,
            kind=request.source_kind,
            credential=request.credential,
            enough=LONGEST_ROBOTS if request.purpose == "robots" else None,
        )

    async def _hop(self, route: RequestRoute, call: HopRequest, progress: InFlightRequest) -> HopResponse:
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
        await self._admission.admit(demand)
        try:
            return await self._exchange_with(route, call, lambda: self._admission.sent(demand))
        finally:
            self._admission.done(demand)

    async def _ask_robots(self, route: RequestRoute, call: HopRequest, policy: dict[str, Any]) -> float:
        limits = self._limits.host(route.host)
        if call.purpose in self._settings.robots_exempt or not limits.robots:
            policy["robots"] = f"exempt: {call.purpose if limits.robots else 'rule of the host'}"
            return 0.0
        ruling = await self._robots.ruling(route, limits.token)
        policy["robots"] = ruling.because
        await self._reservations.ask(route, call.purpose, policy)
        return ruling.delay or 0.0

    async def _exchange_with(
        self, route: RequestRoute, call: HopRequest, on_sent: Callable[[], None] | None
    ) -> HopResponse:
        self._breakers.enter(route.host)
        try:
            answer = await self._transport.send(route, call, on_sent)
        except FetchStopped as stopped:
            self._breakers.failed(route.host, stopped.failure.reason)
            raise
        self._breakers.answered(route.host, answer.status)
        if answer.status in (429, 503):
            self._rest(route, call, answer)
        return answer

    def _rest(self, route: RequestRoute, call: HopRequest, answer: HopResponse) -> None:
        """The host asked for patience: everybody else leaves it alone too."""
        now = self._now()
        delay = retry_after(answer.headers, datetime.fromtimestamp(now, UTC))
        if delay is None and answer.status == 429:
            delay = _DEFAULT_BLOCK
        if delay:
            self._admission.block_until(
                self._limits.keys_to_block(route, call), now + delay / timedelta(seconds=1)
            )


def _response(
    route: RequestRoute, answer: HopResponse, progress: InFlightRequest, started: float
) -> Response:
    declared = answer.headers.get("content-type", "")
    return Response(
        url=str(route.url),
        status=answer.status,
        headers=answer.headers,
        body=answer.body,
        media_type=media_type_of(declared, answer.body),
        charset=declared_charset(declared),
        elapsed_ms=int((time.monotonic() - started) * 1000),
        hops=tuple(progress.hops),
        policy=progress.policy,
    )

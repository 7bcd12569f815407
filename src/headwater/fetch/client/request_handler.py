"""Handles a request from its first URL to its final response: hop by hop, each hop under the same rules."""

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
from headwater.fetch.outage import OutageDetector, failure_evidence
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

_log = structlog.get_logger()
# How long to leave a host alone after a 429 without Retry-After.
_DEFAULT_BLOCK = timedelta(minutes=1)
# Refusals that an operator should know of: an attack, or a mistake in the settings.
_LOGGED_REFUSALS = frozenset({"forbidden_address", "credential_host", "undeclared_agent"})
# A server may close a connection that we are about to use again. Such a request is repeated, each time under all limits.
_REPEATABLE = frozenset({"GET", "HEAD"})
_MOST_REPEATS = 2
# Headers that do not identify the client. No other headers follow a redirect to another host.
_SAFE_HEADERS = frozenset({"accept", "accept-language", "if-none-match", "if-modified-since", "a-im"})


@dataclass(slots=True)
class RequestHistory:
    """The redirects that a request has followed so far, the policy decisions recorded on the way, and the seconds that its
    hops took."""

    hops: list[tuple[int, str]] = field(default_factory=list)
    seconds: float = 0.0
    policy: dict[str, Any] = field(default_factory=dict)


class RequestHandler:
    """Answers requests: routes, limits, robots.txt, circuit breakers and redirects. Lives in one event loop."""

    def __init__(
        self,
        settings: FetchSettings,
        transport: Transport,
        admission: Admission,
        now: Callable[[], float],
        answered_before: frozenset[str] = frozenset(),
    ) -> None:
        self._settings = settings
        self._now = now
        self._router = RequestRouter(settings)
        self._limits = RequestLimits(settings)
        self._transport = transport
        self._admission = admission
        self._breakers = CircuitBreakers(settings, now)
        self._outage = OutageDetector(now, settings.outage_hold, self._forget_failures, answered_before)
        self._robots = RobotsCheck(settings, self.answer, now, transport.release)
        self._reservations = ReservationsCheck(settings, self.answer, now, transport.release)
        self._total_seconds = settings.total_timeout / timedelta(seconds=1)

    def _forget_failures(self) -> None:
        """What hosts did while our own network went down says nothing about them."""
        self._breakers.forget()
        self._robots.forget_failures()
        self._reservations.forget_failures()

    async def answer(self, request: Request) -> Response | Failure:
        """The response after all redirects, or the failure that ended the request. Both carry the policy decisions."""
        started = time.monotonic()
        in_flight = RequestHistory()
        try:
            route, hop_response = await self._follow(request, in_flight)
        except FetchStopped as stopped:
            failure = stopped.failure
            if failure.reason in _LOGGED_REFUSALS:
                _log.warning(
                    "refused", reason=failure.reason, url=redact_url(request.url), detail=failure.detail
                )
            return replace(failure, policy={**in_flight.policy, "refused_by": failure.reason})
        response = _response(route, hop_response, in_flight, started)
        return self._check_reservations(request, route, response, in_flight)

    def _check_reservations(
        self, request: Request, route: RequestRoute, response: Response, in_flight: RequestHistory
    ) -> Response | Failure:
        """The response with its rights reservations recorded, or a failure where the settings make them refuse it."""
        limits = self._limits.host(route.host)
        refused = self._reservations.record(response, request.purpose, limits.token, in_flight.policy)
        if not refused or not limits.robots:
            return response
        self._transport.release(len(response.body))
        policy = {**in_flight.policy, "refused_by": "reserved"}
        return Failure("reserved", ", ".join(sorted(refused)), temporary=False, policy=policy)

    async def _follow(self, request: Request, in_flight: RequestHistory) -> tuple[RequestRoute, HopResponse]:
        """The last hop of the request, after its redirects."""
        route = self._router.route(request.url)
        call = self._first_call(request)
        total = call.timeout
        for _ in range(self._settings.redirect_limit + 1):
            response = await self._hop(route, call, in_flight)
            location = response.headers.get("location", "")
            if response.status not in REDIRECT_STATUSES or not location:
                return route, response
            next_route = self._router.route(resolve_reference(route, without_secrets(location, call.secrets)))
            in_flight.hops.append((response.status, str(route.url)))
            if any(str(next_route.url) == url for _, url in in_flight.hops):
                raise FetchStopped("redirects", "a loop", temporary=False)
            call = call_after_redirect(call, response.status, route, next_route)
            # All hops share the time of the request.
            call = replace(call, timeout=max(total - in_flight.seconds, 0.0))
            route = next_route
        raise FetchStopped("redirects", f"more than {self._settings.redirect_limit}", temporary=False)

    def _first_call(self, request: Request) -> HopRequest:
        return HopRequest(
            method=request.method,
            agent=self._settings.agent,
            headers=request.headers,
            body=request.body,
            secrets=request.secrets,
            timeout=request.timeout / timedelta(seconds=1) if request.timeout else self._total_seconds,
            purpose=request.purpose,
            source_kind=request.source_kind,
            credential=request.credential,
            read_limit=LONGEST_ROBOTS if request.purpose == "robots" else None,
        )

    async def _hop(self, route: RequestRoute, call: HopRequest, in_flight: RequestHistory) -> HopResponse:
        """One hop under all rules. Checks that cost nothing come first."""
        policy = in_flight.policy
        agent = self._limits.declared_agent(route.host)
        if agent != call.agent:
            call = replace(call, agent=agent)
        policy["agent"] = agent
        self._limits.check_credential(route.host, call)
        if route.target.override:
            policy["override"] = route.target.override
        self._outage.check()
        self._breakers.check(route.host)
        crawl_delay = await self._check_site_policy(route, call, policy)
        for _ in range(_MOST_REPEATS):
            try:
                return await self._admitted(route, call, crawl_delay, in_flight)
            except FetchStopped as stopped:
                if not stopped.stale or call.method not in _REPEATABLE:
                    raise
        return await self._admitted(route, call, crawl_delay, in_flight)

    async def _admitted(
        self, route: RequestRoute, call: HopRequest, crawl_delay: float, in_flight: RequestHistory
    ) -> HopResponse:
        """Send when the limits allow it."""
        demand = self._limits.demand(route, call, crawl_delay)
        if demand is None:
            return await self._send(route, call, in_flight, None)
        await self._admission.admit(demand)
        try:
            return await self._send(route, call, in_flight, lambda: self._admission.report_sent(demand))
        finally:
            self._admission.report_done(demand)

    async def _check_site_policy(
        self, route: RequestRoute, call: HopRequest, policy: dict[str, Any]
    ) -> float:
        """The Crawl-delay. Stops when robots.txt or a rights reservation refuses the URL."""
        limits = self._limits.host(route.host)
        if call.purpose in self._settings.robots_exempt or not limits.robots:
            policy["robots"] = f"exempt: {call.purpose if limits.robots else 'rule of the host'}"
            return 0.0
        decision = await self._robots.check(route, limits.token)
        policy["robots"] = decision.reason
        await self._reservations.check(route, call.purpose, policy)
        return decision.delay or 0.0

    async def _send(
        self,
        route: RequestRoute,
        call: HopRequest,
        in_flight: RequestHistory,
        on_sent: Callable[[], None] | None,
    ) -> HopResponse:
        self._breakers.enter(route.host)
        started_at, started = self._outage.enter(route.host), time.monotonic()
        try:
            response = await self._transport.send(route, call, on_sent)
        except FetchStopped as stopped:
            if stopped.stale:
                raise
            evidence = failure_evidence(
                stopped.failure.reason, local=stopped.local, accepted=stopped.accepted
            )
            await self._outage.record_failure(route.host, stopped.failure, started_at, evidence)
            self._breakers.record_failure(route.host, stopped.failure.reason)
            raise
        finally:
            in_flight.seconds += time.monotonic() - started
        self._outage.record_answer(route.host)
        self._breakers.record_status(route.host, response.status)
        if response.status in (429, 503):
            self._block(route, call, response)
        return response

    def _block(self, route: RequestRoute, call: HopRequest, response: HopResponse) -> None:
        """The host asked us to wait, so all other requests to it wait too."""
        now = self._now()
        delay = retry_after(response.headers, datetime.fromtimestamp(now, UTC))
        if delay is None and response.status == 429:
            delay = _DEFAULT_BLOCK
        if delay:
            keys = self._limits.keys_to_block(route, call)
            self._admission.block_until(keys, now + delay / timedelta(seconds=1))


def call_after_redirect(
    call: HopRequest, status: int, route: RequestRoute, next_route: RequestRoute
) -> HopRequest:
    """The request as it is repeated at the target of a redirect. Credentials never follow to another origin."""
    if status == 303 or (status in (301, 302) and call.method == "POST"):
        call = replace(call, method="HEAD" if call.method == "HEAD" else "GET", body=None)
    if is_same_origin(route, next_route):
        return call
    headers = {name: value for name, value in call.headers.items() if name.lower() in _SAFE_HEADERS}
    return replace(call, headers=headers, secrets={}, body=None, credential=None)


def is_same_origin(route: RequestRoute, next_route: RequestRoute) -> bool:
    """Whether scheme, host and port are the same, or the same host is upgraded from http to https."""
    if route.host != next_route.host:
        return False
    origin, next_origin = (route.url.scheme, route.port), (next_route.url.scheme, next_route.port)
    return origin == next_origin or (origin, next_origin) == (("http", 80), ("https", 443))


def without_secrets(text: str, secrets: Mapping[str, str]) -> str:
    """Remove secrets that a server quotes back, for instance in a redirect, before they reach a log or a record."""
    for value in secrets.values():
        for spelling in {value, quote(value, safe=""), quote_plus(value)} if value else ():
            text = text.replace(spelling, "")
    return text


def _response(
    route: RequestRoute, response: HopResponse, in_flight: RequestHistory, started: float
) -> Response:
    declared = response.headers.get("content-type", "")
    return Response(
        url=str(route.url),
        status=response.status,
        headers=response.headers,
        body=response.body,
        media_type=media_type_of(declared, response.body),
        charset=declared_charset(declared),
        elapsed_ms=int((time.monotonic() - started) * 1000),
        hops=tuple(in_flight.hops),
        policy=in_flight.policy,
    )

"""A request from its first URL to its answer: hop by hop, each under the same rules."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any
from urllib.parse import urljoin

from headwater.fetch.decoding import ACCEPT_ENCODING
from headwater.fetch.exchange import Answer, Call, Exchange
from headwater.fetch.failures import Stopped
from headwater.fetch.routes import Route, Router
from headwater.fetch.settings import FetchSettings
from headwater.model.web import Failure, Request, Response
from headwater.pure.sniffing import charset_of, media_type_of

FOLLOWED = frozenset({301, 302, 303, 307, 308})
# Headers that say nothing about who asks: only these go along to another host.
_HARMLESS = frozenset({"accept", "accept-language", "if-none-match", "if-modified-since", "a-im"})


@dataclass(slots=True)
class Progress:
    """How far a request has come: the redirects behind it, and what was noted on the way."""

    hops: list[tuple[int, str]] = field(default_factory=list)
    policy: dict[str, Any] = field(default_factory=dict)


class Journey:
    def __init__(self, settings: FetchSettings, exchange: Exchange) -> None:
        self._settings = settings
        self._router = Router(settings)
        self._exchange = exchange

    async def answer(self, request: Request) -> Response | Failure:
        """The answer after all redirects, or the failure that ended it."""
        started = time.monotonic()
        progress = Progress()
        try:
            route, answer = await self._travel(request, progress)
        except Stopped as stopped:
            return replace(stopped.failure, policy=progress.policy)
        return _response(route, answer, progress, started)

    async def _travel(self, request: Request, progress: Progress) -> tuple[Route, Answer]:
        route = self._router.route(request.url)
        call = self._first_call(request)
        for _ in range(self._settings.redirect_limit + 1):
            answer = await self._hop(route, call, progress)
            location = answer.headers.get("location", "")
            if answer.status not in FOLLOWED or not location:
                return route, answer
            route, call = self._follow(route, call, answer.status, location, progress)
        raise Stopped("redirects", f"more than {self._settings.redirect_limit}", temporary=False)

    async def _hop(self, route: Route, call: Call, progress: Progress) -> Answer:
        if route.override:
            progress.policy["override"] = route.override
        return await self._exchange.send(route, call)

    def _first_call(self, request: Request) -> Call:
        timeout = request.timeout or self._settings.total_timeout
        return Call(
            method=request.method,
            headers={
                "User-Agent": self._settings.agent,
                "Accept": "*/*",
                "Accept-Encoding": ACCEPT_ENCODING,
                **request.headers,
            },
            body=request.body,
            secrets=request.secrets,
            timeout=timeout / timedelta(seconds=1),
        )

    def _follow(
        self, route: Route, call: Call, status: int, location: str, progress: Progress
    ) -> tuple[Route, Call]:
        target = self._router.route(urljoin(str(route.url), without_secrets(location, call.secrets)))
        progress.hops.append((status, str(route.url)))
        if any(str(target.url) == url for _, url in progress.hops):
            raise Stopped("redirects", "a loop", temporary=False)
        return target, redirected(call, status, same_origin=same_origin(route, target))


def same_origin(route: Route, target: Route) -> bool:
    """True when keys may go along: the same host and port, or the same host made safer."""
    if (route.url.scheme, route.host, route.port) == (target.url.scheme, target.host, target.port):
        return True
    return (
        route.host == target.host and (route.port, target.port) == (80, 443) and target.url.scheme == "https"
    )


def redirected(call: Call, status: int, *, same_origin: bool) -> Call:
    """The call as it is repeated at the new place."""
    if status == 303 or (status in (301, 302) and call.method == "POST"):
        call = replace(call, method="HEAD" if call.method == "HEAD" else "GET", body=None)
    if same_origin:
        return call
    headers = {name: value for name, value in call.headers.items() if _goes_along(name)}
    return replace(call, headers=headers, secrets={}, body=None)


def _goes_along(name: str) -> bool:
    return name.lower() in _HARMLESS or name in ("User-Agent", "Accept-Encoding")


def without_secrets(text: str, secrets: Mapping[str, str]) -> str:
    """A server may quote a key back at us, in a redirect for instance: it is cut out before anybody sees it."""
    for value in secrets.values():
        if value:
            text = text.replace(value, "")
    return text


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

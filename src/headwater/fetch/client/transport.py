"""One request and its answer on the wire, within limits of time and size."""

import ssl
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import timedelta
from types import SimpleNamespace

import aiohttp
from yarl import URL

from headwater.fetch.client.body import BodyReader, MemoryBudget
from headwater.fetch.client.content_encoding import ACCEPT_ENCODING
from headwater.fetch.client.deadlines import Deadline, Deadlines
from headwater.fetch.failures import FetchStopped, failure_of
from headwater.fetch.guard.addresses import AllowList
from headwater.fetch.guard.routes import RequestRoute
from headwater.fetch.guard.sockets import (
    Destination,
    GuardedResolver,
    Resolve,
    destination,
    guarded_socket_factory,
)
from headwater.fetch.settings import FetchSettings

REDIRECT_STATUSES = frozenset({301, 302, 303, 307, 308})
# Honest sites send security policies of many kilobytes in one header field.
_LONGEST_LINE = 16 * 1024
_LONGEST_FIELD = 64 * 1024
_LEFT_OUT = frozenset({"set-cookie", "set-cookie2"})
# The cookies of the page that a browser is showing, thrown away with it. Nobody else has any.
page_cookies: ContextVar[aiohttp.CookieJar | None] = ContextVar("page_cookies", default=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class HopRequest:
    """What is sent on one hop, and on whose account. `secrets` are headers, or query parameters where the name
    begins with "?". A body is read no further than `enough`, if that is set: the rest does not matter."""

    method: str
    agent: str = ""
    headers: Mapping[str, str]
    body: bytes | None = None
    secrets: Mapping[str, str] = field(default_factory=dict)
    timeout: float
    purpose: str = "page"
    kind: str = ""
    credential: str | None = None
    enough: int | None = None


@dataclass(frozen=True, slots=True)
class HopResponse:
    status: int
    headers: Mapping[str, str]
    body: bytes


class Transport:
    """Sends calls over one pool of connections. Lives in one event loop."""

    def __init__(self, settings: FetchSettings, resolve: Resolve, budget: MemoryBudget) -> None:
        self.give_back = budget.release
        allow = AllowList.of(settings.allow)
        self._bodies = BodyReader(settings.body_limit, budget)
        # Connections of overridden hosts are pooled apart from those that anybody may ask for by address.
        self._tls = ssl.create_default_context()
        self._override_tls = ssl.create_default_context()
        self._connector = aiohttp.TCPConnector(
            limit=settings.connections,
            resolver=GuardedResolver(allow, resolve, settings.connect_timeout),
            use_dns_cache=False,
            socket_factory=guarded_socket_factory(allow),
        )
        self._deadlines = Deadlines()
        self._connect = settings.connect_timeout / timedelta(seconds=1)
        self._idle = settings.read_timeout / timedelta(seconds=1)
        timeout = aiohttp.ClientTimeout(total=None, sock_connect=self._connect)

        def session(*watchers: aiohttp.TraceConfig) -> aiohttp.ClientSession:
            return aiohttp.ClientSession(
                connector=self._connector,
                connector_owner=False,
                cookie_jar=aiohttp.DummyCookieJar(),
                auto_decompress=False,
                headers={"Accept": "*/*", "Accept-Encoding": ACCEPT_ENCODING},
                timeout=timeout,
                max_line_size=_LONGEST_LINE,
                max_field_size=_LONGEST_FIELD,
                trace_configs=list(watchers),
            )

        # Being told when a request leaves costs time; only those that count against a limit need it.
        self._plain, self._watched = session(), session(_sending())

    async def send(
        self, route: RequestRoute, call: HopRequest, on_sent: Callable[[], None] | None = None
    ) -> HopResponse:
        """The answer, or Stopped with the named reason why there is none. `on_sent` is called at the moment the
        request goes out, which is later than now when a connection has to be made first."""
        going = Destination(trusted=route.place.trusted)
        destination.set(going)
        try:
            with self._deadlines.watch(call.timeout, self._idle, self._connect) as watch:
                return await self._answer(route, call, on_sent, watch)
        except FetchStopped:
            raise
        except (aiohttp.ClientError, OSError, ValueError) as error:
            if going.refused:
                raise FetchStopped("forbidden_address", going.refused, temporary=False) from None
            raise FetchStopped.of(failure_of(error)) from None

    async def close(self) -> None:
        await self._plain.close()
        await self._watched.close()
        await self._connector.close()
        self._deadlines.close()

    async def _answer(
        self, route: RequestRoute, call: HopRequest, on_sent: Callable[[], None] | None, watch: Deadline
    ) -> HopResponse:
        url, headers = wire_request(route, call)
        cookies = page_cookies.get()
        if cookies is not None:
            headers |= _cookie_header(cookies, route.url)
        session = self._plain if on_sent is None else self._watched
        async with session.request(
            call.method,
            url,
            headers=headers,
            data=call.body,
            allow_redirects=False,
            ssl=self._override_tls if route.place.override else self._tls,
            trace_request_ctx=on_sent,
        ) as response:
            watch.moved()
            found = normalised_headers(response)
            if cookies is not None:
                cookies.update_cookies(response.cookies, route.url)
            if response.status < 200:
                raise FetchStopped("protocol", f"status {response.status}, which nobody asked for")
            if call.method == "HEAD" or (response.status in REDIRECT_STATUSES and "location" in found):
                return HopResponse(response.status, found, b"")
            body = await self._bodies.read(response.content, found, watch, call.enough)
            return HopResponse(response.status, found, body)


def _sending() -> aiohttp.TraceConfig:
    """Tells the governor when a request is really on the wire: limits count from there."""

    async def sent(
        _: aiohttp.ClientSession, context: SimpleNamespace, __: aiohttp.TraceRequestHeadersSentParams
    ) -> None:
        if context.trace_request_ctx is not None:
            context.trace_request_ctx()

    config = aiohttp.TraceConfig()
    config.on_request_headers_sent.append(sent)
    return config


def wire_request(route: RequestRoute, call: HopRequest) -> tuple[URL, dict[str, str]]:
    """The call as it goes on the wire: with the host's real name and with its secrets."""
    headers = {"User-Agent": call.agent, **call.headers}
    if route.place.override:
        headers["Host"] = route.place.header
    if not call.secrets:
        return route.wire, headers
    parameters = {name[1:]: value for name, value in call.secrets.items() if name.startswith("?")}
    headers.update((name, value) for name, value in call.secrets.items() if not name.startswith("?"))
    return (route.wire.extend_query(parameters) if parameters else route.wire), headers


def _cookie_header(cookies: aiohttp.CookieJar, url: URL) -> dict[str, str]:
    kept = cookies.filter_cookies(url).values()
    return {"Cookie": "; ".join(f"{cookie.key}={cookie.value}" for cookie in kept)} if kept else {}


def normalised_headers(response: aiohttp.ClientResponse) -> dict[str, str]:
    """Names in lower case, repeated fields joined, cookies left out: they would be somebody's session."""
    headers: dict[str, str] = {}
    for name, value in response.headers.items():
        key = name.lower()
        if key in headers:
            headers[key] = f"{headers[key]}, {_whole(value)}"
        elif key not in _LEFT_OUT:
            headers[key] = _whole(value)
    return headers


def _whole(value: str) -> str:
    """Bytes that are no UTF-8 arrive as half characters, which no database takes."""
    return value if value.isascii() else value.encode("utf-8", "surrogateescape").decode("utf-8", "replace")

"""One request and its answer on the wire, within limits of time and size."""

import asyncio
import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from types import SimpleNamespace

import aiohttp
from yarl import URL

from headwater.fetch.bodies import Bodies
from headwater.fetch.buffers import Buffers
from headwater.fetch.failures import Stopped, failure_of
from headwater.fetch.guard import Destination, GuardedResolver, Resolve, destination, guarded_sockets
from headwater.fetch.routes import Route
from headwater.fetch.settings import FetchSettings
from headwater.pure.addresses import AllowList

FOLLOWED = frozenset({301, 302, 303, 307, 308})
_LEFT_OUT = frozenset({"set-cookie", "set-cookie2"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """What is sent on one hop, and on whose account. `secrets` are headers, or query parameters where the name
    begins with "?"."""

    method: str
    headers: Mapping[str, str]
    body: bytes | None = None
    secrets: Mapping[str, str] = field(default_factory=dict)
    timeout: float
    purpose: str = "page"
    kind: str = ""
    credential: str | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    body: bytes


class Exchange:
    """Sends calls over one pool of connections. Lives in one event loop."""

    def __init__(self, settings: FetchSettings, resolve: Resolve, buffers: Buffers) -> None:
        allow = AllowList.of(settings.allow)
        self._bodies = Bodies(settings.body_limit, buffers)
        # Connections of overridden hosts are pooled apart from those that anybody may ask for by address.
        self._tls = ssl.create_default_context()
        self._override_tls = ssl.create_default_context()
        self._connector = aiohttp.TCPConnector(
            limit=settings.connections,
            resolver=GuardedResolver(allow, resolve, settings.connect_timeout),
            use_dns_cache=False,
            socket_factory=guarded_sockets(allow),
        )
        timeout = aiohttp.ClientTimeout(
            total=None,
            sock_connect=settings.connect_timeout / timedelta(seconds=1),
            sock_read=settings.read_timeout / timedelta(seconds=1),
        )
        self._session = aiohttp.ClientSession(
            connector=self._connector,
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
            timeout=timeout,
            trace_configs=[_sending()],
        )

    async def send(self, route: Route, call: Call, on_sent: Callable[[], None] | None = None) -> Answer:
        """The answer, or Stopped with the named reason why there is none. `on_sent` is called at the moment the
        request goes out, which is later than now when a connection has to be made first."""
        going = Destination(trusted=route.trusted)
        destination.set(going)
        try:
            async with asyncio.timeout(call.timeout) as deadline:
                return await self._answer(route, call, on_sent, deadline)
        except Stopped:
            raise
        except (aiohttp.ClientError, OSError, ValueError) as error:
            if going.refused:
                raise Stopped("forbidden_address", going.refused, temporary=False) from None
            raise Stopped.of(failure_of(error)) from None

    async def close(self) -> None:
        await self._session.close()

    async def _answer(
        self, route: Route, call: Call, on_sent: Callable[[], None] | None, deadline: asyncio.Timeout
    ) -> Answer:
        url, headers = dressed(route, call)
        async with self._session.request(
            call.method,
            url,
            headers=headers,
            data=call.body,
            allow_redirects=False,
            ssl=self._override_tls if route.override else self._tls,
            trace_request_ctx=on_sent,
        ) as response:
            found = plain_headers(response)
            if response.status < 200:
                raise Stopped("protocol", f"status {response.status}, which nobody asked for")
            if call.method == "HEAD" or (response.status in FOLLOWED and "location" in found):
                return Answer(response.status, found, b"")
            return Answer(response.status, found, await self._bodies.read(response.content, found, deadline))


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


def dressed(route: Route, call: Call) -> tuple[URL, dict[str, str]]:
    """The call as it goes on the wire: with the host's real name and with its secrets."""
    headers = dict(call.headers)
    if route.override:
        headers["Host"] = route.host_header
    parameters = {name[1:]: value for name, value in call.secrets.items() if name.startswith("?")}
    headers.update((name, value) for name, value in call.secrets.items() if not name.startswith("?"))
    return (route.wire.extend_query(parameters) if parameters else route.wire), headers


def plain_headers(response: aiohttp.ClientResponse) -> dict[str, str]:
    """Names in lower case, repeated fields joined, cookies left out: they would be somebody's session."""
    headers: dict[str, str] = {}
    for name, value in response.headers.items():
        key = name.lower()
        if key in headers:
            headers[key] = f"{headers[key]}, {value}"
        elif key not in _LEFT_OUT:
            headers[key] = value
    return headers

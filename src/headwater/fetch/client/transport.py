"""Sends one request over the wire and reads its response, within limits of time and size."""

import ssl
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cache
from types import SimpleNamespace

import aiohttp
from yarl import URL

from headwater.fetch.client.body import BodyReader, MemoryBudget
from headwater.fetch.client.connector import TimedConnector, send_once
from headwater.fetch.client.content_encoding import ACCEPT_ENCODING
from headwater.fetch.client.deadlines import Deadline, Deadlines, current_deadline
from headwater.fetch.failures import FetchStopped
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
# Ordinary sites send security policies of many kilobytes in one header field.
_LONGEST_LINE = 16 * 1024
_LONGEST_FIELD = 64 * 1024
_OMITTED_HEADERS = frozenset({"set-cookie", "set-cookie2"})
# The cookies of the page that the browser is rendering. They end with the page; all other requests have none.
page_cookies: ContextVar[aiohttp.CookieJar | None] = ContextVar("page_cookies", default=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class HopRequest:
    """What is sent on one hop, and for which purpose, source kind and credential. `secrets` are headers, or query
    parameters where the name begins with "?". `read_limit` ends reading of the body early."""

    method: str
    agent: str = ""
    headers: Mapping[str, str]
    body: bytes | None = None
    secrets: Mapping[str, str] = field(default_factory=dict)
    timeout: float
    purpose: str = "page"
    source_kind: str = ""
    credential: str | None = None
    read_limit: int | None = None


@dataclass(frozen=True, slots=True)
class HopResponse:
    status: int
    headers: Mapping[str, str]
    body: bytes


@cache
def _tls_contexts(_authorities: ssl.DefaultVerifyPaths) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """For usual and for overridden hosts: connections to those have a pool of their own, so that no other request can reuse
    them by address. The transports of a process share them, because reading the authorities takes 15 ms each time."""
    return ssl.create_default_context(), ssl.create_default_context()


class Transport:
    """Sends requests over one pool of connections. Lives in one event loop."""

    def __init__(self, settings: FetchSettings, resolve: Resolve, budget: MemoryBudget) -> None:
        self.release = budget.release
        allow = AllowList.of(settings.allow)
        self._bodies = BodyReader(settings.body_limit, budget)
        self._tls, self._override_tls = _tls_contexts(ssl.get_default_verify_paths())
        self._connector = TimedConnector(
            limit=settings.connections,
            resolver=GuardedResolver(allow, resolve, settings.connect_timeout),
            use_dns_cache=False,
            socket_factory=guarded_socket_factory(allow),
        )
        self._deadlines = Deadlines()
        self._connect_seconds = settings.connect_timeout / timedelta(seconds=1)
        self._idle_seconds = settings.read_timeout / timedelta(seconds=1)
        timeout = aiohttp.ClientTimeout(total=None, sock_connect=self._connect_seconds)

        def session(*traces: aiohttp.TraceConfig) -> aiohttp.ClientSession:
            return aiohttp.ClientSession(
                connector=self._connector,
                connector_owner=False,
                cookie_jar=aiohttp.DummyCookieJar(),
                auto_decompress=False,
                headers={"Accept": "*/*", "Accept-Encoding": ACCEPT_ENCODING},
                timeout=timeout,
                max_line_size=_LONGEST_LINE,
                max_field_size=_LONGEST_FIELD,
                trace_configs=list(traces),
                middlewares=(send_once,),
            )

        # Tracing when a request leaves costs time, and only requests that count against a limit need it.
        self._plain, self._traced = session(), session(_trace_sent())

    async def send(
        self, route: RequestRoute, call: HopRequest, on_sent: Callable[[], None] | None = None
    ) -> HopResponse:
        """The response. Raises FetchStopped with a named reason when there is none. `on_sent` is called when the request
        goes out, which is later than now if a connection has to be made first."""
        current = Destination(trusted=route.target.trusted)
        destination.set(current)
        try:
            with self._deadlines.deadline(
                call.timeout, self._idle_seconds, self._connect_seconds
            ) as deadline:
                current_deadline.set(deadline)
                return await self._answer(route, call, on_sent, deadline)
        except FetchStopped as stopped:
            stopped.accepted = current.accepted
            raise
        except (aiohttp.ClientError, OSError, ValueError) as error:
            if current.refusal:
                raise FetchStopped("forbidden_address", current.refusal, temporary=False) from None
            raise FetchStopped.because_of(error, accepted=current.accepted) from None

    async def close(self) -> None:
        await self._plain.close()
        await self._traced.close()
        await self._connector.close()
        self._deadlines.close()

    async def _answer(
        self, route: RequestRoute, call: HopRequest, on_sent: Callable[[], None] | None, deadline: Deadline
    ) -> HopResponse:
        url, request_headers = wire_request(route, call)
        cookies = page_cookies.get()
        if cookies is not None:
            request_headers |= _cookie_header(cookies, route.url)
        session = self._plain if on_sent is None else self._traced
        async with session.request(
            call.method,
            url,
            headers=request_headers,
            data=call.body,
            allow_redirects=False,
            ssl=self._override_tls if route.target.override else self._tls,
            trace_request_ctx=on_sent,
        ) as response:
            deadline.touch()
            headers = normalised_headers(response)
            if cookies is not None:
                cookies.update_cookies(response.cookies, route.url)
            if response.status < 200:
                raise FetchStopped("protocol", f"unexpected status {response.status}")
            if call.method == "HEAD" or (response.status in REDIRECT_STATUSES and "location" in headers):
                return HopResponse(response.status, headers, b"")
            body = await self._bodies.read(response.content, headers, deadline, call.read_limit)
            return HopResponse(response.status, headers, body)


def _trace_sent() -> aiohttp.TraceConfig:
    """Reports when a request is on the wire. Rate limits count from that moment."""

    async def sent(
        _: aiohttp.ClientSession, context: SimpleNamespace, __: aiohttp.TraceRequestHeadersSentParams
    ) -> None:
        if context.trace_request_ctx is not None:
            context.trace_request_ctx()

    config = aiohttp.TraceConfig()
    config.on_request_headers_sent.append(sent)
    return config


def wire_request(route: RequestRoute, call: HopRequest) -> tuple[URL, dict[str, str]]:
    """URL and headers as they go on the wire: with the real host name and the secrets."""
    headers = {"User-Agent": call.agent, **call.headers}
    if route.target.override:
        headers["Host"] = route.target.host_header
    if not call.secrets:
        return route.wire, headers
    parameters = {name[1:]: value for name, value in call.secrets.items() if name.startswith("?")}
    headers.update((name, value) for name, value in call.secrets.items() if not name.startswith("?"))
    return (route.wire.extend_query(parameters) if parameters else route.wire), headers


def _cookie_header(cookies: aiohttp.CookieJar, url: URL) -> dict[str, str]:
    matching = cookies.filter_cookies(url).values()
    if not matching:
        return {}
    return {"Cookie": "; ".join(f"{cookie.key}={cookie.value}" for cookie in matching)}


def normalised_headers(response: aiohttp.ClientResponse) -> dict[str, str]:
    """Names in lower case and repeated fields joined. Cookies are left out: they may belong to a session."""
    headers: dict[str, str] = {}
    for name, value in response.headers.items():
        key = name.lower()
        if key in headers:
            headers[key] = f"{headers[key]}, {_valid_text(value)}"
        elif key not in _OMITTED_HEADERS:
            headers[key] = _valid_text(value)
    return headers


def _valid_text(value: str) -> str:
    """Replace bytes that are not UTF-8. They arrive as lone surrogates, which databases reject."""
    return value if value.isascii() else value.encode("utf-8", "surrogateescape").decode("utf-8", "replace")

"""One request and its answer on the wire, within limits of time and size."""

import asyncio
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta

import aiohttp
from yarl import URL

from headwater.fetch.decoding import Decoder, decoder
from headwater.fetch.failures import Stopped, failure_of
from headwater.fetch.guard import Destination, GuardedResolver, Resolve, destination, guarded_sockets
from headwater.fetch.routes import Route
from headwater.fetch.settings import FetchSettings
from headwater.pure.addresses import AllowList

_FOLLOWED = frozenset({301, 302, 303, 307, 308})
_LOST_ON_THE_WAY = frozenset({"set-cookie", "set-cookie2"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """What is sent on one hop. `secrets` are headers, or query parameters where the name begins with "?"."""

    method: str
    headers: Mapping[str, str]
    body: bytes | None = None
    secrets: Mapping[str, str] = field(default_factory=dict)
    timeout: float


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    body: bytes


class Exchange:
    """Sends calls through one session. Lives in one event loop."""

    def __init__(self, settings: FetchSettings, resolve: Resolve) -> None:
        allow = AllowList.of(settings.allow)
        self._limit = settings.body_limit
        # Connections of overridden hosts are pooled apart from those that anybody may ask for by address.
        self._tls = ssl.create_default_context()
        self._override_tls = ssl.create_default_context()
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(
                limit=settings.connections,
                resolver=GuardedResolver(allow, resolve, settings.connect_timeout),
                use_dns_cache=False,
                socket_factory=guarded_sockets(allow),
            ),
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
            timeout=aiohttp.ClientTimeout(
                total=None,
                sock_connect=settings.connect_timeout / timedelta(seconds=1),
                sock_read=settings.read_timeout / timedelta(seconds=1),
            ),
        )

    async def send(self, route: Route, call: Call) -> Answer:
        """The answer, or Stopped with the named reason why there is none."""
        going = Destination(trusted=route.trusted)
        destination.set(going)
        try:
            async with asyncio.timeout(call.timeout):
                return await self._answer(route, call)
        except Stopped:
            raise
        except (aiohttp.ClientError, OSError, ValueError, asyncio.IncompleteReadError) as error:
            if going.refused:
                raise Stopped("forbidden_address", going.refused, temporary=False) from None
            stopped = Stopped("")
            stopped.failure = failure_of(error)
            raise stopped from None

    async def close(self) -> None:
        await self._session.close()

    async def _answer(self, route: Route, call: Call) -> Answer:
        url, headers = dressed(route, call)
        async with self._session.request(
            call.method,
            url,
            headers=headers,
            data=call.body,
            allow_redirects=False,
            ssl=self._override_tls if route.override else self._tls,
        ) as response:
            found = plain_headers(response)
            if response.status in _FOLLOWED and "location" in found:
                return Answer(response.status, found, b"")
            body = await self._body(response, found) if call.method != "HEAD" else b""
            return Answer(response.status, found, body)

    async def _body(self, response: aiohttp.ClientResponse, headers: Mapping[str, str]) -> bytes:
        self._check_length(headers)
        decode = decoder(headers.get("content-encoding", ""))
        parts: list[bytes] = []
        wire = size = 0
        while piece := await response.content.readany():
            wire += len(piece)
            if decode is not None:
                piece = decode.feed(piece, self._limit - size)
            size += len(piece)
            parts.append(piece)
            if wire > self._limit or size > self._limit:
                raise Stopped("too_large", f"more than {self._limit} bytes", temporary=False)
        _check_complete(decode)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def _check_length(self, headers: Mapping[str, str]) -> None:
        length = headers.get("content-length", "")
        if length.isdecimal() and int(length) > self._limit:
            raise Stopped("too_large", f"{length} bytes announced", temporary=False)


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
        elif key not in _LOST_ON_THE_WAY:
            headers[key] = value
    return headers


def _check_complete(decode: Decoder | None) -> None:
    if decode is not None and not decode.complete():
        raise Stopped("truncated", "the encoded body ends too early")

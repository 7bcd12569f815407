"""Layers around the application, each a callable around a callable (ASGI): errors, host names, path prefix, limits."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, MutableMapping
from dataclasses import dataclass
from typing import Any

from headwater.web.problems import HttpProblem, problem_response
from headwater.web.security.error_log import log_request_error
from headwater.web.security.hosts import is_own_host

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
AsgiApp = Callable[[Scope, Receive, Send], Awaitable[None]]

# The body of a request must arrive within this time.
BODY_SECONDS = 20.0
MISTAKE = "the server made a mistake; its log says where"
LARGEST_BODY = 64 * 1024
# Notifications of WebSub hubs carry the feed.
LARGEST_NOTIFICATION = 8 * 1024 * 1024


@dataclass(frozen=True)
class ErrorBarrier:
    """Nothing of an error reaches the client or the log but its type and place."""

    app: AsgiApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        has_started = False

        async def watch(message: MutableMapping[str, Any]) -> None:
            nonlocal has_started
            has_started = has_started or message["type"] == "http.response.start"
            await send(message)

        try:
            await self.app(scope, receive, watch)
        except HttpProblem as problem:
            if not has_started:
                await problem.response()(scope, receive, send)
        except Exception as error:  # noqa: BLE001 - the last place that can catch it
            log_request_error(error)
            if not has_started:
                response = problem_response(500, "internal_error", MISTAKE)
                await response(scope, receive, send)


# For every answer that does not say otherwise: no browser runs, frames or guesses anything.
SAFE_HEADERS = {
    b"x-content-type-options": b"nosniff",
    b"referrer-policy": b"no-referrer",
    b"x-frame-options": b"DENY",
    b"content-security-policy": b"default-src 'none'; frame-ancestors 'none'",
}


@dataclass(frozen=True)
class SafeHeaders:
    app: AsgiApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_safely(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                headers = list(message.get("headers", ()))
                names = {name.lower() for name, _ in headers}
                more = [(name, value) for name, value in SAFE_HEADERS.items() if name not in names]
                message = {**message, "headers": [*headers, *more]}
            await send(message)

        await self.app(scope, receive, send_safely)


@dataclass(frozen=True)
class HostCheck:
    """Refuses requests for other host names. Without it, a web page could reach a server on the machine or in the network of
    its reader, by a name of its own that leads there (DNS rebinding)."""

    app: AsgiApp
    names: Collection[str]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and not is_own_host(_header(scope, b"host"), self.names):
            response = problem_response(421, "unknown_host", "unknown host; allow it with --name")
            await response(scope, receive, send)
            return
        await self.app(scope, receive, send)


@dataclass(frozen=True)
class PathPrefix:
    """The path of the public address, such as /news: whether a proxy passes it on or removes it."""

    app: AsgiApp
    prefix: str

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and self.prefix:
            path: str = scope["path"]
            is_whole = path == self.prefix or path.startswith(f"{self.prefix}/")
            scope = {**scope, "root_path": self.prefix, "path": path if is_whole else self.prefix + path}
        await self.app(scope, receive, send)


@dataclass(frozen=True)
class BodyLimits:
    """Reads the whole body before the application is called: neither a slow nor an endless one occupies it."""

    app: AsgiApp
    body_seconds: float = BODY_SECONDS

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        limit = LARGEST_NOTIFICATION if is_notification(scope) else LARGEST_BODY
        try:
            async with asyncio.timeout(self.body_seconds):
                body = await _read_body(scope, receive, limit)
        except TimeoutError:
            body = problem_response(
                408, "slow_body", "the body did not arrive in time", {"Connection": "close"}
            )
        if not isinstance(body, bytes):
            await body(scope, receive, send)
            return
        await self.app(scope, _replay(body, receive), send)


def is_notification(scope: Scope) -> bool:
    """A path that ends like the callback of a WebSub subscription."""
    end = scope["path"][-40:]
    return len(end) == 40 and all(letter in "0123456789abcdef" for letter in end)


async def _read_body(scope: Scope, receive: Receive, limit: int) -> Any:
    """The bytes, or the response to a request that is too large."""
    too_large = problem_response(
        413, "body_too_large", f"a body may have {limit} bytes", {"Connection": "close"}
    )
    length = _header(scope, b"content-length")
    if length.isdecimal() and int(length[:20]) > limit:
        return too_large
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return b"".join(parts)
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > limit:
            return too_large
        if not message.get("more_body", False):
            return b"".join(parts)


def _replay(body: bytes, receive: Receive) -> Receive:
    """The body once, then what the server says: that the client went away."""
    messages: list[MutableMapping[str, Any]] = [{"type": "http.request", "body": body, "more_body": False}]

    async def read() -> MutableMapping[str, Any]:
        return messages.pop() if messages else await receive()

    return read


def _header(scope: Scope, name: bytes) -> str:
    return next((value.decode("latin-1") for key, value in scope["headers"] if key == name), "")

"""How a request ends without a response: an exception inside the fetcher, a value outside."""

import asyncio
import errno
import socket
import ssl
from collections.abc import Awaitable, Callable
from datetime import timedelta
from functools import cache

from headwater.model.http import Failure, Request, Response

FetchRequest = Callable[[Request], Awaitable[Response | Failure]]
"""Fetches one request under all rules, inside the event loop of the fetcher."""

_LONGEST_DETAIL = 300
_NO_NETWORK = frozenset({errno.ENETUNREACH, errno.ENETDOWN})


class FetchStopped(Exception):
    """Ends a request with a named reason. It never leaves the fetcher."""

    def __init__(
        self, reason: str, detail: str = "", *, temporary: bool = True, delay: timedelta | None = None
    ) -> None:
        super().__init__(reason)
        self.failure = Failure(reason, detail[:_LONGEST_DETAIL], temporary, delay)
        self.local = False
        """The system reported that it has no network."""
        self.accepted = False
        """The host accepted the connection, so that what followed is its own failure."""
        self.stale = False
        """A connection from the pool was closed before the request reached the server."""

    @classmethod
    def of(cls, failure: Failure) -> "FetchStopped":
        return cls(failure.reason, failure.detail, temporary=failure.temporary, delay=failure.delay)

    @classmethod
    def because_of(cls, error: BaseException, *, accepted: bool = False) -> "FetchStopped":
        """For an exception of the transport."""
        stopped = cls.of(failure_of(error))
        stopped.local, stopped.accepted = is_local(error), accepted
        return stopped


def failure_of(error: BaseException) -> Failure:
    """The failure for an exception of the transport."""
    if isinstance(error, FetchStopped):
        return error.failure
    for error_types, reason, temporary in _transport_failures():
        if isinstance(error, error_types):
            return Failure(reason, _describe(error), temporary)
    return Failure("protocol", _describe(error))


@cache
def _transport_failures() -> tuple[tuple[tuple[type[BaseException], ...], str, bool], ...]:
    """The first matching row counts. Rows are ordered from specific to general."""
    import aiohttp  # noqa: PLC0415 - slow to import, and settings are checked without it

    return (
        (
            (aiohttp.ClientConnectorCertificateError, aiohttp.ClientConnectorSSLError, ssl.SSLError),
            "tls",
            False,
        ),
        ((aiohttp.ClientConnectorDNSError,), "dns", True),
        ((asyncio.TimeoutError, TimeoutError), "timeout", True),
        ((aiohttp.ClientPayloadError,), "truncated", True),
        ((aiohttp.ClientConnectorError,), "refused", True),
        ((aiohttp.ServerDisconnectedError, aiohttp.ClientOSError, ConnectionError), "reset", True),
        ((aiohttp.InvalidURL, aiohttp.NonHttpUrlClientError), "bad_url", False),
        ((aiohttp.ClientError,), "protocol", True),
    )


def is_local(error: BaseException) -> bool:
    """Whether the system says that our own network is at fault: no route, no interface, or no DNS server that answers."""
    import aiohttp  # noqa: PLC0415 - as above

    system = getattr(error, "os_error", error)
    if isinstance(error, aiohttp.ClientConnectorDNSError):
        return isinstance(system, TimeoutError) or getattr(system, "errno", None) == socket.EAI_AGAIN
    return getattr(system, "errno", None) in _NO_NETWORK


def _describe(error: BaseException) -> str:
    # The message may quote the whole URL with its keys. The error type and the system error never do.
    system = getattr(error, "os_error", error)
    text = getattr(system, "strerror", None) or ""
    return f"{type(error).__name__}{': ' if text else ''}{text}"[:_LONGEST_DETAIL]

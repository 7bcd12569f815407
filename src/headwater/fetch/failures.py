"""How a request ends without a response: an exception inside the fetcher, a value outside."""

import asyncio
import ssl
from collections.abc import Awaitable, Callable
from datetime import timedelta

import aiohttp

from headwater.model.http import Failure, Request, Response

FetchRequest = Callable[[Request], Awaitable[Response | Failure]]
"""Fetches one request under all rules, inside the event loop of the fetcher."""

_LONGEST_DETAIL = 300


class FetchStopped(Exception):
    """Ends a request with a named reason. It never leaves the fetcher."""

    def __init__(
        self, reason: str, detail: str = "", *, temporary: bool = True, delay: timedelta | None = None
    ) -> None:
        super().__init__(reason)
        self.failure = Failure(reason, detail[:_LONGEST_DETAIL], temporary, delay)

    @classmethod
    def of(cls, failure: Failure) -> "FetchStopped":
        return cls(failure.reason, failure.detail, temporary=failure.temporary, delay=failure.delay)


def failure_of(error: BaseException) -> Failure:
    """The failure for an exception of the transport."""
    if isinstance(error, FetchStopped):
        return error.failure
    for error_types, reason, temporary in _FAILURES:
        if isinstance(error, error_types):
            return Failure(reason, _describe(error), temporary)
    return Failure("protocol", _describe(error))


# The first matching row counts. Rows are ordered from specific to general.
_FAILURES: tuple[tuple[tuple[type[BaseException], ...], str, bool], ...] = (
    ((aiohttp.ClientConnectorCertificateError, aiohttp.ClientConnectorSSLError, ssl.SSLError), "tls", False),
    ((aiohttp.ClientConnectorDNSError,), "dns", True),
    ((asyncio.TimeoutError, TimeoutError), "timeout", True),
    ((aiohttp.ClientPayloadError,), "truncated", True),
    ((aiohttp.ClientConnectorError,), "refused", True),
    ((aiohttp.ServerDisconnectedError, aiohttp.ClientOSError, ConnectionError), "reset", True),
    ((aiohttp.InvalidURL, aiohttp.NonHttpUrlClientError), "bad_url", False),
    ((aiohttp.ClientError,), "protocol", True),
)


def _describe(error: BaseException) -> str:
    # The message may quote the whole URL with its keys. The error type and the system error never do.
    system = getattr(error, "os_error", error)
    text = getattr(system, "strerror", None) or ""
    return f"{type(error).__name__}{': ' if text else ''}{text}"[:_LONGEST_DETAIL]

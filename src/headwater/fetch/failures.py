"""How an exchange ends without an answer: one exception inside the fetcher, one value outside."""

import asyncio
import ssl
from datetime import timedelta

import aiohttp

from headwater.model.http import Failure

_LONGEST_DETAIL = 300


class FetchStopped(Exception):
    """The request ends here with a named reason. Never leaves the fetcher."""

    def __init__(
        self, reason: str, detail: str = "", *, temporary: bool = True, delay: timedelta | None = None
    ) -> None:
        super().__init__(reason)
        self.failure = Failure(reason, detail[:_LONGEST_DETAIL], temporary, delay)

    @classmethod
    def of(cls, failure: Failure) -> "FetchStopped":
        return cls(failure.reason, failure.detail, temporary=failure.temporary, delay=failure.delay)


def failure_of(error: BaseException) -> Failure:
    """The failure that an exception of the transport stands for."""
    if isinstance(error, FetchStopped):
        return error.failure
    for kinds, reason, temporary in _MEANINGS:
        if isinstance(error, kinds):
            return Failure(reason, _describe(error), temporary)
    return Failure("protocol", _describe(error))


# The first row that fits speaks. Rows are ordered from the particular to the general.
_MEANINGS: tuple[tuple[tuple[type[BaseException], ...], str, bool], ...] = (
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
    # The text of a transport's error may quote the whole URL with its keys; its kind and system error never do.
    system = getattr(error, "os_error", error)
    text = getattr(system, "strerror", None) or ""
    return f"{type(error).__name__}{': ' if text else ''}{text}"[:_LONGEST_DETAIL]

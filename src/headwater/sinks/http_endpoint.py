"""Posts to an address from the settings, within a time limit.

The address may be on a private network, because the operator chose it. Redirects are not followed: the receiver must not
choose another address. Errors name only the host, because the rest of the address is often a secret.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from urllib.parse import urlsplit

from headwater.fetch.responses import header_value, parse_http_date, retry_after
from headwater.model.errors import Permanent, Refused, Temporary

SECONDS = 10.0
LONGEST_ANSWER = 64 * 1024
RETRY_DELAY = timedelta(minutes=1)
LONGEST_RETRY_AFTER = timedelta(hours=1)
# The receiver or its proxy is overloaded. The record is not at fault.
BUSY_STATUSES = frozenset({408, 425, 429, 502, 503, 504})


@dataclass(frozen=True, slots=True)
class HttpEndpoint:
    """The address of a receiver."""

    url: str = field(repr=False)
    seconds: float = SECONDS
    setting: str = "notify"
    """Where the address comes from, for messages about it."""

    def __post_init__(self) -> None:
        parts = urlsplit(self.url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise Refused(
                "bad_config", f"{self.setting}: a url must begin with http:// or https:// and name a host"
            )
        if not self.url.isascii() or any(letter <= " " for letter in self.url):
            raise Refused("bad_config", f"{self.setting}: a url must be plain ASCII without spaces")

    @property
    def host(self) -> str:
        return urlsplit(self.url).hostname or ""

    def post(self, body: bytes, headers: Mapping[str, str]) -> str:
        """Post, and return the status with the beginning of the reply. Raises Temporary or Permanent."""
        connection = self._connection()
        until = time.monotonic() + self.seconds
        try:
            connection.request("POST", self._path(), body, dict(headers))
            response = connection.getresponse()
            reply = _read(response, until)
        except (OSError, HTTPException) as error:
            detail = f"{self.host}: {type(error).__name__}"
            raise Temporary("receiver_unreachable", detail, delay=RETRY_DELAY, counts=False) from error
        finally:
            connection.close()
        self._check_status(response)
        return f"{response.status} {reply[:100]}".strip()

    def _connection(self) -> HTTPConnection:
        parts = urlsplit(self.url)
        connection_class = HTTPSConnection if parts.scheme == "https" else HTTPConnection
        return connection_class(self.host, parts.port, timeout=self.seconds)

    def _path(self) -> str:
        parts = urlsplit(self.url)
        return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")

    def _check_status(self, response: HTTPResponse) -> None:
        status = response.status
        detail = f"{self.host} answered {status}"
        if status in BUSY_STATUSES:
            raise Temporary("receiver_busy", detail, delay=_retry_after(response), counts=False)
        if status >= 500:
            raise Temporary("receiver_failed", detail, delay=RETRY_DELAY)
        if not 200 <= status < 300:
            raise Permanent("receiver_refused", detail)


def _read(response: HTTPResponse, until: float) -> str:
    """The beginning of the reply. A slow reply is cut off at the time limit."""
    parts, size = [], 0
    while size < LONGEST_ANSWER and time.monotonic() < until:
        part = response.read1(4096)
        if not part:
            break
        parts.append(part)
        size += len(part)
    return " ".join(b"".join(parts).decode("utf-8", "replace").split())


def _retry_after(response: HTTPResponse) -> timedelta:
    """What the receiver asks for, between a second and an hour. A date is compared with the receiver's own clock."""
    headers = dict(response.headers.items())
    sent_at = parse_http_date(header_value(headers, "date")) or datetime.min.replace(tzinfo=UTC)
    delay = retry_after(headers, sent_at)
    return RETRY_DELAY if delay is None else min(max(delay, timedelta(seconds=1)), LONGEST_RETRY_AFTER)

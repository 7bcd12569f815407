"""One POST to an address that the operator named: nowhere else, for a short time, with a short answer.

The address may be on a private network, because it stands in the settings. A redirect is not followed: it would be
somebody else's choice. Errors name the host alone, for the rest of such an address is often a secret.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from email.utils import parsedate_to_datetime
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from urllib.parse import urlsplit

from headwater.model.errors import Permanent, Refused, Temporary

SECONDS = 10.0
LONGEST_ANSWER = 64 * 1024
RETRY_DELAY = timedelta(minutes=1)
LONGEST_RETRY_AFTER = timedelta(hours=1)
# The receiver, or what stands before it, is in trouble or overrun: no fault of what was sent.
BUSY_STATUSES = frozenset({408, 425, 429, 502, 503, 504})


@dataclass(frozen=True, slots=True)
class HttpEndpoint:
    """Where to post to."""

    url: str = field(repr=False)
    seconds: float = SECONDS

    def __post_init__(self) -> None:
        parts = urlsplit(self.url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise Refused("bad_config", "notify: an url must begin with http:// or https:// and name a host")
        if not self.url.isascii() or any(letter <= " " for letter in self.url):
            raise Refused("bad_config", "notify: an url must be plain ASCII without spaces")

    @property
    def host(self) -> str:
        return urlsplit(self.url).hostname or ""

    def post(self, body: bytes, headers: Mapping[str, str]) -> str:
        """Gives the status and the beginning of the answer. Raises Temporary or Permanent."""
        connection = self._connection()
        until = time.monotonic() + self.seconds
        try:
            connection.request("POST", self._path(), body, dict(headers))
            response = connection.getresponse()
            said = _read(response, until)
        except (OSError, HTTPException) as error:
            told = f"{self.host}: {type(error).__name__}"
            raise Temporary("receiver_unreachable", told, delay=RETRY_DELAY, counts=False) from error
        finally:
            connection.close()
        self._judge(response)
        return f"{response.status} {said[:100]}".strip()

    def _connection(self) -> HTTPConnection:
        parts = urlsplit(self.url)
        kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
        return kind(self.host, parts.port, timeout=self.seconds)

    def _path(self) -> str:
        parts = urlsplit(self.url)
        return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")

    def _judge(self, response: HTTPResponse) -> None:
        status = response.status
        told = f"{self.host} answered {status}"
        if status in BUSY_STATUSES:
            raise Temporary("receiver_busy", told, delay=_retry_after(response), counts=False)
        if status >= 500:
            raise Temporary("receiver_failed", told, delay=RETRY_DELAY)
        if not 200 <= status < 300:
            raise Permanent("receiver_refused", told)


def _read(response: HTTPResponse, until: float) -> str:
    """The beginning of the answer; one that drips in slowly is cut off."""
    parts, size = [], 0
    while size < LONGEST_ANSWER and time.monotonic() < until:
        part = response.read1(4096)
        if not part:
            break
        parts.append(part)
        size += len(part)
    return " ".join(b"".join(parts).decode("utf-8", "replace").split())


def _retry_after(response: HTTPResponse) -> timedelta:
    """What Retry-After says, in seconds or as a date, within reason."""
    said = response.headers.get("Retry-After", "").strip()
    if said.isdecimal() and len(said) < 9:
        return min(max(timedelta(seconds=int(said)), timedelta(seconds=1)), LONGEST_RETRY_AFTER)
    sent = response.headers.get("Date", "")
    try:
        wish = parsedate_to_datetime(said) - parsedate_to_datetime(sent)
    except (ValueError, TypeError):
        return RETRY_DELAY
    return min(max(wish, timedelta(seconds=1)), LONGEST_RETRY_AFTER)

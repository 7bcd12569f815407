"""Requests, responses and captures: what goes over the wire."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

# Why a request was not sent, or failed for a cause of our own: a limit, the pause of its host after many failures, no network.
RATE_LIMITED, BREAKER_OPEN, OFFLINE = "rate_limited", "breaker_open", "offline"


@dataclass(frozen=True, slots=True, kw_only=True)
class Capture:
    """Exactly what came over the wire: the unit of provenance, and the input of a replay.

    The bytes are in the archive, in the record of `pack` that has `length` bytes from offset `start`; `size` and `sha256`
    are those of the bytes before they were compressed. `policy` names the rule that allowed the request.
    """

    id: str
    lead: str
    url: str
    final_url: str
    status: int
    headers: Mapping[str, str]
    media_type: str
    sha256: str
    size: int
    fetched_at: datetime
    elapsed_ms: int = 0
    policy: Mapping[str, Any] = field(default_factory=dict)
    pack: str = ""
    start: int = 0
    length: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A request to send. The fetcher decides whether and when it may be sent.

    `purpose` is "page", "feed", "sitemap", "robots", "policy" (a site's file about itself) or "api"; it selects the
    rules (robots, rates). `credential` names the key whose budget the request counts against; `secrets` are headers or
    parameters added just before sending, which never appear in a log, an error or a capture. `accept` lists error
    statuses that count as an answer. `render` asks for the page as a browser shows it.
    """

    url: str
    method: str = "GET"
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None
    purpose: str = "page"
    source_kind: str = ""
    credential: str | None = None
    secrets: Mapping[str, str] = field(default_factory=dict)
    accept: frozenset[int] = frozenset()
    timeout: timedelta | None = None
    render: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """A response with its complete, decoded body. `hops` are the (status, url) of the redirects that led to it."""

    url: str
    status: int
    headers: Mapping[str, str]
    body: bytes
    media_type: str = ""
    charset: str | None = None
    elapsed_ms: int = 0
    hops: tuple[tuple[int, str], ...] = ()
    policy: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Failure:
    """No response. `reason` is one of: dns, refused, reset, timeout, tls, truncated, too_large, forbidden_address, robots,
    reserved, rate_limited, breaker_open, offline (our own network is down), bad_url, redirects, protocol; with a browser also js_required (no browser),
    render_timeout, render_memory, render_crashed, browser_failed. `delay` is set when the fetcher knows how long to wait."""

    reason: str
    detail: str = ""
    temporary: bool = True
    delay: timedelta | None = None
    policy: Mapping[str, Any] = field(default_factory=dict)

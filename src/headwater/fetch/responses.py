"""What a response means. The one place where statuses and failures become decisions."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from headwater.model.http import BREAKER_OPEN, OFFLINE, RATE_LIMITED, Failure, Response
from headwater.model.schedule import MAX_FRESHNESS_LIMIT
from headwater.text.dates import parse_mail_date
from headwater.text.sniffing import HTML_TYPES

_BACKOFF = (timedelta(seconds=2), timedelta(seconds=4), timedelta(seconds=8))
_MINUTE = timedelta(minutes=1)
_LONGEST_WAIT = timedelta(days=1)
_LONGEST_FRESH = timedelta(days=365)
_PERMANENT_MOVES = frozenset({301, 308})
HELD_BACK = frozenset({RATE_LIMITED, BREAKER_OPEN, OFFLINE})
"""Failures of requests that were not sent, or not because of the host. They use up no attempt, and the fetcher logs them."""

# Temporary failures, retried with growing pauses.
_RETRIED = frozenset({"dns", "refused", "reset", "truncated", "protocol", "encoding", "robots", "reserved"})
# The two pages with which the regulator rejects clients. They need different reactions.
_UNDECLARED = b"Undeclared Automated Tool"
_TOO_FAST = b"Request Rate Threshold Exceeded"
_SEARCHED_BYTES = 16_384


@dataclass(frozen=True, slots=True)
class Proceed:
    """Read the body. `moved_to` is the new address when every redirect on the way was permanent."""

    moved_to: str | None = None


@dataclass(frozen=True, slots=True)
class Unchanged:
    """Nothing new since the last time: skip extraction."""

    moved_to: str | None = None


@dataclass(frozen=True, slots=True)
class Retry:
    """Try again after `delay`. `counts_attempt` is False when the attempt was never made; `stretch` multiplies the timeout of the
    next attempt."""

    delay: timedelta
    reason: str
    counts_attempt: bool = True
    stretch: int = 1


@dataclass(frozen=True, slots=True)
class GiveUp:
    """Do not try again. `is_gone`: the server says that the page is gone for good; the lead or source becomes inactive."""

    reason: str
    is_gone: bool = False


ResponseVerdict = Proceed | Unchanged | Retry | GiveUp


def judge_response(
    answer: Response | Failure,
    *,
    attempts: int,
    now: datetime,
    purpose: str = "page",
    accept: frozenset[int] = frozenset(),
) -> ResponseVerdict:
    """What to do with an answer. `attempts` counts the earlier attempts that ended in a counted Retry; `accept` are the
    statuses that the caller handles itself."""
    if isinstance(answer, Failure):
        return _failed(answer, attempts)
    if answer.status in accept:
        return Proceed(permanent_target(answer))
    if answer.status == 304:
        return Unchanged(permanent_target(answer))
    if answer.status in (200, 203):
        return _body(answer, attempts, purpose)
    return _refused(answer, attempts, now)


def _failed(failure: Failure, attempts: int) -> ResponseVerdict:
    if failure.reason in HELD_BACK:
        return Retry(failure.delay or _MINUTE, failure.reason, counts_attempt=False)
    if failure.reason == "timeout":
        delay = max(failure.delay or _BACKOFF[0], _BACKOFF[0])
        return Retry(delay, "timeout", stretch=2) if attempts < 1 else GiveUp("timeout")
    if not failure.temporary or failure.reason not in _RETRIED:
        return GiveUp(failure.reason)
    return _retry(failure.reason, attempts, failure.delay)


def _body(answer: Response, attempts: int, purpose: str) -> ResponseVerdict:
    if not answer.body.strip():
        return Retry(_MINUTE, "empty") if attempts < 1 else GiveUp("empty")
    if purpose in ("feed", "sitemap") and answer.media_type in HTML_TYPES:
        return GiveUp("html_instead")
    return Proceed(permanent_target(answer))


def _refused(answer: Response, attempts: int, now: datetime) -> ResponseVerdict:
    status = answer.status
    if status == 403:
        return _forbidden(answer, attempts)
    if status == 429:
        return _too_many(answer, attempts, now)
    if status in (408, 425):
        return _retry("timeout" if status == 408 else "http_425", attempts, None)
    if status >= 500:
        return _retry(f"http_{status}", attempts, retry_after(answer.headers, now))
    if 200 <= status < 300:
        return GiveUp("partial" if status == 206 else "empty")
    return GiveUp(f"http_{status}", is_gone=status == 410)


def _forbidden(answer: Response, attempts: int) -> ResponseVerdict:
    start = answer.body[:_SEARCHED_BYTES]
    if _UNDECLARED in start:
        return GiveUp("undeclared_agent")
    if attempts >= 1:
        return GiveUp("http_403")
    return Retry(10 * _MINUTE if _TOO_FAST in start else _MINUTE, "http_403")


def _too_many(answer: Response, attempts: int, now: datetime) -> ResponseVerdict:
    # A used-up quota has the same status as a rate limit, but waiting does not help.
    if b"insufficient_quota" in answer.body[:_SEARCHED_BYTES]:
        return GiveUp("quota_exhausted")
    if attempts >= 3:
        return GiveUp("http_429")
    return Retry(retry_after(answer.headers, now) or _MINUTE, "http_429")


def _retry(reason: str, attempts: int, delay: timedelta | None) -> ResponseVerdict:
    if attempts >= len(_BACKOFF):
        return GiveUp(reason)
    return Retry(max(delay or _BACKOFF[attempts], _BACKOFF[attempts]), reason)


def permanent_target(answer: Response) -> str | None:
    """The new permanent address: the target of the last in an unbroken chain of permanent redirects."""
    moved = None
    urls = [url for _, url in answer.hops] + [answer.url]
    for (status, _), target in zip(answer.hops, urls[1:], strict=True):
        if status not in _PERMANENT_MOVES:
            break
        moved = target
    return moved


def retry_after(headers: Mapping[str, str], now: datetime) -> timedelta | None:
    """How long the server asks us to wait, a day at most. None when it does not say."""
    milliseconds = header_value(headers, "retry-after-ms")
    if milliseconds.isdecimal():
        return _within_a_day(timedelta(milliseconds=min(int(milliseconds), 10**9)))
    value = header_value(headers, "retry-after")
    seconds = value.partition(".")[0]
    if seconds.isdecimal():
        return _within_a_day(timedelta(seconds=min(int(seconds) + ("." in value), 10**6)))
    moment = parse_http_date(value)
    return None if moment is None else _within_a_day(moment - now)


def _within_a_day(delay: timedelta) -> timedelta:
    return min(max(delay, timedelta(0)), _LONGEST_WAIT)


def freshness(headers: Mapping[str, str], now: datetime) -> timedelta | None:
    """How long the response is fresh: zero when it must be revalidated each time, None when the server does not say."""
    directives = _directives(header_value(headers, "cache-control"))
    if "no-store" in directives or "no-cache" in directives:
        return timedelta(0)
    age = _seconds(header_value(headers, "age")) or timedelta(0)
    lifetime = _seconds(directives.get("max-age", ""))
    if lifetime is None:
        lifetime = _until_expiry(headers, now)
    return None if lifetime is None else min(max(lifetime - age, timedelta(0)), _LONGEST_FRESH)


def fresh_until(headers: Mapping[str, str], received_at: datetime) -> datetime:
    """Until when a response received at `received_at` is used without asking again, a day at most."""
    return received_at + min(freshness(headers, received_at) or timedelta(0), MAX_FRESHNESS_LIMIT)


def _until_expiry(headers: Mapping[str, str], now: datetime) -> timedelta | None:
    expires = header_value(headers, "expires")
    if not expires:
        return None
    moment = parse_http_date(expires)
    # RFC 9111: an invalid date, "0" above all, means already expired.
    return (
        timedelta(0) if moment is None else moment - (parse_http_date(header_value(headers, "date")) or now)
    )


def _directives(value: str) -> Mapping[str, str]:
    pairs = (part.strip().partition("=") for part in value.lower().split(","))
    return {name: argument.strip('"') for name, _, argument in pairs if name}


def _seconds(value: str) -> timedelta | None:
    # Ten digits are three centuries. More is a mistake or an attack.
    return timedelta(seconds=int(value[:10])) if value.isdecimal() else None


def parse_http_date(value: str) -> datetime | None:
    """A date in HTTP format, in UTC. None when it is invalid."""
    moment = parse_mail_date(value)
    return None if moment is None else moment.astimezone(UTC)


def conditional_headers(etag: str | None, last_modified: str | None) -> dict[str, str]:
    """The headers that request a body only if it changed. Values that cannot be sent safely are left out."""
    pairs = (("If-None-Match", etag), ("If-Modified-Since", last_modified))
    return {name: value for name, value in pairs if value and value.isascii() and value.isprintable()}


def header_value(headers: Mapping[str, str], name: str) -> str:
    """The header with this lower-case name, whatever its case in the mapping. Empty when absent."""
    value = headers.get(name)
    if value is None:
        length = len(name)
        same_length = [key for key in headers if len(key) == length]
        value = next((headers[key] for key in same_length if key.lower() == name), "")
    return value.strip()

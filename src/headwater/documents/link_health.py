"""Link health: what one check of a link means, the state that follows, and when to check again."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from urllib.parse import urlsplit

from headwater.fetch.responses import retry_after
from headwater.model.http import BREAKER_OPEN, RATE_LIMITED, Failure, Response


class LinkPriority(StrEnum):
    P0 = "P0"
    P1 = "P1"
    P2 = "P2"


class LinkState(StrEnum):
    """The state of a link. An alert is due from `degraded` on; `hidden` links should no longer be shown; `inactive` ones
    are not checked until an operator resets them."""

    NEW = "new"
    WELL = "well"
    FAILING = "failing"
    WARNED = "warned"
    DEGRADED = "degraded"
    HIDDEN = "hidden"
    INACTIVE = "inactive"


class CheckResult(StrEnum):
    """The result of one check. `unknown` says nothing about the link itself (rate limit, robots.txt)."""

    GOOD = "good"
    BAD = "bad"
    GONE = "gone"
    UNKNOWN = "unknown"


class LinkAlert(StrEnum):
    DOWN = "down"
    INACTIVE = "inactive"
    RECOVERED = "recovered"
    MOVED = "moved"


CHECK_INTERVALS: Mapping[LinkPriority, timedelta] = {
    LinkPriority.P0: timedelta(days=1),
    LinkPriority.P1: timedelta(days=7),
    LinkPriority.P2: timedelta(days=30),
}
RETRY_SOON = timedelta(hours=1)
RETRY_WHILE_DOWN = timedelta(days=1)
INACTIVE_AFTER = timedelta(days=7)
WARN_AT, ALERT_AT, HIDE_AT = 2, 3, 5
ALERTED_STATES = frozenset({LinkState.DEGRADED, LinkState.HIDDEN, LinkState.INACTIVE})
# The request was not made, or the answer concerns this installation: the link may be fine.
OWN_REASONS = frozenset(
    {RATE_LIMITED, BREAKER_OPEN, "robots", "reserved", "undeclared_agent", "internal", "credential_host"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkRecord:
    """The history of a link and its next check."""

    priority: LinkPriority = LinkPriority.P2
    state: LinkState = LinkState.NEW
    failures: int = 0
    first_failed_at: datetime | None = None
    last_ok_at: datetime | None = None
    last_checked_at: datetime | None = None
    status: int | None = None
    reason: str = ""
    final_url: str = ""
    due_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkCheck:
    """One check of a link. `wait` is the delay that the server asks for."""

    result: CheckResult
    status: int | None = None
    reason: str = ""
    final_url: str = ""
    wait: timedelta | None = None


def judge_check(answer: Response | Failure, now: datetime) -> LinkCheck:
    """What an answer says about the link."""
    if isinstance(answer, Failure):
        result = CheckResult.UNKNOWN if answer.reason in OWN_REASONS else CheckResult.BAD
        return LinkCheck(result=result, reason=answer.reason, wait=answer.delay)
    status = answer.status
    check = LinkCheck(result=CheckResult.BAD, status=status, reason=f"http_{status}", final_url=answer.url)
    if 200 <= status < 300 or status == 304:
        return replace(check, result=CheckResult.GOOD, reason="")
    if status == 429:
        return replace(check, result=CheckResult.UNKNOWN, wait=retry_after(answer.headers, now))
    return replace(check, result=CheckResult.GONE) if status == 410 else check


def needs_get(answer: Response | Failure) -> bool:
    """Whether this answer to a HEAD proves nothing, because many servers support only GET."""
    if isinstance(answer, Failure):
        return answer.reason in ("protocol", "reset", "truncated", "encoding", "empty")
    return answer.status >= 400 and answer.status != 429


def update_health(
    health: LinkRecord, check: LinkCheck, now: datetime
) -> tuple[LinkRecord, tuple[LinkAlert, ...]]:
    """The record after a check, and the alerts. The third failure in a row raises one alert; 7 days of failures, or a
    410, make the link inactive."""
    checked = replace(health, last_checked_at=now, status=check.status, reason=check.reason)
    if check.result is CheckResult.UNKNOWN:
        return replace(checked, due_at=_after_unknown(health, check, now)), ()
    if check.result is CheckResult.GOOD:
        return _after_success(checked, check, now)
    return _after_failure(checked, now, gone=check.result is CheckResult.GONE)


def _after_unknown(health: LinkRecord, check: LinkCheck, now: datetime) -> datetime:
    """A robots.txt rarely changes; any other obstacle passes soon."""
    usual = CHECK_INTERVALS[health.priority]
    return now + (
        usual
        if check.reason == "robots" and check.wait is None
        else min(max(check.wait or RETRY_SOON, RETRY_SOON), usual)
    )


def _after_success(
    checked: LinkRecord, check: LinkCheck, now: datetime
) -> tuple[LinkRecord, tuple[LinkAlert, ...]]:
    moved = bool(checked.final_url and check.final_url and checked.final_url != check.final_url)
    alerts = [LinkAlert.RECOVERED] if checked.state in ALERTED_STATES else []
    alerts += [LinkAlert.MOVED] if moved else []
    healthy = replace(
        checked,
        state=LinkState.WELL,
        failures=0,
        first_failed_at=None,
        last_ok_at=now,
        final_url=check.final_url,
        due_at=now + CHECK_INTERVALS[checked.priority],
    )
    return healthy, tuple(alerts)


def _after_failure(
    checked: LinkRecord, now: datetime, *, gone: bool
) -> tuple[LinkRecord, tuple[LinkAlert, ...]]:
    failures = checked.failures + 1
    since = checked.first_failed_at or now
    for_good = gone or (failures >= ALERT_AT and now - since >= INACTIVE_AFTER)
    state = LinkState.INACTIVE if for_good else _failing_state(failures)
    failing = replace(
        checked,
        failures=failures,
        first_failed_at=since,
        state=state,
        due_at=None if for_good else now + min(CHECK_INTERVALS[checked.priority], _retry_delay(failures)),
    )
    if for_good:
        return failing, (LinkAlert.INACTIVE,) if checked.state is not LinkState.INACTIVE else ()
    return failing, (LinkAlert.DOWN,) if failures == ALERT_AT else ()


def _failing_state(failures: int) -> LinkState:
    if failures >= HIDE_AT:
        return LinkState.HIDDEN
    if failures >= ALERT_AT:
        return LinkState.DEGRADED
    return LinkState.WARNED if failures >= WARN_AT else LinkState.FAILING


def _retry_delay(failures: int) -> timedelta:
    """Soon until the alert, then once a day, so that seven days of failures are seen as such."""
    return RETRY_SOON if failures < ALERT_AT else RETRY_WHILE_DOWN


def hosts_to_review(links: Sequence[tuple[str, LinkState]], least: int = 4) -> tuple[str, ...]:
    """The hosts with more than half of their links down: the whole site may have changed."""
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for url, state in links:
        count = counts[urlsplit(url).netloc]
        count[0] += 1
        count[1] += state in ALERTED_STATES
    return tuple(sorted(host for host, (all_, down) in counts.items() if all_ >= least and down * 2 > all_))


def link_priority(value: object, default: LinkPriority) -> LinkPriority:
    """The priority that an option names, else the default."""
    return LinkPriority(value) if isinstance(value, str) and value in set(LinkPriority) else default

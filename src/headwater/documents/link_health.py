"""The health of links: what an answer says about one, what follows from it, and when it is looked at next."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from urllib.parse import urlsplit

from headwater.fetch.responses import retry_after
from headwater.model.http import Failure, Response


class LinkPriority(StrEnum):
    P0 = "P0"
    P1 = "P1"
    P2 = "P2"


class LinkState(StrEnum):
    """How a link stands. From `degraded` on people should be told; `hidden` links should not be shown any more;
    `inactive` ones are not looked at until an operator says so."""

    NEW = "new"
    WELL = "well"
    FAILING = "failing"
    WARNED = "warned"
    DEGRADED = "degraded"
    HIDDEN = "hidden"
    INACTIVE = "inactive"


class CheckResult(StrEnum):
    """What one look at a link says. `unknown`: nothing about the link itself (too many requests, forbidden to ask)."""

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
SOON = timedelta(hours=1)
WHILE_DOWN = timedelta(days=1)
DOWN_FOR_GOOD = timedelta(days=7)
WARN_AT, ALERT_AT, HIDE_AT = 2, 3, 5
ALERTED_STATES = frozenset({LinkState.DEGRADED, LinkState.HIDDEN, LinkState.INACTIVE})
# The request was never made, or the answer is about us: the link may be as well as ever.
ABOUT_US = frozenset(
    {"rate_limited", "breaker_open", "robots", "reserved", "undeclared_agent", "internal", "credential_host"}
)
# The network as such; when all hosts answer like this at once, it is ours that is down.
NO_ANSWER = frozenset({"dns", "refused", "reset", "timeout"})
HOSTS_FOR_EVIDENCE = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkRecord:
    """What is known about a link."""

    priority: LinkPriority = LinkPriority.P2
    standing: LinkState = LinkState.NEW
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
    """One look at a link. `wait` is how long the server wants to be left alone."""

    sign: CheckResult
    status: int | None = None
    reason: str = ""
    final_url: str = ""
    wait: timedelta | None = None


def judge_check(answer: Response | Failure, now: datetime) -> LinkCheck:
    """What an answer says about the link that was asked for."""
    if isinstance(answer, Failure):
        sign = CheckResult.UNKNOWN if answer.reason in ABOUT_US else CheckResult.BAD
        return LinkCheck(sign=sign, reason=answer.reason, wait=answer.delay)
    status = answer.status
    look = LinkCheck(sign=CheckResult.BAD, status=status, reason=f"http_{status}", final_url=answer.url)
    if 200 <= status < 300 or status == 304:
        return replace(look, sign=CheckResult.GOOD, reason="")
    if status == 429:
        return replace(look, sign=CheckResult.UNKNOWN, wait=retry_after(answer.headers, now))
    return replace(look, sign=CheckResult.GONE) if status == 410 else look


def needs_get(answer: Response | Failure) -> bool:
    """Whether a HEAD that was answered like this proves nothing: many servers know only GET."""
    if isinstance(answer, Failure):
        return answer.reason in ("protocol", "reset", "truncated", "encoding", "empty")
    return answer.status >= 400 and answer.status != 429


def update_health(
    health: LinkRecord, look: LinkCheck, now: datetime
) -> tuple[LinkRecord, tuple[LinkAlert, ...]]:
    """The link's health after a look, and what people should be told. 3 failures in a row are told once; 7 days of
    them make the link inactive, and a 410 does so at once."""
    seen = replace(health, last_checked_at=now, status=look.status, reason=look.reason)
    if look.sign is CheckResult.UNKNOWN:
        return replace(seen, due_at=_after_unknown(health, look, now)), ()
    if look.sign is CheckResult.GOOD:
        return _good(seen, look, now)
    return _bad(seen, now, gone=look.sign is CheckResult.GONE)


def _after_unknown(health: LinkRecord, look: LinkCheck, now: datetime) -> datetime:
    """Rules that forbid looking change seldom; everything else passes soon."""
    usual = CHECK_INTERVALS[health.priority]
    return now + (
        usual if look.reason == "robots" and look.wait is None else min(max(look.wait or SOON, SOON), usual)
    )


def _good(seen: LinkRecord, look: LinkCheck, now: datetime) -> tuple[LinkRecord, tuple[LinkAlert, ...]]:
    moved = bool(seen.final_url and look.final_url and seen.final_url != look.final_url)
    alerts = [LinkAlert.RECOVERED] if seen.standing in ALERTED_STATES else []
    alerts += [LinkAlert.MOVED] if moved else []
    well = replace(
        seen,
        standing=LinkState.WELL,
        failures=0,
        first_failed_at=None,
        last_ok_at=now,
        final_url=look.final_url,
        due_at=now + CHECK_INTERVALS[seen.priority],
    )
    return well, tuple(alerts)


def _bad(seen: LinkRecord, now: datetime, *, gone: bool) -> tuple[LinkRecord, tuple[LinkAlert, ...]]:
    failures = seen.failures + 1
    since = seen.first_failed_at or now
    for_good = gone or (failures >= ALERT_AT and now - since >= DOWN_FOR_GOOD)
    standing = LinkState.INACTIVE if for_good else _standing(failures)
    down = replace(
        seen,
        failures=failures,
        first_failed_at=since,
        standing=standing,
        due_at=None if for_good else now + min(CHECK_INTERVALS[seen.priority], _pause(failures)),
    )
    if for_good:
        return down, (LinkAlert.INACTIVE,) if seen.standing is not LinkState.INACTIVE else ()
    return down, (LinkAlert.DOWN,) if failures == ALERT_AT else ()


def _standing(failures: int) -> LinkState:
    if failures >= HIDE_AT:
        return LinkState.HIDDEN
    if failures >= ALERT_AT:
        return LinkState.DEGRADED
    return LinkState.WARNED if failures >= WARN_AT else LinkState.FAILING


def _pause(failures: int) -> timedelta:
    """Until people are told, looks follow soon; then once a day, so that seven days can be told from one."""
    return SOON if failures < ALERT_AT else WHILE_DOWN


def is_own_network_down(looks: Iterable[tuple[str, LinkCheck]]) -> bool:
    """Whether several hosts were asked and none of them could be reached: then it is our own network."""
    hosts: set[str] = set()
    for url, look in looks:
        if look.reason not in NO_ANSWER:
            return False
        hosts.add(urlsplit(url).netloc)
    return len(hosts) >= HOSTS_FOR_EVIDENCE


def hosts_to_review(links: Sequence[tuple[str, LinkState]], least: int = 4) -> tuple[str, ...]:
    """Hosts of which more than half of the links are down: something happened to the whole of them."""
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for url, standing in links:
        count = counts[urlsplit(url).netloc]
        count[0] += 1
        count[1] += standing in ALERTED_STATES
    return tuple(sorted(host for host, (all_, down) in counts.items() if all_ >= least and down * 2 > all_))


def link_priority(said: object, usual: LinkPriority) -> LinkPriority:
    """A priority as an option says it; whatever is none means the usual one."""
    return LinkPriority(said) if isinstance(said, str) and said in set(LinkPriority) else usual

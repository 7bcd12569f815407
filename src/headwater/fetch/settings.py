"""Everything about fetching that an operator may decide, in one value."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta

from headwater.model.errors import Refused

MEGABYTE = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class HostRule:
    """What differs for the hosts of a pattern. None means: as everywhere. A rate or concurrency of 0 is no limit.

    `shared` gives all hosts of the pattern one budget together; `contact` refuses to ask them with a User-Agent that
    names no e-mail address; without `robots` neither their robots.txt nor their reservations refuse anything.
    """

    rate: float | None = None
    concurrency: int | None = None
    user_agent: str | None = None
    robots: bool = True
    shared: bool = False
    contact: bool = False


# The regulator's rule is ten requests a second over all of its hosts, and a declared contact: half of it is planned for.
SEC_RULE = HostRule(rate=5, shared=True, contact=True)


# Requests a minute to sources of a kind, all processes together.
PER_MINUTE_BY_KIND: Mapping[str, int] = {
    "market_api": 20,
    "news_api": 20,
    "filings_api": 10,
    "macro_news": 10,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchSettings:
    """`allow` names (host, address or network; port) pairs that may be reached although they are not public.
    `credential_hosts` says where a key may be sent, by its name. `overrides` sends requests for a host pattern to a base
    URL instead. `patience` is the longest wait inside the fetcher; a longer one is answered with the time to come back. `reservations` are the signals
    (`pure.reservations.SIGNALS`) that refuse a page; all of them are recorded."""

    user_agent: str = "Headwater/0.1"
    contact: str = ""
    connect_timeout: timedelta = timedelta(seconds=30)
    read_timeout: timedelta = timedelta(seconds=60)
    total_timeout: timedelta = timedelta(seconds=180)
    body_limit: int = 20 * MEGABYTE
    held_limit: int = 64 * MEGABYTE
    redirect_limit: int = 5
    capacity: int = 400
    connections: int = 400
    ports: frozenset[int] = frozenset({80, 443})
    allow: tuple[tuple[str, int], ...] = ()
    overrides: Mapping[str, str] = field(default_factory=dict)
    rate: float = 1.0
    concurrency: int = 3
    per_minute_by_kind: Mapping[str, int] = field(default_factory=lambda: PER_MINUTE_BY_KIND)
    per_minute_by_credential: Mapping[str, int] = field(default_factory=dict)
    per_minute_per_credential: int = 45
    credential_hosts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    window: timedelta = timedelta(minutes=1)
    hosts: Mapping[str, HostRule] = field(default_factory=lambda: {"*.sec.gov": SEC_RULE})
    robots_exempt: frozenset[str] = frozenset({"api", "robots"})
    robots_lifetime: timedelta = timedelta(hours=24)
    reservations: frozenset[str] = frozenset()
    robots_retry: timedelta = timedelta(minutes=10)
    longest_wait: timedelta = timedelta(seconds=2)
    breaker_failures: int = 5
    breaker_pause: timedelta = timedelta(seconds=300)

    @property
    def agent(self) -> str:
        return f"{self.user_agent} (+{self.contact})" if self.contact else self.user_agent


def host_rules(table: Mapping[str, Mapping[str, object]]) -> Mapping[str, HostRule]:
    """Rules from plain data, as a `rate_limits.yaml` holds them, on top of the built-in ones. A rule for a pattern
    that is built in changes only what it names."""
    rules = {"*.sec.gov": SEC_RULE}
    for written, fields in table.items():
        pattern = written.lower()
        known = {name: getattr(rules[pattern], name) for name in _FIELDS} if pattern in rules else {}
        rules[pattern] = _host_rule(pattern, {**known, **fields})
    return rules


_FIELDS: Mapping[str, tuple[type, ...]] = {
    "rate": (int, float, type(None)),
    "concurrency": (int, type(None)),
    "user_agent": (str, type(None)),
    "robots": (bool,),
    "shared": (bool,),
    "contact": (bool,),
}


def _host_rule(pattern: str, fields: Mapping[str, object]) -> HostRule:
    for name, value in fields.items():
        if name not in _FIELDS:
            raise Refused("bad_setting", f"{pattern}: unknown field {name}; known are {', '.join(_FIELDS)}")
        if not isinstance(value, _FIELDS[name]):
            raise Refused("bad_setting", f"{pattern}: {name} cannot be {value!r}")
        if isinstance(value, int | float) and value < 0:
            raise Refused("bad_setting", f"{pattern}: {name} cannot be negative")
    return HostRule(**fields)  # type: ignore[arg-type]  # the types were checked against the table above

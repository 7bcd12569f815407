"""The settings of the fetcher, and the table of host patterns that they use."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TypeVar

from headwater.model.errors import Refused
from headwater.model.fetch_limits import HostRule

MEGABYTE = 1024 * 1024
_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchSettings:
    """`allow`: pairs (host, address or network; port) that may be reached although they are not public.
    `credential_hosts`: the hosts that may receive a credential, by its name. `overrides`: base URLs that receive the
    requests for a host pattern. `longest_wait`: a request that would have to wait longer inside the fetcher is deferred. `reservations`: the signals (`rights_reservations.SIGNALS`) that refuse a page; all of them are recorded.
    `outage_hold`: while nothing answers, how long a failure waits for those of other hosts.
    `memory_limit`: bytes of all bodies that are being read or wait to be collected."""

    user_agent: str = "Headwater/0.1"
    contact: str = ""
    connect_timeout: timedelta = timedelta(seconds=30)
    read_timeout: timedelta = timedelta(seconds=60)
    total_timeout: timedelta = timedelta(seconds=180)
    body_limit: int = 20 * MEGABYTE
    memory_limit: int = 64 * MEGABYTE
    redirect_limit: int = 5
    capacity: int = 400
    connections: int = 400
    ports: frozenset[int] = frozenset({80, 443})
    allow: tuple[tuple[str, int], ...] = ()
    overrides: Mapping[str, str] = field(default_factory=dict)
    rate: float = 1.0
    concurrency: int = 3
    per_minute_by_kind: Mapping[str, int] = field(default_factory=dict)
    per_minute_by_credential: Mapping[str, int] = field(default_factory=dict)
    per_minute_per_credential: int = 45
    credential_hosts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    window: timedelta = timedelta(minutes=1)
    hosts: Mapping[str, HostRule] = field(default_factory=dict)
    robots_exempt: frozenset[str] = frozenset({"api", "robots"})
    robots_lifetime: timedelta = timedelta(hours=24)
    reservations: frozenset[str] = frozenset()
    robots_retry: timedelta = timedelta(minutes=10)
    longest_wait: timedelta = timedelta(seconds=2)
    breaker_failures: int = 5
    breaker_pause: timedelta = timedelta(seconds=300)
    outage_hold: timedelta = timedelta(seconds=2)

    @property
    def agent(self) -> str:
        return f"{self.user_agent} (+{self.contact})" if self.contact else self.user_agent


def host_rules(
    table: Mapping[str, Mapping[str, object]], declared: Mapping[str, HostRule]
) -> Mapping[str, HostRule]:
    """The rules that recipes declare, with those of a `rate_limits.yaml`. One for a declared pattern changes only the fields it
    names."""
    rules = dict(declared)
    for name, fields in table.items():
        pattern = name.lower()
        defaults = {field: getattr(rules[pattern], field) for field in _FIELDS} if pattern in rules else {}
        rules[pattern] = _host_rule(pattern, {**defaults, **fields})
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
            raise Refused(
                "bad_setting", f"{pattern}: unknown field {name}; the fields are {', '.join(_FIELDS)}"
            )
        if not isinstance(value, _FIELDS[name]):
            raise Refused("bad_setting", f"{pattern}: {name} cannot be {value!r}")
        if isinstance(value, int | float) and value < 0:
            raise Refused("bad_setting", f"{pattern}: {name} cannot be negative")
    return HostRule(**fields)  # type: ignore[arg-type]  # the types were checked against the table above


def match_host(table: Mapping[str, _Value], host: str) -> tuple[str, _Value] | None:
    """The most specific pattern that matches the host, with its value. A pattern is a host name, `*.name` (the name and
    all its subdomains) or `*`."""
    if not table:
        return None
    labels = host.rstrip(".").lower().split(".")
    parents = (f"*.{'.'.join(labels[start:])}" for start in range(len(labels)))
    patterns = (".".join(labels), *parents, "*")
    return next(((pattern, table[pattern]) for pattern in patterns if pattern in table), None)

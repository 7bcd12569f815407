"""Limits of requests: what differs for some hosts, and how many requests a kind of source may make."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class HostRule:
    """What differs for the hosts of a pattern. None means the general setting. A rate or concurrency of 0 means no limit.

    `shared`: all hosts of the pattern share one budget. `contact`: requests need a User-Agent with an e-mail address.
    Without `robots`, neither robots.txt nor rights reservations refuse anything.
    """

    rate: float | None = None
    concurrency: int | None = None
    user_agent: str | None = None
    robots: bool = True
    shared: bool = False
    contact: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchLimits:
    """The limits that a recipe knows for its sources. `hosts`: by host pattern. `per_minute_by_kind`: requests a minute to
    all sources of a kind, over all processes. The settings of an installation override both."""

    hosts: Mapping[str, HostRule] = field(default_factory=dict)
    per_minute_by_kind: Mapping[str, int] = field(default_factory=dict)

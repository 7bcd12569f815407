"""Where a source may lead: its own site, and what its options add."""

from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

from headwater.model.errors import HeadwaterError, Temporary

ANY_HOST = "*"


@dataclass(frozen=True, slots=True)
class Scope:
    """`sites` are host names without `www.`; with `below`, hosts below them belong to it too."""

    sites: frozenset[str]
    below: bool = True

    def __contains__(self, url: str) -> bool:
        host = site_of(url)
        if not host:
            return False
        if ANY_HOST in self.sites or host in self.sites:
            return True
        return self.below and any(host.endswith("." + site) for site in self.sites)

    def with_site(self, url: str) -> "Scope":
        site = site_of(url)
        return Scope(self.sites | {site}, self.below) if site else self


def scope_of(urls: Iterable[str], hosts: Iterable[str] = (), *, below: bool = True) -> Scope:
    """The sites of these addresses and these hosts; `*` among the hosts is every site there is."""
    named = (bare_host(host.strip().removeprefix("*.")) for host in hosts)
    return Scope(frozenset(site for site in (*map(site_of, urls), *named) if site), below)


def site_of(url: str) -> str:
    """The host of an http(s) address, without `www.`; empty for whatever is none."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
        _ = parts.port
    except ValueError:
        return ""
    return bare_host(host) if parts.scheme in ("http", "https") else ""


def bare_host(host: str) -> str:
    host = host.rstrip(".").lower()
    shorter = host.removeprefix("www.")
    return shorter if "." in shorter else host


HOST_FAILURES_TO_STOP = 3  # so many of them end a look; what it found stays, the rest waits for the next one
HOST_FAILURE_REASONS = frozenset({"dns", "http_429", "http_503", "refused", "reset", "timeout", "tls"})


def is_host_failure(error: HeadwaterError) -> bool:
    if isinstance(error, Temporary) and (not error.counts or error.reason == "robots"):
        return True
    return error.reason in HOST_FAILURE_REASONS

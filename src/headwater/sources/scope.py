"""The scope of a source: the hosts its links may lead to, and the failures that concern a whole host."""

from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

from headwater.model.errors import HeadwaterError, Temporary

ANY_HOST = "*"
HOST_FAILURES_TO_STOP = 3  # in a row end a poll; its leads stay, the rest waits for the next poll
HOST_FAILURE_REASONS = frozenset({"dns", "http_429", "http_503", "refused", "reset", "timeout", "tls"})


@dataclass(frozen=True, slots=True)
class Scope:
    """`sites` are host names without `www.`; with `subdomains`, the hosts below them belong to the scope too."""

    sites: frozenset[str]
    subdomains: bool = True

    def __contains__(self, url: str) -> bool:
        host = site_of(url)
        if not host:
            return False
        if ANY_HOST in self.sites or host in self.sites:
            return True
        return self.subdomains and any(host.endswith("." + site) for site in self.sites)

    def with_site(self, url: str) -> "Scope":
        site = site_of(url)
        return Scope(self.sites | {site}, self.subdomains) if site else self


def scope_of(urls: Iterable[str], hosts: Iterable[str] = (), *, subdomains: bool = True) -> Scope:
    """The scope of the sites of these URLs and these hosts; `*` as a host is every site."""
    further_sites = (bare_host(host.strip().removeprefix("*.")) for host in hosts)
    return Scope(frozenset(site for site in (*map(site_of, urls), *further_sites) if site), subdomains)


def site_of(url: str) -> str:
    """The host of an http(s) URL without `www.`; empty for anything else."""
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


def is_host_failure(error: HeadwaterError) -> bool:
    """Whether the failure concerns the whole host, so that more requests are of no use now."""
    if isinstance(error, Temporary) and (not error.counts or error.reason == "robots"):
        return True
    return error.reason in HOST_FAILURE_REASONS

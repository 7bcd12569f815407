"""Where a source may lead: its own site, and what its options add."""

from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

EVERYWHERE = "*"


@dataclass(frozen=True, slots=True)
class Territory:
    """`sites` are host names without `www.`; with `below`, hosts below them belong to it too."""

    sites: frozenset[str]
    below: bool = True

    def __contains__(self, url: str) -> bool:
        host = site_of(url)
        if not host:
            return False
        if EVERYWHERE in self.sites or host in self.sites:
            return True
        return self.below and any(host.endswith("." + site) for site in self.sites)

    def with_site(self, url: str) -> "Territory":
        site = site_of(url)
        return Territory(self.sites | {site}, self.below) if site else self


def territory(urls: Iterable[str], hosts: Iterable[str] = (), *, below: bool = True) -> Territory:
    """The sites of these addresses and these hosts; `*` among the hosts is every site there is."""
    named = (bare(host.strip().removeprefix("*.")) for host in hosts)
    return Territory(frozenset(site for site in (*map(site_of, urls), *named) if site), below)


def site_of(url: str) -> str:
    """The host of an http(s) address, without `www.`; empty for whatever is none."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
        _ = parts.port
    except ValueError:
        return ""
    return bare(host) if parts.scheme in ("http", "https") else ""


def bare(host: str) -> str:
    host = host.rstrip(".").lower()
    shorter = host.removeprefix("www.")
    return shorter if "." in shorter else host

"""Which network addresses a request may reach.

Only addresses of the public internet may be reached. All special-purpose ranges (private, loopback, link-local, shared,
reserved, documentation, multicast) are refused, and so is every IPv6 form that embeds an IPv4 address (mapped, NAT64,
6to4, Teredo), because a gateway decides what it reaches.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

_NON_PUBLIC_4 = tuple(
    (IPv4Network(network), name)
    for network, name in (
        ("0.0.0.0/8", "this network"),
        ("10.0.0.0/8", "private"),
        ("100.64.0.0/10", "shared address space"),
        ("127.0.0.0/8", "loopback"),
        ("168.63.129.16/32", "cloud metadata"),
        ("169.254.0.0/16", "link-local"),
        ("172.16.0.0/12", "private"),
        ("192.0.0.0/24", "protocol assignments"),
        ("192.0.2.0/24", "documentation"),
        ("192.88.99.0/24", "6to4 relay"),
        ("192.168.0.0/16", "private"),
        ("198.18.0.0/15", "benchmarking"),
        ("198.51.100.0/24", "documentation"),
        ("203.0.113.0/24", "documentation"),
        ("224.0.0.0/4", "multicast"),
        ("240.0.0.0/4", "reserved"),
    )
)
_NON_PUBLIC_6 = tuple(
    (IPv6Network(network), name)
    for network, name in (
        ("::/128", "unspecified"),
        ("::1/128", "loopback"),
        ("::ffff:0:0/96", "IPv4-mapped"),
        ("64:ff9b::/96", "NAT64"),
        ("64:ff9b:1::/48", "NAT64"),
        ("fc00::/7", "private"),
        ("fe80::/10", "link-local"),
        ("ff00::/8", "multicast"),
        ("2001::/32", "Teredo"),
        ("2001::/23", "protocol assignments"),
        ("2001:db8::/32", "documentation"),
        ("2002::/16", "6to4"),
        ("3fff::/20", "documentation"),
    )
)
_GLOBAL_6 = IPv6Network("2000::/3")
_NUMBER = re.compile(r"0x[0-9a-f]*|[0-9]+", re.IGNORECASE)


@lru_cache(maxsize=4096)
def non_public_reason(address: str) -> str | None:
    """Why this address is not public, or None when it is. Invalid addresses are refused too."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return "not an address"
    if isinstance(parsed, IPv4Address):
        return next((name for network, name in _NON_PUBLIC_4 if parsed in network), None)
    return _non_public_6_reason(parsed)


def _non_public_6_reason(address: IPv6Address) -> str | None:
    if address.scope_id is not None:
        return "scoped"
    reason = next((name for network, name in _NON_PUBLIC_6 if address in network), None)
    return reason or (None if address in _GLOBAL_6 else "reserved")


def literal_address(host: str) -> str | None:
    """The address that a host stands for in any spelling (decimal, octal, hexadecimal, short forms, a final dot,
    brackets), or None for a name. ValueError when it can only be meant as an address but is invalid."""
    bare = host.strip("[]")
    if ":" in bare:
        return str(ip_address(bare))
    labels = bare.removesuffix(".").split(".")
    if not _NUMBER.fullmatch(labels[-1]):
        return None
    return str(_address_of([_number(label) for label in labels]))


def _number(label: str) -> int:
    if not _NUMBER.fullmatch(label):
        raise ValueError(f"not a part of an address: {label}")
    if label.lower().startswith("0x"):
        return int(label[2:] or "0", 16)
    return int(label, 8) if label.startswith("0") else int(label)


def _address_of(parts: list[int]) -> IPv4Address:
    # The last part fills all the bytes that the others leave: 127.1 is 127.0.0.1.
    *leading, last = parts
    if len(parts) > 4 or any(part > 255 for part in leading) or last >= 256 ** (5 - len(parts)):
        raise ValueError("not an IPv4 address")
    value = sum(part << (8 * (3 - place)) for place, part in enumerate(leading))
    return IPv4Address(value + last)


def host_refusal(host: str) -> str | None:
    """Why a host may not be requested, by its spelling alone. Names are checked when they are resolved."""
    try:
        address = literal_address(host)
    except ValueError:
        return "not an address"
    if address is None:
        return None
    # Ordinary links spell addresses in the usual way. Any other spelling is meant to bypass a check.
    return non_public_reason(address) or (None if host.strip("[]").lower() == address else "odd spelling")


@dataclass(frozen=True, slots=True)
class AllowList:
    """Hosts and networks, each with a port, that may be reached although they are not public."""

    hosts: frozenset[tuple[str, int]] = frozenset()
    networks: tuple[tuple[IPv4Network | IPv6Network, int], ...] = ()

    @classmethod
    def of(cls, pairs: Iterable[tuple[str, int]]) -> "AllowList":
        """From pairs of (host name, address or network, port). Port 0 stands for every port."""
        hosts, networks = set(), []
        for target, port in pairs:
            try:
                networks.append((ip_network(target), port))
            except ValueError:
                hosts.add((target.lower(), port))
        return cls(frozenset(hosts), tuple(networks))

    def has_host(self, host: str, port: int) -> bool:
        """Whether the host is on the list as it is spelled: a name, or an address in its usual spelling."""
        name = host.lower()
        return (name, port) in self.hosts or (name, 0) in self.hosts or self.has_address(host, port)

    def has_address(self, address: str, port: int) -> bool:
        if not self.networks:
            return False
        try:
            parsed = ip_address(address)
        except ValueError:
            return False
        return any(parsed in network and allowed in (0, port) for network, allowed in self.networks)


def refused_address(addresses: Iterable[str], port: int, allow: AllowList) -> tuple[str, str] | None:
    """The first address that may not be reached, with the reason. One such address spoils the whole answer: a name that
    mixes public and private addresses is a trap or a mistake."""
    for address in addresses:
        reason = non_public_reason(address)
        if reason is not None and not allow.has_address(address, port):
            return address, reason
    return None

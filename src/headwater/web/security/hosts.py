"""Host names, addresses and origins of requests: which are our own, and which are of this machine."""

import ipaddress
from collections.abc import Collection
from urllib.parse import urlsplit

DEFAULT_PORTS = {"http": 80, "https": 443}


def host_name(host: str) -> str:
    """The name or address of a Host header, without its port."""
    name = host.strip().lower()
    if name.startswith("["):
        return name.partition("]")[0].removeprefix("[")
    return name.partition(":")[0].rstrip(".")


def is_own_host(host: str, names: Collection[str]) -> bool:
    """True for an IP address, `localhost`, and the given names, each with or without a port."""
    name = host_name(host)
    if is_address(name):
        return True
    return name == "localhost" or name in {own.lower() for own in names if own}


def is_own_origin(origin: str, host: str, public_url: str) -> bool:
    """Whether an Origin header names this server: the public address, or the host that the request is for. Under the name of
    the public address only its scheme and port count: another page there is not ours."""
    place, public = _origin(origin), _origin(public_url)
    if place is None or place == public:
        return place is not None
    if public is not None and host_name(host) == public[1]:
        return False
    return place in (_origin(f"http://{host}"), _origin(f"https://{host}"))


def _origin(url: str) -> tuple[str, str, int] | None:
    """Scheme, host and port; None for what has none."""
    try:
        parts = urlsplit(url)
        port = parts.port or DEFAULT_PORTS.get(parts.scheme)
    except ValueError:
        return None
    return (parts.scheme, parts.hostname, port) if parts.hostname and port else None


def is_loopback(host: str) -> bool:
    """Whether a name or an address, with or without a port, is this machine itself."""
    name = host_name(host) if not is_address(host) else host
    if name == "localhost":
        return True
    return is_address(name) and ipaddress.ip_address(name).is_loopback


def is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True

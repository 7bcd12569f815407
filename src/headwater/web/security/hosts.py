"""Host names, addresses and origins of requests: which are our own, and which are of this machine."""

import ipaddress
from collections.abc import Collection
from urllib.parse import urlsplit


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
    """Whether an Origin header names this server: the host that the request is for, or the public address."""
    try:
        place, public = urlsplit(origin), urlsplit(public_url)
    except ValueError:
        return False
    own = {("http", host.lower()), ("https", host.lower()), (public.scheme, public.netloc.lower())}
    return bool(place.netloc) and (place.scheme, place.netloc.lower()) in own


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

"""Whether a connection to a PostgreSQL server must be encrypted: yes, unless the server is on this machine or the address
says otherwise."""

import os
from collections.abc import Mapping
from ipaddress import ip_address

from sqlalchemy.engine import URL

SSL_MODE = "sslmode"


def tls_arguments(url: URL, environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Arguments for the driver. `require` encrypts and does not verify the server; `verify-full` needs a certificate that only
    the operator has. The address and the variable PGSSLMODE take precedence."""
    if url.get_backend_name() != "postgresql" or SSL_MODE in url.query or environment.get("PGSSLMODE"):
        return {}
    hosts = _hosts(url)
    return {} if all(_is_this_machine(host) for host in hosts) else {SSL_MODE: "require"}


def _hosts(url: URL) -> list[str]:
    """libpq accepts several, and also as an option."""
    named = url.query.get("host", ())
    options = [named] if isinstance(named, str) else list(named)
    return [host for part in (url.host or "", *options) for host in part.split(",") if host]


def _is_this_machine(host: str) -> bool:
    name = host.partition("%")[0].rsplit(":", 1)[0] if host.count(":") == 1 else host
    if name.startswith(("/", "@")) or name == "localhost":
        return True  # a socket of this machine
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return False

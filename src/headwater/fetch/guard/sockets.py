"""The guard at the socket: no connection to a non-public address, unless the operator allows it by name.

The check uses the very address that is about to be connected, so nothing can change between check and use. It is part of
the connector, below redirects, pools and resolvers, so no request can bypass it.
"""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from aiohttp.abc import AbstractResolver, ResolveResult

from headwater.fetch.guard.addresses import AllowList, refused_address

Resolve = Callable[[str, int], Awaitable[Sequence[str]]]
AddressInfo = tuple[int | socket.AddressFamily, int | socket.SocketKind, int, str, tuple[Any, ...]]

_CACHE_SECONDS = 10.0
_CACHE_SIZE = 4096


@dataclass(slots=True)
class Destination:
    """Where the current request goes. `trusted`: the operator named this host. The guard sets `refusal`, the connector
    `connected`, and `reused`: an earlier request used the same connection."""

    trusted: bool = False
    refusal: str = ""
    connected: bool = False
    reused: bool = False

    @property
    def accepted(self) -> bool:
        """The host accepted a new connection. One that stood already may be dead."""
        return self.connected and not self.reused


destination: ContextVar[Destination] = ContextVar("destination")


class ForbiddenAddress(OSError):
    """The guard refused an address. An OSError, so that the connector treats it as a failed connection."""


def guarded_socket_factory(allow: AllowList) -> Callable[[AddressInfo], socket.socket]:
    """A socket factory that opens a socket only for an address that may be reached."""

    def open_socket(info: AddressInfo) -> socket.socket:
        family, kind, protocol, _, address = info
        check_addresses([address[0]], address[1], allow)
        return socket.socket(family=family, type=kind, proto=protocol)

    return open_socket


def check_addresses(addresses: Sequence[str], port: int, allow: AllowList) -> None:
    current = destination.get()
    refusal = None if current.trusted else refused_address(addresses, port, allow)
    if refusal is not None:
        address, reason = refusal
        current.refusal = f"{address} ({reason})"
        raise ForbiddenAddress(current.refusal)


async def system_resolve(host: str, port: int) -> Sequence[str]:
    infos = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(info[4][0]) for info in infos))


class GuardedResolver(AbstractResolver):
    """Resolves names, and refuses answers that contain an address which may not be reached."""

    def __init__(self, allow: AllowList, resolve: Resolve, limit: timedelta) -> None:
        self._allow = allow
        self._resolve = resolve
        self._limit = limit / timedelta(seconds=1)
        self._cache: dict[tuple[str, int], tuple[float, Sequence[str]]] = {}

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        addresses = await self._addresses(host, port)
        check_addresses(addresses, port, self._allow)
        results = [_result(host, port, address) for address in addresses]
        return [result for result in results if family in (socket.AF_UNSPEC, result["family"])]

    async def _addresses(self, host: str, port: int) -> Sequence[str]:
        now = asyncio.get_running_loop().time()
        expires, addresses = self._cache.get((host, port), (0.0, ()))
        if expires > now:
            return addresses
        async with asyncio.timeout(self._limit):
            addresses = await self._resolve(host, port)
        if len(self._cache) >= _CACHE_SIZE:
            self._cache.clear()
        self._cache[host, port] = (now + _CACHE_SECONDS, addresses)
        return addresses

    async def close(self) -> None:
        self._cache.clear()


def _result(host: str, port: int, address: str) -> ResolveResult:
    return ResolveResult(
        hostname=host,
        host=address,
        port=port,
        family=socket.AF_INET6 if ":" in address else socket.AF_INET,
        proto=0,
        flags=socket.AI_NUMERICHOST | socket.AI_NUMERICSERV,
    )

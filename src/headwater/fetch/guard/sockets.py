"""The guard at the socket: no connection leaves for an address that is not public, unless it is allowed by name.

The check is made on the very address that is about to be connected, so nothing can change between check and use. It
sits in the connector, below redirects, pools and resolvers: there is no way around it.
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
    """Where the running exchange goes. `trusted`: the operator named this host. `refused` is written by the guard."""

    trusted: bool = False
    refused: str = ""


destination: ContextVar[Destination] = ContextVar("destination")


class ForbiddenAddress(OSError):
    """The guard closed the door. An OSError, so that the connector treats it as a connection that failed."""


def guarded_socket_factory(allow: AllowList) -> Callable[[AddressInfo], socket.socket]:
    """A socket factory that opens a socket only for an address that may be reached."""

    def open_socket(info: AddressInfo) -> socket.socket:
        family, kind, protocol, _, address = info
        check_addresses([address[0]], address[1], allow)
        return socket.socket(family=family, type=kind, proto=protocol)

    return open_socket


def check_addresses(addresses: Sequence[str], port: int, allow: AllowList) -> None:
    going = destination.get()
    found = None if going.trusted else refused_address(addresses, port, allow)
    if found is not None:
        going.refused = f"{found[0]} ({found[1]})"
        raise ForbiddenAddress(going.refused)


async def system_resolve(host: str, port: int) -> Sequence[str]:
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(info[4][0]) for info in found))


class GuardedResolver(AbstractResolver):
    """Resolves names and refuses an answer that contains an address which may not be reached."""

    def __init__(self, allow: AllowList, resolve: Resolve, limit: timedelta) -> None:
        self._allow = allow
        self._resolve = resolve
        self._limit = limit / timedelta(seconds=1)
        self._known: dict[tuple[str, int], tuple[float, Sequence[str]]] = {}

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        addresses = await self._addresses(host, port)
        check_addresses(addresses, port, self._allow)
        found = [_result(host, port, address) for address in addresses]
        return [result for result in found if family in (socket.AF_UNSPEC, result["family"])]

    async def _addresses(self, host: str, port: int) -> Sequence[str]:
        now = asyncio.get_running_loop().time()
        expires, addresses = self._known.get((host, port), (0.0, ()))
        if expires > now:
            return addresses
        async with asyncio.timeout(self._limit):
            addresses = await self._resolve(host, port)
        if len(self._known) >= _CACHE_SIZE:
            self._known.clear()
        self._known[host, port] = (now + _CACHE_SECONDS, addresses)
        return addresses

    async def close(self) -> None:
        self._known.clear()


def _result(host: str, port: int, address: str) -> ResolveResult:
    return ResolveResult(
        hostname=host,
        host=address,
        port=port,
        family=socket.AF_INET6 if ":" in address else socket.AF_INET,
        proto=0,
        flags=socket.AI_NUMERICHOST | socket.AI_NUMERICSERV,
    )

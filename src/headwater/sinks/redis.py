"""Items into lists on a Redis server: RPUSH, plain JSON, so that a consumer that pops from the left works unchanged.

Of the protocol only what that needs: a command is an array of strings, an answer is one line. At least once: an item
whose answer was lost is pushed again, with the same id.
"""

import socket
import ssl
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Protocol
from urllib.parse import unquote, urlsplit

import msgspec

from headwater.model.errors import Temporary
from headwater.model.queue import QueueItem
from headwater.redis_server import checked_address

SECONDS = 10.0
AGAIN = timedelta(seconds=30)
PORT = 6379
LONGEST_LINE = 4096


class Stream(Protocol):
    """Both ends of a connection."""

    def write(self, data: bytes, /) -> int: ...
    def flush(self) -> None: ...
    def readline(self, size: int, /) -> bytes: ...


@dataclass(frozen=True, slots=True)
class RedisQueues:
    """Where to push to: `redis://[:password@]host[:port][/number]`, or `rediss://` over TLS."""

    url: str = field(repr=False)
    seconds: float = SECONDS

    def __post_init__(self) -> None:
        checked_address(self.url, "queues")

    def push(self, items: Sequence[QueueItem]) -> int:
        """All of them, in order; gives how many. A server that is away or refuses is no fault of the items."""
        if not items:
            return 0
        commands = [("RPUSH", one.queue, msgspec.json.encode(one.payload)) for one in items]
        with self._connected() as stream:
            _tell(stream, [*self._greeting(), *commands])
        return len(items)

    def _greeting(self) -> list[tuple[str | bytes, ...]]:
        parts = urlsplit(self.url)
        greeting: list[tuple[str | bytes, ...]] = []
        if parts.password:
            name = (unquote(parts.username),) if parts.username else ()
            greeting.append(("AUTH", *name, unquote(parts.password)))
        if number := parts.path.strip("/"):
            greeting.append(("SELECT", number))
        return greeting

    @contextmanager
    def _connected(self) -> Iterator[Stream]:
        parts = urlsplit(self.url)
        host = parts.hostname or ""
        try:
            with socket.create_connection((host, parts.port or PORT), self.seconds) as plain:
                secured = _secured(plain, host) if parts.scheme == "rediss" else plain
                with secured, secured.makefile("rwb") as stream:
                    yield stream
        except OSError as error:
            told = f"{host}: {error.strerror or type(error).__name__}"
            raise Temporary("queue_unavailable", told, delay=AGAIN, counts=False) from error


def _secured(plain: socket.socket, host: str) -> socket.socket:
    return ssl.create_default_context().wrap_socket(plain, server_hostname=host)


def _tell(stream: Stream, commands: Sequence[tuple[str | bytes, ...]]) -> None:
    """Send all, then read one answer for each."""
    stream.write(b"".join(map(_encoded, commands)))
    stream.flush()
    for _ in commands:
        _heed(stream)


def _encoded(command: tuple[str | bytes, ...]) -> bytes:
    parts = [part.encode() if isinstance(part, str) else part for part in command]
    return b"*%d\r\n" % len(parts) + b"".join(b"$%d\r\n%s\r\n" % (len(part), part) for part in parts)


def _heed(stream: Stream) -> None:
    """A refusal is told by its first word alone: the rest may repeat what was sent."""
    line = stream.readline(LONGEST_LINE)
    if not line.endswith(b"\r\n"):
        raise Temporary("queue_unavailable", "the server hung up", delay=AGAIN, counts=False)
    if line.startswith(b"-"):
        code = line[1:].split(maxsplit=1)[0][:20].decode("ascii", "replace")
        raise Temporary("queue_refused", code, delay=AGAIN, counts=False)
    if not line.startswith((b"+", b":")):
        raise Temporary("queue_unavailable", "what answers is no Redis server", delay=AGAIN, counts=False)

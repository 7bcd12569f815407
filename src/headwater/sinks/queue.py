"""Delivers documents to a queue that another program consumes. The queue has the name of the route.

`RedisQueue` pushes to lists on a Redis server: RPUSH of plain JSON, so that a consumer pops from the left. It speaks the few
commands of the protocol itself, because installations without the extra `cluster` have no Redis library. Delivery is at
least once: an item whose reply was lost is pushed again with the same id.
"""

import socket
import ssl
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Protocol
from urllib.parse import unquote, urlsplit

import msgspec

from headwater.model.document import Document
from headwater.model.errors import Temporary
from headwater.model.outcomes import Drop, Sent
from headwater.model.ports import QueueItem
from headwater.model.recipe import Envelope
from headwater.redis_client import check_redis_url

LONGEST_TEXT = 32_000
SECONDS = 10.0
RETRY_DELAY = timedelta(seconds=30)
PORT = 6379
LONGEST_LINE = 4096

Push = Callable[[Sequence[QueueItem]], object]


@dataclass(frozen=True)
class QueueSink:
    """Passes items to `push`, which adds each id once. `attributes` of documents go into their items, by recipe."""

    push: Push
    attributes: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def send(self, envelopes: Sequence[Envelope]) -> Sequence[Sent | Drop]:
        items = {
            envelope.key: self._item(envelope, envelope.record)
            for envelope in envelopes
            if isinstance(envelope.record, Document)
        }
        self.push(list(items.values()))
        return [
            Sent(envelope.key) if envelope.key in items else Drop("not_a_document") for envelope in envelopes
        ]

    def _item(self, envelope: Envelope, document: Document) -> QueueItem:
        return QueueItem(
            id=envelope.key,
            queue=envelope.route,
            recipe=document.recipe,
            document=document.id,
            payload=queue_payload(document, envelope.key, self.attributes.get(document.recipe, ())),
        )


def queue_payload(document: Document, key: str, attributes: Sequence[str]) -> dict[str, Any]:
    """The payload of a consumer: all it needs to process the document."""
    return {
        "id": key,
        "document_id": document.id,
        **{name: document.attributes.get(name) for name in attributes},
        "normalized_text": document.text[:LONGEST_TEXT],
    }


class _Connection(Protocol):
    """A connection as a file."""

    def write(self, data: bytes, /) -> int: ...
    def flush(self) -> None: ...
    def readline(self, size: int, /) -> bytes: ...


@dataclass(frozen=True, slots=True)
class RedisQueue:
    """A server: `redis://[:password@]host[:port][/number]`, or `rediss://` over TLS."""

    url: str = field(repr=False)
    seconds: float = SECONDS

    def __post_init__(self) -> None:
        check_redis_url(self.url, "queues")

    def push(self, items: Sequence[QueueItem]) -> int:
        """Push all items in order and return their number. Raises Temporary when the server is unreachable or refuses."""
        if not items:
            return 0
        commands = [("RPUSH", item.queue, msgspec.json.encode(item.payload)) for item in items]
        with self._connection() as stream:
            _send_commands(stream, [*self._login_commands(), *commands])
        return len(items)

    def _login_commands(self) -> list[tuple[str | bytes, ...]]:
        parts = urlsplit(self.url)
        commands: list[tuple[str | bytes, ...]] = []
        if parts.password:
            name = (unquote(parts.username),) if parts.username else ()
            commands.append(("AUTH", *name, unquote(parts.password)))
        if number := parts.path.strip("/"):
            commands.append(("SELECT", number))
        return commands

    @contextmanager
    def _connection(self) -> Iterator[_Connection]:
        parts = urlsplit(self.url)
        host = parts.hostname or ""
        try:
            with socket.create_connection((host, parts.port or PORT), self.seconds) as plain:
                connection = _over_tls(plain, host) if parts.scheme == "rediss" else plain
                with connection, connection.makefile("rwb") as stream:
                    yield stream
        except OSError as error:
            detail = f"{host}: {error.strerror or type(error).__name__}"
            raise Temporary("queue_unavailable", detail, delay=RETRY_DELAY, counts=False) from error


def _over_tls(plain: socket.socket, host: str) -> socket.socket:
    return ssl.create_default_context().wrap_socket(plain, server_hostname=host)


def _send_commands(stream: _Connection, commands: Sequence[tuple[str | bytes, ...]]) -> None:
    """Send all commands, then read one reply for each."""
    stream.write(b"".join(map(_encode, commands)))
    stream.flush()
    for _ in commands:
        _check_reply(stream)


def _encode(command: tuple[str | bytes, ...]) -> bytes:
    parts = [part.encode() if isinstance(part, str) else part for part in command]
    return b"*%d\r\n" % len(parts) + b"".join(b"$%d\r\n%s\r\n" % (len(part), part) for part in parts)


def _check_reply(stream: _Connection) -> None:
    """Report only the first word of an error: the rest may repeat what was sent."""
    line = stream.readline(LONGEST_LINE)
    if not line.endswith(b"\r\n"):
        raise Temporary(
            "queue_unavailable", "the server closed the connection", delay=RETRY_DELAY, counts=False
        )
    if line.startswith(b"-"):
        code = line[1:].split(maxsplit=1)[0][:20].decode("ascii", "replace")
        raise Temporary("queue_refused", code, delay=RETRY_DELAY, counts=False)
    if not line.startswith((b"+", b":")):
        raise Temporary(
            "queue_unavailable",
            "the server does not speak the Redis protocol",
            delay=RETRY_DELAY,
            counts=False,
        )

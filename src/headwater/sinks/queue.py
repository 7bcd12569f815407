"""Documents into a queue from which another program takes them. The route's name is the queue's."""

import socket
import ssl
from collections.abc import Callable, Iterator, Sequence
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

Push = Callable[[Sequence[QueueItem]], object]


@dataclass(frozen=True)
class QueueSink:
    """A sink that hands items to `push`, which puts each id there once."""

    push: Push

    def send(self, envelopes: Sequence[Envelope]) -> Sequence[Sent | Drop]:
        items = {
            envelope.key: _item(envelope, envelope.record)
            for envelope in envelopes
            if isinstance(envelope.record, Document)
        }
        self.push(list(items.values()))
        return [
            Sent(envelope.key) if envelope.key in items else Drop("not_a_document") for envelope in envelopes
        ]


def _item(envelope: Envelope, document: Document) -> QueueItem:
    return QueueItem(
        id=envelope.key,
        queue=envelope.route,
        recipe=document.recipe,
        document=document.id,
        payload=queue_payload(document, envelope.key),
    )


def queue_payload(document: Document, key: str) -> dict[str, Any]:
    """What a consumer gets: enough to work with, without asking for more."""
    return {
        "id": key,
        "document_id": document.id,
        "ticker": document.attributes.get("ticker"),
        "document_type": document.attributes.get("document_type"),
        "normalized_text": document.text[:LONGEST_TEXT],
    }


SECONDS = 10.0
RETRY_DELAY = timedelta(seconds=30)
PORT = 6379
LONGEST_LINE = 4096


class _Connection(Protocol):
    """Both ends of a connection."""

    def write(self, data: bytes, /) -> int: ...
    def flush(self) -> None: ...
    def readline(self, size: int, /) -> bytes: ...


@dataclass(frozen=True, slots=True)
class RedisQueue:
    """Where to push to: `redis://[:password@]host[:port][/number]`, or `rediss://` over TLS."""

    url: str = field(repr=False)
    seconds: float = SECONDS

    def __post_init__(self) -> None:
        check_redis_url(self.url, "queues")

    def push(self, items: Sequence[QueueItem]) -> int:
        """All of them, in order; gives how many. A server that is away or refuses is no fault of the items."""
        if not items:
            return 0
        commands = [("RPUSH", one.queue, msgspec.json.encode(one.payload)) for one in items]
        with self._connected() as stream:
            _send_commands(stream, [*self._greeting(), *commands])
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
    def _connected(self) -> Iterator[_Connection]:
        parts = urlsplit(self.url)
        host = parts.hostname or ""
        try:
            with socket.create_connection((host, parts.port or PORT), self.seconds) as plain:
                secured = _secured(plain, host) if parts.scheme == "rediss" else plain
                with secured, secured.makefile("rwb") as stream:
                    yield stream
        except OSError as error:
            told = f"{host}: {error.strerror or type(error).__name__}"
            raise Temporary("queue_unavailable", told, delay=RETRY_DELAY, counts=False) from error


def _secured(plain: socket.socket, host: str) -> socket.socket:
    return ssl.create_default_context().wrap_socket(plain, server_hostname=host)


def _send_commands(stream: _Connection, commands: Sequence[tuple[str | bytes, ...]]) -> None:
    """Send all, then read one answer for each."""
    stream.write(b"".join(map(_encoded, commands)))
    stream.flush()
    for _ in commands:
        _check_reply(stream)


def _encoded(command: tuple[str | bytes, ...]) -> bytes:
    parts = [part.encode() if isinstance(part, str) else part for part in command]
    return b"*%d\r\n" % len(parts) + b"".join(b"$%d\r\n%s\r\n" % (len(part), part) for part in parts)


def _check_reply(stream: _Connection) -> None:
    """A refusal is told by its first word alone: the rest may repeat what was sent."""
    line = stream.readline(LONGEST_LINE)
    if not line.endswith(b"\r\n"):
        raise Temporary("queue_unavailable", "the server hung up", delay=RETRY_DELAY, counts=False)
    if line.startswith(b"-"):
        code = line[1:].split(maxsplit=1)[0][:20].decode("ascii", "replace")
        raise Temporary("queue_refused", code, delay=RETRY_DELAY, counts=False)
    if not line.startswith((b"+", b":")):
        raise Temporary(
            "queue_unavailable", "what answers is no Redis server", delay=RETRY_DELAY, counts=False
        )

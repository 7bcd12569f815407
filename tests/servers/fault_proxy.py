"""A TCP proxy on a loopback port that breaks what passes through it: the faults of a network, on demand.

    with fault_proxy(server.port) as proxy:
        client = redis.Redis(port=proxy.port)
        proxy.cut()                  # every connection that is open now ends
        proxy.faults.refusing = True # new ones end at once, until it is False again

The fields of `faults` may be set at any time and hold from the next bytes on.
"""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from tests.support.deadline import DEADLINE

CHUNK = 64 * 1024


@dataclass
class Faults:
    """`delay`: seconds that all bytes take in both directions. `silent`: half open; bytes are read and dropped.
    `refusing`: connections end as soon as they are made. `answers`: a connection is cut once the server has sent this
    many bytes on it; `asks`: once the client has sent this many (later bytes never arrive)."""

    delay: float = 0.0
    silent: bool = False
    refusing: bool = False
    answers: int | None = None
    asks: int | None = None


@dataclass
class FaultProxy:
    """`connections` counts all connections since the start."""

    target: int
    port: int = 0
    faults: Faults = field(default_factory=Faults)
    connections: int = 0
    _loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.new_event_loop)
    _open: set[asyncio.Task[None]] = field(default_factory=set)

    def cut(self) -> None:
        """End every connection that is open, in the middle of its work."""
        asyncio.run_coroutine_threadsafe(self._cut(), self._loop).result(10)

    async def _cut(self) -> None:
        ending = list(self._open)
        for task in ending:
            task.cancel()
        await asyncio.gather(*ending, return_exceptions=True)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """A connection ends with its task, even if the task is cancelled before it starts."""
        task = self._loop.create_task(self._serve(reader, writer))
        self._open.add(task)
        self.connections += 1
        task.add_done_callback(self._open.discard)
        task.add_done_callback(lambda _: writer.transport.abort())

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # Connections end by being cut here: no caller waits for the result.
        with suppress(OSError, asyncio.CancelledError):
            if not self.faults.refusing:
                await self._join(reader, writer)

    async def _join(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Pass bytes on until one side ends or is cut."""
        target_reader, target_writer = await asyncio.open_connection("127.0.0.1", self.target)
        directions = [
            asyncio.ensure_future(self._pump(reader, target_writer, "asks")),
            asyncio.ensure_future(self._pump(target_reader, writer, "answers")),
        ]
        try:
            await asyncio.wait(directions, return_when=asyncio.FIRST_COMPLETED)
        finally:
            target_writer.transport.abort()  # first of all: this may be cancelled too
            for direction in directions:
                direction.cancel()
            await asyncio.gather(*directions, return_exceptions=True)

    async def _pump(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, limit_name: str
    ) -> None:
        passed = 0
        while data := await reader.read(CHUNK):
            await asyncio.sleep(self.faults.delay)
            if self.faults.silent:
                continue
            limit = getattr(self.faults, limit_name)
            allowed = len(data) if limit is None else max(0, limit - passed)
            writer.write(data[:allowed])
            await writer.drain()
            passed += len(data)
            if allowed < len(data):
                return

    def _run(self, is_listening: threading.Event) -> None:
        asyncio.set_event_loop(self._loop)
        server = self._loop.run_until_complete(asyncio.start_server(self._accept, "127.0.0.1", self.port))
        self.port = server.sockets[0].getsockname()[1]
        is_listening.set()
        self._loop.run_forever()
        server.close()
        self._loop.run_until_complete(self._end())
        self._loop.close()

    async def _end(self) -> None:
        """Connections that were only just made end too; their sockets are closed in the next turns of the loop."""
        await asyncio.sleep(0)
        tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for _ in range(3):
            await asyncio.sleep(0)


@contextmanager
def fault_proxy(target: int) -> Iterator[FaultProxy]:
    """A proxy to that port of this machine; all its connections end with it."""
    proxy, is_listening = FaultProxy(target), threading.Event()
    thread = threading.Thread(target=proxy._run, args=(is_listening,), name="fault-proxy")
    thread.start()
    if not is_listening.wait(DEADLINE):
        raise RuntimeError("the proxy does not listen after 10 s")
    try:
        yield proxy
    finally:
        proxy._loop.call_soon_threadsafe(proxy._loop.stop)
        thread.join(DEADLINE)

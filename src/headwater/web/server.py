"""The HTTP server: uvicorn with a time limit for requests that never become complete, and a log without bytes of requests."""

import asyncio
import socket
from collections.abc import Callable
from typing import Any

from uvicorn import Config, Server
from uvicorn.protocols.http.h11_impl import H11Protocol

from headwater.model.errors import Refused
from headwater.web.security.error_log import quiet_logger
from headwater.web.security.layers import AsgiApp

# A connection that has sent no complete head of a request for this long is closed.
IDLE_SECONDS = 30.0
GRACE_SECONDS = 10
MOST_CONNECTIONS = 1_000
LARGEST_HEAD = 32 * 1024


class TimedProtocol(H11Protocol):
    """Closes a connection on which no request begins in time: uvicorn waits for the first one for ever, and for the rest of
    a head that has begun. Cuts one whose client takes nothing of its answer: the answer would stay in memory."""

    head_timer: asyncio.TimerHandle | None = None
    stall_timer: asyncio.TimerHandle | None = None
    unsent_bytes = 0

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._start_head_timer()
        self._check_stall()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.cycle is not None and not self.cycle.response_complete:
            self._stop_head_timer()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._start_head_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_head_timer()
        if self.stall_timer is not None:
            self.stall_timer.cancel()
        super().connection_lost(exc)

    def _check_stall(self) -> None:
        unsent_bytes = self.transport.get_write_buffer_size()
        if unsent_bytes and unsent_bytes == self.unsent_bytes:
            self.transport.abort()
            return
        self.unsent_bytes = unsent_bytes
        self.stall_timer = self.loop.call_later(self.timeout_keep_alive, self._check_stall)

    def _start_head_timer(self) -> None:
        self._stop_head_timer()
        self.head_timer = self.loop.call_later(self.timeout_keep_alive, self._close_idle)

    def _stop_head_timer(self) -> None:
        if self.head_timer is not None:
            self.head_timer.cancel()
            self.head_timer = None

    def _close_idle(self) -> None:
        if self.cycle is None or self.cycle.response_complete:
            self.transport.close()


class ApiServer(Server):
    """Reports the address once it listens, and the wish to stop before it waits for its connections: streams end then."""

    def __init__(
        self, config: Config, on_started: Callable[[str, int], None], on_stop: Callable[[], None]
    ) -> None:
        super().__init__(config)
        self.on_started, self.on_stop = on_started, on_stop

    async def serve(self, sockets: list[socket.socket] | None = None) -> None:
        """uvicorn leaves the application open when its task is cancelled, and what then happens to it is logged as an error."""
        try:
            await super().serve(sockets)
        except asyncio.CancelledError:
            if self.started and not self.should_exit:
                await self.shutdown(sockets)
            raise

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started and sockets:
            host, port = sockets[0].getsockname()[:2]
            self.on_started(host, port)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self.on_stop()
        await super().shutdown(sockets)


def make_server(
    application: AsgiApp,
    *,
    on_started: Callable[[str, int], None],
    on_stop: Callable[[], None] = lambda: None,
    idle_seconds: float = IDLE_SECONDS,
) -> ApiServer:
    for name in ("uvicorn.error", "uvicorn.asgi"):
        quiet_logger(name)
    config = Config(
        application,
        http=TimedProtocol,
        ws="none",
        lifespan="on",
        access_log=False,
        log_config=None,
        proxy_headers=False,
        server_header=False,
        timeout_keep_alive=idle_seconds,  # type: ignore[arg-type]
        timeout_graceful_shutdown=GRACE_SECONDS,
        limit_concurrency=MOST_CONNECTIONS,
        h11_max_incomplete_event_size=LARGEST_HEAD,
    )
    return ApiServer(config, on_started, on_stop)


def listen_on(host: str, port: int) -> socket.socket:
    """A bound socket, or Refused: a port that is taken must be reported before anything else starts."""
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        # Inherited by its connections: an answer in two parts must not wait for the client's acknowledgement of the first.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        listener.bind(address)
    except OSError as error:
        raise Refused("cannot_listen", f"{host}:{port} is not available: {error.strerror}") from error
    listener.setblocking(False)
    return listener

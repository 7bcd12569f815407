"""What the HTTP library must not decide on its own: when the time of a request counts, and whether it is sent twice."""

from typing import Any
from weakref import WeakSet

import aiohttp
from aiohttp.client_proto import ResponseHandler
from aiohttp.client_reqrep import ClientRequest
from aiohttp.connector import Connection
from aiohttp.tracing import Trace

from headwater.fetch.client.deadlines import current_deadline
from headwater.fetch.failures import FetchStopped
from headwater.fetch.guard.sockets import destination


class TimedConnector(aiohttp.TCPConnector):
    """Reports a connection that stands to the deadline of its request. From then on the server must answer within the idle
    limit; informational responses (1xx) and pieces of a header are no answer. Notes whether the connection was used
    before."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._used_before: WeakSet[ResponseHandler] = WeakSet()

    async def connect(
        self,
        req: ClientRequest,
        traces: list[Trace],
        timeout: aiohttp.ClientTimeout,  # noqa: ASYNC109 - the signature of the library
    ) -> Connection:
        connection = await super().connect(req, traces, timeout)
        deadline = current_deadline.get()
        if deadline is not None:
            deadline.touch()
        if connection.protocol is not None:
            current = destination.get()
            current.connected, current.reused = True, connection.protocol in self._used_before
            self._used_before.add(connection.protocol)
        return connection


async def send_once(request: ClientRequest, handler: aiohttp.ClientHandlerType) -> aiohttp.ClientResponse:
    """The library repeats a GET at once when the connection is lost before the answer. That second request would bypass the
    rate limiter, so the loss is reported instead."""
    try:
        return await handler(request)
    except aiohttp.ClientConnectorError:
        raise  # nothing was sent, and the library does not repeat it
    except (aiohttp.ClientOSError, aiohttp.ServerDisconnectedError) as error:
        stopped = FetchStopped.because_of(error)
        stopped.stale = destination.get().reused
        raise stopped from None

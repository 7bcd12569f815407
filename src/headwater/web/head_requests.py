"""HEAD: the head of the answer to a GET, without its body."""

import asyncio
from collections.abc import MutableMapping
from dataclasses import dataclass
from typing import Any

from headwater.web.security.layers import AsgiApp, Receive, Scope, Send


@dataclass(frozen=True)
class HeadRequests:
    """Answers HEAD wherever GET is answered. A stream is left after its head: the application is told that the client went
    away."""

    app: AsgiApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self.app(scope, receive, send)
            return
        is_answered = asyncio.Event()
        has_body_come = False

        async def read() -> MutableMapping[str, Any]:
            nonlocal has_body_come
            if not has_body_come:
                has_body_come = True
                return {"type": "http.request", "body": b"", "more_body": False}
            await is_answered.wait()
            return {"type": "http.disconnect"}

        async def send_head(message: MutableMapping[str, Any]) -> None:
            """The head is all that is sent: a stream may wait long before its first bytes."""
            if message["type"] == "http.response.start":
                await send(message)
                await send({"type": "http.response.body", "body": b"", "more_body": False})
                is_answered.set()

        await self.app({**scope, "method": "GET"}, read, send_head)

"""A small server on the loopback that answers like a chat API, correctly or with faults as a test wants."""

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web


@dataclass(frozen=True)
class Reply:
    """`content` is what the model says; `raw` is sent as it is instead; `slow` delays the answer until the server closes."""

    content: Any = ""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    raw: bytes | None = None
    slow: bool = False
    refusal: str | None = None

    @property
    def body(self) -> bytes:
        if self.raw is not None:
            return self.raw
        text = self.content if isinstance(self.content, str) else json.dumps(self.content)
        message = {"role": "assistant", "content": text, "refusal": self.refusal}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        completion = {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "model": "small-1",
            "choices": [choice],
        }
        return json.dumps(completion).encode()


@dataclass
class ChatServer:
    """Answers with `replies` one after the other, then with `otherwise`; records the requests."""

    otherwise: Reply
    replies: list[Reply] = field(default_factory=list)
    requests: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    address: str = ""
    reached: asyncio.Event = field(default_factory=asyncio.Event)
    closing: asyncio.Event = field(default_factory=asyncio.Event)
    request_arrived: threading.Event = field(default_factory=threading.Event)

    async def answer(self, request: web.Request) -> web.Response:
        self.paths.append(request.path)
        self.keys.append(request.headers.get("Authorization"))
        self.requests.append(await request.json())
        self.reached.set()
        self.request_arrived.set()
        reply = self.replies.pop(0) if self.replies else self.otherwise
        if reply.slow:
            await self.closing.wait()
        return web.Response(
            body=reply.body, status=reply.status, headers=reply.headers, content_type="application/json"
        )


@asynccontextmanager
async def chat_server(otherwise: Reply, *replies: Reply) -> AsyncIterator[ChatServer]:
    server = ChatServer(otherwise, list(replies))
    site = web.Application(client_max_size=1024 * 1024)
    site.router.add_post("/{path:.*}", server.answer)
    runner = web.AppRunner(site, access_log=None, shutdown_timeout=0)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        server.address = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
        yield server
    finally:
        server.closing.set()
        await runner.cleanup()

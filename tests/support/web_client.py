"""The web application in this process: requests go straight to it, without a socket."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import httpx2

from headwater.app import App
from headwater.web.application import build_application
from headwater.web.context import WebContext
from headwater.web.runs import Start
from headwater.web.serving import make_context

LOCAL = "http://127.0.0.1"


async def refuse_runs(recipe: str, run: str, options: Mapping[str, str]) -> int:
    raise AssertionError((recipe, run, options))


@asynccontextmanager
async def web_client(
    app: App, *, start: Start = refuse_runs, base_url: str = LOCAL, client: str = "127.0.0.1", **options: Any
) -> AsyncIterator[httpx2.AsyncClient]:
    """A client of the application of this installation; `client` is its address."""
    context = make_context(app, start, **options)
    async with client_of(context, base_url=base_url, client=client) as session:
        yield session
        await asyncio.gather(*context.runs.tasks)


@asynccontextmanager
async def client_of(
    context: WebContext, *, base_url: str = LOCAL, client: str = "127.0.0.1", prefix: str = ""
) -> AsyncIterator[httpx2.AsyncClient]:
    application = build_application(context, prefix=prefix)
    transport = httpx2.ASGITransport(app=application, client=(client, 4711))
    async with httpx2.AsyncClient(transport=transport, base_url=base_url) as session:
        yield session

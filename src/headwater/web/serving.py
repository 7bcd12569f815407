"""Runs the application until it is stopped, or until the installation was moved."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from socket import socket
from urllib.parse import urlsplit

from headwater.app import App
from headwater.model.errors import MovedAway
from headwater.ops.installation_lock import wait_until_moved
from headwater.web.application import build_application
from headwater.web.context import WebContext
from headwater.web.runs import RunStarter, Start
from headwater.web.security.access import AccessControl
from headwater.web.security.hosts import is_loopback
from headwater.web.server import make_server


def make_context(
    app: App,
    start: Start,
    *,
    host: str = "127.0.0.1",
    recipe: str | None = None,
    settings_key: str = "",
    names: tuple[str, ...] = (),
    public_url: str = "",
) -> WebContext:
    """`names` are further host names by which the server is called; those of `public_url` and of the callback of hubs count.
    A server with a public address or name stands behind a proxy, which may look like a local caller: it asks everyone for a key."""
    known_names = (
        host,
        *names,
        *(urlsplit(url).hostname or "" for url in (public_url, app.settings.callback)),
    )
    return WebContext(
        app=app,
        access=AccessControl(
            app.api_keys.find,
            settings_key=settings_key,
            is_local=is_loopback(host) and not public_url and not names,
        ),
        runs=RunStarter(app, recipe, start),
        names=tuple(name for name in known_names if name),
        public_url=public_url.rstrip("/"),
    )


async def run_server(
    context: WebContext, listener: socket, *, on_started: Callable[[str, int], None]
) -> None:
    """Serves on the socket of `listen_on`, and closes it."""
    application = build_application(context, prefix=urlsplit(context.public_url).path)
    server = make_server(application, on_started=on_started, on_stop=context.stopping.set)

    async def stop_when_moved() -> None:
        try:
            await wait_until_moved(context.app)
        finally:
            server.should_exit = True

    watch = asyncio.create_task(stop_when_moved())
    try:
        await server.serve([listener])
    finally:
        listener.close()
        is_moved = watch.done()
        watch.cancel()
        with suppress(asyncio.CancelledError, *(() if is_moved else (MovedAway,))):
            await watch

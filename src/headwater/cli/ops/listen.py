"""`headwater listen`."""

import asyncio
from typing import Annotated

import typer

from headwater.cli.environment import open_app
from headwater.cli.options import single_command
from headwater.cli.render.console import error_console
from headwater.model.errors import Refused
from headwater.ops.installation_lock import refuse_moved_installation
from headwater.web.websub_server import WebSubServer, serve_websub

EVERY = 60.0


def listen_command(
    context: typer.Context,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port to listen on.")] = 8750,
) -> None:
    """Receive WebSub notifications from feed hubs until Ctrl-C.

    Subscribes to the feeds that offer a hub and renews the subscriptions. A signed notification makes its feed due at
    once; feeds are still polled as before. The setting `callback` is the public URL of this server.
    """
    app = open_app(context)
    if not app.settings.callback.startswith(("http://", "https://")):
        raise Refused(
            "bad_config",
            "hubs need a public URL to call: set `callback` to one that leads to this machine, "
            "for example https://news.example/websub",
        )
    refuse_moved_installation(app)
    error_console().print(
        f"Listening on {host}:{port} for {app.settings.callback} until Ctrl-C.", style="dim"
    )
    try:
        asyncio.run(serve_websub(WebSubServer(app, app.settings.callback), host, port, every=EVERY))
    except OSError as error:
        raise Refused("cannot_listen", f"{host}:{port} is not available: {error.strerror}") from error


app = single_command(listen_command)

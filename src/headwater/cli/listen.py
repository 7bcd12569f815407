"""`headwater listen`."""

import asyncio
from typing import Annotated

import typer

from headwater.cli.listening import Ear, listen
from headwater.cli.opening import open_app
from headwater.cli.options import verb
from headwater.cli.output import side_console
from headwater.model.errors import Refused
from headwater.worker.occupancy import refuse_moved

EVERY = 60.0


def listen_for_hubs(
    context: typer.Context,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port to listen on.")] = 8750,
) -> None:
    """Let hubs tell when a feed has something new (WebSub), until Ctrl-C.

    Feeds that offer a hub are subscribed to and renewed. A push that is signed makes its feed due at once; feeds are
    still looked at as before. The setting `callback` is the public address that leads here.
    """
    opened = open_app(context)
    if not opened.settings.callback.startswith(("http://", "https://")):
        raise Refused(
            "bad_config",
            "there is no public address for hubs to call: set `callback` to one that leads to this machine, "
            "for example https://news.example/websub",
        )
    refuse_moved(opened)
    side_console().print(
        f"Listening on {host}:{port} for {opened.settings.callback} until Ctrl-C.", style="dim"
    )
    try:
        asyncio.run(listen(Ear(opened, opened.settings.callback), host, port, every=EVERY))
    except OSError as error:
        raise Refused("cannot_listen", f"{host}:{port} cannot be listened on: {error.strerror}") from error


app = verb(listen_for_hubs)

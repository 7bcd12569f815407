"""`headwater serve`."""

import asyncio
import sys
from collections.abc import Mapping
from typing import Annotated

import typer

from headwater.cli.environment import make_app
from headwater.cli.options import GlobalOptions, global_options, single_command
from headwater.cli.render.console import error_console
from headwater.model.errors import Refused
from headwater.ops.installation_lock import refuse_moved_installation
from headwater.secret_references import resolve_secret
from headwater.web.http_api import HttpApi, serve_api

MIN_KEY_LENGTH = 16


def serve_command(
    context: typer.Context,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port to listen on.")] = 8080,
    recipe: Annotated[
        str | None, typer.Option(metavar="RECIPE", help="The recipe of requests that name none.")
    ] = None,
    name: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="A host name by which the server may be called, besides localhost and IP addresses; can be repeated.",
        ),
    ] = None,
) -> None:
    """Serve the HTTP API for runs and queues until Ctrl-C.

    GET /health (is the database there?) and GET /readyz (do all parts work?) need no key. POST /pipeline/run, GET
    /pipeline/runs and GET /pipeline/runs/RUN need the header X-Api-Key with the setting `api_key`. A request names its recipe
    (`recipe`, in the body or the query) and the run options of that recipe. The key is also needed for the queues, as JSON
    lines: GET /queues, GET /queues/QUEUE (peek),
    POST /queues/QUEUE/pop?limit=&lease=&owner=, POST /queues/QUEUE/retry, POST /queues/items/ID/ack (the body is the
    result) and POST /queues/items/ID/fail.
    """
    app = make_app(context)
    if recipe is not None:
        app.recipe(recipe)
    key = resolve_secret(app.settings.api_key, "api_key")
    if key and len(key) < MIN_KEY_LENGTH:
        raise Refused("bad_config", f"api_key: give at least {MIN_KEY_LENGTH} characters")
    refuse_moved_installation(app)
    words = (sys.executable, "-m", "headwater.cli", *global_option_words(global_options(context)))

    async def start(recipe: str, run: str, overrides: Mapping[str, str]) -> int:
        options = [word for name, value in overrides.items() for word in ("--option", f"{name}={value}")]
        arguments = ("run", recipe, "--once", "--quiet", "--run-id", run, *options)
        child = await asyncio.create_subprocess_exec(*words, *arguments)
        return await child.wait()

    error_console().print(f"Serving runs and queues on http://{host}:{port} until Ctrl-C.", style="dim")
    try:
        api = HttpApi(app, recipe, key, start, names=(host, *(name or ())))
        asyncio.run(serve_api(api, host, port))
    except OSError as error:
        raise Refused("cannot_listen", f"{host}:{port} is not available: {error.strerror}") from error


def global_option_words(options: GlobalOptions) -> list[str]:
    """The global options as arguments, for a process that uses the same environment."""
    values = {
        "--config": options.config,
        "--data": options.data,
        "--env": options.env,
        "--log": options.log,
        "--log-level": options.log_level,
    }
    return [word for name, value in values.items() if value is not None for word in (name, str(value))]


app = single_command(serve_command)

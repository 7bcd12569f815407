"""`headwater serve`."""

import asyncio
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractContextManager, ExitStack, asynccontextmanager, closing, nullcontext, suppress
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

import typer

from headwater.app import App
from headwater.cli.environment import make_app, report_left_out
from headwater.cli.options import GlobalOptions, global_options, single_command
from headwater.cli.render.console import error_console
from headwater.logs import configure_logs
from headwater.model.api_key import KeyScope
from headwater.model.errors import Refused
from headwater.ops.api_keys import key_command
from headwater.ops.installation_lock import refuse_moved_installation
from headwater.runtime.garbage_collector import freeze_loaded_objects
from headwater.secret_references import resolve_secret

MIN_KEY_LENGTH = 16


def serve_command(
    context: typer.Context,
    *,
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
    url: Annotated[
        str,
        typer.Option(
            metavar="URL",
            help="The public address, if a proxy stands before it: https://news.example/headwater.",
        ),
    ] = "",
    demo: Annotated[
        bool,
        typer.Option(
            "--demo", help="Serve the demo with its data and workers; runs it first if there is none."
        ),
    ] = False,
) -> None:
    """Serve the web pages and the HTTP API until Ctrl-C: REST under /api/v1, feeds, live events, MCP, metrics. Needs headwater[web].

    Open the printed address in a browser. On this machine everything can be read without a key, as long as the server listens
    on this machine only. Everything else needs a key: `headwater keys create` makes one. People sign in with it; programs send
    it as `Authorization: Bearer KEY` or `X-Api-Key: KEY`. /healthz and /readyz need none. The API describes itself in
    /api/v1/openapi.json.

    If the setting `callback` is set, the server also subscribes to the hubs of feeds (WebSub) and receives their notifications
    there. Runs and queues can also be used by the addresses /pipeline and /queues.
    """
    try:
        from headwater.web.crash_trial import CrashTrial  # noqa: PLC0415 - needs the extra `web`
        from headwater.web.server import listen_on  # noqa: PLC0415 - needs the extra `web`
        from headwater.web.serving import make_context, run_server  # noqa: PLC0415 - needs the extra `web`
    except ModuleNotFoundError as error:
        raise missing_extra(error) from error
    stack = context.with_resource(ExitStack())
    # Before anything else: the demo may run for minutes, and a port that is taken should be reported at once.
    listener = stack.enter_context(closing(listen_on(host, port)))
    words = tuple(global_option_words(global_options(context)))
    if demo:
        # The server passes a signal on when it has stopped; as an exception it lets the processes of the demo end, too.
        signal.signal(signal.SIGTERM, _exit_in_order)
        app, settings_file = stack.enter_context(_open_demo(context))
        words = ("--config", str(settings_file))
    else:
        app = make_app(context)
    if recipe is not None:
        app.recipe(recipe)
    _check_addresses(app, url)
    key = resolve_secret(app.settings.api_key, "api_key")
    if key and len(key) < MIN_KEY_LENGTH:
        raise Refused("bad_config", f"api_key: give at least {MIN_KEY_LENGTH} characters")
    refuse_moved_installation(app)
    report_left_out(app)
    configure_logs(app.settings.log, app.settings.log_level)

    def report(address: str, bound_port: int) -> None:
        # A collection that looks at all that is loaded would delay a request by a tenth of a second.
        freeze_loaded_objects()
        place = f"[{address}]" if ":" in address else address
        error_console().print(f"Serving on http://{place}:{bound_port} until Ctrl-C.", style="dim")
        if demo:
            hint = f"Programs that change something need a key: {key_command(app.settings.data)}"
            error_console().print(hint, style="dim", soft_wrap=True)

    async def serve() -> None:
        web = make_context(
            app,
            run_in_process(words),
            host=host,
            recipe=recipe,
            settings_key=key,
            names=tuple(name or ()),
            public_url=url,
        )
        if demo:
            web.local_scope = KeyScope.ADMIN
            web.crash_trial = CrashTrial(app, words, _trial_recipe())
        async with working(words) if demo else nullcontext():
            try:
                await run_server(web, listener, on_started=report)
            finally:
                if web.crash_trial is not None:
                    await asyncio.to_thread(web.crash_trial.stop)

    asyncio.run(serve())


def run_in_process(words: tuple[str, ...]) -> Callable[[str, str, Mapping[str, str]], Awaitable[int]]:
    """Performs a run in a process of its own, with these global options."""

    async def start(recipe: str, run: str, overrides: Mapping[str, str]) -> int:
        options = [word for name, value in overrides.items() for word in ("--option", f"{name}={value}")]
        arguments = ("run", recipe, "--once", "--quiet", "--run-id", run, *options)
        program = (sys.executable, "-m", "headwater.cli")
        child = await asyncio.create_subprocess_exec(*program, *words, *arguments)
        try:
            return await child.wait()
        except asyncio.CancelledError:
            child.terminate()
            await child.wait()
            raise

    return start


@asynccontextmanager
async def working(words: tuple[str, ...]) -> AsyncIterator[None]:
    """Workers in processes of their own, so that what a reader of the demo decides happens at once."""
    program = (sys.executable, "-m", "headwater.cli")
    child = await asyncio.create_subprocess_exec(*program, *words, "work", "--quiet")
    try:
        yield
    finally:
        with suppress(ProcessLookupError):
            child.terminate()
        await child.wait()


def _open_demo(context: typer.Context) -> AbstractContextManager[tuple[App, Path]]:
    from headwater.cli.demo import filled_demo  # noqa: PLC0415 - only the demo needs its internet

    return filled_demo(context)


def _exit_in_order(number: int, frame: object) -> None:
    del frame
    sys.exit(128 + number)


def _trial_recipe() -> str:
    """The first one of the demo: it has many small documents."""
    from headwater.cli.demo import RECIPES  # noqa: PLC0415 - only the demo needs its internet

    return RECIPES[0]


def missing_extra(error: ModuleNotFoundError) -> Refused:
    return Refused(
        "missing_web",
        f"the server needs packages that are not installed ({error.name}): `pip install 'headwater[web]'`",
    )


def _check_addresses(app: App, url: str) -> None:
    for label, address in (("--url", url), ("callback", app.settings.callback)):
        parts = urlsplit(address)
        if address and (parts.scheme not in {"http", "https"} or not parts.hostname):
            raise Refused(
                "bad_config", f"{label}: give a public URL, for example https://news.example/headwater"
            )


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

"""`headwater worker`."""

from collections.abc import Sequence
from importlib.metadata import entry_points
from typing import Annotated

import typer

from headwater.app import App
from headwater.cli.environment import make_app
from headwater.cli.options import Quiet, RecipesFilter, single_command
from headwater.cli.render.console import error_console
from headwater.model.command import RECIPE_ENTRY_POINTS
from headwater.runtime.fork_server import fork_early

# The driver and the pool of processes that Celery loads when it starts. Each of them would otherwise be in memory once per process.
USED_BY_CLUSTERS = (
    "psycopg",
    "sqlalchemy.dialects.postgresql.psycopg",
    "celery.concurrency.prefork",
    "celery.apps.worker",
)


def worker(
    context: typer.Context,
    *,
    queues: Annotated[
        str,
        typer.Option(
            help="What to work on: poll, fetch, refine, gather, deliver, replay, maintenance, or all."
        ),
    ] = "all",
    recipe: RecipesFilter = None,
    concurrency: Annotated[int, typer.Option(min=1, help="Processes that refine, gather and deliver.")] = 1,
    quiet: Quiet = False,
) -> None:
    """Process what the beat announces, on any number of machines.

    Polling and fetching share one process with many connections; --concurrency processes do the rest. Needs the extra
    `cluster` and the setting `redis`. It can be stopped or killed at any time.
    """
    from headwater.runtime.celery.broker import broker_address  # noqa: PLC0415 - needs the extra `cluster`
    from headwater.runtime.celery.queues import worker_roles  # noqa: PLC0415 - as above
    from headwater.runtime.celery.worker import serve  # noqa: PLC0415 - as above

    fork_early(USED_BY_CLUSTERS)
    app = make_app(context)
    broker_address(app.settings)
    names = selected_recipe_names(app, recipe)
    roles = worker_roles(queues, names, concurrency)
    if not quiet:
        error_console().print(f"Working on {queues} of {', '.join(names)} until Ctrl-C.", style="dim")
    serve(app, roles)


def selected_recipe_names(app: App, requested: Sequence[str] | None) -> Sequence[str]:
    """The requested recipes, or all that are installed or defined in the settings. The workers load them, this process
    does not."""
    entries = entry_points(group=RECIPE_ENTRY_POINTS)
    installed = sorted({*(entry.name for entry in entries), *app.settings.recipes})
    for name in requested or ():
        if name not in installed:
            app.recipe(name)  # refuses, and lists the installed recipes
    return requested or installed


app = single_command(worker)

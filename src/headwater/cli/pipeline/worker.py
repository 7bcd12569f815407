"""`headwater worker`."""

from collections.abc import Sequence
from importlib.metadata import entry_points
from typing import Annotated

import typer

from headwater.app import App
from headwater.cli.environment import make_app
from headwater.cli.options import Quiet, single_command
from headwater.cli.render.console import error_console
from headwater.model.recipe import RECIPE_ENTRY_POINTS

RecipeFilter = Annotated[
    list[str] | None, typer.Option("--recipe", metavar="RECIPE", help="Only this recipe; may be repeated.")
]


def worker(
    context: typer.Context,
    *,
    queues: Annotated[
        str,
        typer.Option(
            help="What to work on: poll, fetch, refine, gather, deliver, replay, maintenance, or all."
        ),
    ] = "all",
    recipe: RecipeFilter = None,
    concurrency: Annotated[int, typer.Option(min=1, help="Processes that refine, gather and deliver.")] = 1,
    quiet: Quiet = False,
) -> None:
    """Work on what the beat tells of, on as many machines as you like.

    Polling and fetching share one process with many connections; the rest is done by as many processes as wanted. Needs
    the extra `cluster` and the setting `redis`. It may be stopped or killed at any moment.
    """
    from headwater.runtime.celery.broker import broker_address  # noqa: PLC0415 - needs the extra `cluster`
    from headwater.runtime.celery.queues import worker_roles  # noqa: PLC0415 - as above
    from headwater.runtime.celery.worker import serve  # noqa: PLC0415 - as above

    app = make_app(context)
    broker_address(app.settings)
    names = selected_recipe_names(app, recipe)
    wanted = worker_roles(queues, names, concurrency)
    if not quiet:
        error_console().print(f"Working on {queues} of {', '.join(names)} until Ctrl-C.", style="dim")
    serve(app, wanted)


def selected_recipe_names(app: App, wanted: Sequence[str] | None) -> Sequence[str]:
    """All that are installed, or those that were named. None is loaded for that: the workers do it."""
    installed = sorted({entry.name for entry in entry_points(group=RECIPE_ENTRY_POINTS)})
    for name in wanted or ():
        if name not in installed:
            app.recipe(name)  # says what there is
    return wanted or installed


app = single_command(worker)

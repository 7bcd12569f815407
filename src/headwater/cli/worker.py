"""`headwater worker`."""

from collections.abc import Sequence
from importlib.metadata import entry_points
from typing import Annotated

import typer

from headwater.app import App
from headwater.cli.opening import make_app
from headwater.cli.options import Quiet, verb
from headwater.cli.output import side_console
from headwater.installed import RECIPES

SomeRecipes = Annotated[
    list[str] | None, typer.Option("--recipe", metavar="RECIPE", help="Only this recipe; may be repeated.")
]


def worker(
    context: typer.Context,
    *,
    queues: Annotated[
        str,
        typer.Option(help="What to work on: poll, fetch, refine, gather, deliver, replay, upkeep, or all."),
    ] = "all",
    recipe: SomeRecipes = None,
    concurrency: Annotated[int, typer.Option(min=1, help="Processes that refine, gather and deliver.")] = 1,
    quiet: Quiet = False,
) -> None:
    """Work on what the beat tells of, on as many machines as you like.

    Polling and fetching share one process with many connections; the rest is done by as many processes as wanted. Needs
    the extra `cluster` and the setting `redis`. It may be stopped or killed at any moment.
    """
    from headwater.worker.celery.broker import broker_address  # noqa: PLC0415 - needs the extra `cluster`
    from headwater.worker.celery.queues import roles  # noqa: PLC0415 - as above
    from headwater.worker.celery.serving import serve  # noqa: PLC0415 - as above

    app = make_app(context)
    broker_address(app.settings)
    names = known_recipes(app, recipe)
    wanted = roles(queues, names, concurrency)
    if not quiet:
        side_console().print(f"Working on {queues} of {', '.join(names)} until Ctrl-C.", style="dim")
    serve(app, wanted)


def known_recipes(opened: App, wanted: Sequence[str] | None) -> Sequence[str]:
    """All that are installed, or those that were named. None is loaded for that: the workers do it."""
    installed = sorted({entry.name for entry in entry_points(group=RECIPES)})
    for name in wanted or ():
        if name not in installed:
            opened.recipe(name)  # says what there is
    return wanted or installed


app = verb(worker)

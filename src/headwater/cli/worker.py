"""`headwater worker`."""

from typing import Annotated

import typer

from headwater.cli.opening import make_app
from headwater.cli.options import Quiet, verb
from headwater.cli.output import side_console

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
    names = [app.recipe(name).name for name in recipe or sorted(app.recipes)]
    wanted = roles(queues, names, concurrency)
    if not quiet:
        side_console().print(f"Working on {queues} of {', '.join(names)} until Ctrl-C.", style="dim")
    serve(app, wanted)


app = verb(worker)

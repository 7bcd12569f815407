"""`headwater beat`."""

from collections.abc import Sequence
from contextlib import closing, suppress
from typing import Annotated

import typer

from headwater.app import App
from headwater.cli.listing import follow_list
from headwater.cli.opening import make_app
from headwater.cli.options import Quiet, verb
from headwater.cli.output import side_console
from headwater.cli.work import workable
from headwater.cli.worker import SomeRecipes
from headwater.logs import configure_logs
from headwater.model.errors import Temporary
from headwater.worker.loops import Bell, patiently
from headwater.worker.occupancy import at_work


def beat(
    context: typer.Context,
    *,
    recipe: SomeRecipes = None,
    until_idle: Annotated[
        bool, typer.Option("--until-idle", help="End when nothing is due within 15 seconds.")
    ] = False,
    quiet: Quiet = False,
) -> None:
    """Look at what is due, every second, and tell the workers of a cluster.

    Registers the sources of the recipes that are named; without names, all recipes that have sources here are looked
    after. Several beats may run: one leads, another takes over when it is gone. Needs the extra `cluster` and the setting
    `redis`.
    """
    from headwater.worker.celery.beat import Beat, keep_beating  # noqa: PLC0415 - needs the extra `cluster`
    from headwater.worker.celery.broker import broker_address  # noqa: PLC0415 - as above
    from headwater.worker.celery.hints import Hints  # noqa: PLC0415 - as above

    opened = make_app(context)
    hints = Hints(broker_address(opened.settings))
    log = configure_logs(opened.settings.log, opened.settings.log_level)
    with at_work(opened), closing(hints):
        names = patiently(lambda: _looked_after(opened, recipe), log)
        if not quiet:
            side_console().print(f"Looking after {', '.join(names)} until Ctrl-C.", style="dim")
        bell, looking = Bell(child=False), Beat(opened, names, hints)
        keep_beating(looking, lambda: bool(bell), until_idle=until_idle)
        with suppress(Temporary):  # else its lease runs out
            looking.retire()


def _looked_after(opened: App, recipes: Sequence[str] | None) -> Sequence[str]:
    for recipe in recipes or ():
        opened.register(opened.recipe(recipe))
        follow_list(opened, recipe, registered=True)
    return recipes or workable(opened)


app = verb(beat)

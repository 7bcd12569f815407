"""`headwater work`."""

from collections.abc import Sequence

import typer

from headwater.app import App
from headwater.cli.listing import follow_list
from headwater.cli.opening import make_app
from headwater.cli.options import Quiet, Workers, given, verb
from headwater.cli.output import side_console
from headwater.cli.progress import wants_live, watching, without_noise
from headwater.model.errors import Refused
from headwater.worker import processes


def work(context: typer.Context, workers: Workers = None, quiet: Quiet = False) -> None:
    """Run workers for every recipe that has sources here, until Ctrl-C.

    Registers nothing, but pauses sources that left their recipe's list and wakes those that came back.
    """
    app = make_app(context, workers=workers)
    recipes = workable(app)
    for recipe in recipes:
        follow_list(app, recipe, registered=False)
    live = wants_live(given(context), side_console()) and not quiet
    if not quiet:
        side_console().print(f"Working on {', '.join(recipes)} until Ctrl-C.", style="dim")
    with watching(app, recipes, quiet=quiet, live=live) as watch:
        processes.work(without_noise(app, live=live), recipes, until_idle=False, watch=watch)


def workable(app: App) -> Sequence[str]:
    """The recipes that have sources and are installed."""
    present = app.catalogue.recipes()
    missing = [name for name in present if name not in app.recipes]
    for name in missing:
        side_console().print(f"headwater: recipe '{name}' has sources here but is not installed: left alone.")
    ready = [name for name in present if name in app.recipes]
    if not ready:
        raise Refused(
            "nothing_to_do",
            "no installed recipe has sources here; start with `headwater run RECIPE` or add one with "
            "`headwater sources add`",
        )
    return ready


app = verb(work)

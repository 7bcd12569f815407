"""Sources that left their recipe's list, at the start of a run or worker."""

from collections.abc import Sequence

import typer

from headwater.app import App
from headwater.cli.environment import make_app
from headwater.cli.options import Quiet, Workers, global_options, single_command
from headwater.cli.render.console import cell, error_console
from headwater.cli.render.progress import show_progress, wants_live, with_quiet_logs
from headwater.model.errors import Refused
from headwater.runtime.worker_pool import run_workers

SHOWN = 5


def sync_source_list(app: App, recipe: str, *, registered: bool) -> None:
    """Let the rows agree with the list as to what is in it, and say what was paused. Unless the list was
    `registered` just now, one that names none of the sources that are here is taken for that of another configuration,
    and nothing is touched."""
    listed = app.recipe(recipe).sources
    known = {row["id"] for row in app.catalogue.sources(recipe)}
    if not registered and not any(source.id in known for source in listed):
        return
    paused = app.store.sync_sources(recipe, listed, app.clock())
    if paused:
        names = ", ".join(paused[:SHOWN]) + (" and others" if len(paused) > SHOWN else "")
        error_console().print(
            cell(
                f"headwater: no more in the list of {recipe}, so paused: {names}. `headwater sources resume` keeps one."
            ),
            soft_wrap=True,
        )


def work(context: typer.Context, workers: Workers = None, quiet: Quiet = False) -> None:
    """Run workers for every recipe that has sources here, until Ctrl-C.

    Registers nothing, but pauses sources that left their recipe's list and wakes those that came back.
    """
    app = make_app(context, workers=workers)
    recipes = recipes_with_sources(app)
    for recipe in recipes:
        sync_source_list(app, recipe, registered=False)
    live = wants_live(global_options(context), error_console()) and not quiet
    if not quiet:
        error_console().print(f"Working on {', '.join(recipes)} until Ctrl-C.", style="dim")
    with show_progress(app, recipes, quiet=quiet, live=live) as watch:
        run_workers(with_quiet_logs(app, live=live), recipes, until_idle=False, on_tick=watch)


def recipes_with_sources(app: App) -> Sequence[str]:
    """The recipes that have sources and are installed."""
    present = app.catalogue.recipes()
    missing = [name for name in present if name not in app.recipes]
    for name in missing:
        error_console().print(
            f"headwater: recipe '{name}' has sources here but is not installed: left alone."
        )
    ready = [name for name in present if name in app.recipes]
    if not ready:
        raise Refused(
            "nothing_to_do",
            "no installed recipe has sources here; start with `headwater run RECIPE` or add one with "
            "`headwater sources add`",
        )
    return ready


app = single_command(work)

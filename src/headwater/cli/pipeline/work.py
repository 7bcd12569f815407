"""`headwater work`."""

from collections.abc import Sequence

import typer

from headwater.app import App
from headwater.cli.environment import make_app
from headwater.cli.options import Quiet, Workers, global_options, single_command
from headwater.cli.render.console import cell, error_console
from headwater.cli.render.progress import show_progress, wants_live, with_quiet_logs
from headwater.model.errors import Refused
from headwater.runtime.worker_pool import run_workers

MAX_NAMES = 5


def sync_source_list(app: App, recipe: str, *, registered: bool) -> None:
    """Pauses stored sources that are no longer in the list of the recipe and resumes those that came back; prints what was
    paused. A list that was not `registered` just now and shares no source with the store is assumed to belong to another
    configuration: nothing changes."""
    listed = app.recipe(recipe).sources
    stored_ids = {row["id"] for row in app.catalogue.sources(recipe)}
    if not registered and not any(source.id in stored_ids for source in listed):
        return
    paused = app.store.sync_sources(recipe, listed, app.clock())
    if paused:
        names = ", ".join(paused[:MAX_NAMES]) + (" and others" if len(paused) > MAX_NAMES else "")
        error_console().print(
            cell(
                f"headwater: paused, because no longer in the list of {recipe}: {names}. Keep one with `headwater sources resume`."
            ),
            soft_wrap=True,
        )


def work(context: typer.Context, workers: Workers = None, quiet: Quiet = False) -> None:
    """Run workers for every recipe that has sources here, until Ctrl-C.

    Registers no sources, but pauses those that left the list of their recipe and resumes those that came back.
    """
    app = make_app(context, workers=workers)
    recipes = recipes_with_sources(app)
    for recipe in recipes:
        sync_source_list(app, recipe, registered=False)
    live = wants_live(global_options(context), error_console()) and not quiet
    if not quiet:
        error_console().print(f"Working on {', '.join(recipes)} until Ctrl-C.", style="dim")
    with show_progress(app, recipes, quiet=quiet, live=live) as on_tick:
        run_workers(with_quiet_logs(app, live=live), recipes, until_idle=False, on_tick=on_tick)


def recipes_with_sources(app: App) -> Sequence[str]:
    """The recipes that have sources and are installed."""
    names = app.catalogue.recipes()
    missing = [name for name in names if name not in app.recipes]
    for name in missing:
        error_console().print(f"headwater: recipe '{name}' has sources here but is not installed: skipped.")
    installed = [name for name in names if name in app.recipes]
    if not installed:
        raise Refused(
            "nothing_to_do",
            "no installed recipe has sources here; start with `headwater run RECIPE` or add one with "
            "`headwater sources add`",
        )
    return installed


app = single_command(work)

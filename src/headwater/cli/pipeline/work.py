"""`headwater work`."""

import time
from collections.abc import Callable, Sequence

import typer

from headwater.app import App
from headwater.cli.environment import make_app, report_left_out, wait_for_write_lock
from headwater.cli.options import Quiet, RecipesFilter, Workers, global_options, single_command
from headwater.cli.render.console import cell, error_console
from headwater.cli.render.run_progress import show_progress, wants_live, with_quiet_logs
from headwater.runtime.fork_server import fork_early
from headwater.runtime.registration import register_served
from headwater.runtime.runs import continuous_work
from headwater.runtime.worker_pool import run_workers
from headwater.settings.channel_sinks import unusable_sinks

MAX_NAMES = 5
WAIT_SECONDS = 5.0


def report_paused(recipe: str, paused: Sequence[str]) -> None:
    if paused:
        names = ", ".join(paused[:MAX_NAMES]) + (" and others" if len(paused) > MAX_NAMES else "")
        error_console().print(
            cell(
                f"headwater: paused, because no longer in the list of {recipe}: {names}. Keep one with `headwater sources resume`."
            ),
            soft_wrap=True,
        )


def report_unusable_sinks(app: App) -> None:
    for name, problem in unusable_sinks(app.sinks).items():
        error_console().print(cell(f"headwater: {problem}. What goes to {name} waits."), soft_wrap=True)


def work(
    context: typer.Context, recipe: RecipesFilter = None, workers: Workers = None, quiet: Quiet = False
) -> None:
    """Run workers until Ctrl-C, for the recipes that the settings name and all others that have sources here.

    Registers the sources of the named recipes, pauses those that left a list and resumes those that came back, also when a
    list changes. Without any source it waits for one.
    """
    fork_early()
    app = make_app(context, workers=workers)
    wait_for_write_lock(app)
    report_unusable_sinks(app)
    recipes = wait_for_recipes(app, recipe)
    live = wants_live(global_options(context), error_console()) and not quiet
    if not quiet:
        error_console().print(f"Working on {', '.join(recipes)} until Ctrl-C.", style="dim")
    with (
        continuous_work(app, recipes),
        show_progress(app, recipes, quiet=quiet, live=live) as on_tick,
    ):
        run_workers(with_quiet_logs(app, live=live), recipes, until_idle=False, on_tick=on_tick)


def wait_for_recipes(
    app: App, requested: Sequence[str] | None, sleep: Callable[[float], None] = time.sleep
) -> Sequence[str]:
    """Registers recipes and returns those to serve. A fresh installation has none: it is waited for, so that a service can be
    started before its first source exists."""
    announced = False
    report_left_out(app)
    while True:
        served = register_served(app, requested)
        for name, paused in served.items():
            report_paused(name, paused)
        if served:
            _report_missing(app)
            return list(served)
        if not announced:
            error_console().print(
                "headwater: waiting: no recipe has sources here. Name recipes in the setting `recipes`, start one with "
                "`headwater run RECIPE`, or add a source with `headwater sources add`.",
                soft_wrap=True,
            )
            announced = True
        sleep(WAIT_SECONDS)


def _report_missing(app: App) -> None:
    for name in app.catalogue.recipes():
        if name not in app.recipes:
            error_console().print(
                f"headwater: recipe '{name}' has sources here but is not installed: skipped."
            )


app = single_command(work)

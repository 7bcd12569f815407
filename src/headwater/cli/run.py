"""`headwater run RECIPE`."""

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import asdict
from typing import Annotated, Literal

import typer

from headwater.app import App
from headwater.cli.listing import follow_list
from headwater.cli.opening import make_app
from headwater.cli.options import Json, Quiet, RecipeName, Workers, given, verb
from headwater.cli.output import console, print_json, side_console
from headwater.cli.progress import wants_live, watching, without_noise
from headwater.cli.retelling import retell
from headwater.cli.summary import Summary, read_figures, show, summarise
from headwater.worker.pipeline import recorded
from headwater.worker.processes import work


def run(
    context: typer.Context,
    recipe: RecipeName,
    *,
    once: Annotated[
        bool, typer.Option("--once", help="Poll every source once, now, and end when all is done.")
    ] = False,
    until_idle: Annotated[
        bool, typer.Option("--until-idle", help="End when nothing is due within 15 seconds.")
    ] = False,
    tier: Annotated[
        Literal["A", "B", "C"] | None, typer.Option(help="For recipes that have tiers: this one, this time.")
    ] = None,
    date: Annotated[
        str | None,
        typer.Option(
            metavar="YYYY-MM-DD", help="For recipes that read day by day: this day instead of the newest."
        ),
    ] = None,
    run_id: Annotated[str | None, typer.Option(help="Close this run, which was begun elsewhere.")] = None,
    workers: Workers = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Run a recipe: poll its sources, fetch, refine, gather, deliver.

    Without --once or --until-idle it runs until Ctrl-C. It may be stopped or killed at any moment: the next run goes
    on where this one was.
    """
    chosen = {name: value for name, value in (("tier", tier), ("date", date)) if value is not None}
    app = make_app(context, workers=workers, options={recipe: chosen} if chosen else {})
    known = app.recipe(recipe)
    app.register(known)
    follow_list(app, recipe, registered=True)
    if once:
        app.operations.wake(recipe, app.clock())
    live = wants_live(given(context), side_console()) and not quiet
    if live and not (once or until_idle):
        side_console().print("Running until Ctrl-C.", style="dim")
    with recorded(app, recipe, run_id) if once else nullcontext():
        (ended,) = run_watched(app, [recipe], until_idle=once or until_idle, quiet=quiet, live=live)
    if as_json:
        print_json(asdict(ended))
    elif not quiet:
        show(ended, console(), app.clock())


def run_watched(
    app: App, recipes: Sequence[str], *, until_idle: bool, quiet: bool, live: bool
) -> list[Summary]:
    """Work on some recipes with progress on the side; gives how each ended."""
    before = {recipe: read_figures(app, recipe) for recipe in recipes}
    with watching(app, recipes, quiet=quiet, live=live) as watch:
        work(without_noise(app, live=live), recipes, until_idle=until_idle, watch=watch)
    retell(app, recipes, quiet=quiet)
    for recipe in recipes:
        app.close_run(recipe)
    return [summarise(app, recipe, figures) for recipe, figures in before.items()]


app = verb(run)

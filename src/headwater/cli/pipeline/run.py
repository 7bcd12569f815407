"""`headwater run`."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Annotated

import typer

from headwater.app import App
from headwater.cli.environment import make_app, report_words_only, wait_for_write_lock
from headwater.cli.options import Json, Quiet, RecipeName, Workers, global_options, single_command
from headwater.cli.pipeline.work import report_paused, report_unusable_sinks
from headwater.cli.render.console import cell, console, error_console, format_count, print_json
from headwater.cli.render.run_progress import show_progress, wants_live, with_quiet_logs
from headwater.cli.render.run_summary import RunSummary, print_run_summary, read_counts, summarise_run
from headwater.logs import configure_logs
from headwater.model.alarm import Alarm
from headwater.model.errors import HeadwaterError, Refused
from headwater.model.jobs import RUN_TASKS, Task
from headwater.model.run_options import read_run_request
from headwater.ops.alarms.settlement import settle_recipe_alarms
from headwater.runtime.fork_server import fork_early
from headwater.runtime.inline import run_in_process
from headwater.runtime.maintenance import SUMMARIES, Maintenance, rescore_stories, summaries_task
from headwater.runtime.registration import register_recipe
from headwater.runtime.runs import continuous_work, record_run
from headwater.runtime.summaries import (
    followed_recipes,
    summaries_enabled,
    summarized_recipes,
)
from headwater.runtime.worker_pool import run_workers

RunRecipes = Callable[..., bool]
"""`run_workers` or `run_in_process`."""
SUMMARY_TIME_LIMIT = timedelta(minutes=30)
"""Limit of a summary round that an operator waits for; the next round continues."""


def update_stories_after_run(app: App, recipes: Sequence[str], *, quiet: bool) -> None:
    """Updates scores, and summaries if a language model is configured. An endpoint that fails does not fail the run: stories
    keep their local summaries."""
    rescore_stories(app, recipes)
    if not summaries_enabled(app) or not {*summarized_recipes(app), *followed_recipes(app)} & set(recipes):
        return
    configure_logs(app.settings.log, app.settings.log_level)

    def report(message: str) -> None:
        if not quiet:
            error_console().print(cell(message), style="dim")

    try:
        Maintenance(app, tasks={SUMMARIES: summaries_task(report, max_time=SUMMARY_TIME_LIMIT)}).run_now(
            SUMMARIES
        )
    except HeadwaterError as error:
        error_console().print(
            cell(f"headwater: no summaries by the language model this time: {error.detail or error}")
        )


def run(
    context: typer.Context,
    recipe: RecipeName,
    *,
    once: Annotated[
        bool,
        typer.Option("--once", help="Poll every source once, now, and end when everything is processed."),
    ] = False,
    until_idle: Annotated[
        bool, typer.Option("--until-idle", help="End when nothing is due within 15 seconds.")
    ] = False,
    option: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE",
            help="An option of the recipe for this run only, of those that it offers; repeatable.",
        ),
    ] = None,
    run_id: Annotated[
        str | None,
        typer.Option(help="The id of a run that another process started; it is closed at the end."),
    ] = None,
    task: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TASK",
            help="Only this part of the work, in this process: poll, fetch, refine, gather or deliver; repeatable.",
        ),
    ] = None,
    workers: Workers = None,
    in_process: Annotated[
        bool,
        typer.Option(
            "--in-process", help="Do everything in this process, so that a debugger sees the steps."
        ),
    ] = False,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Run a recipe: poll its sources, fetch, refine, gather, deliver.

    Without --once or --until-idle it runs until Ctrl-C. It can be stopped or killed at any time: the next run
    continues where this one stopped. With --once it waits up to ten minutes for rate limits. The exit code is 130 if
    such a run was interrupted (0 for one without an end), and 1 if --once could read nothing at all: no source, or no entry because
    all wait after failures. With --task everything else waits for the next
    run: `headwater run RECIPE --task gather --until-idle` groups what is stored into stories and ends.
    """
    tasks = _run_tasks(task)
    if not in_process and not task:
        fork_early()
    app = make_app(context, workers=workers)
    if option:
        overrides = read_run_request(recipe, app.recipe(recipe).run_options, _named_values(option))
        app = make_app(context, workers=workers, options={recipe: overrides})
    wait_for_write_lock(app)
    report_paused(recipe, register_recipe(app, app.recipe(recipe)))
    require_sources(app, recipe)
    _require_run(app, run_id)
    report_unusable_sinks(app)
    if not quiet:
        report_words_only(app, recipe)
    began = app.clock()
    if once and Task.POLL in tasks:
        app.operations.wake(recipe, began)
    live = wants_live(global_options(context), error_console()) and not quiet
    has_end = once or until_idle
    if live and not has_end:
        error_console().print("Running until Ctrl-C.", style="dim")
    with record_run(app, recipe, run_id) if has_end or run_id else continuous_work(app, [recipe]):
        (summary,), completed = run_with_progress(
            app,
            [recipe],
            until_idle=has_end,
            pass_began=began if once else None,
            quiet=quiet,
            live=live,
            work=partial(run_in_process, tasks=tasks) if in_process or task else run_workers,
        )
        summary = judged_by_tasks(summary, tasks)
        if as_json:
            print_json(asdict(summary) | {"interrupted": not completed})
        elif not quiet:
            print_run_summary(summary, console(), app.clock())
        if not completed and has_end:
            report_interruption(summary)
            raise KeyboardInterrupt
    if has_end:
        _end(app, summary, tasks, once=once, quiet=quiet)


def _end(app: App, summary: RunSummary, tasks: Sequence[Task], *, once: bool, quiet: bool) -> None:
    alarms = settle_after_run(app, summary.recipe, tasks)
    report_alarms(() if quiet else alarms)
    if once and (summary.offline or summary.unread_sources or summary.unread_entries):
        raise typer.Exit(1)


def judged_by_tasks(summary: RunSummary, tasks: Sequence[Task]) -> RunSummary:
    """What earlier polls and fetches could not read says nothing about a run without them."""
    if Task.POLL not in tasks:
        summary = replace(summary, offline=0, unread_sources=0)
    return summary if Task.FETCH in tasks else replace(summary, unread_entries=0)


def settle_after_run(app: App, recipe: str, tasks: Sequence[Task]) -> Sequence[Alarm]:
    """Raise and clear alarms now, and send them: a run from a timer may end before the next health check. A run that does not
    deliver leaves them to the next one that does: their delivery would send everything else that is due. Returns the alarms
    that begin."""
    raised, cleared = settle_recipe_alarms(app, recipe)
    if (raised or cleared) and app.channels and Task.DELIVER in tasks:
        run_in_process(app, [recipe], until_idle=True, tasks=(Task.DELIVER,))
    return raised


def report_alarms(alarms: Sequence[Alarm]) -> None:
    for alarm in alarms:
        detail = f" ({alarm.detail})" if alarm.detail else ""
        error_console().print(cell(f"headwater: alarm: {alarm.title}{detail}"), soft_wrap=True)


def require_sources(app: App, recipe: str) -> None:
    """A run without a source would end at once, and nobody would know why."""
    if app.catalogue.sources(recipe):
        return
    hint = f"add one with `headwater sources add {recipe} ADDRESS`, or name a list: `recipes: {{{recipe}: {{sources: FILE}}}}`"
    if app.recipe(recipe).bundled is not None:
        hint += f"; `headwater sources add {recipe} --bundled` takes the list that comes with it"
    raise Refused("no_sources", f"the recipe '{recipe}' has no sources yet; {hint}")


def _require_run(app: App, run_id: str | None) -> None:
    if run_id and app.pipeline_runs.get(run_id) is None:
        raise Refused("unknown_run", f"--run-id: there is no run '{run_id}'; without it, the run gets an id")


def report_interruption(summary: RunSummary) -> None:
    """What an interrupted run leaves to the next one."""
    left, to_poll = summary.in_all, format_count(summary.to_poll, "source")
    deliveries = f", {left.to_deliver} to deliver" if left.to_deliver else ""
    message = (
        f"interrupted: {format_count(left.waiting, 'item')} waiting{deliveries}, {to_poll} to poll; "
        f"`headwater run {summary.recipe}` continues."
    )
    error_console().print(cell(f"headwater: {message}"), soft_wrap=True)


def _run_tasks(requested: Sequence[str] | None) -> Sequence[Task]:
    """The tasks of a run in their order; all of them if none was requested."""
    if unknown := [name for name in requested or () if name not in RUN_TASKS]:
        raise Refused(
            "bad_option", f"--task: there is no task '{unknown[0]}'; there are: {', '.join(RUN_TASKS)}"
        )
    return tuple(task for task in RUN_TASKS if not requested or task in requested)


def _named_values(options: Sequence[str]) -> dict[str, str]:
    for option in options:
        if "=" not in option:
            raise Refused("bad_option", f"--option: give NAME=VALUE instead of '{option}'")
    return dict(option.split("=", 1) for option in options)


def run_with_progress(
    app: App,
    recipes: Sequence[str],
    *,
    until_idle: bool,
    pass_began: datetime | None = None,
    quiet: bool,
    live: bool,
    work: RunRecipes = run_workers,
) -> tuple[list[RunSummary], bool]:
    """Runs workers for the recipes and shows progress; returns a summary for each recipe, and False if it was told to stop.
    With `pass_began`, each source is polled once since then, and work that a rate limit postponed is awaited."""
    began, before = app.clock(), {recipe: read_counts(app, recipe) for recipe in recipes}
    with show_progress(app, recipes, quiet=quiet, live=live) as on_tick:
        completed = work(
            with_quiet_logs(app, live=live),
            recipes,
            until_idle=until_idle,
            pass_began=pass_began,
            on_tick=on_tick,
        )
    if completed or not until_idle:
        update_stories_after_run(app, recipes, quiet=quiet)
    for recipe in recipes:
        app.close_run(recipe)
    return [summarise_run(app, recipe, counts, began) for recipe, counts in before.items()], completed


app = single_command(run)

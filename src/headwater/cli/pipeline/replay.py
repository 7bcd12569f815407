"""`headwater replay`."""

from collections.abc import Callable
from typing import Annotated, Literal

import typer

from headwater.app import App
from headwater.cli.environment import make_app, open_app, select_recipes
from headwater.cli.options import (
    Json,
    OptionalLimit,
    Quiet,
    RecipeFilter,
    Since,
    Until,
    Workers,
    command_group,
)
from headwater.cli.period import read_period
from headwater.cli.render.console import (
    console,
    error_console,
    format_count,
    print_json,
    print_json_lines,
    print_result,
    short_id,
)
from headwater.cli.render.progress import Progress
from headwater.cli.render.replay_report import print_replay_report, progress_line, replay_card, replay_table
from headwater.model.errors import Refused
from headwater.model.replay import ReplayState, ReplayVerdict
from headwater.runtime.replay_pool import replace_replayed, run_replay
from headwater.store.changes.replays import Replays

app = command_group("Extract stored captures again with the current code, compare, and replace documents.")
Key = Annotated[
    str, typer.Argument(metavar="ID", help="The id of a replay, or the first 8 or more characters of it.")
]
Wait = Annotated[
    bool, typer.Option("--wait", help="Do the work now in own processes, and end when it is done.")
]
REPORTED_VERDICTS = (ReplayVerdict.WORSE, ReplayVerdict.FAILED, ReplayVerdict.CHANGED, ReplayVerdict.BETTER)
SHOWN = 20


@app.callback(invoke_without_command=True)
def start_replay(
    context: typer.Context,
    *,
    source: Annotated[
        Literal["raw"], typer.Option("--from", help="Where to start: raw means the stored captures.")
    ] = "raw",
    recipe: RecipeFilter = None,
    since: Since = None,
    until: Until = None,
    wait: Wait = False,
    workers: Workers = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Extract the stored captures of a recipe again with the current code and report what would change.

    `headwater replay --recipe NAME --since TIME` starts a replay of what came in since then, and prints its id. Workers run it when they are idle;
    --wait runs it now. `headwater replay apply` replaces documents. A replay never fetches anything.
    """
    del source
    if context.invoked_subcommand is not None:
        return
    if recipe is None or since is None:
        raise typer.BadParameter("give --recipe NAME and --since TIME", context)
    app = _open_app(context, workers)
    app.recipe(recipe)
    now = app.clock()
    period = read_period(app, since, until)
    assert period.since is not None
    replays = app.replays
    name = replays.start(recipe, period.since, period.until or now, now)
    app.store.advance_replay(recipe, now)
    _continue(app, name, wait=wait, quiet=quiet, as_json=as_json)


@app.command("list")
def list_replays(
    context: typer.Context,
    *,
    recipe: RecipeFilter = None,
    limit: OptionalLimit = None,
    as_json: Json = False,
) -> None:
    """List replays with their progress, newest first."""
    app = open_app(context)
    if recipe:
        select_recipes(app, recipe)
    rows = app.replays.list_replays(recipe)[:limit]
    if as_json:
        print_json_lines(rows)
        return
    console().print(replay_table(rows) if rows else "There is no replay yet.")


@app.command("show")
def show_replay(context: typer.Context, key: Key, as_json: Json = False) -> None:
    """Show the progress of a replay, and how often each field differs."""
    replay = _replays(context).get(key)
    if as_json:
        print_json(replay)
        return
    for part in replay_card(replay):
        console().print(part)


@app.command("report")
def report_replay(
    context: typer.Context,
    key: Key,
    *,
    verdict: Annotated[
        str | None, typer.Option(metavar="LIST", help="Only these: worse,failed,changed,better,same.")
    ] = None,
    limit: OptionalLimit = None,
    as_json: Json = False,
) -> None:
    """Show what would change in each document: the verdict, and each field before and after.

    The worst come first: 20 of them unless --limit says otherwise. With --json one document per line, and all of them.
    """
    verdicts = _verdicts(verdict, "--verdict") if verdict else REPORTED_VERDICTS
    replays = _replays(context)
    replay = replays.get(key)
    if as_json:
        print_json_lines(replays.report(replay["id"], verdicts, limit))
        return
    print_replay_report(console(), replay, replays.report(replay["id"], verdicts, limit or SHOWN))


@app.command("pause")
def pause_replay(context: typer.Context, key: Key, as_json: Json = False) -> None:
    """Pause a replay. Documents in progress are finished, no others are started."""
    app = open_app(context)
    replays = app.replays
    name = replays.get(key)["id"]
    replays.pause(name, app.clock())
    print_result(
        replays.get(name),
        f"{short_id(name)} is paused; continue with `headwater replay resume`.",
        as_json=as_json,
    )


@app.command("resume")
def resume_replay(
    context: typer.Context,
    key: Key,
    *,
    wait: Wait = False,
    workers: Workers = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Resume a paused replay. With --wait also join one that is running."""
    app = _open_app(context, workers)
    replays = app.replays
    replay = replays.get(key)
    if not (wait and replay["state"] == ReplayState.RUNNING):
        replays.resume(replay["id"], app.clock())
    _continue(app, replay["id"], wait=wait, quiet=quiet, as_json=as_json)


@app.command("apply")
def apply_replay(
    context: typer.Context,
    key: Key,
    *,
    only: Annotated[
        str, typer.Option(metavar="LIST", help="Documents with these verdicts.")
    ] = "better,changed",
    wait: Wait = False,
    workers: Workers = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Replace documents with the result of the current code: a new revision of each, from its stored capture.

    Documents that changed after the comparison are skipped and counted; so are kept documents that the current code would
    not keep. The command can be repeated, also with other verdicts.
    """
    verdicts = _verdicts(only, "--only")
    if not {*verdicts} <= {ReplayVerdict.BETTER, ReplayVerdict.WORSE, ReplayVerdict.CHANGED}:
        raise Refused("bad_verdict", "--only: documents that are the same or failed cannot be applied")
    app = _open_app(context, workers)
    replays = app.replays
    name = replays.get(key)["id"]
    replays.apply(name, verdicts, app.clock())
    if wait:
        work_with_progress(app, name, replace_replayed, quiet=quiet)
    replay = replays.get(name)
    message = f"{format_count(replay['replaced'], 'document')} replaced, {replay['moved_on']} moved on, {replay['stays']} stay."
    if replay["state"] == ReplayState.APPLYING:
        message = f"{short_id(name)} is being applied: workers replace documents that are {' or '.join(replay['chosen_verdicts'])}."
    print_result(replay, message, as_json=as_json)


@app.command("discard")
def discard_replay(context: typer.Context, key: Key, as_json: Json = False) -> None:
    """End a replay and delete its report. Replaced documents stay replaced."""
    app = open_app(context)
    replays = app.replays
    name = replays.get(key)["id"]
    replays.discard(name, app.clock())
    print_result(replays.get(name), f"{short_id(name)} is discarded.", as_json=as_json)


def _continue(app: App, name: str, *, wait: bool, quiet: bool, as_json: bool) -> None:
    replays = app.replays
    if wait and replays.get(name)["state"] == ReplayState.RUNNING:
        work_with_progress(app, name, run_replay, quiet=quiet)
    replay = replays.get(name)
    if as_json:
        print_json(replay)
        return
    for part in replay_card(replay):
        console().print(part)
    if replay["state"] == ReplayState.RUNNING:
        console().print(f"Workers run it when they are idle: headwater replay show {short_id(name)}")


def work_with_progress(
    app: App, name: str, work: Callable[[App, str, Callable[[], None]], bool], *, quiet: bool
) -> None:
    replays, out = app.replays, error_console()
    with Progress(lambda: progress_line(replays.get(name)), quiet=quiet) as on_tick:
        completed = work(app, name, on_tick)
    if not completed and not quiet:
        out.print("Stopped. It continues with any worker, or with `headwater replay resume --wait`.")


def _verdicts(text: str, option: str) -> tuple[ReplayVerdict, ...]:
    words = [word.strip() for word in text.split(",") if word.strip()]
    if unknown := [word for word in words if word not in set(ReplayVerdict)]:
        names = ", ".join(ReplayVerdict)
        raise Refused("bad_verdict", f"{option}: '{unknown[0]}' is not a verdict; there are: {names}")
    if not words:
        raise Refused("bad_verdict", f"{option}: name at least one verdict")
    return tuple(ReplayVerdict(word) for word in dict.fromkeys(words))


def _open_app(context: typer.Context, workers: int | None) -> App:
    """The environment, which must exist, with this number of workers if given."""
    app = open_app(context)
    return make_app(context, workers=workers) if workers else app


def _replays(context: typer.Context) -> Replays:
    return open_app(context).replays

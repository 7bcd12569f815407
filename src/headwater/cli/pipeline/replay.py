"""`headwater replay`: stored captures read again with the present code."""

from collections.abc import Callable
from typing import Annotated, Any, Literal

import typer

from headwater.app import App
from headwater.cli.environment import make_app, open_app
from headwater.cli.options import Json, OptionalRecipe, Quiet, Workers, command_group
from headwater.cli.render.console import (
    cell,
    console,
    error_console,
    format_count,
    print_json,
    print_json_lines,
    short_id,
)
from headwater.cli.render.progress import LINE_EVERY, ChangePrinter, Throttle
from headwater.cli.render.replay_report import print_replay_report, progress_line, replay_card, replay_table
from headwater.cli.times import parse_time
from headwater.model.errors import Refused
from headwater.model.replay import ReplayState, ReplayVerdict
from headwater.runtime.replay_pool import replace_replayed, run_replay
from headwater.store.admin.replays import Replays

app = command_group("Read stored captures again with the present code, compare, and replace what you choose.")
Key = Annotated[str, typer.Argument(metavar="ID", help="The replay's id, or 8 letters or more of it.")]
Wait = Annotated[
    bool, typer.Option("--wait", help="Work on it in processes of its own, and end when it is done.")
]
REPORTED_VERDICTS = (ReplayVerdict.WORSE, ReplayVerdict.FAILED, ReplayVerdict.CHANGED, ReplayVerdict.BETTER)
SHOWN = 20


@app.callback(invoke_without_command=True)
def start_replay(
    context: typer.Context,
    *,
    source: Annotated[
        Literal["raw"], typer.Option("--from", help="What to begin with: raw is the stored captures.")
    ] = "raw",
    recipe: Annotated[str | None, typer.Option(help="The recipe whose documents are read again.")] = None,
    since: Annotated[
        str | None, typer.Option(metavar="MOMENT", help="Documents that came in since: 2026-11-01, 30d.")
    ] = None,
    until: Annotated[
        str | None, typer.Option(metavar="MOMENT", help="And before that; until now unless given.")
    ] = None,
    wait: Wait = False,
    workers: Workers = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Read the stored captures of a recipe again with the present code and report what would change.

    `headwater replay --recipe NAME --since DATE` starts one and prints its id. Workers do it when they have nothing else
    to do; --wait does it now. Nothing is replaced before `headwater replay apply`, and nothing is ever fetched.
    """
    del source
    if context.invoked_subcommand is not None:
        return
    if recipe is None or since is None:
        raise typer.BadParameter("say what to read again: --recipe NAME --since DATE", context)
    app = _opened(context, workers)
    app.recipe(recipe)
    now = app.clock()
    begin = parse_time(since, now, "--since")
    end = parse_time(until, now, "--until") if until else now
    if begin >= end:
        raise Refused("bad_moment", f"--since {since} is not before the end; give an earlier moment")
    rows = Replays(app.store.engine)
    name = rows.start(recipe, begin, end, now)
    app.store.advance_replay(recipe, now)
    _go_on(app, name, wait=wait, quiet=quiet, as_json=as_json)


@app.command("list")
def list_replays(context: typer.Context, recipe: OptionalRecipe = None, as_json: Json = False) -> None:
    """List replays, the newest first, with how far they have come."""
    app = open_app(context)
    found = Replays(app.store.engine).list_replays(recipe)
    if as_json:
        print_json_lines(found)
        return
    console().print(replay_table(found) if found else "There is no replay yet.")


@app.command("show")
def show_replay(context: typer.Context, key: Key, as_json: Json = False) -> None:
    """Show how far a replay has come, and which fields differ how often."""
    found = _rows(context).get(key)
    if as_json:
        print_json(found)
        return
    for part in replay_card(found):
        console().print(part)


@app.command("report")
def report_replay(
    context: typer.Context,
    key: Key,
    *,
    verdict: Annotated[
        str | None, typer.Option(metavar="LIST", help="Only these: worse,failed,changed,better,same.")
    ] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help=f"How many documents at most; {SHOWN} unless --json.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Tell document by document what would change: the verdict, and each field before and after.

    With --json one document a line, all of them, the worst first.
    """
    chosen = _verdicts(verdict, "--verdict") if verdict else REPORTED_VERDICTS
    rows = _rows(context)
    found = rows.get(key)
    if as_json:
        print_json_lines(rows.report(found["id"], chosen, limit))
        return
    print_replay_report(console(), found, rows.report(found["id"], chosen, limit or SHOWN))


@app.command("pause")
def pause_replay(context: typer.Context, key: Key, as_json: Json = False) -> None:
    """Let a replay rest: what is being read comes to its end, nothing more is taken."""
    app = open_app(context)
    rows = Replays(app.store.engine)
    name = rows.get(key)["id"]
    rows.pause(name, app.clock())
    _tell(
        rows.get(name), f"{short_id(name)} is paused; go on with `headwater replay resume`.", as_json=as_json
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
    """Go on with a replay that was paused. With --wait also with one that is running."""
    app = _opened(context, workers)
    rows = Replays(app.store.engine)
    found = rows.get(key)
    if not (wait and found["state"] == ReplayState.RUNNING):
        rows.resume(found["id"], app.clock())
    _go_on(app, found["id"], wait=wait, quiet=quiet, as_json=as_json)


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
    """Replace documents by what the present code makes of them: a new revision of each, from its stored capture.

    Documents that changed since they were compared are passed over and counted, and so are kept documents that the
    present code would not keep: they stay. May be called again, also with other verdicts.
    """
    chosen = _verdicts(only, "--only")
    if not {*chosen} <= {ReplayVerdict.BETTER, ReplayVerdict.WORSE, ReplayVerdict.CHANGED}:
        raise Refused("bad_verdict", "--only: what is the same or failed cannot be applied")
    app = _opened(context, workers)
    rows = Replays(app.store.engine)
    name = rows.get(key)["id"]
    rows.apply(name, chosen, app.clock())
    if wait:
        work_with_progress(app, name, replace_replayed, quiet=quiet)
    found = rows.get(name)
    told = f"{format_count(found['replaced'], 'document')} replaced, {found['moved_on']} moved on, {found['stays']} stay."
    if found["state"] == ReplayState.APPLYING:
        told = f"{short_id(name)} is being applied: workers replace what is {' or '.join(found['chosen'])}."
    _tell(found, told, as_json=as_json)


@app.command("discard")
def discard_replay(context: typer.Context, key: Key, as_json: Json = False) -> None:
    """End a replay and forget its report. What was replaced stays replaced."""
    app = open_app(context)
    rows = Replays(app.store.engine)
    name = rows.get(key)["id"]
    rows.discard(name, app.clock())
    _tell(rows.get(name), f"{short_id(name)} is discarded.", as_json=as_json)


def _go_on(app: App, name: str, *, wait: bool, quiet: bool, as_json: bool) -> None:
    rows = Replays(app.store.engine)
    if wait and rows.get(name)["state"] == ReplayState.RUNNING:
        work_with_progress(app, name, run_replay, quiet=quiet)
    found = rows.get(name)
    if as_json:
        print_json(found)
        return
    for part in replay_card(found):
        console().print(part)
    if found["state"] == ReplayState.RUNNING:
        console().print(
            f"Workers do it when they have nothing else to do: headwater replay show {short_id(name)}"
        )


def work_with_progress(
    app: App, name: str, work: Callable[[App, str, Callable[[], None]], bool], *, quiet: bool
) -> None:
    rows, out = Replays(app.store.engine), error_console()
    lines = ChangePrinter(lambda: progress_line(rows.get(name)), lambda line: out.print(line, soft_wrap=True))
    watch = Throttle(LINE_EVERY, (lambda: None) if quiet else lines)
    if not work(app, name, watch) and not quiet:
        out.print(
            "Stopped. It goes on where it is, with any worker, or with `headwater replay resume --wait`."
        )


def _verdicts(text: str, where: str) -> tuple[ReplayVerdict, ...]:
    words = [word.strip() for word in text.split(",") if word.strip()]
    if unknown := [word for word in words if word not in set(ReplayVerdict)]:
        known = ", ".join(ReplayVerdict)
        raise Refused("bad_verdict", f"{where}: '{unknown[0]}' is no verdict; there are: {known}")
    if not words:
        raise Refused("bad_verdict", f"{where}: name at least one verdict")
    return tuple(ReplayVerdict(word) for word in dict.fromkeys(words))


def _opened(context: typer.Context, workers: int | None) -> App:
    """As it is, or with so many processes; it must be there."""
    app = open_app(context)
    return make_app(context, workers=workers) if workers else app


def _rows(context: typer.Context) -> Replays:
    return Replays(open_app(context).store.engine)


def _tell(record: dict[str, Any], sentence: str, *, as_json: bool) -> None:
    if as_json:
        print_json(record)
    else:
        console().print(cell(sentence), soft_wrap=True)

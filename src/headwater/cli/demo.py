"""`headwater demo`: Headwater against a demo internet on this machine."""

import os
import shutil
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from datetime import datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Literal

import msgspec
import typer
import yaml
from rich.console import Console

from headwater.app import App, now
from headwater.cli.environment import close_with_command, settings_from
from headwater.cli.options import Json, Quiet, RecipesFilter, command_group, global_options
from headwater.cli.pipeline.run import run_with_progress
from headwater.cli.render.console import console, error_console, print_json, short_id
from headwater.cli.render.run_progress import wants_live
from headwater.cli.render.run_summary import RunSummary, print_run_summary
from headwater.documents.embedding.models import nlp_installed
from headwater.model.errors import Refused
from headwater.model.jobs import State
from headwater.runtime.registration import register_recipe
from headwater.runtime.runs import record_run
from headwater.settings.rate_limits import RateLimit
from headwater.settings.recipes import RecipeSettings
from headwater.settings.settings import DEFAULT_DATA, Settings
from headwater.settings.times import parse_time
from headwater_demo.__main__ import main as serve_until_stopped
from headwater_demo.clock import START
from headwater_demo.feeds.catalogue import feeds
from headwater_demo.flashpoints.flashpoint_list import flashpoints
from headwater_demo.internet import host_table, running
from headwater_demo.markets.watch_list import ENDPOINTS, KEYS, watch_list
from headwater_demo.sites.news_list import news_sources
from headwater_demo.sites.portal_sites import procedure_sources

app = command_group("Run Headwater against a demo internet on this machine.")
# Each has its own part of the demo internet; the JSON output describes the first one in detail.
RECIPES = ("crypto", "markets", "procedures", "geopolitics", "news")
START_FILE = "demo-start.txt"
INTERFACES = ("api.massive.example", "*.sec.example", "broker.example")
# With and without the extra `web`; `make run` installs without it.
HOW_TO_SERVE = {
    True: "The last one serves the web pages: http://127.0.0.1:8080",
    False: "The last one serves the web pages, once `pip install 'headwater[web]'` is done; in the repository: `make serve`.",
}
DEMO_SETTINGS = (
    "data", "hosts", "allow", "contact", "requests_per_second", "budgets", "rate_limits", "log_level", "recipes",
)  # fmt: skip
NO_LIMIT = dict.fromkeys(("market_api", "news_api", "filings_api", "macro_news", "massive", "broker"), 0)
Size = Annotated[Literal["small", "full"], typer.Option(help="Size of the demo internet.")]


@app.command("run")
def run_demo(
    context: typer.Context,
    size: Size = "full",
    data: Annotated[
        str | None, typer.Option(metavar="DIR", help=f"Data folder; default: {DEFAULT_DATA}/demo.")
    ] = None,
    start: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="When the news of the demo ends; default: now, in the first run."),
    ] = None,
    *,
    recipe: RecipesFilter = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Run recipes against the demo internet to the end and show a summary.

    Needs no server and no network. A second run adds nothing new.
    """
    started = time.monotonic()
    with demo_installation(context, size, data, start, quiet=quiet) as app:
        names = recipe or [name for name in RECIPES if name in app.recipes]
        summaries = run_to_end(context, app, names, quiet=quiet)
    if as_json:
        program = {summary.recipe: asdict(summary) for summary in summaries}
        print_json(program[names[0]] | {"seconds": round(time.monotonic() - started, 1), "recipes": program})
    elif not quiet:
        out = console()
        for summary in summaries:
            print_run_summary(summary, out, app.clock())
        out.print(f"\nDone in {time.monotonic() - started:.1f} s.", style="bold green")
        _next_steps(app, names[0], out)


@contextmanager
def demo_installation(
    context: typer.Context,
    size: Literal["small", "full"],
    data: str | None = None,
    start: str | None = None,
    *,
    quiet: bool = False,
) -> Iterator[App]:
    """The installation of the demo, as long as its internet answers. Its settings stand in its folder, for other processes."""
    options, side = global_options(context), error_console()
    folder = Path(data or options.data or f"{DEFAULT_DATA}/demo")
    os.environ.update(KEYS)  # the demo must not see the API keys of the operator
    if not quiet:
        side.print("Starting the demo internet …", style="dim")
    own_settings, begins = settings_from(options), demo_start(folder, start, now())
    with running(size=size, start=begins, process=True) as internet:
        settings = demo_settings(own_settings, folder, internet.base_url, size, begins)
        if not quiet:
            side.print(f"{len(internet.hosts)} hosts answer at {internet.base_url}.", style="dim")
        yield close_with_command(context, App(settings))


def demo_start(folder: Path, chosen: str | None, now: datetime) -> datetime:
    """The time at which the demo in this folder stands: what its first run chose, so that a later one adds nothing."""
    path = folder / START_FILE
    requested_start = parse_time(chosen, now, "--start") if chosen else None
    if path.exists():
        stored = datetime.fromisoformat(path.read_text(encoding="utf-8").strip())
        if requested_start not in (None, stored):
            detail = (
                f"the demo in {folder} stands at {stored:%Y-%m-%d %H:%M}; choose another folder with --data"
            )
            raise Refused("demo_exists", detail)
        return stored
    start = requested_start or now.replace(minute=0, second=0, microsecond=0)
    write_demo_files(folder, {START_FILE: start.isoformat()})
    return start


def run_to_end(
    context: typer.Context, app: App, names: Sequence[str], *, quiet: bool = False
) -> list[RunSummary]:
    for name in names:
        register_recipe(app, app.recipe(name))
        app.operations.wake(name, app.clock())
    live = wants_live(global_options(context), error_console()) and not quiet
    with ExitStack() as runs:
        for name in names:
            runs.enter_context(record_run(app, name))
        summaries, completed = run_with_progress(app, names, until_idle=True, quiet=quiet, live=live)
        if not completed:
            raise KeyboardInterrupt
    return list(summaries)


@contextmanager
def filled_demo(context: typer.Context) -> Iterator[tuple[App, Path]]:
    """The demo with its data, which a run brings first if there is none, and the file with its settings."""
    with demo_installation(context, "full") as app:
        if not app.catalogue.recipes():
            run_to_end(context, app, [name for name in RECIPES if name in app.recipes])
        path = Path(app.settings.data) / "demo.yaml"
        path.write_text(worker_settings(app.settings), encoding="utf-8")
        yield app, path


def worker_settings(settings: Settings) -> str:
    """The settings file of the demo's other processes. What its user allowed holds for them, too."""
    values = {name: getattr(settings, name) for name in DEMO_SETTINGS}
    values["data"] = str(Path(settings.data).absolute())
    return yaml.safe_dump(msgspec.to_builtins(values), sort_keys=False)


def demo_settings(
    settings: Settings, folder: Path, base_url: str, size: str, start: datetime = START
) -> Settings:
    """Settings that resolve every demo host to the demo internet, with its feeds, companies, portals, flashpoints and sites."""
    feed_lines = [{"name": feed["name"], "url": feed["url"]} for feed in feeds(size)]
    lists = {
        "feeds.yaml": {"sources": feed_lines},
        "watchlist.yaml": watch_list(size, start),
        "portals.yaml": {"sources": procedure_sources()},
        "flashpoints.yaml": flashpoints(size, start),
        "sites.yaml": {"sources": news_sources()},
    }
    write_demo_files(
        folder, {name: yaml.safe_dump(content, sort_keys=False) for name, content in lists.items()}
    )
    lists_folder = folder.absolute()
    return msgspec.structs.replace(
        settings,
        data=str(folder),
        database=None,
        archive="",
        redis="",
        queues="",
        environments={},
        hosts=host_table(base_url),
        contact="demo@headwater.example",
        requests_per_second=0,
        budgets=NO_LIMIT,
        rate_limits={host: RateLimit(concurrency=0) for host in INTERFACES},
        log_level="error" if settings.log_level == "warning" else settings.log_level,
        recipes={
            "crypto": RecipeSettings(sources=str(lists_folder / "feeds.yaml")),
            "markets": RecipeSettings(
                sources=str(lists_folder / "watchlist.yaml"), options={"endpoints": ENDPOINTS}
            ),
            "news": RecipeSettings(sources=str(lists_folder / "sites.yaml")),
            "procedures": RecipeSettings(sources=str(lists_folder / "portals.yaml")),
            "geopolitics": RecipeSettings(
                sources=str(lists_folder / "flashpoints.yaml"),
                options={"settle": "1s", "tier": "B" if nlp_installed() else "A"},
            ),
        },
    )


def write_demo_files(folder: Path, texts: Mapping[str, str]) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            (folder / name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise Refused("data_unwritable", f"{folder} cannot be written: {error.strerror}") from error


def _next_steps(app: App, recipe: str, out: Console) -> None:
    program = program_name()
    base = f"{program} --data {app.settings.data}"
    duplicates = app.catalogue.documents(recipe, [State.DUPLICATE], 1)
    examples = duplicates or app.catalogue.documents(recipe, [State.KEPT], 1)
    out.print("\nTry next:", style="bold")
    steps = [f"{base} docs list", f"{base} status"]
    if examples:
        steps.insert(1, f"{base} explain {short_id(examples[0]['id'])}")
    steps.append(f"{base} sources list")
    if "procedures" in app.recipes:
        steps.append(f"{base} procedures metrics")
    if app.settings.data == f"{DEFAULT_DATA}/demo":
        base = program
    steps.append(f"{base} serve --demo")
    for step in steps:
        out.print(f"  {step}", soft_wrap=True)
    out.print(f"\n{HOW_TO_SERVE[find_spec('uvicorn') is not None]}", soft_wrap=True)


def program_name() -> str:
    """How to call this program again: its name if the shell finds it, otherwise the path it was called by."""
    command = Path(sys.argv[0])
    if command.stem == "__main__":
        return "python -m headwater.cli"
    path_in_shell = shutil.which(command.name)
    if path_in_shell and Path(path_in_shell).resolve() == command.resolve():
        return command.name
    return sys.argv[0]


@app.command("serve")
def serve_demo(
    size: Size = "small",
    port: Annotated[int, typer.Option(help="The port; 0 chooses a free one.")] = 0,
) -> None:
    """Serve the demo internet until Ctrl-C; the first line of the output is its URL."""
    sys.argv[1:] = ["--size", size, "--port", str(port)]
    serve_until_stopped()

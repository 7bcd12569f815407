"""`headwater demo`: the whole of Headwater on a small internet that lives on this machine."""

import shutil
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Literal

import msgspec
import typer
import yaml
from rich.console import Console

from headwater.app import App
from headwater.cli.opening import closing, settings_from
from headwater.cli.options import Json, Quiet, given, group
from headwater.cli.output import console, print_json, short, side_console
from headwater.cli.progress import wants_live
from headwater.cli.run import run_all_watched
from headwater.cli.summary import Summary, show
from headwater.model.errors import Refused
from headwater.model.work import State
from headwater.settings.settings import DEFAULT_DATA, RecipeSettings, Settings
from headwater_demo import feeds, running
from headwater_demo.__main__ import main as serve_until_stopped
from headwater_demo.sites.portals import procedure_sources

app = group("Run Headwater over a small internet on this machine.")
RECIPE = "crypto"
# Whichever of these are installed; each has its own part of the demo internet.
RECIPES = (RECIPE, "procedures")
Size = Annotated[Literal["small", "full"], typer.Option(help="How large the internet is.")]


@app.command("run")
def run_demo(
    context: typer.Context,
    size: Size = "full",
    data: Annotated[
        str | None, typer.Option(metavar="DIR", help=f"Data folder; {DEFAULT_DATA}/demo unless given.")
    ] = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Run the recipes over the demo internet to the end and tell what happened.

    Needs no server and no connection. Run it again: nothing new is added.
    """
    options, side = given(context), side_console()
    folder = Path(data or options.data or f"{DEFAULT_DATA}/demo")
    live = wants_live(options, side) and not quiet
    begun = time.monotonic()
    if not quiet:
        side.print("Starting the demo internet …", style="dim")
    with running(size=size, process=True) as internet:
        app = closing(context, App(demo_settings(settings_from(options), folder, internet.base_url, size)))
        if not quiet:
            side.print(f"{len(internet.hosts)} hosts answer at {internet.base_url}.", style="dim")
        ended = _run(app, [name for name in RECIPES if name in app.recipes], quiet=quiet, live=live)
    if as_json:
        told = {name: asdict(one) for name, one in ended.items()}
        print_json(told[RECIPE] | {"seconds": round(time.monotonic() - begun, 1), "recipes": told})
    elif not quiet:
        out = console()
        for one in ended.values():
            show(one, out, app.clock())
        out.print(f"\nDone in {time.monotonic() - begun:.1f} s.", style="bold green")
        _next_steps(app, out)


def _run(app: App, names: Sequence[str], *, quiet: bool, live: bool) -> Mapping[str, Summary]:
    for name in names:
        app.store.register(app.recipe(name).sources, app.clock())
        app.operations.wake(name, app.clock())
    return run_all_watched(app, names, until_idle=True, quiet=quiet, live=live)


def demo_settings(settings: Settings, folder: Path, base_url: str, size: str) -> Settings:
    """Settings that lead every .example name to the demo internet, with its feeds and portals as sources."""
    lines = [{"name": feed["name"], "url": feed["url"]} for feed in feeds(size)]
    listed = {RECIPE: folder / "feeds.yaml", "procedures": folder / "portals.yaml"}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, some in ((RECIPE, lines), ("procedures", procedure_sources())):
            listed[name].write_text(yaml.safe_dump({"sources": some}, sort_keys=False), encoding="utf-8")
    except OSError as error:
        raise Refused("data_unwritable", f"{folder} cannot be written: {error.strerror}") from error
    return msgspec.structs.replace(
        settings,
        data=str(folder),
        database=None,
        hosts={"*.example": base_url},
        requests_per_second=0,
        log_level="error" if settings.log_level == "warning" else settings.log_level,
        recipes={name: RecipeSettings(sources=str(path)) for name, path in listed.items()},
    )


def _next_steps(app: App, out: Console) -> None:
    told = program_name()
    base = f"{told} --data {app.settings.data}"
    duplicates = app.catalogue.documents(RECIPE, [State.DUPLICATE], 1)
    some = duplicates or app.catalogue.documents(RECIPE, [State.KEPT], 1)
    out.print("\nTry next:", style="bold")
    steps = [f"{base} docs list", f"{base} status"]
    if some:
        steps.insert(1, f"{base} explain {short(some[0]['id'])}")
    steps.append(f"{base} sources list")
    if "procedures" in app.recipes:
        steps.append(f"{base} procedures metrics")
    for step in steps:
        out.print(f"  {step}", soft_wrap=True)


def program_name() -> str:
    """How to call this program again: its name where the shell finds it, else the way it was called."""
    called = Path(sys.argv[0])
    if called.stem == "__main__":
        return "python -m headwater.cli"
    found = shutil.which(called.name)
    if found and Path(found).resolve() == called.resolve():
        return called.name
    return sys.argv[0]


@app.command("serve")
def serve_demo(
    size: Size = "small",
    port: Annotated[int, typer.Option(help="0 takes a free one.")] = 0,
) -> None:
    """Serve the demo internet until Ctrl-C; its address is the first line of the output."""
    sys.argv[1:] = ["--size", size, "--port", str(port)]
    serve_until_stopped()

"""`headwater init`."""

from pathlib import Path

import typer

from headwater.app import App
from headwater.cli.environment import close_with_command, config_path, settings_from
from headwater.cli.options import Json, global_options, single_command
from headwater.cli.render.console import console, print_json
from headwater.cli.render.run_summary import data_locations
from headwater.model.errors import HeadwaterError, Refused
from headwater.settings.reference import commented_settings
from headwater.settings.settings import DEFAULT_DATA


def init(context: typer.Context, as_json: Json = False) -> None:
    """Create the data folder, the database and, if there is none, a commented settings file.

    Existing files do not change.
    """
    options = global_options(context)
    path = config_path(options)
    written = _write(path, _data_beside(path, options.data))
    try:
        app = close_with_command(context, App(settings_from(options)))
        _ = app.store
        app.archive.ready()
    except HeadwaterError:
        if written:  # otherwise the next attempt would find a settings file that leads nowhere
            path.unlink()
        raise
    if as_json:
        print_json({"settings": str(path), "written": written, "places": data_locations(app)})
        return
    out = console()
    out.print(f"{'Wrote' if written else 'Kept'} {path}.", soft_wrap=True)
    out.print(_describe_places(app), soft_wrap=True, markup=False)
    recipes = ", ".join(sorted(app.recipes)) or "none yet"
    out.print(f"Installed recipes: {recipes}.", soft_wrap=True)
    out.print(
        "\nNext: `headwater sources add news ADDRESS`, then `headwater run news --once` and `headwater docs list`."
    )
    if not app.settings.contact:
        out.print(
            "Please set `contact` in the settings before you fetch from sites, so that they can reach you."
        )


def _describe_places(app: App) -> str:
    """One folder for all, or the server and the bucket beside it."""
    places, folder = data_locations(app), str(app.settings.folder)
    elsewhere = [
        f"the {name} in {place}" for name, place in places.items() if not place.startswith(f"{folder}/")
    ]
    if not elsewhere:
        return f"The data is in {folder}."
    described = " and ".join(elsewhere)
    rest = "" if len(elsewhere) == len(places) else f", everything else in {folder}"
    return f"The data: {described}{rest}."


def _data_beside(path: Path, data: str | None) -> str:
    """The data folder as the settings file names it: what was typed is relative to the current folder."""
    if data is None or Path(data).is_absolute() or path.parent == Path():
        return data or DEFAULT_DATA
    return str(Path(data).absolute())


def _write(path: Path, data: str) -> bool:
    if path.exists():
        return False
    try:
        path.write_text(commented_settings(data), encoding="utf-8")
    except OSError as error:
        raise Refused("config_unwritable", f"{path} cannot be written: {error.strerror}") from error
    return True


app = single_command(init)

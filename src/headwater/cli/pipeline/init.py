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
    """Make the data folder, the database and, if there is none, a commented settings file.

    What is there already stays as it is.
    """
    options = global_options(context)
    path = config_path(options)
    written = _write(path, options.data or DEFAULT_DATA)
    try:
        app = close_with_command(context, App(settings_from(options)))
        _ = app.store
        app.archive.ready()
    except HeadwaterError:
        if written:  # a file that leads nowhere would stand in the way of the next try
            path.unlink()
        raise
    if as_json:
        print_json({"settings": str(path), "written": written, "places": data_locations(app)})
        return
    out = console()
    out.print(f"{'Wrote' if written else 'Kept'} {path}.", soft_wrap=True)
    out.print(f"The data lies in {app.settings.folder}.", soft_wrap=True)
    recipes = ", ".join(sorted(app.recipes)) or "none yet"
    out.print(f"Installed recipes: {recipes}.", soft_wrap=True)
    out.print("\nNext: `headwater run crypto --once`, then `headwater status` and `headwater docs list`.")
    out.print(
        "Sites can reach you if you set `contact` in the settings; please do before fetching from them."
    )


def _write(path: Path, data: str) -> bool:
    if path.exists():
        return False
    try:
        path.write_text(commented_settings(data), encoding="utf-8")
    except OSError as error:
        raise Refused("config_unwritable", f"{path} cannot be written: {error.strerror}") from error
    return True


app = single_command(init)
